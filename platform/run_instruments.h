// What `asterism run` shows of a run beside its reports, when it is asked to: docs/seeing.md. Nothing of it changes what is
// simulated, and nothing of it costs time unless it is asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/function_symbols.h"
#include "platform/profile.h"
#include "platform/run_directory.h"
#include "platform/run_timeline.h"
#include "platform/scenario.h"
#include "platform/simulated_system.h"
#include "platform/transaction_tap.h"

namespace asterism {

struct InstrumentOptions {
  bool profile = false;       // profile.txt and profile.folded
  bool timeline = false;      // timeline.svg
  bool transactions = false;  // traces/transactions.bin
};

// Instruction traces are asked for by the log's levels (node.log, --log): `trace` of a core.
class Instruments {
 public:
  // Before the machine is built. Throws ConfigError when what is asked for cannot be had of this scenario.
  Instruments(const InstrumentOptions& options, const Scenario& scenario, const RunDirectory& directory,
              EventFile& events);
  ~Instruments();
  Instruments(const Instruments&) = delete;
  Instruments& operator=(const Instruments&) = delete;

  // For the machine's initiators; nullptr: not asked for.
  TransactionTaps* taps() { return taps_ ? &*taps_ : nullptr; }
  // Before the machine's first instruction, once; this outlives it.
  void attach(SimulatedSystem& machine);
  // The run is over: files into its folder.
  void finish(Picoseconds end);

 private:
  class Core;

  const InstrumentOptions options_;
  const Scenario& scenario_;
  const RunDirectory& directory_;
  FunctionSymbols symbols_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::optional<RunTimeline> timeline_;
  std::optional<TransactionTaps> taps_;
  std::optional<TransactionTraceWriter> transactions_;
};

}  // namespace asterism
