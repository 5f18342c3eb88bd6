#include "devices/pl011.h"

#include <algorithm>

#include "base/fields.h"
#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::uint64_t picoseconds_per_second = 1'000'000'000'000;
constexpr std::uint64_t default_baud_rate = 115'200;
constexpr unsigned timeout_bits = 32;

const RegisteredDevice<Pl011> pl011_type{"pl011",
                                         "A UART: a serial line whose characters a run shows and logs."};

}  // namespace

static_assert(member_count<Pl011Config>() == 2);
void describe(Fields& f, Pl011Config& c) {
  describe(f, c.line);
  f("characters_per_second", c.characters_per_second,
    "The rate of received characters; 0: the baud rate that the guest sets, 115200 baud until it has set "
    "one.",
    at_most(1'000'000'000));
}

Pl011Registers::Pl011Registers()
    : RegisterBank("PL011", 4_KiB,
                   "UART PL011 (Arm DDI 0183G): a serial line, with FIFOs of 16 characters.") {
  static constexpr std::uint32_t ids[] = {0x11, 0x10, 0x14, 0x00, 0x0D, 0xF0, 0x05, 0xB1};
  identity.computed([](unsigned i, Accessor) { return ids[i]; });
  data.acts_when_read();
  any_width();  // of 16 bits at most; Linux uses halfwords, EDK2 bytes
}

Pl011::Pl011(const sc_core::sc_module_name& name, const Pl011Config& config)
    : sc_module(name),
      HostLine(config.line),
      target("target", registers),
      config_(config),
      alarm_("line", [this](Picoseconds now) { ring(now); }) {
  registers.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  connect_registers();
  open(config_.line, this->name());
}

void Pl011::connect_registers() {
  Pl011Registers& r = registers;
  r.data.computed([this] { return head(); });
  r.data.on_read([this] { pop(); });
  r.data.on_write([this](std::uint32_t value) {
    ++transmitted_;
    transmit(static_cast<std::uint8_t>(value));
    raw_ |= registers.raw.transmit.mask();
    update();
  });
  r.status.on_write([this](std::uint32_t) { registers.status.set(0); });
  r.flags.computed([this] { return flags(); });
  r.line.on_write([this](std::uint32_t) { update(); });
  r.mask.on_write([this](std::uint32_t) { update(); });
  r.raw.computed([this] { return raw_; });
  r.masked.computed([this] { return raw_ & registers.mask.value(); });
  r.clear.on_write([this](std::uint32_t ones) {
    raw_ &= ~ones;
    if (registers.clear.timeout.get(ones) && count_) timeout_ = now() + frame_time(timeout_bits);
    update();
  });
}

void Pl011::receive(std::string_view characters) {
  line_.insert(line_.end(), characters.begin(), characters.end());
  if (!arrival_ && !line_.empty()) arrival_ = now() + character_time();
  rearm();
}

// A character that finds the FIFO full stays due; the alarm is armed for it when the guest has read the FIFO.
void Pl011::ring(Picoseconds now) {
  if (arrival_ && *arrival_ <= now && count_ < capacity()) {
    fifo_[(first_ + count_++) % fifo_size] = static_cast<std::uint8_t>(line_.front());
    line_.pop_front();
    ++received_;
    arrival_.reset();
    if (!line_.empty()) arrival_ = now + character_time();
    if (count_ >= trigger_level()) raw_ |= registers.raw.receive.mask();
    timeout_ = now + frame_time(timeout_bits);
  } else if (timeout_ && *timeout_ <= now) {
    timeout_.reset();
    raw_ |= registers.raw.timeout.mask();
  }
  update();
}

void Pl011::pop() {
  if (count_ == 0) return;
  first_ = (first_ + 1) % fifo_size;
  --count_;
  if (count_ < trigger_level()) raw_ &= ~registers.raw.receive.mask();
  if (count_ == 0) {
    raw_ &= ~registers.raw.timeout.mask();
    timeout_.reset();
  }
  update();
}

void Pl011::rearm() {
  const bool has_space = count_ < capacity();
  alarm_.arm(earlier(has_space ? arrival_ : std::nullopt, timeout_));
}

void Pl011::update() {
  rearm();
  interrupt.write((raw_ & registers.mask.value()) != 0);
}

unsigned Pl011::trigger_level() const {
  static constexpr unsigned levels[] = {2, 4, 8, 12, 14, 14, 14, 14};
  return fifo_enabled() ? levels[registers.fifo_levels.receive.get(registers.fifo_levels.value())] : 1;
}

std::uint32_t Pl011::flags() const {
  const Pl011Registers::Flags& flags = registers.flags;
  return flags.transmit_empty.bits(true) | flags.receive_empty.bits(count_ == 0) |
         flags.receive_full.bits(count_ >= capacity());
}

// The time of `bits` bits. The divisor divides UARTCLK by 16 * (IBRD + FBRD / 64).
Picoseconds Pl011::frame_time(unsigned bits) const {
  const Pl011Registers& r = registers;
  const std::uint64_t divisor = r.baud_integer.divisor.get(r.baud_integer.value()) * 64 +
                                r.baud_fraction.divisor.get(r.baud_fraction.value());
  if (config_.characters_per_second)
    return Picoseconds(bits * picoseconds_per_second / (10 * config_.characters_per_second));
  if (divisor < 64) return Picoseconds(bits * picoseconds_per_second / default_baud_rate);
  return Picoseconds(scale(bits * divisor, picoseconds_per_second, 4 * std::uint64_t{dt::apb_clock_hertz}));
}

Picoseconds Pl011::character_time() const {
  const bool set_up = registers.baud_integer.value() != 0 && config_.characters_per_second == 0;
  if (!set_up) return frame_time(10);
  const Pl011Registers::Line& line = registers.line;
  const unsigned data = 5 + line.word_length.get(line.value()), parity = line.parity.get(line.value()),
                 stop = 1 + line.two_stop_bits.get(line.value());
  return frame_time(1 + data + parity + stop);
}

void Pl011::reset(Reset) {
  registers.reset();
  first_ = count_ = 0;
  raw_ = 0;
  timeout_.reset();
  update();
}

void Pl011::report(Statistics& statistics) const {
  statistics.add("transmitted", transmitted_);
  statistics.add("received", received_);
}

DeviceShape Pl011::shape(const Config& config, const NodeFacts&) {
  DeviceShape shape{.targets = {{.registers = std::make_shared<Pl011Registers>()}}, .interrupts = {{}}};
  add_to(shape, config.line);
  return shape;
}

std::vector<DeviceTreeNode> Pl011::device_tree(const Config&, const DevicePlace& place) {
  DeviceTreeNode node = device_tree_node("pl011", {"arm,pl011", "arm,primecell"}, place);
  node.set("clocks", DeviceTreeNode::Cells{dt::apb_clock, dt::apb_clock})
      .set("clock-names", {"uartclk", "apb_pclk"});
  return {node};
}

}  // namespace asterism
