// The netlist of the node: its blocks, how they are connected, and the order in which they are powered up and
// reset.
//
//   cores (-> caches) -> fabric -> memory controller -> DRAM
//                               -> GIC, UART, RTC, NOR flash, power controller, and the registers of the
//                                  memory controller, DIMM-SSD, GPUs, PCRAM and NIC
//   DIMM-SSD, GPUs, PCRAM, NIC -> memory controller
//
// On power-up the node loads the firmware and the device tree into memory, as a boot ROM would. Then core 0
// starts at the firmware's entry, and the other cores wait for PSCI CPU_ON. Firmware that is a ROM image is
// in NOR flash instead, and core 0 starts at its first byte.
#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "core/core_caches.h"
#include "core/core_cluster.h"
#include "core/guest_checks.h"
#include "cosim/device_swap.h"
#include "cosim/rtl_codec.h"
#include "cosim/rtl_matt.h"
#include "devices/nor_flash_module.h"
#include "devices/pl011.h"
#include "devices/pl031.h"
#include "devices/power_controller.h"
#include "devices/semihosting.h"
#include "dimm_ssd/dimm_ssd_module.h"
#include "fabric/interconnect.h"
#include "gpu/gpu_module.h"
#include "memory/memory_controller.h"
#include "nic/nic_module.h"
#include "pcram/pcram_module.h"
#include "platform/firmware/spin_table.h"
#include "platform/instruments/transaction_tap.h"
#include "platform/scenario/scenario.h"
#include "platform/system/interrupt_controller.h"
#include "platform/system/isolated_network.h"
#include "platform/system/rtl_arbiters.h"
#include "platform/system/rtl_zone_monitors.h"
#include "platform/system/simulated_system.h"

namespace asterism {

class HostThreads;
namespace a64 {
class SpeculativeCores;
}

class Node final : public sc_core::sc_module,
                   public SimulatedSystem,
                   private PowerSequence,
                   private CoreCluster::Surroundings {
 public:
  // `files` is the directory that semihosting is confined to. `taps` records the transactions of all
  // initiators; nullptr records none. With `threads`, cores execute speculatively on these host threads;
  // nullptr simulates them one after the other. Throws what only building the node shows: FlashImageError for
  // an image of another geometry, RtlError for RTL that does not fit.
  Node(const sc_core::sc_module_name& name, const Scenario& scenario, const std::filesystem::path& files,
       const RtlOptions& rtl, EventLog& events, TransactionTaps* taps = nullptr,
       HostThreads* threads = nullptr);
  ~Node() override { quiesce(); }  // while the memory still exists

  // Called when the node has ended by itself. By default the run ends with it.
  std::function<void()> on_end = [] { sc_core::sc_stop(); };
  // Called when all cores are locked up or off: nothing more happens on the node unless it is reset.
  std::function<void()> on_lock_up = [] {};
  // Removes the power of the node permanently.
  void lose();
  bool is_lost() const { return lost_; }
  // The number of times that the firmware has reported that it continues from a checkpoint.
  std::uint64_t recoveries() const { return power_.recoveries(); }

  // nullptr if the node has none. It is the only node of an isolated network, unless it is attached to
  // another network before simulation begins.
  NicModule* nic() { return nic_ ? &*nic_ : nullptr; }

  const std::optional<End>& end() const override { return end_; }
  bool waits_for_the_host() const override;
  void connect_uart0(int descriptor) override { uart0_.receive_from(descriptor); }
  std::vector<DebuggedCore> cores_to_debug() override;
  std::uint64_t instructions() const override { return cores_.instructions(); }
  std::vector<CoreReport> core_reports() override;
  std::string cpu_engine() const override;
  std::vector<std::string> rtl_instances() const override;
  std::vector<std::string> rtl_summary() const override;
  std::vector<Lockstep::Mismatch> first_mismatches() const override { return first_mismatches_; }
  std::uint64_t mismatches() const override;
  std::vector<BlockCoverage> coverage() const override;
  std::string memory_summary() const override { return memory_.summary(); }
  std::string checks_summary() const override { return checks_.summary(); }
  std::uint64_t findings() const override { return checks_.total(); }
  std::optional<std::string> script_waits_for() const override;
  void report(Statistics& statistics) const override;
  void inject(const std::vector<FaultConfig>& faults) override;
  void move_files(const std::filesystem::path& files) override { semihosting_.move_directory(files); }
  void quiesce() override;
  void report_host(Statistics& statistics) const override;

 private:
  // The socket to bind in the initiator's place: its tap's if transactions are recorded, else the initiator
  // itself.
  tlm::tlm_initiator_socket<>& tapped(tlm::tlm_initiator_socket<>& initiator);
  void connect_cores(EventLog& events);
  void connect_targets();
  void connect_dma(DmaInitiator& device);
  void connect_interrupts();
  void attach_arbiters(const RtlOptions& rtl);
  void place_rtc(const RtlOptions& rtl);
  void attach_codec(const RtlOptions& rtl);
  void attach_matt(const RtlOptions& rtl);
  void attach_monitors(const RtlOptions& rtl);
  FaultOutcome inject(const FaultRequest& request);
  void take_mismatch(const Lockstep::Mismatch& mismatch);
  DeviceTreeNode device_tree() const;
  void load_memory();
  void start();
  void reset(Reset kind);
  void finish(End::How how, std::uint64_t status, Picoseconds at, const std::string& why = "");

  void power_lost() override;
  void power_restored() override;
  void warm_reset() override;
  void power_off() override;

  std::uint64_t semihosting(CoreModule& core, std::uint32_t operation, std::uint64_t parameter) override;
  void system_off() override { power_.request(PowerOperation::power_off); }
  void system_reset() override { power_.request(PowerOperation::warm_reset); }

  const Scenario& scenario_;
  const NodeConfig& config_;
  TransactionTaps* const taps_;
  const std::shared_ptr<a64::SpeculativeCores> speculative_cores_;  // nullptr without other host threads
  std::optional<End> end_;
  bool lost_ = false;
  std::vector<CoreReport> reports_at_end_;  // if the node has ended with a failure, which turns the cores off
  std::vector<Lockstep::Mismatch> first_mismatches_;
  std::optional<SpinTable> spin_table_;  // where secondary cores wait if PSCI does not start them
  std::vector<std::byte> device_tree_blob_;
  GuestChecks checks_;

  CoreCluster cores_;
  std::optional<CoreCaches> caches_;
  MemoryController memory_;
  unsigned dma_devices_ = 0;       // connected to the memory
  std::optional<RtlCodec> codec_;  // RTL of the memory's ECC codec
  std::unique_ptr<Interconnect> fabric_;
  std::optional<RtlArbiters> arbiters_;
  InterruptController gic_;
  Pl011 uart0_;
  std::optional<Pl031> rtc_;           // absent if RTL replaces it
  std::optional<DeviceSwap> rtc_rtl_;  // RTL of the RTC
  std::list<NorFlashModule> flash_;    // the banks, named as in the address map
  PowerController power_;
  DimmSsdModule dimm_ssd_;
  std::optional<RtlMatt> matt_;  // RTL of the DIMM-SSD's MATT
  std::optional<GpuModule> gpus_;
  std::optional<PcramModule> pcram_;
  std::optional<IsolatedNetwork> isolated_network_;
  std::optional<NicModule> nic_;
  std::optional<RtlZoneMonitors> monitors_;  // RTL of the GPUs' zone monitors
  Semihosting semihosting_;
};

}  // namespace asterism
