// The logical pages of a checkpoint log: which are free, and who refers to the others.
//
// A page is given back when nothing refers to it any more, nobody holds it to read it, and its write has
// ended: it is trimmed in the layer and can be taken again.
#pragma once

#include <cstdint>
#include <vector>

#include "dimm_ssd/checkpoint_log_directory.h"
#include "flash/translation_layer.h"

namespace asterism {

class LogPages {
 public:
  static constexpr std::uint32_t roots = 2;  // logical pages 0 and 1

  explicit LogPages(TranslationLayer& layer) : layer_(layer) {}

  // All but the roots are free.
  void clear();
  std::uint32_t size() const { return layer_.pages() - roots; }
  std::uint32_t free() const { return static_cast<std::uint32_t>(free_.size()); }
  // Will be free when their writes have ended.
  std::uint32_t dying() const { return dying_; }
  std::uint32_t references(std::uint32_t page) const { return pages_[page].references; }

  // A free page, which is going to be written and has one reference: the caller's.
  std::uint32_t take();
  void written(std::uint32_t page);

  void refer(std::uint32_t page) { ++pages_[page].references; }
  void release(std::uint32_t page);
  void refer(const CheckpointBody& body);
  void release(const CheckpointBody& body);

  // It keeps what it holds until it is let go as often as it was held.
  void hold(std::uint32_t page) { ++pages_[page].holders; }
  void let_go(std::uint32_t page);
  // After recovery: what is referred to is not free; the layer may have kept what is.
  void settle();
  void trim_free();

 private:
  struct Page {
    std::uint32_t references = 0;
    std::uint32_t holders = 0;
    bool in_flight = false;
  };
  void give_back_unused(std::uint32_t page);

  TranslationLayer& layer_;
  std::vector<Page> pages_;
  std::vector<std::uint32_t> free_;  // the last is taken first
  std::uint32_t dying_ = 0;
};

}  // namespace asterism
