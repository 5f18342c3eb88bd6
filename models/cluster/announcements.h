// What rank 0 announces to all, as it is seen on the network: commits, rollbacks and recoveries; and the copies that ranks tell
// of by their marks. Each is an event of the cluster (docs/events.md), whatever kind of node holds the rank.
#pragma once

#include <cstdint>

#include "base/event_log.h"
#include "cluster/event_queue.h"
#include "cluster/membership.h"
#include "cluster/network.h"
#include "cluster/rank_mark.h"

namespace asterism {

class Announcements {
 public:
  Announcements(const EventQueue& event_queue, const Management& management, EventLog& events)
      : event_queue_(event_queue), management_(management), events_(events) {}

  // Each frame that is given to the network.
  void observe(const Frame& frame);
  // What the rank that a node holds does: its own copy is whole when it is dumped or read back, that at its buddy when it is
  // held twice. Those in the global store are the store's to tell.
  void mark(NodeNumber node, Rank rank, RankMark mark, std::uint64_t number);

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

  const EventQueue& event_queue_;
  const Management& management_;
  EventLog& events_;
  Kind commits_, rollbacks_, recoveries_;
};

}  // namespace asterism
