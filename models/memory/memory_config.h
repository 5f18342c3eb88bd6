// The memory of a node: DRAM, its controllers, its ECC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/enum_names.h"
#include "base/swap_config.h"
#include "base/units.h"
#include "memory/address_mapping.h"
#include "memory/dram_config.h"
#include "memory/dram_curves.h"
#include "memory/dram_part.h"
#include "memory/ecc_config.h"

namespace asterism {

class Fields;

enum class MemoryFidelity { loose, contended, exact };
constexpr auto enum_names(MemoryFidelity) {
  return std::to_array<EnumName<MemoryFidelity>>(
      {{MemoryFidelity::loose, "loose",
        "an access is answered at once, scheduled by its channel's queues among all accesses known by then"},
       {MemoryFidelity::contended, "contended",
        "an access is answered at once, by the time that it takes alone and curves that say how long it "
        "waits "
        "at the load of its channel and bank; faster, and close to exact. Loads and stores of cores are such "
        "accesses only behind cores.caches"},
       {MemoryFidelity::exact, "exact",
        "an access waits in the queues of the controller, and each load and store of a core is monitored, "
        "which is slow"}});
}

enum class ControllerNodes { one, each };
constexpr auto enum_names(ControllerNodes) {
  return std::to_array<EnumName<ControllerNodes>>(
      {{ControllerNodes::one, "one", "all controllers are on one node, dram"},
       {ControllerNodes::each, "each",
        "each controller has a node, dram0, dram1 and so on; devices share them"}});
}

// The registers of the controllers: a range of addresses and an interrupt of their own.
struct MemoryRegistersConfig {
  Address base = {};
  std::optional<std::uint32_t> interrupt = {};
};
void describe(Fields& f, MemoryRegistersConfig& config);

struct MemoryConfig {
  std::optional<MemoryRegistersConfig> registers = {};
  Bytes size = 2_GiB;
  bool is_offered = true;  // to software, by the device tree
  Picoseconds latency = 10_ns;
  MemoryFidelity fidelity = MemoryFidelity::loose;
  std::optional<std::string> curves = {};
  ControllerNodes fabric_nodes = ControllerNodes::one;
  DramConfig dram = {};
  EccConfig ecc = {};
  CodecConfig codec = {};
};
// The keys of `dram` and `ecc` are on the same level as the others.
void describe(Fields& f, MemoryConfig& config);

// The files that a configuration names.
struct MemoryParts {
  DramPart dram;
  std::optional<DramCurves> curves;  // of a contended memory; absent if there is no such file
};

// The name of the curves that a contended memory uses: that of its part, unless it has the key.
std::string curves_name(const MemoryConfig& config);

// The reason why a memory cannot be as its keys say.
struct MemoryProblem {
  std::string_view key;  // the key at fault: "part", "refresh", "ecc" or "size"
  std::string words;     // a message for the user
};
// What the part does not have.
std::optional<MemoryProblem> part_problem(const DramConfig& config, const DramPart& part);
// `part_rows` is the number of rows of a bank, of which the geometry uses some.
std::optional<MemoryProblem> strong_ecc_problem(const DramGeometry& geometry, std::uint32_t part_rows);
// Whether the code is for ranks of these chips.
bool suits_code(const EccConfig& config, const DramPart& part);
// `name` is that of `part`.
std::optional<MemoryProblem> ecc_problem(const EccConfig& config, const std::string& name,
                                         const DramPart& part, const DramGeometry& geometry);

}  // namespace asterism
