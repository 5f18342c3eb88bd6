// The PCRAM of a node.
#pragma once

#include <memory>
#include <string>

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

// Describes why a part does not suit a node; "" if it does.
std::string pcram_problem(const PcramConfig& config, const PcramPart& part, Bytes dram);
std::unique_ptr<PcramTiming> pcram_timing(const PcramConfig& config, const PcramPart& part, Bytes dram);

}  // namespace asterism
