// The optional reports of `asterism run` (docs/seeing.md): profile, timeline, transactions, the record of the
// run. They do not change what is simulated, and cost time only if they are requested.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/host/run_directory.h"
#include "platform/instruments/profile.h"
#include "platform/instruments/run_recorder.h"
#include "platform/instruments/run_timeline.h"
#include "platform/instruments/transaction_tap.h"
#include "platform/scenario/scenario.h"
#include "platform/system/simulated_system.h"

namespace asterism {

struct InstrumentOptions {
  bool profile = false;        // profile.txt, profile.folded and profile.svg
  bool profile_lines = false;  // profile_lines.txt, with `profile`
  bool timeline = false;       // timeline.svg
  bool transactions = false;   // traces/transactions.bin
  bool record = false;         // traces/record.bin and traces/pages.bin
  // With `record`: samples of the statistics at this distance, 0 for none; with `sample_grows`, the distance
  // doubles after every 1000 samples, so that they do not become too many in a run of unknown length.
  Picoseconds sample = {};
  bool sample_grows = false;
  unsigned last_instructions = 0;  // of each core, if the run fails: last_instructions.txt
  // The window of instruction traces, in the time of the core.
  Picoseconds trace_from, trace_to = Picoseconds(std::numeric_limits<std::uint64_t>::max());
  bool has_window() const {
    return trace_from > 0_ps || trace_to < Picoseconds(std::numeric_limits<std::uint64_t>::max());
  }
};

// Instruction traces are requested by log levels (node.log, --log): the level `trace` of a core.
class Instruments {
 public:
  // Must be created before the system is built. Throws ConfigError if the scenario does not support a
  // requested report.
  Instruments(const InstrumentOptions& options, const Scenario& scenario, const RunDirectory& directory,
              EventFile& events);
  ~Instruments();
  Instruments(const Instruments&) = delete;
  Instruments& operator=(const Instruments&) = delete;

  // For the initiators of the system; nullptr if transactions are not requested.
  TransactionTaps* taps() { return taps_ ? &*taps_ : nullptr; }
  // Must be called once, before the first instruction. This object must exist longer than the system.
  void attach(SimulatedSystem& system);
  // The log levels have changed: traces the instructions of other cores.
  void follow_log(SimulatedSystem& system);
  // A debugger has halted the system: the traces show what was executed until now.
  void halted();
  // What the guest has written to a line: "console", "uart0".
  void output(const std::string& line, std::string_view text);
  // The next time at which a sample is due; simulation must stop there.
  Picoseconds next_sample() const { return next_sample_; }
  // Takes the sample that is due now.
  void sample(SimulatedSystem& system) { sample(system, next_sample_); }
  // nullptr if the run is not recorded.
  RunRecorder* recorder() { return recorder_ ? &*recorder_ : nullptr; }
  // The cores whose instructions are traced, if none of them has executed one in the window.
  std::vector<std::string> cores_without_trace() const;
  // Writes the reports to the run directory at the end of the run.
  void finish(SimulatedSystem& system, Picoseconds end);

 private:
  class Core;

  void create_cores(SimulatedSystem& system);
  void sample(SimulatedSystem& system, Picoseconds at);

  const InstrumentOptions options_;
  const Scenario& scenario_;
  const RunDirectory& directory_;
  const ProfiledCode code_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::optional<RunTimeline> timeline_;
  std::optional<RunRecorder> recorder_;
  Picoseconds sample_distance_;
  unsigned samples_ = 0;
  Picoseconds next_sample_ = Picoseconds(std::numeric_limits<std::uint64_t>::max());
  std::optional<TransactionTaps> taps_;
  std::optional<TransactionTraceWriter> transactions_;
};

}  // namespace asterism
