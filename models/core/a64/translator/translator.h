// Translates blocks that are executed often to code of the host (region.h, emitter.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/a64/block.h"
#include "core/a64/translator/emitter.h"
#include "core/a64/translator/host_code.h"
#include "core/translation.h"

namespace asterism::a64 {

class Translator {
 public:
  // nullptr: there is none for this host, or the host does not let this process make code.
  static std::unique_ptr<Translator> make(Cpu& cpu);
  ~Translator();

  // A block that begins to be executed is worth a translation, and will be counted again. Translations are
  // made for several blocks at once, or when one of them is wanted again, and change their first operations.
  void want(Block& block);
  // A block is about to be dropped: the blocks of its region are interpreted again.
  void drop(Block& block);

  const TranslationCounts& counts() const { return counts_; }

 private:
  explicit Translator(Cpu& cpu);
  // With the blocks around it, as far as their code fits.
  void translate(Block& block);
  // Of at most so many blocks; nullptr: not worth it.
  std::unique_ptr<Region> region_at(Block& first, std::size_t most);
  RegionBlock read(Block& block, const std::uint8_t* page);
  int find(Region& region, std::size_t most, std::uint64_t pc, const std::uint8_t* page);
  bool make_code(Region& region);
  void install(Region& region);
  void remove(Region& region);
  void remove_all();

  Cpu& cpu_;
  HostCode code_;
  std::unique_ptr<Emitter> emitter_;
  std::vector<Block*> wanted_;
  std::vector<std::unique_ptr<Region>> regions_;
  TranslationCounts counts_;
};

}  // namespace asterism::a64
