#include "platform/plugin_check/bench_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tlm/initiator_extension.h"

namespace asterism {

BenchAccess BenchAccess::read(std::size_t target, std::uint64_t address, unsigned length) {
  return {.target = target,
          .address = address,
          .data = std::vector<unsigned char>(length, 0xee),
          .streaming_width = length};
}

BenchAccess BenchAccess::write(std::size_t target, std::uint64_t address, std::vector<unsigned char> data) {
  const auto length = static_cast<unsigned>(data.size());
  return {.target = target,
          .command = tlm::TLM_WRITE_COMMAND,
          .address = address,
          .data = std::move(data),
          .streaming_width = length};
}

BenchAccess BenchAccess::write32(std::size_t target, std::uint64_t address, std::uint32_t value) {
  std::vector<unsigned char> data(4);
  std::memcpy(data.data(), &value, 4);
  return write(target, address, std::move(data));
}

bool BenchAccess::is_within(Bytes size) const {
  const unsigned reach = streaming_width == 0 ? length() : std::min(length(), streaming_width);
  const std::uint64_t rest = address < size.count() ? size.count() - address : 0;
  if (reach <= rest || !enables) return reach <= rest;
  for (unsigned i = 0; i < length(); ++i)
    if (is_enabled(i) && i % reach >= rest) return false;
  return true;
}

bool BenchAccess::is_legal() const {
  return command <= tlm::TLM_IGNORE_COMMAND && streaming_width != 0 && !(enables && enables->empty()) &&
         (length() != 0 || !moves_data());
}

std::string hex_of(const std::vector<unsigned char>& bytes) {
  constexpr std::size_t shown = 16;
  std::string text;
  for (std::size_t i = 0; i < std::min(bytes.size(), shown); ++i)
    text += fmt::format("{}{:02x}", i ? " " : "", bytes[i]);
  return bytes.size() > shown ? text + " ..." : text;
}

std::string text_of(tlm::tlm_response_status status) {
  tlm::tlm_generic_payload payload;
  payload.set_response_status(status);
  return payload.get_response_string();
}

std::string text_of(Picoseconds time) {
  constexpr std::pair<std::uint64_t, const char*> units[] = {
      {1'000'000'000'000, "s"}, {1'000'000'000, "ms"}, {1'000'000, "us"}, {1'000, "ns"}};
  for (const auto& [unit, name] : units)
    if (time.count() >= unit) {
      std::string digits = fmt::format("{}.{:0{}}", time.count() / unit, time.count() % unit,
                                       fmt::formatted_size("{}", unit) - 1);
      digits.erase(digits.find_last_not_of('0') + 1);
      if (digits.ends_with('.')) digits.pop_back();
      return digits + " " + name;
    }
  return fmt::format("{} ps", time.count());
}

std::string BenchAccess::text() const {
  const char* const what = command == tlm::TLM_READ_COMMAND     ? "read"
                           : command == tlm::TLM_WRITE_COMMAND  ? "write"
                           : command == tlm::TLM_IGNORE_COMMAND ? "ignore"
                                                                : "unknown command,";
  std::string text = fmt::format("{} {} {}", what, length(), length() == 1 ? "byte" : "bytes");
  if (command == tlm::TLM_WRITE_COMMAND && length() != 0) text += " " + hex_of(data);
  text += fmt::format(" at {:#x}", address);
  if (!has_data) text += ", null data pointer";
  if (enables) text += fmt::format(", byte enables {}", enables->empty() ? "of length 0" : hex_of(*enables));
  if (streaming_width != length()) text += fmt::format(", streaming width {}", streaming_width);
  if (delay != Picoseconds()) text += ", delay " + text_of(delay);
  if (!master)
    text += ", no identity";
  else if (*master != 0)
    text += fmt::format(", master {:#x}", *master);
  if (is_secure) text += ", secure";
  if (is_managed) text += ", with a memory manager";
  if (has_other_extension) text += ", with an unknown extension";
  return is_legal() ? text : text + ", which TLM-2.0 forbids its initiator";
}

std::string BenchAccess::place(const PlacedDevice& device) const {
  const DeviceTarget& shape = device.shape.targets.at(target);
  const std::uint64_t word = address & ~std::uint64_t{3};
  if (shape.registers)
    if (const auto found = shape.registers->find(word); found.reg)
      return found.reg->count() == 1
                 ? fmt::format("{}.{}", device.range_name(target), found.reg->name())
                 : fmt::format("{}.{}[{}]", device.range_name(target), found.reg->name(), found.index);
  return fmt::format("{} + {:#x}", device.range_name(target), address);
}

namespace {

std::uint64_t random_address(Random& random, const DeviceTarget& target) {
  const std::uint64_t size = target.size.count();
  switch (random.below(8)) {
    case 0:  // around the end of the target
      return size - std::min<std::uint64_t>(size, random.below(16)) + random.below(8);
    case 1:  // around the end of the address space
      return ~std::uint64_t{0} - random.below(16);
    case 2:
      return random.next();
    case 3:
      return random.below(size);
    default:
      break;
  }
  if (target.registers)
    if (const auto registers = target.registers->registers(); !registers.empty()) {
      const Register& reg = *registers[random.below(registers.size())];
      return reg.offset() + random.below(reg.count()) * reg.stride() +
             (random.below(4) ? 0 : random.below(4));
    }
  return random.below(std::min<std::uint64_t>(size, 4096)) & ~std::uint64_t{3};
}

}  // namespace

BenchAccess random_access(Random& random, const PlacedDevice& device, std::size_t target) {
  const DeviceTarget& shape = device.shape.targets.at(target);
  BenchAccess access{.target = target, .address = random_address(random, shape)};
  constexpr std::array<unsigned, 8> usual{4, 4, 4, 1, 2, 8, 16, 64};
  access.data.resize(random.below(4) ? usual[random.below(usual.size())] : random.below(131));
  for (auto& byte : access.data)
    byte = static_cast<unsigned char>(random.below(3) ? random.next() : random.below(2) ? 0 : 1);
  const std::uint64_t command = random.below(20);
  access.command = static_cast<tlm::tlm_command>(command < 9 ? 0 : command < 18 ? 1 : command == 18 ? 2 : 3);
  // The standard allows a null pointer where no data are moved.
  access.has_data = access.command != tlm::TLM_IGNORE_COMMAND || random.below(2);
  access.streaming_width = access.length();
  if (random.below(4) == 0)
    access.streaming_width = static_cast<unsigned>(random.below(2) ? random.below(70) : random.below(5) + 1);
  if (random.below(3) == 0) {
    access.enables.emplace(random.below(20) ? random.below(9) + 1 : 0);
    const std::uint64_t kind = random.below(6);
    for (auto& enable : *access.enables)
      enable = kind != 0 && (kind == 1 || random.below(2)) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  }
  access.delay = Picoseconds(random.below(3) ? random.below(100'000) : random.below(2) ? 37'000 : 0);
  switch (random.below(8)) {
    case 0:
      access.master = std::nullopt;
      break;
    case 1:
      access.master = InitiatorExtension::first_device_master + static_cast<unsigned>(random.below(8));
      break;
    case 2:
      access.master = static_cast<unsigned>(random.next());
      break;
    default:
      access.master = static_cast<unsigned>(random.below(4));
  }
  access.is_secure = random.below(4) == 0;
  access.is_managed = random.below(2);
  access.has_other_extension = random.below(4) == 0;
  return access;
}

}  // namespace asterism
