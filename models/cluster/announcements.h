// What rank 0 announces to all, as it is seen on the network: commits, rollbacks and recoveries. Each is an event of the
// cluster (docs/events.md), whatever kind of node holds the rank.
#pragma once

#include <cstdint>

#include "base/event_log.h"
#include "cluster/membership.h"
#include "cluster/network.h"
#include "cluster/timeline.h"

namespace asterism {

class Announcements {
 public:
  Announcements(const Timeline& timeline, const Management& management, EventLog& events)
      : timeline_(timeline), management_(management), events_(events) {}

  // Each frame that is given to the network.
  void see(const Frame& frame);

  std::uint64_t commits() const { return commits_.count; }
  std::uint64_t rollbacks() const { return rollbacks_.count; }
  std::uint64_t recoveries() const { return recoveries_.count; }

 private:
  // Of one kind: all ranks are told it.
  struct Kind {
    std::uint32_t epoch = 0;
    std::uint64_t version = 0, count = 0;
    bool is_new(std::uint32_t of_epoch, std::uint64_t number);
  };

  const Timeline& timeline_;
  const Management& management_;
  EventLog& events_;
  Kind commits_, rollbacks_, recoveries_;
};

}  // namespace asterism
