// Records the recent inputs of one instance, so that its last cycles can be run again and traced: a snapshot
// of the instance, and its inputs in every cycle since. Nothing is traced in the normal run, because that
// would cost four fifths of the speed.
//
//   RtlRecorder recorder(arbiter, {.period = 667_ps, .window = 2_us});
//   ...
//   request.set(0b1010);
//   recorder.record(at);          // before the cycle is stepped
//   arbiter.settle();
//   arbiter.edge();
//   ...
//   recorder.write("node.fabric.arbiter.XB.4.fst", 2_us);
//
// There are two snapshots. When the recording since the newer one is as long as the window, it replaces the
// older one and a new one is made: at least the window is available, unless the recording is younger or the
// window has so many cycles that they exceed the memory. A snapshot takes longer than a cycle; it is made
// after so many cycles that this does not matter.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/units.h"
#include "cosim/rtl_library.h"

namespace asterism {

class RtlRecorder {
 public:
  struct Settings {
    Picoseconds period;         // of the block's clock
    Picoseconds window;         // the longest window for which write() will be called
    Bytes memory = 4_MiB;       // for the inputs
    std::size_t fewest = 1024;  // the minimum number of recorded cycles between two snapshots
    bool has_remarks = false;   // whether each cycle has a remark
  };
  // What the caller wants to know of a cycle later; the RTL does not get it.
  using Remark = std::array<std::uint64_t, 2>;
  // `instance` must outlive it. The recording begins with the present state.
  RtlRecorder(const RtlInstance& instance, const Settings& settings);

  // Drops everything and restarts from the present state of the instance, which was changed otherwise than by
  // its inputs.
  void restart();

  // Records `cycles` cycles with the present inputs, the first with its rising edge at `at`. With 0 cycles
  // only the inputs change, which appears in the trace.
  void record(Picoseconds at, std::uint64_t cycles = 1, const Remark& remark = {}) {
    if (newer_.rows >= fewest_ && (at >= newer_.full_at || newer_.rows >= most_)) begin_another();
    if (newer_.rows++ == 0) newer_.full_at = at + settings_.window;
    newer_.log.push_back(at.count());
    newer_.log.push_back(cycles);
    for (const Input& input : inputs_) newer_.log.push_back(input.port.get(input.word));
    if (settings_.has_remarks) newer_.log.insert(newer_.log.end(), remark.begin(), remark.end());
  }

  // Runs the recording again, and traces at least the last `window` of it. If the block ends itself, that
  // cycle is the last. Throws RtlError if the file cannot be written; no partial file is left.
  void write(const std::filesystem::path& file, Picoseconds window) const;

  // The remarks of the recorded cycles, with the times at which the inputs of these cycles change in the
  // trace.
  std::vector<std::pair<Picoseconds, Remark>> remarks() const;

 private:
  struct Input {
    std::uint32_t index;  // of the port
    RtlPort port;
    std::uint32_t word;
  };
  struct Generation {
    RtlInstance::Snapshot snapshot;
    std::vector<std::uint64_t> log;  // a row for each record(): time, cycles, inputs, remark
    std::size_t rows = 0;
    Picoseconds full_at;
  };
  std::size_t row_size() const { return 2 + inputs_.size() + (settings_.has_remarks ? Remark{}.size() : 0); }
  void begin(Generation& generation);
  void begin_another();
  void play(RtlInstance& instance, const Generation& generation, Picoseconds from) const;

  const RtlInstance& instance_;
  Settings settings_;
  std::vector<Input> inputs_;  // each word of each port that has a role
  std::size_t fewest_, most_;  // the limits on the rows of a generation
  Generation older_, newer_;
  bool has_older_ = false;
};

}  // namespace asterism
