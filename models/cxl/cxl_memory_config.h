// A CXL.mem expander of a node.
#pragma once

#include <optional>
#include <string>

#include "base/enum_names.h"
#include "cxl/cxl_part.h"
#include "memory/memory_config.h"

namespace asterism {

class Fields;

enum class CxlSupply { node, own };
constexpr auto enum_names(CxlSupply) {
  return std::to_array<EnumName<CxlSupply>>(
      {{CxlSupply::node, "node", "it loses its contents with the power of the node"},
       {CxlSupply::own, "own",
        "it is in a chassis with a supply of its own, and keeps its contents when the node loses its "
        "power"}});
}

struct CxlMemoryConfig {
  std::string expander = "asic";
  CxlSupply supply = CxlSupply::node;
  Bytes size = 2_GiB;
  Picoseconds latency = 10_ns;
  MemoryFidelity fidelity = MemoryFidelity::loose;
  std::optional<std::string> curves = {};
  DramConfig dram = {};
  EccConfig ecc = {};
};
// The keys of `dram` and `ecc` are on the same level as the others.
void describe(Fields& f, CxlMemoryConfig& config);

// The DRAM of the expander, as a memory of its own.
MemoryConfig media_of(const CxlMemoryConfig& config);

}  // namespace asterism
