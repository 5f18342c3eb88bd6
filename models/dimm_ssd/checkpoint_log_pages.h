// The logical pages of a checkpoint log: the free ones, and the references to the others.
//
// A page is freed when it has no reference and no hold of a reader, and its write has ended. It is then
// trimmed in the layer and can be taken again.
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

  // Frees all pages but the roots.
  void clear();
  std::uint32_t size() const { return layer_.pages() - roots; }
  std::uint32_t free() const { return static_cast<std::uint32_t>(free_.size()); }
  // Pages that will be free when their writes have ended.
  std::uint32_t dying() const { return dying_; }
  std::uint32_t references(std::uint32_t page) const { return pages_[page].references; }

  // Takes a free page to be written, with one reference, which the caller owns.
  std::uint32_t take();
  void written(std::uint32_t page);

  void refer(std::uint32_t page) { ++pages_[page].references; }
  void release(std::uint32_t page);
  void refer(const CheckpointBody& body);
  void release(const CheckpointBody& body);

  // A page keeps its contents until every hold() is matched by a release_hold().
  void hold(std::uint32_t page) { ++pages_[page].holders; }
  void release_hold(std::uint32_t page);
  // Ends the recovery: pages with references are not free, and free ones that the layer has kept are trimmed.
  void complete_recovery();
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
  std::vector<std::uint32_t> free_;  // the last one is taken first
  std::uint32_t dying_ = 0;
};

}  // namespace asterism
