// Stage 1 of the EL1&0 translation regime (Arm DDI 0487, D5, VMSAv8-64): the walk of the tables from a
// virtual to a physical address and its permissions. There is no TLB here (memory.h has one), and no stage 2.
//
// As in Armv8.0, there is no hardware update of the access flag or the dirty state, no hierarchical
// permission disables, and addresses have 48 bits. The contiguous bit is a hint and is ignored. Where the
// architecture leaves a choice: a size (TnSZ) out of range is a translation fault at level 0, and a reserved
// granule (TGn) is 4 KiB.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/a64/system_registers.h"

namespace asterism::a64 {

enum class Access : std::uint8_t { load, store, fetch };

// A fault as in FAR and ESR. `status` is the fault status code (DFSC, IFSC).
struct Fault {
  std::uint64_t address = 0;
  std::uint8_t status = 0;
  bool operator==(const Fault&) const = default;
};
namespace fault_status {  // add the level (0 to 3) to the first four
inline constexpr std::uint8_t address_size = 0x00, translation = 0x04, access_flag = 0x08, permission = 0x0c;
inline constexpr std::uint8_t external_abort = 0x10, external_abort_on_walk = 0x14, alignment = 0x21;
}  // namespace fault_status

// As in ID_AA64MMFR0_EL1.PARange.
inline constexpr unsigned physical_address_bits = 44;

// The kinds of access that are permitted.
struct Permissions {
  bool load = false, store = false, fetch = false;
  bool operator()(Access access) const {
    return access == Access::load ? load : access == Access::store ? store : fetch;
  }
  bool operator==(const Permissions&) const = default;
};

// The memory that holds the tables.
class TableMemory {
 public:
  virtual ~TableMemory() = default;
  // The 8 bytes at a physical address; nullopt: a bus error.
  virtual std::optional<std::uint64_t> descriptor(std::uint64_t physical) = 0;
};

struct Walk {
  std::uint64_t physical = 0;                // of the address
  std::uint8_t level = 0;                    // at which the block or page was found, or the fault
  std::uint8_t span = 64;                    // the block or page has 2^span bytes
  std::array<Permissions, 2> permissions{};  // at EL0 and EL1
  std::uint8_t attributes = 0;               // a byte of MAIR_EL1
  std::uint8_t shareability = 0;             // as PAR_EL1.SH
  std::optional<std::uint8_t> fault;         // a fault status with its level
};

// Whether it is Device memory, as all memory is without translation.
constexpr bool is_device(const Walk& walk) {
  constexpr std::uint8_t outer = 0xf0;
  return (walk.attributes & outer) == 0;
}

// Whether data caches may hold the memory. The inner attributes decide, because all levels of cache are inner
// ones. Write-Through counts as Write-Back. Without translation, memory is Device memory.
constexpr bool is_cacheable(const SystemRegisters& system, const Walk& walk) {
  constexpr std::uint8_t inner = 0x0f, non_cacheable = 0x04;
  return (system.sctlr & sctlr::c) != 0 && !is_device(walk) && (walk.attributes & inner) != non_cacheable;
}

// Walks the tables. The caller checks the permissions.
Walk walk(const SystemRegisters& system, std::uint64_t address, TableMemory& tables);

}  // namespace asterism::a64
