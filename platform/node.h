// The netlist of the node: which blocks there are, how they are connected, and in which order power reaches
// them.
//
//   cores (-> caches) -> fabric -> memory controller -> DRAM
//                   -> GIC, UART, RTC, NOR flash, power controller, registers of memory controller, DIMM-SSD, GPUs, PCRAM and NIC
//   DIMM-SSD, GPUs, PCRAM, NIC -> memory controller
//
// On power-up the memory is loaded with the firmware and the device tree (the role of a boot ROM), then core
// 0 starts at the firmware's entry; the others wait for PSCI CPU_ON. Firmware that is the image of a ROM is in flash, at whose
// first byte core 0 starts.
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
#include "platform/interrupt_controller.h"
#include "platform/isolated_network.h"
#include "platform/node_stores.h"
#include "platform/rtl_arbiters.h"
#include "platform/rtl_zone_monitors.h"
#include "platform/scenario.h"
#include "platform/simulated_system.h"
#include "platform/spin_table.h"
#include "platform/transaction_tap.h"

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
  // `files`: the directory that semihosting is confined to. Throws for what only building it shows: FlashImageError for
  // an image of another geometry, RtlError for RTL that does not fit. `taps`: on all initiators; nullptr: on none.
  // `threads`: cores run ahead of their turns there; nullptr: they do not.
  Node(const sc_core::sc_module_name& name, const Scenario& scenario, const std::filesystem::path& files,
       const RtlOptions& rtl, EventLog& events, TransactionTaps* taps = nullptr,
       HostThreads* threads = nullptr);
  ~Node() override { quiesce(); }  // while there is memory

  // The node has come to its end by itself; unless told otherwise the run ends with it.
  std::function<void()> on_end = [] { sc_core::sc_stop(); };
  // All its cores are locked up, or off. It goes on with nothing unless somebody resets it.
  std::function<void()> on_lock_up = [] {};
  // Its power goes and does not come back.
  void lose();
  bool is_lost() const { return lost_; }
  // How often its firmware has told that it goes on from a checkpoint.
  std::uint64_t recoveries() const { return power_.recoveries(); }

  // nullptr: there is none. It is alone on a network of its own, until it is attached to another before simulation begins.
  NicModule* nic() { return nic_ ? &*nic_ : nullptr; }

  const std::optional<End>& end() const override { return end_; }
  bool waits_for_the_host() const override;
  std::vector<DebuggedCore> cores_to_debug() override;
  std::uint64_t instructions() const override { return cores_.instructions(); }
  std::vector<std::string> core_states() override;
  std::string cpu_engine() const override;
  std::vector<std::string> rtl_instances() const override;
  std::vector<std::string> rtl_summary() const override;
  const std::optional<Lockstep::Mismatch>& mismatch() const override { return mismatch_; }
  std::string memory_summary() const override { return memory_.summary(); }
  std::optional<std::string> script_waits_for() const override;
  void report(Statistics& statistics) const override;
  void inject(const std::vector<FaultConfig>& faults) override;
  void move_files(const std::filesystem::path& files) override { semihosting_.move_directory(files); }
  void quiesce() override;
  void report_host(Statistics& statistics) const override;

 private:
  // What an initiator is bound with: itself, or the tap that it is bound to.
  tlm::tlm_initiator_socket<>& tapped(tlm::tlm_initiator_socket<>& initiator);
  void connect_cores(EventLog& events);
  void connect_targets();
  void connect_interrupts();
  void attach_arbiters(const RtlOptions& rtl);
  void place_rtc(const RtlOptions& rtl);
  void attach_codec(const RtlOptions& rtl);
  void attach_matt(const RtlOptions& rtl);
  void attach_monitors(const RtlOptions& rtl);
  FaultOutcome inject(const FaultRequest& request);
  void differ(const Lockstep::Mismatch& mismatch);
  DeviceTreeNode device_tree() const;
  void load_memory();
  void start();
  void reset(Reset kind);
  void finish(End::How how, std::uint64_t status, Picoseconds at);

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
  std::uint64_t resets_ = 0;
  bool lost_ = false;
  std::optional<Lockstep::Mismatch> mismatch_;
  std::optional<SpinTable> spin_table_;  // where cores wait that PSCI does not start
  std::vector<std::byte> device_tree_blob_;

  CoreCluster cores_;
  std::optional<CoreCaches> caches_;
  MemoryController memory_;
  std::optional<RtlCodec> codec_;  // of the memory
  std::unique_ptr<Interconnect> fabric_;
  std::optional<RtlArbiters> arbiters_;
  InterruptController gic_;
  Pl011 uart0_;
  std::optional<Pl031> rtc_;           // none where RTL stands in its place
  std::optional<DeviceSwap> rtc_rtl_;  // its RTL, if any
  std::list<NorFlashModule> flash_;    // banks, by name on the address map
  PowerController power_;
  DimmSsdModule dimm_ssd_;
  std::optional<RtlMatt> matt_;  // of the DIMM-SSD
  std::optional<NodeStores> stores_;
  std::optional<GpuModule> gpus_;
  std::optional<PcramModule> pcram_;
  std::optional<IsolatedNetwork> isolated_network_;
  std::optional<NicModule> nic_;
  std::optional<RtlZoneMonitors> monitors_;  // of the GPUs
  Semihosting semihosting_;
};

}  // namespace asterism
