// What is simulated, as the run sees it: a node with firmware (node.h) or a workload (manycore_node.h), or a cluster of nodes
// (cluster_system.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics.h"
#include "base/units.h"
#include "cosim/lockstep.h"
#include "platform/debug/debugged_core.h"
#include "platform/scenario_config.h"

namespace asterism {

// How a cluster did.
struct ClusterOutcome {
  std::uint32_t ranks = 0, firmware_ranks = 0;  // of which so many are nodes with firmware
  std::uint32_t spares = 0, spares_used = 0;
  bool is_ring = true;        // else a program of the firmware's own, whose right result is not known
  std::uint64_t commits = 0;  // checkpoints of all ranks
  std::uint64_t losses = 0;   // of nodes, links and what nodes held
  std::uint64_t ineffective_faults =
      0;                         // by faults that struck what was lost already, or came after the outcome
  std::uint64_t recoveries = 0;  // after which all ranks went on
  std::optional<std::uint64_t> result = {};  // of all ranks, once they have finished
  std::uint64_t expected = 0;                // of the ring program, computed in one piece
  std::string not_recoverable = {};          // why nothing could be restored, "" otherwise
  std::vector<std::string> failures = {};    // nodes whose firmware failed, and how
  std::string early = {};  // the node whose firmware ended before the cluster had, "" for none
};

class SimulatedSystem {
 public:
  struct End {
    enum class How { exited, switched_off, workload_done, cluster_finished, not_recoverable, mismatch } how;
    std::uint64_t status;  // of the firmware that exited
    Picoseconds at;
  };

  virtual ~SimulatedSystem() = default;

  // The guest's output.
  std::function<void(std::string_view)> on_console, on_uart0;

  // What it holds back of that, a line that has not ended.
  virtual void flush_output() {}

  // More goes wrong than the scenario said. Each at its time, which has not passed.
  virtual void inject(const std::vector<FaultConfig>&) {}
  // The folder that guests see has another name, with the same in it.
  virtual void move_files(const std::filesystem::path&) {}

  // Nothing of it is under way in other threads of the host.
  virtual void quiesce() {}
  // What depends on the host, and of how use it was.
  virtual void report_host(Statistics&) const {}

  // How the run ended by itself; nullopt while it goes on.
  virtual const std::optional<End>& end() const = 0;
  // Input may come from outside, so that a node at rest is not at its end.
  virtual bool waits_for_the_host() const { return false; }
  // Those that run firmware.
  virtual std::vector<DebuggedCore> cores_to_debug() { return {}; }
  virtual std::uint64_t instructions() const = 0;
  // Of a run that was stopped: what each core was doing, where that says anything.
  virtual std::vector<std::string> core_states() { return {}; }
  virtual std::string cpu_engine() const = 0;
  // The RTL in it, by instance path.
  virtual std::vector<std::string> rtl_instances() const { return {}; }
  // Of the RTL in it: what it did and what that reached, a line each; and the first difference in lockstep.
  virtual std::vector<std::string> rtl_summary() const { return {}; }
  virtual const std::optional<Lockstep::Mismatch>& mismatch() const = 0;
  // What failed in its memory, "" when nothing.
  virtual std::string memory_summary() const { return ""; }
  // The words that the script at the console waits for still; nullopt: it is through, or there is none.
  virtual std::optional<std::string> script_waits_for() const { return std::nullopt; }
  // nullopt: no cluster.
  virtual std::optional<ClusterOutcome> cluster() const { return std::nullopt; }
  virtual void report(Statistics& statistics) const = 0;
  // Where in the run's statistics that stands.
  virtual void report_to(Statistics& run) const { report(run.group("node")); }
};

}  // namespace asterism
