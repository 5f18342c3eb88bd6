// The policies of a page-mapping translation layer (translation_layer.h).
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
  // The permille of pages that are not available as logical pages. With less, garbage collection has more to
  // move.
  std::uint32_t over_provisioning = 70;
  GarbagePolicy garbage_policy = GarbagePolicy::greedy;
  // Collection in a plane starts when this number of erased blocks is left. When one is left, it has absolute
  // priority over writes, unless these are paced.
  std::uint32_t garbage_threshold = 2;
  // Whether a plane takes writes at the pace at which its collection frees pages. Otherwise it takes them
  // until no page is left, and then none until the block is erased.
  bool pace_writes = false;
  // Dynamic wear levelling: the erased block with the fewest erases is filled next. Off: the first free one.
  bool dynamic_wear_levelling = true;
  // Static wear levelling: when the erase counts of the most worn block of a plane and of the least worn one
  // with data differ by this number, the data of the latter move to a worn block. 0: never.
  std::uint32_t static_wear_difference = 100;
};
void describe(Fields& f, TranslationConfig& config);

}  // namespace asterism
