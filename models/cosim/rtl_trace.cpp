#include "cosim/rtl_trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace asterism {

namespace fs = std::filesystem;

namespace {
struct Moved {
  fs::path from, to;
} moved;
}  // namespace

void move_traces(const fs::path& from, const fs::path& to) { moved = {from, to}; }

fs::path trace_file(const fs::path& asked, const std::string& instance, const std::string& suffix) {
  const fs::path& traces = asked == moved.from ? moved.to : asked;
  std::error_code error;
  fs::create_directories(traces, error);
  if (error)
    throw RtlError(fmt::format("{}: the folder {} for its trace cannot be created: {}", instance,
                               traces.string(), error.message()));
  return traces / (instance + suffix + ".fst");
}

void traced_settle(RtlInstance& instance, Picoseconds at, Picoseconds period) {
  const std::uint64_t low = at.count() - std::min(at.count(), period.count() / 2);
  try {
    instance.settle();
  } catch (const RtlError&) {
    instance.trace(low);
    throw;
  }
  instance.trace(low);
}

void traced_edge(RtlInstance& instance, Picoseconds at) {
  instance.edge();
  instance.trace(at.count());
}

RtlTrace::RtlTrace(const RtlOptions& options, RtlInstance& instance)
    : instance_(instance), traces_(options.traces) {
  for (const RtlOptions::Trace& trace : options.trace)
    if (instance.name() == trace.instance || instance.name().starts_with(trace.instance + "."))
      spans_.push_back(trace);
  wanted_ = !spans_.empty();
  if (wanted_ && !instance.library().block().has_trace)
    throw RtlError(fmt::format("{}: a trace is requested, but {} was built without traces", instance.name(),
                               instance.library().file().string()));
}

bool RtlTrace::look_up(Picoseconds at) {
  bool within = false, over = true;
  for (const RtlOptions::Trace& span : spans_) {
    within = within || (span.from <= at && at <= span.to);
    over = over && span.to < at;
  }
  if (within && !instance_.traced()) instance_.trace_open(trace_file(traces_, instance_.name()));
  if (over) {
    instance_.trace_close();
    spans_.clear();
  }
  return within;
}

}  // namespace asterism
