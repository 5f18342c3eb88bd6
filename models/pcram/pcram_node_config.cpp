#include "pcram/pcram_node_config.h"

#include "base/fields.h"
#include "pcram/dimm_timing.h"
#include "pcram/stack_timing.h"

namespace asterism {

static_assert(member_count<PcramConfig>() == 6);
void describe(Fields& f, PcramConfig& c) {
  f("kind", c.kind, "Where it is, and with it how fast", one_of<PcramKind>());
  f.when("kind", c.kind, {PcramKind::dimm, PcramKind::stack}, [&] {
    f("part", c.part, "Pulses, energies and endurance of its cells: a chip for modules, a stack for a stack",
      names_file("pcram"));
    f("suppress", c.suppress,
      "Only cells that differ are programmed: less energy and wear, for a read before each write");
  });
  f.when("kind", c.kind, PcramKind::dimm, [&] {
    f("modules", c.modules, "Of 18 chips each, on one bus; more hold more and are no faster", within(1, 64));
    f("bus", c.bus, "Between them and the memory controller; a line needs 64 B of it",
      within(1_MBps, 1000_GBps));
  });
  f.when("kind", c.kind, PcramKind::stack, [&] {
    f("layers", c.layers, "Copies of the DRAM that there is room for; with one, a cut may leave no whole one",
      within(1, 16));
  });
}

std::string pcram_problem(const PcramConfig& config, const PcramPart& part, Bytes dram) {
  const bool is_stack = config.kind == PcramKind::stack;
  if (is_stack != (part.form == PcramForm::stack))
    return config.part + (is_stack ? " is a chip: a stack is made of a part of the form stack"
                                   : " is a stack: modules are made of a part of the form chip");
  if (is_stack && dram % part.capacity != Bytes(0))
    return config.part + " has banks of " + to_text(part.capacity) +
           ": memory.size is a whole number of them";
  return "";
}

std::unique_ptr<PcramTiming> pcram_timing(const PcramConfig& config, const PcramPart& part, Bytes dram) {
  if (config.kind == PcramKind::stack) return std::make_unique<StackTiming>(part, dram, config.layers);
  return std::make_unique<DimmTiming>(part, config.modules, config.bus);
}

}  // namespace asterism
