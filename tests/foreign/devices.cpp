#include "devices.h"

#include <algorithm>

namespace asterism::foreign {
namespace {

// The identification registers of a PrimeCell, from 0xfe0: part number, designer, revision.
std::uint32_t identity(std::uint32_t part, std::uint64_t offset) {
  const std::uint8_t bytes[] = {static_cast<std::uint8_t>(part),
                                static_cast<std::uint8_t>(part >> 8),
                                static_cast<std::uint8_t>(part >> 16),
                                0x00,
                                0x0d,
                                0xf0,
                                0x05,
                                0xb1};
  return bytes[(offset - 0xfe0) / 4];
}

}  // namespace

// ---- PL011 ----

std::uint32_t Uart::load(std::uint64_t offset) {
  constexpr std::uint32_t transmit_empty = 1 << 7, receive_empty = 1 << 4;
  switch (offset) {
    case 0x000: {
      if (input_.empty()) return 0;
      const auto next = static_cast<std::uint8_t>(input_.front());
      input_.pop_front();
      return next;
    }
    case 0x018:
      return transmit_empty | (input_.empty() ? receive_empty : 0);
    case 0x024:
      return baud_integer_;
    case 0x028:
      return baud_fraction_;
    case 0x02c:
      return line_;
    case 0x030:
      return control_;
    case 0x034:
      return levels_;
    case 0x038:
      return mask_;
    default:
      return offset >= 0xfe0 ? identity(0x141011, offset) : 0;
  }
}

void Uart::store(std::uint64_t offset, std::uint32_t value) {
  switch (offset) {
    case 0x000:
      on_output(static_cast<char>(value));
      break;
    case 0x024:
      baud_integer_ = value & 0xffff;
      break;
    case 0x028:
      baud_fraction_ = value & 0x3f;
      break;
    case 0x02c:
      line_ = value & 0xff;
      break;
    case 0x030:
      control_ = value & 0xffff;
      break;
    case 0x034:
      levels_ = value & 0x3f;
      break;
    case 0x038:
      mask_ = value & 0x7ff;
      break;
    default:
      break;
  }
}

void Uart::reset() {
  baud_integer_ = baud_fraction_ = line_ = mask_ = 0;
  control_ = 0x300;
  levels_ = 0x12;
}

// ---- PL031 ----

std::uint32_t RealTimeClock::load(std::uint64_t offset, Picoseconds now) const {
  if (offset == 0x000) return at_start_ + seconds(now);
  if (offset == 0x00c) return 1;  // the clock runs
  return offset >= 0xfe0 ? identity(0x041031, offset) : 0;
}

void RealTimeClock::store(std::uint64_t offset, std::uint32_t value, Picoseconds now) {
  if (offset == 0x008) at_start_ = value - seconds(now);
}

// ---- GICv2 ----

std::uint32_t load_distributor(const Gic& gic, std::uint64_t offset) {
  const auto word = static_cast<unsigned>(offset % 0x80 / 4);
  const bool exists = word < 2;
  switch (offset & ~0x7full) {
    case 0x000:
      return offset == 0 ? gic.control() : offset == 4 ? gic.type() : offset == 8 ? 0x43b : 0;
    case 0x080:
      return exists ? gic.group(word, 0) : 0;
    case 0x100:
    case 0x180:
      return exists ? gic.enabled(word, 0) : 0;
    case 0x200:
    case 0x280:
      return exists ? gic.pending(word, 0) : 0;
    case 0x300:
    case 0x380:
      return exists ? gic.active(word, 0) : 0;
    default:
      break;
  }
  const auto fourth = static_cast<unsigned>(offset % 0x400 / 4);
  if (offset >= 0x400 && offset < 0x800) return fourth < 16 ? gic.priorities(fourth, 0) : 0;
  if (offset >= 0x800 && offset < 0xc00) return fourth < 16 ? gic.targets(fourth, 0) : 0;
  if (offset >= 0xc00 && offset < 0xd00) return fourth < 4 ? gic.config(fourth, 0) : 0;
  return offset == 0xfe8 ? 0x2b : 0;  // PIDR2: architecture 2
}

void store_distributor(Gic& gic, std::uint64_t offset, std::uint32_t value) {
  using Setter = void (Gic::*)(unsigned, std::uint32_t, unsigned);
  static constexpr Setter by_bit[] = {&Gic::set_group,   &Gic::set_enabled,   &Gic::clear_enabled,
                                      &Gic::set_pending, &Gic::clear_pending, &Gic::set_active,
                                      &Gic::clear_active};
  const auto word = static_cast<unsigned>(offset % 0x80 / 4);
  const auto fourth = static_cast<unsigned>(offset % 0x400 / 4);
  if (offset == 0) {
    gic.set_control(value);
  } else if (offset >= 0x080 && offset < 0x400 && word < 2) {
    (gic.*by_bit[offset / 0x80 - 1])(word, value, 0);
  } else if (offset >= 0x400 && offset < 0x440) {
    gic.set_priorities(fourth, value, 0);
  } else if (offset >= 0x800 && offset < 0x840) {
    gic.set_targets(fourth, value, 0);
  } else if (offset >= 0xc00 && offset < 0xc10) {
    gic.set_config(fourth, value, 0);
  } else if (offset == 0xf00) {
    gic.send_sgi(value, 0);
  }
}

std::uint32_t load_cpu_interface(Gic& gic, std::uint64_t offset) {
  switch (offset) {
    case 0x000:
      return gic.cpu(0).control;
    case 0x004:
      return gic.cpu(0).priority_mask;
    case 0x008:
      return gic.cpu(0).binary_point;
    case 0x00c:
      return gic.acknowledge(0);
    case 0x014:
      return std::min<std::uint32_t>(gic.running_priority(0), 0xff);
    case 0x018:
      return gic.highest_pending(0);
    case 0x0fc:
      return 0x0002'043b;
    default:
      return 0;
  }
}

void store_cpu_interface(Gic& gic, std::uint64_t offset, std::uint32_t value) {
  if (offset == 0x000) gic.set_cpu_control(value, 0);
  if (offset == 0x004) gic.set_priority_mask(value, 0);
  if (offset == 0x008) gic.set_binary_point(value, 0);
  if (offset == 0x010) gic.end_of_interrupt(value, 0);
  if (offset == 0x1000) gic.deactivate(value, 0);
}

}  // namespace asterism::foreign
