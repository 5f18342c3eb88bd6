// Records the cluster's events (docs/events.md): the commits, rollbacks and recoveries that rank 0 announces
// to all ranks, as observed on the network, and the copies that ranks report by their marks. It works alike
// for traffic nodes and for nodes with firmware.
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

  // Must be called for each frame that is passed to the network.
  void observe(const Frame& frame);
  // Records the copies that follow from a mark: a rank's own copy is valid when it has been dumped or read
  // back, and its buddy's copy when the state is held twice. StorageNode records the copies in the global
  // store.
  void mark(NodeNumber node, Rank rank, RankMark mark, std::uint64_t number);

  std::uint64_t commits() const { return commits_.count; }
  std::uint64_t rollbacks() const { return rollbacks_.count; }
  std::uint64_t recoveries() const { return recoveries_.count; }

 private:
  // One kind of announcement. Rank 0 sends it once to each rank; only the first of these messages counts.
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
