// The small devices of the test machine, in plain C++: the parts of a PL011 and a PL031 that polling firmware
// needs, and the registers of the project's GIC. Offsets are those of whole 32-bit registers.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>

#include "base/units.h"
#include "devices/gic.h"

namespace asterism::foreign {

// A UART that transmits at once and has an unlimited receive buffer; it raises no interrupt.
class Uart {
 public:
  std::function<void(char)> on_output = [](char) {};

  void type(std::string_view text) { input_.insert(input_.end(), text.begin(), text.end()); }
  std::uint32_t load(std::uint64_t offset);
  void store(std::uint64_t offset, std::uint32_t value);
  // Input that was typed but not read is kept.
  void reset();

 private:
  std::deque<char> input_;
  std::uint32_t baud_integer_ = 0, baud_fraction_ = 0, line_ = 0, control_ = 0x300, levels_ = 0x12, mask_ = 0;
};

// Counts seconds since 1970; has no alarm.
class RealTimeClock {
 public:
  std::uint32_t load(std::uint64_t offset, Picoseconds now) const;
  void store(std::uint64_t offset, std::uint32_t value, Picoseconds now);

 private:
  static std::uint32_t seconds(Picoseconds now) { return static_cast<std::uint32_t>(now / 1_s); }
  std::uint32_t at_start_ = 1'700'000'000;
};

// Registers of core 0. Byte accesses are possible to the registers that have one byte for each interrupt.
std::uint32_t load_distributor(const Gic& gic, std::uint64_t offset);
void store_distributor(Gic& gic, std::uint64_t offset, std::uint32_t value);
constexpr bool has_bytes(std::uint64_t distributor_offset) {
  return distributor_offset >= 0x400 && distributor_offset < 0xc00;
}
std::uint32_t load_cpu_interface(Gic& gic, std::uint64_t offset);
void store_cpu_interface(Gic& gic, std::uint64_t offset, std::uint32_t value);

}  // namespace asterism::foreign
