// The engine protocol: how a timed engine in plain C++ is driven, by a SystemC module or by a test.
//
//   next_event()           the earliest time at which the engine has something to do; nullopt when idle
//   advance_to(now, sink)  does all work due up to and including `now`, in order of time, and delivers its
//                          results to the sink. Time never goes back. Afterwards next_event() > now or
//                          nullopt.
//   reset(kind)            base/reset.h
//
// An engine never polls. A caller of a method that can change next_event() re-arms its Alarm (tlm/alarm.h)
// afterwards.
#pragma once

#include <concepts>
#include <optional>

#include "base/reset.h"
#include "base/units.h"

namespace asterism {

template <class E, class Sink>
concept Engine = requires(E engine, const E idle, Picoseconds now, Sink& sink, Reset kind) {
  { idle.next_event() } -> std::same_as<std::optional<Picoseconds>>;
  engine.advance_to(now, sink);
  engine.reset(kind);
};

// The earlier of two optional times.
constexpr std::optional<Picoseconds> earlier(std::optional<Picoseconds> a, std::optional<Picoseconds> b) {
  if (!a || !b) return a ? a : b;
  return *a < *b ? a : b;
}

}  // namespace asterism
