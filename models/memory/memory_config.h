// The memory of a node: DRAM, its controllers, its ECC.
#pragma once

#include "base/enum_names.h"
#include "base/units.h"
#include "cosim/swap_config.h"
#include "memory/dram_config.h"
#include "memory/dram_part.h"
#include "memory/ecc_config.h"

namespace asterism {

class Fields;

enum class MemoryFidelity { loose, exact };
constexpr auto enum_names(MemoryFidelity) {
  return std::to_array<EnumName<MemoryFidelity>>(
      {{MemoryFidelity::loose, "loose", "an access is answered at once, by the state of its bank and bus"},
       {MemoryFidelity::exact, "exact",
        "an access waits in the controller's queues; cores show each load and store, which is slow"}});
}

struct MemoryConfig {
  Bytes size = 2_GiB;
  Picoseconds latency = 10_ns;
  MemoryFidelity fidelity = MemoryFidelity::loose;
  DramConfig dram = {};
  EccConfig ecc = {};
  CodecConfig codec = {};
};
// The keys of dram and ecc stand beside the others.
void describe(Fields& f, MemoryConfig& config);

// "" or words that follow the name of a part: "has 9 chips of 8 bits in a rank: ..."
std::string ecc_problem(const EccConfig& ecc, const DramConfig& dram, const DramPart& part);

}  // namespace asterism
