// Power State Coordination Interface 1.0 (Arm DEN 0022D) as firmware at EL1 uses it through HVC: the
// functions, their parameters and return codes. An engine in plain C++ that acts through PsciPlatform.
//
// Modelled: PSCI_VERSION, CPU_SUSPEND (always as standby: the core waits for an interrupt and keeps its
// state), CPU_OFF, CPU_ON, AFFINITY_INFO of cores, MIGRATE_INFO_TYPE (no trusted OS), SYSTEM_OFF,
// SYSTEM_RESET, PSCI_FEATURES, SMCCC_VERSION (1.1). Everything else returns NOT_SUPPORTED. Cores are named by
// their affinity in MPIDR_EL1 (base/affinity.h).
#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"

namespace asterism {

class PsciPlatform {
 public:
  virtual ~PsciPlatform() = default;
  virtual unsigned core_count() const = 0;
  virtual bool core_is_on(unsigned core) const = 0;
  // Whether a core could fetch its first instruction there.
  virtual bool is_executable(Address entry) const = 0;
  virtual void core_on(unsigned core, Address entry, std::uint64_t context) = 0;
  virtual void core_off(unsigned core) = 0;
  virtual void core_standby(unsigned core) = 0;
  virtual void system_off() = 0;
  virtual void system_reset() = 0;
};

class Psci {
 public:
  enum Function : std::uint32_t {
    version = 0x8400'0000,
    cpu_suspend32 = 0x8400'0001,
    cpu_off = 0x8400'0002,
    cpu_on32 = 0x8400'0003,
    affinity_info32 = 0x8400'0004,
    migrate_info_type = 0x8400'0006,
    system_off = 0x8400'0008,
    system_reset = 0x8400'0009,
    features = 0x8400'000a,
    smccc_version = 0x8000'0000,
    cpu_suspend64 = 0xc400'0001,
    cpu_on64 = 0xc400'0003,
    affinity_info64 = 0xc400'0004,
  };
  enum Result : std::int64_t {
    success = 0,
    not_supported = -1,
    invalid_parameters = -2,
    denied = -3,
    already_on = -4,
    invalid_address = -9,
  };

  explicit Psci(PsciPlatform& platform) : platform_(platform) {}

  // `x`: x0 to x3 of the calling core. Returns the new x0. CPU_OFF, SYSTEM_OFF and SYSTEM_RESET have taken
  // effect when this returns, and the core executes nothing more.
  std::uint64_t call(unsigned core, const std::array<std::uint64_t, 4>& x);

 private:
  std::int64_t turn_on(std::uint64_t target, std::uint64_t entry, std::uint64_t context);
  std::int64_t affinity_info(std::uint64_t target, std::uint64_t level) const;

  PsciPlatform& platform_;
};

}  // namespace asterism
