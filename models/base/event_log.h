// The log of events with their times: power losses, checkpoints, recoveries. Blocks write to this interface.
// platform/ turns it into events.jsonl of the run, the number of checkpoints on the terminal and the counts
// that `expect` checks; a test records it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/units.h"

namespace asterism {

class ActivityLog;

class EventLog {
 public:
  using Value = std::variant<std::uint64_t, std::string>;
  using Detail = std::pair<std::string_view, Value>;

  virtual ~EventLog() = default;
  // `kind` is one of the names in docs/events.md, `source` the block's instance name.
  virtual void record(Picoseconds at, std::string_view source, std::string_view kind,
                      std::initializer_list<Detail> details) = 0;
  void record(Picoseconds at, std::string_view source, std::string_view kind) {
    record(at, source, kind, {});
  }
  // Takes what blocks do between events (base/activity_log.h); nullptr, unless the run is recorded. A block
  // asks once, when it is built.
  virtual ActivityLog* activity_log() { return nullptr; }
};

// For a block without a log, such as in a unit test.
class NoEventLog final : public EventLog {
 public:
  void record(Picoseconds, std::string_view, std::string_view, std::initializer_list<Detail>) override {}
  using EventLog::record;
};

}  // namespace asterism
