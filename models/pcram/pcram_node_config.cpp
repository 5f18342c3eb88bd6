#include "pcram/pcram_node_config.h"

#include "base/fields.h"
#include "pcram/dimm_timing.h"
#include "pcram/stack_timing.h"

namespace asterism {

namespace {

// What both devices have.
void describe_cells(Fields& f, PcramConfig& c) {
  f("kind", c.kind, "Where the PCRAM is attached, which determines its speed.", one_of<PcramKind>());
  f("part", c.part,
    "The cells with their pulses, energies and endurance: a chip for modules, a stack for a stack.",
    names_file("pcram"));
  f("suppress", c.suppress,
    "Whether only cells that change are programmed. It saves energy and wear, and costs a read before each "
    "write.");
  f.when("kind", c.kind, PcramKind::dimm, [&] {
    f("modules", c.modules,
      "The number of modules of 18 chips each, on one bus. More modules hold more but are no faster.",
      within(1, 64));
    f("bus", c.bus,
      "The bandwidth between the modules and the memory controller. A line takes 64 bytes of it.",
      within(1_MBps, 1000_GBps));
  });
}

}  // namespace

static_assert(member_count<PcramConfig>() == 7);
void describe(Fields& f, PcramConfig& c) {
  describe_cells(f, c);
  f("dma", c.dma, "The memory whose pages it stores: a device of the type memory. A stack is on its dies.");
  f.check(!c.dma.empty(), "dma", "is the name of a memory");
  f.when("kind", c.kind, PcramKind::stack, [&] {
    f("layers", c.layers,
      "The number of copies of the DRAM that fit. With one, a power failure during a save may leave no "
      "complete copy.",
      within(1, 16));
  });
}

static_assert(member_count<PcramMemoryConfig>() == 5);
void describe(Fields& f, PcramMemoryConfig& c) {
  describe_cells(f, c.pcram);
  f("size", c.size,
    "The range of addresses, which is at most the capacity. 0B: all of the modules, or one bank of a stack.",
    within(0_B, 1_TiB));
  f("buffer", c.buffer,
    "The lines that the controller holds until they are written, so that stores to one line become one "
    "write. "
    "A power failure must leave the energy to write them.",
    within(256_B, 1_MiB));
  f("latency", c.latency, "The latency of the controller, added to that of the cells and the bus.",
    within(0_ns, 1_ms));
  f("reserve", c.reserve, "The energy that is left when the power fails.", one_of<PcramReserve>());
  f.check(c.size % 4_KiB == 0_B, "size", "is a whole number of pages of 4 KiB");
  f.check(c.buffer % 64_B == 0_B, "buffer", "is a whole number of lines of 64 bytes");
}

Bytes size_of(const PcramMemoryConfig& config, const PcramPart& part) {
  if (config.size != 0_B) return config.size;
  if (config.pcram.kind == PcramKind::stack) return part.capacity;
  return pcram_timing(config.pcram, part, 0_B)->lines() * 64_B;
}

std::string pcram_problem(const PcramConfig& config, const PcramPart& part, Bytes dram,
                          std::string_view size) {
  const bool is_stack = config.kind == PcramKind::stack;
  if (is_stack != (part.form == PcramForm::stack))
    return config.part + (is_stack ? " is a chip: a stack is made of a part of the form stack"
                                   : " is a stack: modules are made of a part of the form chip");
  if (is_stack && dram % part.capacity != Bytes(0))
    return config.part + " has banks of " + to_text(part.capacity) + ": " + std::string(size) +
           " is a whole number of them";
  return "";
}

std::unique_ptr<PcramTiming> pcram_timing(const PcramConfig& config, const PcramPart& part, Bytes dram) {
  if (config.kind == PcramKind::stack) return std::make_unique<StackTiming>(part, dram, config.layers);
  return std::make_unique<DimmTiming>(part, config.modules, config.bus);
}

}  // namespace asterism
