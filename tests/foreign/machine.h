// A machine in plain C++ that is close enough to QEMU's `virt` for firmware that was built for `virt`: one
// Cortex-A57 behind Iss, DRAM, flash, PL011, PL031, GICv2, generic timer, PSCI, and a device tree that
// describes them at the base of DRAM.
//
//   0x0000'0000  64 MiB  ROM with the firmware, where the core starts
//   0x0400'0000  64 MiB  NOR flash, empty
//   0x0800'0000  64 KiB  GIC distributor; 0x0801'0000 CPU interface
//   0x0900'0000   4 KiB  PL011; 0x0901'0000 PL031
//   0x4000'0000  DRAM
//
// Nothing writes to the ROM, so the machine does not protect it. There is no PCI, virtio, or fw_cfg.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "core/generic_timer.h"
#include "core/iss.h"
#include "core/psci.h"
#include "devices.h"
#include "devices/gic.h"
#include "devices/nor_flash.h"

namespace asterism::foreign {

// What makes time pass. With either, time passes for a sleeping core until its timer wakes it.
enum class Time {
  // Each instruction takes 1 ns.
  instructions,
  // Only a read of a timer register takes time, 1 us, so that waits take few instructions. The timer
  // interrupts only at a write to one of its registers, or in WFI.
  looks,
};

// Pages that are zero at first.
class Pages {
 public:
  explicit Pages(std::size_t size);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::span<std::uint8_t> bytes() const { return {first_, size_}; }

 private:
  std::uint8_t* first_;
  std::size_t size_;
};

class Machine : private IssHost, private PsciPlatform, private GenericTimer::Sink {
 public:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  // Throws std::runtime_error when the firmware cannot be read.
  explicit Machine(const std::filesystem::path& firmware, Time time = Time::looks,
                   std::vector<std::byte> device_tree = default_device_tree());

  enum class End {
    count,        // this many instructions are retired
    powered_off,  // PSCI SYSTEM_OFF
    asleep,       // waits for an interrupt that cannot come
    stuck,        // locked up: iss().why()
  };
  // Runs until `until` instructions are retired; continues from the current state.
  End run(std::uint64_t until = never);

  Iss& iss() { return *iss_; }
  const Iss& iss() const { return *iss_; }
  std::uint64_t instructions() const { return iss_->instructions(); }
  const NorFlash& flash() const { return flash_; }
  std::uint64_t interrupts_taken() const { return gic_.cpu(0).acknowledged; }

  Uart uart;
  // Called while the core sleeps, with the simulated time until its timer wakes it.
  std::function<void(Picoseconds)> on_sleep = [](Picoseconds) {};
  // Reports accesses to addresses without a device, and similar events.
  std::function<void(const std::string&)> warn = [](const std::string&) {};

  // The flattened device tree.
  static std::vector<std::byte> default_device_tree();

 private:
  // IssHost
  bool load(Address address, unsigned size, std::uint64_t& value) override;
  bool store(Address address, unsigned size, std::uint64_t value) override;
  void touch(Address address) override;
  void on_monitored_accesses(std::span<const MonitoredAccess>) override {}
  std::optional<std::uint64_t> read_register(SystemRegister which) override;
  bool write_register(SystemRegister which, std::uint64_t value) override;
  void due() override;
  void event_wait() override;
  void instructions_changed(AddressRange) override {}
  // PsciPlatform
  unsigned core_count() const override { return 1; }
  bool core_is_on(unsigned) const override { return true; }
  bool is_executable(Address) const override { return false; }
  void core_on(unsigned, Address, std::uint64_t) override {}
  void core_off(unsigned) override { off_ = true; }
  void core_standby(unsigned) override { standby_ = true; }
  void system_off() override { off_ = true; }
  void system_reset() override { reset_ = true; }
  // GenericTimer::Sink
  void timer_outputs(Picoseconds at, GenericTimer::Outputs outputs) override;

  void reset();
  void call_hypervisor();
  bool sleep();
  Picoseconds now();
  void advance();
  void schedule();
  void drive() { iss_->set_irq(gic_.irq(0)); }
  std::uint32_t load_register(std::uint64_t address);
  void store_register(std::uint64_t address, std::uint32_t value);

  const Time time_;
  const Pages rom_, dram_;
  const std::vector<std::byte> device_tree_;
  NorFlash flash_;
  RealTimeClock clock_;
  Gic gic_{1};
  GenericTimer timer_{Frequency(62'500'000)};
  Psci psci_{*this};
  std::unique_ptr<Iss> iss_;

  std::uint64_t looks_ = 0;
  Picoseconds skipped_;  // time that neither an instruction nor a read of a timer register has taken
  Picoseconds latest_;
  std::uint64_t stop_at_ = never;
  bool off_ = false, reset_ = false, standby_ = false;
};

}  // namespace asterism::foreign
