#include "devices/pl031.h"

#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "base/fields.h"
#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

// The last second that 64 bits of picoseconds represent.
constexpr std::uint64_t last_second = ~std::uint64_t{0} / (1_s).count();

bool is_date(const std::string& text) {
  try {
    RtcConfig{text}.start_seconds();
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

const RegisteredDevice<Pl031> pl031_type{"pl031", "A real-time clock that counts seconds and has an alarm."};

}  // namespace

std::uint32_t RtcConfig::start_seconds() const {
  using namespace std::chrono;
  int year_number = 0, consumed = 0;
  unsigned month_number = 0, day_number = 0, hour = 0, minute = 0, second = 0;
  const int read = std::sscanf(start.c_str(), "%4d-%2u-%2uT%2u:%2u:%2uZ%n", &year_number, &month_number,
                               &day_number, &hour, &minute, &second, &consumed);
  const year_month_day date{year(year_number), month(month_number), day(day_number)};
  if (read != 6 || consumed != 20 || start.size() != 20 || !date.ok() || hour > 23 || minute > 59 ||
      second > 59 || year_number < 1970 || year_number > 2105)
    throw std::invalid_argument("'" + start +
                                "' is not a date and time from 1970 to 2105 such as 2026-01-01T00:00:00Z");
  const auto since_1970 = sys_days(date).time_since_epoch() + hours(hour) + minutes(minute) + seconds(second);
  return static_cast<std::uint32_t>(duration_cast<seconds>(since_1970).count());
}

void describe(Fields& f, RtcConfig& c) {
  f("start", c.start,
    "The time in UTC at simulated time 0, such as 2026-01-01T00:00:00Z. Semihosting's SYS_TIME follows it.");
  f.check(is_date(c.start), "start", "is a date and time from 1970 to 2105, written 2026-01-01T00:00:00Z");
}

static_assert(member_count<Pl031Config>() == 2);
void describe(Fields& f, Pl031Config& c) {
  describe(f, c.clock);
  describe(f, c.swap);
}

DeviceShape Pl031::shape(const Config& config, const NodeFacts&) {
  return {.targets = {{.registers = std::make_shared<Pl031Registers>()}},
          .interrupts = {{}},
          .calendar = config.clock.start_seconds()};
}

std::vector<RtlUse> Pl031::rtl(const Config& config, const NodeView&) {
  return {{.contract = "bus_device",
           .swap = swap_settings(config.swap),
           .parameters = {{"ClockHz", config.swap.clock.count()},
                          {"StartSeconds", config.clock.start_seconds()}}}};
}

Pl031Registers::Pl031Registers()
    : RegisterBank("PL031", 4_KiB,
                   "Real-time clock PL031 (Arm DDI 0224C): seconds of simulated time, and an alarm.") {
  static constexpr std::uint32_t ids[] = {0x31, 0x10, 0x14, 0x00, 0x0D, 0xF0, 0x05, 0xB1};
  identity.computed([](unsigned i, Accessor) { return ids[i]; });
}

Pl031::Pl031(const sc_core::sc_module_name& name, const RtcConfig& config)
    : sc_module(name),
      target("target", registers),
      start_(config.start_seconds()),
      offset_(start_),
      alarm_("match", [this](Picoseconds) { ring(); }) {
  Pl031Registers& r = registers;
  r.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  r.data.computed([this] { return count(); });
  r.match.on_write([this](std::uint32_t) { compare(); });
  r.load.on_write([this](std::uint32_t value) {
    offset_ += value - count();
    compare();
  });
  r.control.on_write([this](std::uint32_t) { registers.control.set(1); });
  r.mask.on_write([this](std::uint32_t) { update(); });
  r.raw.computed([this] { return std::uint32_t{raised_}; });
  r.masked.computed(
      [this] { return std::uint32_t{raised_ && registers.mask.match.get(registers.mask.value())}; });
  r.clear.on_write([this](std::uint32_t) {
    raised_ = false;
    update();
  });
}

std::uint32_t Pl031::count() const { return offset_ + static_cast<std::uint32_t>(now() / 1_s); }

void Pl031::compare() {
  const std::uint32_t ticks = registers.match.value() - count();
  if (ticks == 0) return ring();
  const std::uint64_t second = now() / 1_s + ticks;
  alarm_.arm(second <= last_second ? std::optional(second * 1_s) : std::nullopt);
}

void Pl031::ring() {
  alarm_.arm(std::nullopt);
  raised_ = true;
  update();
}

void Pl031::update() { interrupt.write(raised_ && registers.mask.match.get(registers.mask.value())); }

void Pl031::reset(Reset kind) {
  if (kind == Reset::cold) offset_ = start_ - static_cast<std::uint32_t>(now() / 1_s);
  registers.reset();
  raised_ = false;
  alarm_.arm(std::nullopt);
  update();
}

std::vector<DeviceTreeNode> Pl031::device_tree(const Config&, const DevicePlace& place) {
  DeviceTreeNode node = device_tree_node("pl031", {"arm,pl031", "arm,primecell"}, place);
  node.set("clocks", DeviceTreeNode::Cells{dt::apb_clock}).set("clock-names", {"apb_pclk"});
  return {node};
}

}  // namespace asterism
