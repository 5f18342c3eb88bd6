#include "core/core_config.h"

#include "base/fields.h"

namespace asterism {

InstructionClock CoreConfig::instruction_clock() const { return {clock, millicycles(cpi)}; }

namespace {

void describe_rules(Fields& f, const CoreConfig& c) {
  f.check(c.count <= 8 || c.gic == InterruptControllerKind::gicv3, "count",
          "is at most 8 with gic=gic400, which serves no more; gic=gicv3 serves 576");
  f.check(c.auxiliary < c.count, "auxiliary", "is below count: at least one core computes");
  const CoreFeatures features{c.features};
  using enum CoreFeature;
  f.check(features.has(aes) || !features.has(pmull), "features",
          "has aes where it has pmull: one field of ID_AA64ISAR0_EL1 announces both");
  f.check(features.has(sha1) == features.has(sha2), "features",
          "has both sha1 and sha2 or neither, as the architecture asks for");
}

}  // namespace

static_assert(member_count<CoreConfig>() == 11);
void describe(Fields& f, CoreConfig& c) {
  f("count", c.count,
    "Cores; firmware starts all but the first (start). More than 8 of them need the interrupt controller "
    "gicv3 "
    "(gic), and firmware for it",
    within(1, 576));
  f("auxiliary", c.auxiliary,
    "Of them, the last ones, which the device tree tells firmware to set aside for work behind the program's "
    "checkpoints; programs run on the others. 0: all compute",
    within(0, 7));
  f("engine", c.engine,
    "The engine that runs the instructions of the cores. There is one: an interpreter that counts every "
    "instruction",
    one_of<CoreEngine>());
  f("clock", c.clock, "Clock of every core; a higher one retires more instructions in simulated time",
    within(1_MHz, 10_GHz));
  f("cpi", c.cpi,
    "Cycles per instruction, in thousandths: the cores have no pipeline, and no caches unless asked for; "
    "this "
    "figure stands for them",
    within(0.001, 1000.0));
  f("counter", c.counter,
    "Rate of the generic timer's counter; QEMU virt has 62.5 MHz. A higher one resolves finer",
    within(1_MHz, 1_GHz));
  f("event_wait", c.event_wait,
    "Simulated time that a WFE or YIELD lets pass before the core looks again; a longer one makes spinning "
    "cheaper to simulate and barriers slower",
    within(1_ns, 1_ms));
  describe(f, c.caches);
  f("start", c.start,
    "How firmware starts all cores but the first, as the device tree tells it: psci by CPU_ON; spin_table by "
    "writing an address that they wait for, so that they spin until then and cost the simulator time",
    one_of<CoreStart>());
  f("gic", c.gic,
    "The interrupt controller, as QEMU's virt machine has them with gic-version=2 and 3; firmware is made "
    "for "
    "one or the other, or asks the device tree",
    one_of<InterruptControllerKind>());
  f("features", c.features,
    "What the cores have beyond Armv8.0-A: ID registers announce these and nothing else, and an instruction "
    "of "
    "one that is left out is UNDEFINED, so that programs which look before they use it take another way. The "
    "default is a Cortex-A57 with its cryptographic extension, and lse",
    one_of<CoreFeature>());
  describe_rules(f, c);
}

}  // namespace asterism
