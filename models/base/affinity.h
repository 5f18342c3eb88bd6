// The numbering of cores by affinity, as used by MPIDR_EL1 (Arm DDI 0487, D17.2.101), PSCI, and the
// redistributors and software-generated interrupts of a GICv3. As on QEMU's virt machine with a GICv3, 16
// cores form a cluster: Aff0 is the number of the core in the cluster (what a target list of 16 bits can
// name), and Aff1 is the number of the cluster. The levels above are 0.
#pragma once

#include <cstdint>
#include <optional>

namespace asterism {

inline constexpr unsigned cores_per_cluster = 16;

// Aff1 is in bits 15:8, Aff0 in bits 7:0.
constexpr std::uint32_t affinity_of(unsigned core) {
  return core / cores_per_cluster << 8 | core % cores_per_cluster;
}

// Returns the core, of `count` cores, that all affinity levels of a value name. Aff3 is in bits 39:32. All
// other bits are 0.
constexpr std::optional<unsigned> core_of_affinity(std::uint64_t affinity, unsigned count) {
  const std::uint64_t place = affinity & 0xff, cluster = affinity >> 8;
  if (place >= cores_per_cluster || cluster > 0xff) return std::nullopt;
  const auto core = static_cast<unsigned>(cluster * cores_per_cluster + place);
  return core < count ? std::optional(core) : std::nullopt;
}

}  // namespace asterism
