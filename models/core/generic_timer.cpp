#include "core/generic_timer.h"

#include <algorithm>
#include <limits>

namespace asterism {
namespace {

// CRm of the timers' registers; op2 selects one of the three.
constexpr unsigned physical_registers = 2, virtual_registers = 3;
constexpr unsigned tval = 0, ctl = 1, cval = 2;

constexpr std::uint64_t ctl_enable = 1, ctl_imask = 2, ctl_istatus = 4;

constexpr bool is_timer_register(SystemRegister which) {
  return which.op0 == 3 && which.op1 == 3 && which.crn == 14 && which.op2 <= cval &&
         (which.crm == physical_registers || which.crm == virtual_registers);
}

}  // namespace

std::optional<std::uint64_t> GenericTimer::read(SystemRegister which, Picoseconds now) const {
  if (which == system_register::cntfrq_el0) return reported_frequency_;
  if (which == system_register::cntpct_el0 || which == system_register::cntvct_el0) return count(now);
  if (!is_timer_register(which)) return std::nullopt;
  return read(which.crm == virtual_registers ? virtual_ : physical_, which.op2, now);
}

Picoseconds GenericTimer::ticked(SystemRegister which, Picoseconds now) const {
  const bool is_counter = which == system_register::cntpct_el0 || which == system_register::cntvct_el0;
  if (!is_counter && !(is_timer_register(which) && which.op2 != cval)) return {};
  return std::min(now, duration(Cycles(count(now)), frequency_));
}

std::uint64_t GenericTimer::read(const Timer& timer, unsigned op2, Picoseconds now) const {
  switch (op2) {
    case tval:
      return static_cast<std::uint32_t>(timer.compare - count(now));
    case ctl:
      // ISTATUS of a disabled timer is UNKNOWN; 0, as in QEMU.
      return (timer.enabled ? ctl_enable : 0) | (timer.masked ? ctl_imask : 0) |
             (timer.enabled && reached(timer, now) ? ctl_istatus : 0);
    default:
      return timer.compare;
  }
}

bool GenericTimer::write(SystemRegister which, std::uint64_t value, Picoseconds now) {
  if (which == system_register::cntfrq_el0) {
    reported_frequency_ = static_cast<std::uint32_t>(value);
    return true;
  }
  if (which == system_register::cntpct_el0 || which == system_register::cntvct_el0) return true;
  if (!is_timer_register(which)) return false;
  write(which.crm == virtual_registers ? virtual_ : physical_, which.op2, value, now);
  return true;
}

void GenericTimer::write(Timer& timer, unsigned op2, std::uint64_t value, Picoseconds now) {
  switch (op2) {
    case tval:  // a signed distance of 32 bits
      timer.compare = count(now) + static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
      break;
    case ctl:
      timer.enabled = value & ctl_enable;
      timer.masked = value & ctl_imask;
      break;
    default:
      timer.compare = value;
  }
}

GenericTimer::Outputs GenericTimer::outputs(Picoseconds now) const {
  return {output(virtual_, now), output(physical_, now)};
}

std::optional<Picoseconds> GenericTimer::rises(const Timer& timer) const {
  if (!timer.enabled || timer.masked || reached(timer, now_)) return std::nullopt;
  // Beyond the end of simulated time: never.
  constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  if (timer.compare > cycles_in(Picoseconds(last), frequency_).count()) return std::nullopt;
  return duration(Cycles(timer.compare), frequency_);
}

std::optional<Picoseconds> GenericTimer::next_event() const {
  return earlier(rises(virtual_), rises(physical_));
}

void GenericTimer::advance_to(Picoseconds now, Sink& sink) {
  while (const auto at = next_event()) {
    if (*at > now) break;
    now_ = *at;
    if (outputs(now_) != delivered_) sink.timer_outputs(now_, delivered_ = outputs(now_));
  }
  now_ = now;
  if (outputs(now_) != delivered_) sink.timer_outputs(now_, delivered_ = outputs(now_));
}

void GenericTimer::reset(Reset) {
  virtual_ = physical_ = Timer{};
  reported_frequency_ = frequency_.count();
}

}  // namespace asterism
