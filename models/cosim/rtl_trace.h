// Traces on demand of one instance: the entries of RtlOptions::trace that name it, in one file
// <traces>/<instance>.fst.
//
//   if (trace.covers(at))
//     traced_cycle(instance, at, period);
//   else
//     instance.run(1);
//
// The file is opened by the first cycle within one of the spans and closed by the first one after all of
// them.
#pragma once

#include <filesystem>
#include <vector>

#include "base/units.h"
#include "cosim/rtl_library.h"
#include "cosim/rtl_options.h"

namespace asterism {

// <traces>/<instance><suffix>.fst; creates the folder.
std::filesystem::path trace_file(const std::filesystem::path& traces, const std::string& instance,
                                 const std::string& suffix = "");
// From now on traces of all instances that would be written to `from` are written to `to`: the run's folder
// has been renamed.
void move_traces(const std::filesystem::path& from, const std::filesystem::path& to);

// Steps a cycle in the open trace of its instance: the clock is low from half a period before `at`, and rises
// at `at`.
void traced_settle(RtlInstance& instance, Picoseconds at, Picoseconds period);
void traced_edge(RtlInstance& instance, Picoseconds at);
inline void traced_cycle(RtlInstance& instance, Picoseconds at, Picoseconds period) {
  traced_settle(instance, at, period);
  traced_edge(instance, at);
}

class RtlTrace {
 public:
  // `instance` must outlive it. Throws RtlError if a trace is requested that the block's library cannot
  // write.
  RtlTrace(const RtlOptions& options, RtlInstance& instance);

  bool wanted() const { return wanted_; }
  // Whether a cycle at `at` is to be traced: opens or closes the file. Throws RtlError if it cannot be
  // written.
  bool covers(Picoseconds at) { return !spans_.empty() && look_up(at); }

 private:
  bool look_up(Picoseconds at);

  RtlInstance& instance_;
  std::filesystem::path traces_;
  std::vector<RtlOptions::Trace> spans_;  // empty when all are over
  bool wanted_ = false;
};

}  // namespace asterism
