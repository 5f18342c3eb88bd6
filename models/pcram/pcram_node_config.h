// The PCRAM of a node: one that copies pages (pcram_copier.h), or one that software reads and writes as
// memory (pcram_memory.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pcram/pcram_timing.h"

namespace asterism {

enum class PcramKind { dimm, stack };
constexpr auto enum_names(PcramKind) {
  return std::to_array<EnumName<PcramKind>>(
      {{PcramKind::dimm, "dimm", "modules of interleaved chips beside the DRAM"},
       {PcramKind::stack, "stack", "a stack on the dies of the DRAM, mat on mat (3D-PCRAM)"}});
}

struct PcramConfig {
  PcramKind kind = PcramKind::dimm;
  std::string dma = "memory";
  std::string part = "dong2011_45nm_4bank";
  std::uint32_t modules = 1;
  Bandwidth bus = Bandwidth(10'667'000'000);
  std::uint32_t layers = 2;
  bool suppress = true;
};
void describe(Fields& f, PcramConfig& config);

enum class PcramReserve { enough, none };
constexpr auto enum_names(PcramReserve) {
  return std::to_array<EnumName<PcramReserve>>(
      {{PcramReserve::enough, "enough", "a power failure leaves the energy to write the buffer to the cells"},
       {PcramReserve::none, "none",
        "a defect, for tests: the buffer is lost, and lines that are being written are torn"}});
}

struct PcramMemoryConfig {
  PcramConfig pcram = {.layers = 1};  // without its DMA
  Bytes size = 0_B;                   // 0: all of the modules, or one bank of a stack
  Bytes buffer = 4_KiB;
  Picoseconds latency = 10_ns;
  PcramReserve reserve = PcramReserve::enough;
};
void describe(Fields& f, PcramMemoryConfig& config);
Bytes size_of(const PcramMemoryConfig& config, const PcramPart& part);

// Describes why a part does not suit a node; "" if it does. `size` is the key with the size of the DRAM.
std::string pcram_problem(const PcramConfig& config, const PcramPart& part, Bytes dram,
                          std::string_view size = "memory.size");
std::unique_ptr<PcramTiming> pcram_timing(const PcramConfig& config, const PcramPart& part, Bytes dram);

}  // namespace asterism
