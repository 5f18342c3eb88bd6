// The last instructions of each core before a run fails (`asterism run --last-instructions N`).
//
// Nothing is recorded while the run goes on, because even one store per block of instructions would cost more
// than a twentieth of its speed. Instead, after every two seconds of processor time a copy of the process is
// made, as for snapshots, and sleeps. A run is deterministic, so when it fails, a copy that is at least two
// seconds old executes the rest once more, and records the registers of every instruction near the end. Two
// copies are kept, so that the older one is never too young; one that takes long to make is made less often.
//
// A core that is in the handler of a fault from which it has not returned is recorded up to the fault.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/units.h"
#include "platform/firmware/function_symbols.h"
#include "platform/host/run_directory.h"
#include "platform/snapshot/live_snapshots.h"
#include "platform/system/simulated_system.h"

namespace asterism {

class LastInstructions {
 public:
  // `threads`: all other threads of the process, of which only the first call ends any in the copies. Throws
  // std::system_error if there is no memory for a copy.
  LastInstructions(unsigned count, SimulatedSystem& system, const FunctionSymbols& symbols,
                   const RunDirectory& directory, LiveSnapshots::Threads threads);
  ~LastInstructions();  // ends the copies
  LastInstructions(const LastInstructions&) = delete;
  LastInstructions& operator=(const LastInstructions&) = delete;

  // Call it whenever the simulation pauses. Makes a copy if it is time. Returns a second time in a copy that
  // has been woken.
  void poll();
  // In a copy that has been woken: whether everything is recorded, and when to stop at the latest.
  bool is_copy() const { return is_copy_; }
  bool is_done() const;
  Picoseconds end() const { return end_; }
  // In such a copy, when it is done: writes last_instructions.txt and ends the process.
  [[noreturn]] void finish();

  // In the run, when it has failed: lets a copy write last_instructions.txt, and waits for that. Returns
  // whether it did.
  bool record();

 private:
  class Recorder;
  struct Copy {
    pid_t process;
    int orders;  // the copy sleeps until something is written here, and ends when it is closed
    std::filesystem::path folder;
  };
  // Up to where a core is recorded.
  struct Limit {
    std::uint64_t instructions, faulting_pc;
    bool is_fault;
  };

  std::vector<Limit> limits();
  bool is_in_fault() const;
  void make_copy();
  void sleep_until_woken(int orders, const std::filesystem::path& folder);
  static void remove(const Copy& copy);

  const unsigned count_;
  SimulatedSystem& system_;
  const FunctionSymbols& symbols_;
  const RunDirectory& directory_;
  const LiveSnapshots::Threads threads_;
  std::vector<DebuggedCore> cores_;
  std::list<Copy> copies_;  // the oldest first
  unsigned made_ = 0;
  std::chrono::nanoseconds next_{};  // processor time at which the next copy is made
  bool is_copy_ = false;
  Picoseconds end_;
  std::vector<std::unique_ptr<Recorder>> recorders_;
};

}  // namespace asterism
