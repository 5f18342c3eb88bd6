// How a page-mapping translation layer (translation_layer.h) lays out and cleans its flash.
#pragma once

#include <cstdint>

#include "base/enum_names.h"

namespace asterism {

class Fields;

enum class GarbagePolicy { greedy, cost_benefit, oldest };
constexpr auto enum_names(GarbagePolicy) {
  return std::to_array<EnumName<GarbagePolicy>>(
      {{GarbagePolicy::greedy, "greedy",
        "the block with the fewest valid pages, which leaves the least to move"},
       {GarbagePolicy::cost_benefit, "cost_benefit",
        "weighs the valid pages against their age, and spares blocks that are still being invalidated"},
       {GarbagePolicy::oldest, "oldest", "the block closed first, which wears evenly and moves the most"}});
}

struct TranslationConfig {
  // Permille of the pages that are not offered as logical ones; less leaves garbage collection more to move.
  std::uint32_t over_provisioning = 70;
  GarbagePolicy garbage_policy = GarbagePolicy::greedy;
  // Of each plane: collection starts when so many erased blocks are left, and has absolute priority over
  // writes when one is.
  std::uint32_t garbage_threshold = 2;
  // Dynamic wear levelling: new blocks are those erased least often. Off: the first free one.
  bool dynamic_wear_levelling = true;
  // Static wear levelling: when the most worn block of a plane has been erased so many times more often than
  // the least worn one that holds data, that one's data moves to a worn block. 0: never.
  std::uint32_t static_wear_difference = 100;
};
void describe(Fields& f, TranslationConfig& config);

}  // namespace asterism
