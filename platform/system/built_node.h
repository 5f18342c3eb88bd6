// The netlist of the node: its cores, its interconnect and its devices, how they are connected, and the order
// in which they are powered up and reset.
//
//   cores (-> caches) -> fabric -> devices (built_devices.h)
//   devices with DMA -> the memory that they name, or the fabric
//
// A node is built switched off. On power-up it loads the firmware and the device tree into its main memory,
// as a boot ROM would. Then core 0 starts at the firmware's entry, and the other cores wait for PSCI CPU_ON.
// Firmware that is a ROM image is in a ROM instead, and core 0 starts at its first byte.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <systemc>
#include <vector>

#include "core/core_caches.h"
#include "core/core_cluster.h"
#include "core/guest_checks.h"
#include "devices/power_supply.h"
#include "devices/semihosting.h"
#include "fabric/interconnect.h"
#include "platform/firmware/firmware.h"
#include "platform/firmware/spin_table.h"
#include "platform/instruments/transaction_tap.h"
#include "platform/node/prepared_node.h"
#include "platform/scenario/scenario_config.h"
#include "platform/system/built_devices.h"
#include "platform/system/core_interrupts.h"
#include "platform/system/networks.h"
#include "platform/system/rtl_arbiters.h"
#include "platform/system/simulated_system.h"

namespace asterism {

class HostThreads;
namespace a64 {
class SpeculativeCores;
}

// What a node is built with, beside its configuration. All references outlive it.
struct BuiltNodeContext {
  EventLog& events;
  const Firmware& firmware;
  std::string arguments = {};        // of the firmware; of a kernel of Linux its command line
  std::filesystem::path files = {};  // that semihosting is confined to
  std::uint64_t seed = 1;
  std::vector<FaultConfig> faults = {};
  std::string preferred_device = {};  // the device that the device tree lists first; "": by their addresses
  RtlOptions rtl = {};
  TransactionTaps* taps = nullptr;  // record the transactions of all initiators
  HostThreads* threads = nullptr;   // on which cores execute speculatively, instead of one after the other
};

class BuiltNode final : public sc_core::sc_module,
                        public SimulatedSystem,
                        private PowerSequence,
                        private CoreCluster::Surroundings {
 public:
  // Throws ConfigError for what only building the node shows: an image of another geometry, RTL that does not
  // fit.
  BuiltNode(const sc_core::sc_module_name& name, const PreparedNode& node, const BuiltNodeContext& context);
  BuiltNode(const sc_core::sc_module_name& name, PreparedNode&& node,
            const BuiltNodeContext& context) = delete;
  ~BuiltNode() override { quiesce(); }  // while the memory still exists

  // Switches the power on, before or during the simulation: no core executes and no scheduled loss of power
  // has an effect before. During one, the node starts when that ends. A node that is on already, or lost,
  // remains as it is; one that has ended loses its power and starts again.
  void power_on();
  // For an owner whose simulation continues after the end: the node may end again.
  void forget_end();
  // Called when the node has ended by itself.
  std::function<void()> on_end = [] {};
  // Called when all cores are locked up or off: nothing more happens on the node unless it is reset.
  std::function<void()> on_lock_up = [] {};
  // Its power has returned after a loss, and the cores start.
  std::function<void()> on_power_restored = [] {};
  // Removes the power of the node permanently.
  void lose();
  bool is_lost() const { return lost_; }
  // The number of times that the firmware has reported that it continues from a checkpoint.
  std::uint64_t recoveries() const;
  // For an owner that connects devices to something outside of the node, before simulation begins.
  const BuiltDevices& devices() const { return devices_; }
  // Accesses physical addresses as a debugger, without time or side effects. Returns the number of bytes, up
  // to the first that has no address.
  std::size_t debug_access(tlm::tlm_command command, Address address, std::span<std::byte> bytes);
  // Writes registers as a store of core 0 does, but without time. False: one is not there, or is read-only.
  bool write_registers(Address address, std::span<const std::byte> bytes);

  const std::optional<End>& end() const override { return end_; }
  bool waits_for_the_host() const override;
  std::vector<std::string> serial_lines() const override;
  void connect_serial(const std::string& line, int descriptor) override;
  std::vector<DebuggedCore> cores_to_debug() override;
  std::uint64_t instructions() const override { return cores_.instructions(); }
  std::vector<CoreReport> core_reports() override;
  std::string cpu_engine() const override;
  std::vector<std::string> rtl_instances() const override;
  std::vector<std::string> rtl_summary() const override;
  std::vector<Lockstep::Mismatch> first_mismatches() const override { return first_mismatches_; }
  std::optional<std::uint64_t> compared_translations() const override;
  std::uint64_t mismatches() const override;
  std::vector<BlockCoverage> coverage() const override;
  std::string memory_summary() const override;
  std::string checks_summary() const override { return checks_.summary(); }
  std::uint64_t findings() const override { return checks_.total(); }
  std::optional<std::string> script_waits_for() const override;
  void count_pages() override { devices_.count_pages(); }
  void report_pages(PageMap& map) override;
  void report(Statistics& statistics) const override;
  void inject(const std::vector<FaultConfig>& faults) override;
  void move_files(const std::filesystem::path& files) override { semihosting_.move_directory(files); }
  void quiesce() override;
  void report_host(Statistics& statistics) const override;

 private:
  // The socket to bind in the initiator's place: its tap's if transactions are recorded, else the initiator
  // itself.
  tlm::tlm_initiator_socket<>& tapped(tlm::tlm_initiator_socket<>& initiator);
  void connect_cores();
  void connect_memories();
  void connect_roles();
  void connect_rtl();
  void inject_into_devices(const std::vector<FaultConfig>& faults);
  std::string why_no_interrupt_reaches(unsigned core) const;
  void take_mismatch(const Lockstep::Mismatch& mismatch);
  void take_mismatch(const CoreModule& core, const TranslationMismatch& mismatch);
  TranslationCounts translation() const;
  void load_memory();
  void power_up();
  void start();
  void reset(Reset kind);
  void finish(End::How how, std::uint64_t status, Picoseconds at, const std::string& why = "");

  void power_lost() override;
  void power_restored() override;
  void warm_reset() override;
  void power_off() override;

  std::uint64_t semihosting(CoreModule& core, std::uint32_t operation, std::uint64_t parameter) override;
  void system_off() override { supply_.request(PowerOperation::power_off); }
  void system_reset() override { supply_.request(PowerOperation::warm_reset); }

  const PreparedNode& node_;
  const NodeConfig& config_;
  const BuiltNodeContext context_;
  const std::shared_ptr<a64::SpeculativeCores> speculative_cores_;  // nullptr without other host threads
  std::optional<End> end_;
  bool is_on_ = false, lost_ = false;
  std::vector<CoreReport> reports_at_end_;  // if the node has ended with a failure, which turns the cores off
  std::vector<Lockstep::Mismatch> first_mismatches_;
  std::uint64_t translation_mismatches_ = 0;
  std::optional<SpinTable> spin_table_;  // where secondary cores wait if PSCI does not start them
  std::vector<std::byte> device_tree_blob_;
  GuestChecks checks_;

  CoreCluster cores_;
  std::optional<CoreCaches> caches_;
  std::unique_ptr<Interconnect> fabric_;
  PowerSupply supply_;
  BuiltDevices devices_;
  CoreInterrupts core_interrupts_;
  Networks networks_;
  std::optional<RtlArbiters> arbiters_;
  std::vector<RtlBlock*> rtl_;  // the arbiters and the blocks of devices
  Semihosting semihosting_;
};

}  // namespace asterism
