// The cores of a node. They are connected by PSCI (HVC), and by notifications that instructions or
// translations have changed.
//
//   CoreCluster cores{config.cores, config.quantum, *this, make_iss_of_cores};
//   for (unsigned i = 0; i < cores.count(); ++i) {
//     fabric.add_master(cores[i].bus);
//     cores[i].irq.bind(gic.irq[i]);
//     cores[i].virtual_timer.bind(gic.ppi(i, 27));
//     cores[i].physical_timer.bind(gic.ppi(i, 30));
//     cores[i].performance_monitors.bind(gic.ppi(i, 23));
//   }
//   cores.connect(memory.writes());
//   cores.start(entry, device_tree);                  // core 0; the firmware starts the others
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/core_module.h"
#include "core/psci.h"
#include "tlm/memory_writes.h"

namespace asterism {

class CoreCluster : private CoreCalls, private PsciPlatform, private DirectStores, private WriteObserver {
 public:
  // What the cores call in the rest of the node. Called in the thread of the core, at its time.
  class Surroundings {
   public:
    virtual ~Surroundings() = default;
    // HLT #0xF000; returns x0.
    virtual std::uint64_t semihosting(CoreModule& core, std::uint32_t operation, std::uint64_t parameter) = 0;
    // PSCI SYSTEM_OFF and SYSTEM_RESET. The cores are already off.
    virtual void system_off() = 0;
    virtual void system_reset() = 0;
  };

  // For elaboration. The modules are named core0, core1, ... in the module that is being constructed.
  CoreCluster(const CoreConfig& config, Picoseconds quantum, Surroundings& surroundings,
              const CoreModule::IssFactory& make_iss);

  // This core has locked up. Called in its thread; may reset it.
  std::function<void(CoreModule&)> on_core_lock_up = [](CoreModule&) {};
  // At least one core has locked up, and no other one runs or waits, so that the node cannot make progress.
  // Called in the thread of the last core; may reset the cores.
  std::function<void()> on_lock_up = [] {};

  unsigned count() const { return static_cast<unsigned>(cores_.size()); }
  CoreModule& operator[](unsigned core) { return *cores_[core]; }
  const CoreModule& operator[](unsigned core) const { return *cores_[core]; }

  // Starts core 0. All cores must be off.
  void start(Address entry, std::uint64_t x0) { cores_[0]->start(entry, x0); }
  // Turns all cores off at once (CoreModule::reset).
  void reset(Reset kind);

  // Memory was changed by a device or a loader.
  void invalidate_code(AddressRange range);

  // The cores store directly to the memory that these writes belong to, and execute code that others write
  // there. Before simulation begins.
  void connect(MemoryWrites& writes);

  std::uint64_t instructions() const;
  void report(Statistics& statistics) const;

 private:
  std::uint64_t hypervisor_call(unsigned core, const std::array<std::uint64_t, 4>& x) override {
    return psci_.call(core, x);
  }
  std::uint64_t semihosting_call(unsigned core, std::uint32_t operation, std::uint64_t parameter) override {
    return surroundings_.semihosting(*cores_[core], operation, parameter);
  }
  unsigned core_count() const override { return count(); }
  bool core_is_on(unsigned core) const override { return cores_[core]->state() != CoreModule::State::off; }
  bool is_executable(Address entry) const override { return cores_[0]->is_executable(entry); }
  void core_on(unsigned core, Address entry, std::uint64_t context) override {
    cores_[core]->start(entry, context);
  }
  void core_off(unsigned core) override;
  void core_standby(unsigned core) override { cores_[core]->standby(); }
  void system_off() override;
  void system_reset() override;
  void check_lock_up();

  void ask_before_stores(AddressRange range) override;
  std::vector<PageLines> collect(AddressRange range) override;
  void written(const MemoryWrite& write) override;

  Surroundings& surroundings_;
  Psci psci_{*this};
  std::vector<std::unique_ptr<CoreModule>> cores_;
};

}  // namespace asterism
