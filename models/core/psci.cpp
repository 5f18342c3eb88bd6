#include "core/psci.h"

#include <optional>

#include "base/affinity.h"

namespace asterism {
namespace {

constexpr std::uint32_t convention_64_bit = 1u << 30;  // in a function id

bool is_implemented(std::uint32_t function) {
  switch (function) {
    case Psci::version:
    case Psci::cpu_suspend32:
    case Psci::cpu_off:
    case Psci::cpu_on32:
    case Psci::affinity_info32:
    case Psci::migrate_info_type:
    case Psci::system_off:
    case Psci::system_reset:
    case Psci::features:
    case Psci::smccc_version:
    case Psci::cpu_suspend64:
    case Psci::cpu_on64:
    case Psci::affinity_info64:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::uint64_t Psci::call(unsigned core, const std::array<std::uint64_t, 4>& x) {
  const auto function = static_cast<std::uint32_t>(x[0]);
  std::array<std::uint64_t, 4> arguments = x;
  if (!(function & convention_64_bit))
    for (std::uint64_t& argument : arguments) argument = static_cast<std::uint32_t>(argument);
  std::int64_t result = success;
  switch (function) {
    case version:
      result = 0x1'0000;
      break;
    case smccc_version:
      result = 0x1'0001;
      break;
    case migrate_info_type:
      result = 2;
      break;
    case features:
      result = is_implemented(static_cast<std::uint32_t>(arguments[1])) ? success : not_supported;
      break;
    case cpu_suspend32:
    case cpu_suspend64:
      platform_.core_standby(core);
      break;
    case cpu_off:
      platform_.core_off(core);
      break;
    case cpu_on32:
    case cpu_on64:
      result = turn_on(arguments[1], arguments[2], arguments[3]);
      break;
    case affinity_info32:
    case affinity_info64:
      result = affinity_info(arguments[1], arguments[2]);
      break;
    case system_off:
      platform_.system_off();
      break;
    case system_reset:
      platform_.system_reset();
      break;
    default:
      result = not_supported;
  }
  return static_cast<std::uint64_t>(result);
}

std::int64_t Psci::turn_on(std::uint64_t target, std::uint64_t entry, std::uint64_t context) {
  const std::optional<unsigned> core = core_of_affinity(target, platform_.core_count());
  if (!core) return invalid_parameters;
  if (platform_.core_is_on(*core)) return already_on;
  if (entry % 4 != 0 || !platform_.is_executable(Address(entry))) return invalid_address;
  platform_.core_on(*core, Address(entry), context);
  return success;
}

std::int64_t Psci::affinity_info(std::uint64_t target, std::uint64_t level) const {
  constexpr std::int64_t on = 0, off = 1;
  if (level > 3) return invalid_parameters;
  if (level > 0) return on;  // clusters are always on
  const std::optional<unsigned> core = core_of_affinity(target, platform_.core_count());
  if (!core) return invalid_parameters;
  return platform_.core_is_on(*core) ? on : off;
}

}  // namespace asterism
