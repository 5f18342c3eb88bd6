// What one instance was fed of late, so that its last cycles can be run again and traced: a snapshot of it, and its
// inputs in every cycle since. Nothing is traced while it runs, because that would cost four fifths of the speed.
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
// There are two snapshots. When what follows the newer is as long as the window, it takes the place of the older and a
// new one is made: so at least the window is there, unless the recording is younger or so many cycles of it exceed the
// memory. A snapshot takes longer than a cycle; it is made after so many cycles that this does not matter.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/units.h"
#include "cosim/rtl_library.h"

namespace asterism {

class RtlRecorder {
 public:
  struct Settings {
    Picoseconds period;         // of the block's clock
    Picoseconds window;         // the longest that write() will be asked for
    Bytes memory = 4_MiB;       // for the inputs
    std::size_t fewest = 1024;  // cycles recorded from one snapshot to the next
  };
  // `instance` outlives it. Begins with its state of now.
  RtlRecorder(const RtlInstance& instance, const Settings& settings);

  // Forgets all; goes on from the instance's state of now, which was changed otherwise than by its inputs.
  void restart();

  // `cycles` cycles with the inputs as they are now, the first with its rising edge at `at`. No cycle: the inputs only
  // change; they show in the trace.
  void record(Picoseconds at, std::uint64_t cycles = 1) {
    if (newer_.rows >= fewest_ && (at >= newer_.full_at || newer_.rows >= most_)) begin_another();
    if (newer_.rows++ == 0) newer_.full_at = at + settings_.window;
    newer_.log.push_back(at.count());
    newer_.log.push_back(cycles);
    for (const Input& input : inputs_) newer_.log.push_back(input.port.get(input.word));
  }

  // Runs again what was recorded, and traces at least the last `window` of it; a cycle in which the block ends itself
  // is the last. Throws RtlError when the file cannot be written; none is left half-written.
  void write(const std::filesystem::path& file, Picoseconds window) const;

 private:
  struct Input {
    std::uint32_t index;  // of the port
    RtlPort port;
    std::uint32_t word;
  };
  struct Generation {
    RtlInstance::Snapshot snapshot;
    std::vector<std::uint64_t> log;  // a row for each record(): time, cycles, inputs
    std::size_t rows = 0;
    Picoseconds full_at;
  };
  void begin(Generation& generation);
  void begin_another();
  void play(RtlInstance& instance, const Generation& generation, Picoseconds from) const;

  const RtlInstance& instance_;
  Settings settings_;
  std::vector<Input> inputs_;  // each word of each port that has a role
  std::size_t fewest_, most_;  // rows of a generation
  Generation older_, newer_;
  bool has_older_ = false;
};

}  // namespace asterism
