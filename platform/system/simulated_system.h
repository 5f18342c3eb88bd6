// The interface between a run and what it simulates.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/page_map.h"
#include "base/statistics.h"
#include "base/units.h"
#include "cosim/lockstep.h"
#include "platform/debug/debugged_core.h"
#include "platform/instruments/core_report.h"
#include "platform/scenario/scenario_config.h"

namespace asterism {

// The outcome of a cluster.
struct ClusterOutcome {
  std::uint32_t ranks = 0;           // of all nodes
  std::uint32_t firmware_ranks = 0;  // of nodes with firmware
  std::uint32_t spares = 0, spares_used = 0;
  bool is_ring = true;          // false: a program of the firmware's own, whose correct result is not known
  bool is_independent = false;  // the nodes have no program in common, and no result
  std::uint64_t commits = 0;    // checkpoints that all ranks committed
  std::uint64_t losses = 0;     // of nodes, of links, and of state and copies that nodes held
  std::uint64_t ineffective_faults = 0;      // faults in what was lost already, or after the cluster's end
  std::uint64_t recoveries = 0;              // losses after which all ranks continued
  std::optional<std::uint64_t> result = {};  // of all ranks, once they have finished
  std::uint64_t expected = 0;        // the result of the ring program, computed by one sequential program
  std::string not_recoverable = {};  // why nothing could be restored; "" otherwise
  std::vector<std::string> failures = {};  // the nodes whose firmware failed, and how
  std::string early = {};  // the node whose firmware ended before the cluster had; "" if there is none
};

// What is simulated, as a run sees it: one node with firmware (node.h), one with a workload
// (manycore_node.h), or a cluster of nodes (cluster_system.h).
class SimulatedSystem {
 public:
  struct End {
    enum class How {
      exited,
      switched_off,
      workload_done,
      cluster_finished,
      not_recoverable,
      mismatch,
      check
    } how;
    std::uint64_t status;  // the exit status of the firmware
    Picoseconds at;
    std::string why = {};  // of a check: the finding
  };

  virtual ~SimulatedSystem() = default;

  // Called with the guest's output.
  std::function<void(std::string_view)> on_console = [](std::string_view) {};
  std::function<void(const std::string& line, std::string_view)> on_serial = [](const std::string&,
                                                                                std::string_view) {};

  // Passes on the output that is held back because its line has not ended.
  virtual void flush_output() {}

  // Injects faults in addition to those of the scenario, each at its time, which must not have passed.
  virtual void inject(const std::vector<FaultConfig>&) {}
  // Changes the folder that guests access by semihosting. It has the same contents under another name.
  virtual void move_files(const std::filesystem::path&) {}

  // Completes or rolls back all work in other host threads. Call it before these threads are stopped.
  virtual void quiesce() {}
  // Statistics that depend on the host and on its number of threads.
  virtual void report_host(Statistics&) const {}

  // How the run ended by itself; nullopt while it continues.
  virtual const std::optional<End>& end() const = 0;
  // Whether input may still come from the host. If so, a run without pending events has not ended.
  virtual bool waits_for_the_host() const { return false; }
  // The names of the serial lines, the first of which is that of the console: the one that receives from the
  // terminal, or else the first by its address.
  virtual std::vector<std::string> serial_lines() const { return {}; }
  // A serial line also receives what comes from this descriptor. Before simulation begins; only for a single
  // node.
  virtual void connect_serial(const std::string& /*line*/, int /*descriptor*/) {}
  // The cores that run firmware.
  virtual std::vector<DebuggedCore> cores_to_debug() { return {}; }
  virtual std::uint64_t instructions() const = 0;
  // What each core is doing; after a failure of the firmware, what it was doing then.
  virtual std::vector<CoreReport> core_reports() { return {}; }
  virtual std::string cpu_engine() const = 0;
  // The instance paths of all RTL.
  virtual std::vector<std::string> rtl_instances() const { return {}; }
  // What the RTL did and its coverage, one line each.
  virtual std::vector<std::string> rtl_summary() const { return {}; }
  // The first differences between RTL and models in lockstep, or the failures of RTL, in order of time; and
  // the number of all.
  virtual std::vector<Lockstep::Mismatch> first_mismatches() const { return {}; }
  virtual std::uint64_t mismatches() const { return 0; }
  // How many instructions the translators of cores have executed in lockstep; nullopt: they do not.
  virtual std::optional<std::uint64_t> compared_translations() const { return std::nullopt; }
  // The coverage of each block in lockstep, and within a fabric of each router.
  virtual std::vector<BlockCoverage> coverage() const { return {}; }
  // The failures of the memory; "" if there are none.
  virtual std::string memory_summary() const { return ""; }
  // What node.checks has found; "" if nothing. And how often.
  virtual std::string checks_summary() const { return ""; }
  virtual std::uint64_t findings() const { return 0; }
  // What the script of a serial line still waits for, and where: `"# " at uart0 of node1`; nullopt if each
  // script is complete.
  virtual std::optional<std::string> script_waits_for() const { return std::nullopt; }
  // nullopt if this is not a cluster.
  virtual std::optional<ClusterOutcome> cluster() const { return std::nullopt; }
  // What has happened to pages of memory and blocks of flash until now; it is counted from count_pages() on,
  // which is called before simulation begins.
  virtual void count_pages() {}
  virtual void report_pages(PageMap& /*map*/) {}
  virtual void report(Statistics& statistics) const = 0;
  // Adds the report to the statistics of the run, by default as the group "node".
  virtual void report_to(Statistics& run) const { report(run.group("node")); }
};

}  // namespace asterism
