#include "flash/translation_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<TranslationConfig>() == 6);
void describe(Fields& f, TranslationConfig& c) {
  f("over_provisioning", c.over_provisioning,
    "The permille of pages that are not available as logical pages. With less, garbage collection has more "
    "to move.",
    within(0, 900));
  f("garbage_policy", c.garbage_policy, "The policy by which the next block to collect is chosen.",
    one_of<GarbagePolicy>());
  f("garbage_threshold", c.garbage_threshold,
    "The number of erased blocks of a plane at which collection starts. More start it earlier and leave "
    "fewer logical pages.",
    within(1, 64));
  f("pace_writes", c.pace_writes,
    "Whether a plane that collects takes writes only as fast as the collection frees pages, so that each "
    "waits "
    "for a few pages to move. Otherwise it takes them until no page is left, and then none until a block is "
    "erased: a burst ends earlier, and the longest waits are some hundred milliseconds.");
  f("dynamic_wear_levelling", c.dynamic_wear_levelling,
    "Whether the erased block with the fewest erases is filled next. Without it, the first erased block is.");
  f("static_wear_difference", c.static_wear_difference,
    "The difference of erase counts in a plane at which the data of the least worn block moves to a worn "
    "one. 0: never.");
}

}  // namespace asterism
