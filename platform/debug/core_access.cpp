#include "platform/debug/core_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "platform/debug/gdb_session.h"

namespace asterism {
namespace {

constexpr std::uint64_t page = 4096;

std::string_view word_for(CoreModule::State state) {
  switch (state) {
    case CoreModule::State::off:
      return "off";
    case CoreModule::State::running:
      return "running";
    case CoreModule::State::waiting:
      return "waiting for an interrupt";
    case CoreModule::State::locked_up:
      return "locked up";
  }
  return "";
}

std::optional<Address> physical_of(CoreModule& core, std::uint64_t address, Addressing how) {
  return how == Addressing::physical ? Address(address) : core.iss().debug_port().physical(address);
}

// The number of bytes at an address that are in its page.
std::size_t in_page(std::uint64_t address, std::size_t size) {
  return std::min<std::size_t>(size, page - address % page);
}

}  // namespace

std::string state_of(const CoreModule& core) {
  return fmt::format("{}{}", core.is_halted() ? "halted, " : "", word_for(core.state()));
}

CoreRegister general_register(unsigned number) {
  switch (number) {
    case DebugTarget::sp_number:
      return CoreRegister::sp;
    case DebugTarget::pc_number:
      return CoreRegister::pc;
    case DebugTarget::pstate_number:
      return CoreRegister::pstate;
    default:
      return static_cast<CoreRegister>(number);
  }
}

bool write_general(CoreModule& core, unsigned number, std::uint64_t value) {
  DebugPort& port = core.iss().debug_port();
  if (!port.is_between_instructions()) return false;
  if (number == DebugTarget::pstate_number) return port.write_pstate(value);
  core.iss().write(general_register(number), value);
  return true;
}

std::size_t read_through(CoreModule& core, std::uint64_t address, Addressing how, std::span<std::byte> data) {
  std::size_t done = 0;
  while (done < data.size()) {
    const std::span part = data.subspan(done, in_page(address + done, data.size() - done));
    const auto physical = physical_of(core, address + done, how);
    if (!physical || !core.read_memory(*physical, part)) break;
    done += part.size();
  }
  return done;
}

bool write_through(CoreModule& core, std::uint64_t address, Addressing how, std::span<const std::byte> data) {
  std::vector<std::byte> there(data.size());
  if (read_through(core, address, how, there) != data.size()) return false;
  for (std::size_t done = 0; done < data.size();) {
    const std::span part = data.subspan(done, in_page(address + done, data.size() - done));
    const auto physical = physical_of(core, address + done, how);
    if (!physical) return false;
    if (!core.write_memory(*physical, part) && !core.write_registers(*physical, part)) return false;
    done += part.size();
  }
  return true;
}

}  // namespace asterism
