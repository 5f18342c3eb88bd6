#include "core/core_config.h"

#include "base/fields.h"

namespace asterism {

InstructionClock CoreConfig::instruction_clock() const { return {clock, millicycles(cpi)}; }

namespace {

void describe_rules(Fields& f, const CoreConfig& c) {
  f.check(c.auxiliary < c.count, "auxiliary", "is below count: at least one core runs the program");
  const CoreFeatures features{c.features};
  using enum CoreFeature;
  f.check(features.has(aes) || !features.has(pmull), "features",
          "has aes if it has pmull: one field of ID_AA64ISAR0_EL1 announces both");
  f.check(features.has(sha1) == features.has(sha2), "features",
          "has both sha1 and sha2 or neither, as the architecture requires");
}

}  // namespace

static_assert(member_count<CoreConfig>() == 13);
void describe(Fields& f, CoreConfig& c) {
  f("count", c.count,
    "The number of cores. Firmware starts all except the first (start). More than 8 cores need an "
    "interrupt controller of the type gicv3, and firmware that supports it.",
    within(1, 576));
  f("auxiliary", c.auxiliary,
    "How many cores, the last ones, the device tree reserves for work in the background of the program's "
    "checkpoints. Programs run on the others.",
    within(0, 7));
  f("engine", c.engine,
    "The engine that executes the instructions of the cores, and counts each. There is one.",
    one_of<CoreEngine>());
  f("translator", c.translator,
    "Whether the engine translates instructions that are executed often to code of the host, which changes "
    "how long a run takes and nothing that is simulated. lockstep checks that: it executes nearly every "
    "instruction both ways, which takes several times as long without caches, and up to fifty times with "
    "them.",
    one_of<CoreTranslator>());
  f("clock", c.clock,
    "The clock of every core. A faster clock executes more instructions in the same simulated time.",
    within(1_MHz, 10_GHz));
  f("cpi", c.cpi,
    "The cycles per instruction, in steps of 0.001. This figure stands for the pipeline, which is not "
    "modelled, and for caches that are not modelled (caches).",
    within(0.001, 1000.0));
  f("timing", c.timing,
    "The latencies and pipelines of the core: a file in configs/cores. Then cpi has no effect. Without it, "
    "every instruction takes the same time.",
    names_file("cores"));
  f("counter", c.counter,
    "The frequency of the generic timer's counter. QEMU's virt machine has 62.5 MHz. A higher one has a "
    "finer resolution.",
    within(1_MHz, 1_GHz));
  f("event_wait", c.event_wait,
    "The simulated time that a core waits after WFE or YIELD. A longer one makes spinning cheaper to "
    "simulate, and barriers slower.",
    within(1_ns, 1_ms));
  f("caches", c.caches, "The caches between the cores and memory.");
  f.check([&] { return c.translator != CoreTranslator::lockstep || c.caches.model != CacheModel::checked; },
          "translator", "is not lockstep if caches.model is checked");
  f("start", c.start,
    "How firmware starts all cores except the first, as the device tree says. With spin_table, the cores "
    "spin until then, which costs the simulator time.",
    one_of<CoreStart>());
  f("load_errors", c.load_errors, "What a load gets that memory cannot answer.", one_of<LoadErrors>());
  f("features", c.features,
    "The extensions of the cores beyond Armv8.0-A. ID registers announce exactly these; instructions of "
    "others are UNDEFINED. The default is a Cortex-A57 with cryptography, and lse.",
    one_of<CoreFeature>());
  describe_rules(f, c);
}

}  // namespace asterism
