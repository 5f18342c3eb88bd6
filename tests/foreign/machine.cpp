#include "machine.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "core/a64/native_iss.h"
#include "core/core_feature.h"
#include "platform/firmware/device_tree_blob.h"

namespace asterism::foreign {
namespace {

constexpr AddressRange rom_range{Address(0), 64_MiB};
constexpr AddressRange flash_range{Address(0x0400'0000), 64_MiB};
constexpr AddressRange distributor{Address(0x0800'0000), 64_KiB};
constexpr AddressRange cpu_interface{Address(0x0801'0000), 64_KiB};
constexpr AddressRange pl011{Address(0x0900'0000), 4_KiB};
constexpr AddressRange pl031{Address(0x0901'0000), 4_KiB};
constexpr AddressRange dram_range{Address(0x4000'0000), 256_MiB};
constexpr AddressRange registers[] = {distributor, cpu_interface, pl011, pl031};

constexpr unsigned virtual_timer = 27, physical_timer = 30;
constexpr Picoseconds of_instruction = 1_ns, of_look = 1_us, of_event_wait = 1_us;

std::vector<char> contents_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<char> contents{std::istreambuf_iterator<char>(stream), {}};
  if (contents.empty() || contents.size() > rom_range.size.count())
    throw std::runtime_error("cannot read firmware from " + file.string());
  return contents;
}

}  // namespace

Pages::Pages(std::size_t size)
    : first_(static_cast<std::uint8_t*>(
          mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))),
      size_(size) {
  if (first_ == MAP_FAILED) throw std::runtime_error("no memory for the machine");
}
Pages::~Pages() { munmap(first_, size_); }

Machine::Machine(const std::filesystem::path& firmware, Time time, std::vector<std::byte> device_tree)
    : time_(time),
      rom_(rom_range.size.count()),
      dram_(dram_range.size.count()),
      device_tree_(std::move(device_tree)),
      flash_(flash_range.size.count()),
      iss_(make_native_iss(*this, 0, {.features = CoreFeatures(usual_features).without(CoreFeature::lse)})) {
  std::ranges::copy(contents_of(firmware), rom_.bytes().begin());
  reset();
}

void Machine::reset() {
  reset_ = standby_ = false;
  flash_.reset();
  uart.reset();
  gic_.reset(Reset::warm);
  timer_.reset(Reset::warm);
  std::memcpy(dram_.bytes().data(), device_tree_.data(), device_tree_.size());
  iss_->reset();
  iss_->start(rom_range.first, 0);
  advance();
  drive();
}

// ---- running ----

Machine::End Machine::run(std::uint64_t until) {
  stop_at_ = until;
  schedule();
  while (!off_) {
    switch (iss_->run()) {
      case Iss::Stop::requested:
        if (instructions() >= stop_at_) return End::count;
        break;
      case Iss::Stop::wait_for_interrupt:
        if (!sleep()) return End::asleep;
        break;
      case Iss::Stop::hypervisor_call:
        call_hypervisor();
        if (std::exchange(standby_, false) && !sleep()) return End::asleep;
        break;
      case Iss::Stop::semihosting_call:
        iss_->write(CoreRegister::x0, never);
        break;
      case Iss::Stop::breakpoint:  // there is no debugger
      case Iss::Stop::watchpoint:
      case Iss::Stop::stepped:
      case Iss::Stop::reached:
      case Iss::Stop::locked_up:
        return End::stuck;
    }
    if (reset_) reset();
    schedule();
  }
  return End::powered_off;
}

void Machine::call_hypervisor() {
  using enum CoreRegister;
  const std::uint64_t result =
      psci_.call(0, {iss_->read(x0), iss_->read(x1), iss_->read(x2), iss_->read(x3)});
  if (!off_ && !reset_) iss_->write(x0, result);
}

// Waits until the timer interrupts; returns false if it never will.
bool Machine::sleep() {
  advance();
  while (!gic_.irq(0)) {
    const auto wakes = timer_.next_event();
    if (!wakes) return false;
    const Picoseconds rest = *wakes - now();
    on_sleep(rest);
    skipped_ += rest;
    advance();
  }
  return true;
}

// ---- time ----

// Time must not go back: an engine counts a block as a whole, and reduces the count after an exception in it.
Picoseconds Machine::now() {
  const Picoseconds passed = time_ == Time::looks ? of_look * looks_ : of_instruction * instructions();
  return latest_ = std::max(latest_, passed + skipped_);
}

void Machine::advance() { timer_.advance_to(now(), *this); }

void Machine::timer_outputs(Picoseconds, GenericTimer::Outputs outputs) {
  gic_.set_line(virtual_timer, outputs.virtual_timer);
  gic_.set_line(physical_timer, outputs.physical_timer);
  drive();
}

void Machine::schedule() {
  std::uint64_t at = stop_at_;
  const auto next = timer_.next_event();
  if (next && time_ == Time::instructions) {
    const std::uint64_t rest =
        *next > now() ? (*next - now() + of_instruction - Picoseconds(1)) / of_instruction : 0;
    at = std::min(at, instructions() + rest);
  }
  iss_->call_at(at);
}

void Machine::due() {
  advance();
  if (instructions() >= stop_at_) {
    iss_->request_stop();
    iss_->call_at(never);
  } else {
    schedule();
  }
}

void Machine::event_wait() {
  skipped_ += of_event_wait;
  advance();
}

std::optional<std::uint64_t> Machine::read_register(SystemRegister which) {
  const auto value = timer_.read(which, now());
  if (!value) return value;
  ++looks_;
  return value;
}

bool Machine::write_register(SystemRegister which, std::uint64_t value) {
  if (!timer_.write(which, value, now())) return false;
  advance();
  schedule();
  return true;
}

// ---- memory ----

void Machine::touch(Address address) {
  if (dram_range.contains(address)) iss_->map_direct(dram_range, dram_.bytes().data());
  if (rom_range.contains(address)) iss_->map_direct(rom_range, rom_.bytes().data());
}

bool Machine::load(Address address, unsigned size, std::uint64_t& value) {
  const std::uint64_t at = address.value();
  if (flash_range.contains(address, Bytes(size))) {
    value = flash_.load((address - flash_range.first).count(), size);
    return true;
  }
  if (std::ranges::none_of(registers,
                           [&](const auto& range) { return range.contains(address, Bytes(size)); })) {
    warn(fmt::format("load of {} bytes at {:#x}: nothing is there", size, at));
    return false;
  }
  if (size == 8) {
    value = load_register(at) | std::uint64_t{load_register(at + 4)} << 32;
  } else {
    value = load_register(at & ~3ull) >> 8 * (at & 3) & ((std::uint64_t{1} << 8 * size) - 1);
  }
  drive();
  return true;
}

bool Machine::store(Address address, unsigned size, std::uint64_t value) {
  const std::uint64_t at = address.value();
  if (flash_range.contains(address, Bytes(size))) {
    flash_.store((address - flash_range.first).count(), size, value);
    return true;
  }
  if (std::ranges::none_of(registers,
                           [&](const auto& range) { return range.contains(address, Bytes(size)); })) {
    warn(fmt::format("store of {} bytes at {:#x}: nothing is there", size, at));
    return false;
  }
  if (size < 4) {
    const unsigned shift = 8 * (at & 3);
    std::uint64_t word = value << shift;
    if (distributor.contains(address) && has_bytes((address - distributor.first).count())) {
      const std::uint64_t mask = ((std::uint64_t{1} << 8 * size) - 1) << shift;
      word |= load_register(at & ~3ull) & ~mask;
    }
    store_register(at & ~3ull, static_cast<std::uint32_t>(word));
  } else {
    store_register(at, static_cast<std::uint32_t>(value));
    if (size == 8) store_register(at + 4, static_cast<std::uint32_t>(value >> 32));
  }
  drive();
  return true;
}

std::uint32_t Machine::load_register(std::uint64_t address) {
  const Address at(address);
  if (distributor.contains(at)) return load_distributor(gic_, (at - distributor.first).count());
  if (cpu_interface.contains(at)) return load_cpu_interface(gic_, (at - cpu_interface.first).count());
  if (pl011.contains(at)) return uart.load((at - pl011.first).count());
  return clock_.load((at - pl031.first).count(), now());
}

void Machine::store_register(std::uint64_t address, std::uint32_t value) {
  const Address at(address);
  if (distributor.contains(at)) {
    store_distributor(gic_, (at - distributor.first).count(), value);
  } else if (cpu_interface.contains(at)) {
    store_cpu_interface(gic_, (at - cpu_interface.first).count(), value);
  } else if (pl011.contains(at)) {
    uart.store((at - pl011.first).count(), value);
  } else {
    clock_.store((at - pl031.first).count(), value, now());
  }
}

// ---- device tree ----

std::vector<std::byte> Machine::default_device_tree() {
  using Cells = DeviceTreeNode::Cells;
  DeviceTreeNode root{""};
  root.set("compatible", {"linux,dummy-virt"})
      .set("model", {"linux,dummy-virt"})
      .set("#address-cells", Cells{2})
      .set("#size-cells", Cells{2})
      .set("interrupt-parent", Cells{dt::interrupt_controller});

  DeviceTreeNode chosen{"chosen"};
  chosen.set("stdout-path", {"/pl011@9000000"});
  DeviceTreeNode psci{"psci"};
  psci.set("compatible", {"arm,psci-1.0", "arm,psci-0.2", "arm,psci"})
      .set("method", {"hvc"})
      .set("cpu_suspend", Cells{Psci::cpu_suspend64})
      .set("cpu_off", Cells{Psci::cpu_off})
      .set("cpu_on", Cells{Psci::cpu_on64});
  DeviceTreeNode cpu{"cpu@0"};
  cpu.set("device_type", {"cpu"}).set("compatible", {"arm,cortex-a57"}).set("reg", Cells{0});
  DeviceTreeNode cpus{"cpus"};
  cpus.set("#address-cells", Cells{1}).set("#size-cells", Cells{0}).children = {cpu};
  DeviceTreeNode memory{dt::node_name("memory", dram_range)};
  memory.set("device_type", {"memory"}).set("reg", dt::reg(dram_range));
  DeviceTreeNode timer{"timer"};  // PPIs: secure, physical, virtual, hypervisor
  timer.set("compatible", {"arm,armv8-timer", "arm,armv7-timer"})
      .set("always-on")
      .set("interrupts",
           {1, 13, dt::level_high, 1, 14, dt::level_high, 1, 11, dt::level_high, 1, 10, dt::level_high});
  DeviceTreeNode clock{"apb-pclk"};
  clock.set("compatible", {"fixed-clock"})
      .set("#clock-cells", Cells{0})
      .set("clock-frequency", Cells{dt::apb_clock_hertz})
      .set("clock-output-names", {"clk24mhz"})
      .set("phandle", Cells{dt::apb_clock});
  DeviceTreeNode intc{dt::node_name("intc", distributor)};
  intc.set("compatible", {"arm,cortex-a15-gic"})
      .set("reg", dt::reg({distributor, cpu_interface}))
      .set("interrupt-controller")
      .set("#interrupt-cells", Cells{3})
      .set("#address-cells", Cells{2})
      .set("#size-cells", Cells{2})
      .set("ranges")
      .set("phandle", Cells{dt::interrupt_controller});
  DeviceTreeNode uart{dt::node_name("pl011", pl011)};
  uart.set("compatible", {"arm,pl011", "arm,primecell"})
      .set("reg", dt::reg(pl011))
      .set("interrupts", dt::spi(1))
      .set("clocks", Cells{dt::apb_clock, dt::apb_clock})
      .set("clock-names", {"uartclk", "apb_pclk"});
  DeviceTreeNode rtc{dt::node_name("pl031", pl031)};
  rtc.set("compatible", {"arm,pl031", "arm,primecell"})
      .set("reg", dt::reg(pl031))
      .set("interrupts", dt::spi(2))
      .set("clocks", Cells{dt::apb_clock})
      .set("clock-names", {"apb_pclk"});
  DeviceTreeNode flash{dt::node_name("flash", flash_range)};
  flash.set("compatible", {"cfi-flash"}).set("reg", dt::reg(flash_range)).set("bank-width", Cells{4});

  root.children = {chosen, psci, cpus, memory, timer, clock, intc, uart, rtc, flash};
  return flatten(root);
}

}  // namespace asterism::foreign
