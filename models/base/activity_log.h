// What the parts of a node do, and when: transfers on a channel of flash, copies of pages, accesses of a DMA
// engine. The record of a run (docs/seeing.md) is such a log. A block gets it from its EventLog, and has
// nothing to do if there is none:
//
//   const ActivityLog::Track track = activity->track("node.dimm_ssd.channel0");
//   activity->interval(track, begin, end, "program");
//
// A flow ties together what happens to the same thing in different parts: the store that makes a page dirty,
// the copy of the page, and the transfer and the program of the flash page with the copy. Times may come in
// any order. An interval may end later than now: a failure of power then ends it earlier.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "base/event_log.h"
#include "base/units.h"

namespace asterism {

class ActivityLog {
 public:
  using Track = std::uint32_t;
  using Flow = std::uint64_t;
  using Details = std::initializer_list<EventLog::Detail>;

  virtual ~ActivityLog() = default;
  // The track of an instance, or of a part of one: the same for the same path. Tracks are shown in the order
  // of their first use.
  virtual Track track(std::string_view path) = 0;
  virtual Flow new_flow() = 0;
  virtual void interval(Track track, Picoseconds begin, Picoseconds end, std::string_view what,
                        Details details = {}, std::span<const Flow> flows = {}) = 0;
  virtual void instant(Track track, Picoseconds at, std::string_view what, Details details = {},
                       std::span<const Flow> flows = {}) = 0;
};

}  // namespace asterism
