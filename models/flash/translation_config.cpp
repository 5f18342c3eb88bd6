#include "flash/translation_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<TranslationConfig>() == 5);
void describe(Fields& f, TranslationConfig& c) {
  f("over_provisioning", c.over_provisioning,
    "Permille of the pages that are not offered; less leaves garbage collection more to move",
    within(0, 900));
  f("garbage_policy", c.garbage_policy, "Which block is collected next", one_of<GarbagePolicy>());
  f("garbage_threshold", c.garbage_threshold,
    "Erased blocks of a plane at which collection starts; more begin earlier and leave fewer pages to offer",
    within(1, 64));
  f("dynamic_wear_levelling", c.dynamic_wear_levelling,
    "The next block to be filled is the one erased least often; off: the first erased one");
  f("static_wear_difference", c.static_wear_difference,
    "Erase counts that two blocks of a plane may be apart before resting data moves to the worn one; 0: any");
}

}  // namespace asterism
