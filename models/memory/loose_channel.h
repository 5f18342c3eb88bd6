// One channel of DRAM whose requests are answered at once, though they may come out of the order of their
// times: a master that is simulated ahead of another one, by up to its quantum, asks before requests that are
// earlier than its own.
//
// A request finds the banks and the bus as all requests known by then leave them that are earlier, in the
// order of their times. What was answered too soon, because an earlier request of another master came to be
// known afterwards, is made up for: requests are gone through again in the order of their times, each
// master's later ones by as much later as it would have waited more, and what is left of that in the end is
// part of the answer to its next request. A master that waits for each answer before it asks again so comes
// to the same time whatever the order of the calls, but for what its last answers still lack. In order of
// time, answers are those of DramBanks.
//
// `settled`: no later call asks at a time before it. Requests before it are gone through for the last time,
// and so are the earliest of more than `max_pending`. Who asks for a time before what was settled, or before
// its own last request, waits as if it came after that, and its answer is as much earlier.
//
//   LooseChannel channel{config, part};
//   const Tick done = channel.access(settled, {.at = now, .master = 2, .location = location});
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "memory/dram_banks.h"

namespace asterism {

class LooseChannel {
 public:
  struct Request {
    Tick at = 0;
    std::uint32_t master = 0;
    BlockLocation location;
    bool is_write = false;
    bool is_posted = false;  // the master does not wait for its end
  };

  LooseChannel(const DramConfig& config, const DramPart& part) : settled_(config, part), current_(settled_) {}

  // When the last beat has been moved, for the master that asks.
  Tick access(Tick settled, const Request& request);

  // All banks closed, what was asked is settled; counts stay.
  void reset(Tick now);
  void clear_counts();  // after a reset
  // What happened up to `now`, and by requests that are later.
  DramCounts counts(Tick now) const;

 private:
  // Requests that are not settled, of one master in the order of its calls.
  struct Asked {
    Request request;
    Tick answered = 0;
  };
  struct Master {
    std::uint32_t id;
    std::deque<Asked> asked;
  };
  // How far one pass over what was asked has come.
  struct Progress {
    std::size_t next = 0;  // of Master::asked
    Tick answered = 0,
         ended = 0;          // latest end of what the master waits for: as it was answered, and as it is
    std::int64_t later = 0;  // how much later than it has asked
    Tick shift = 0;          // by which its requests are moved behind those that were gone through too early
  };
  struct Pass {
    DramBanks banks;
    std::vector<Progress> masters;
    Tick last = 0;  // when the last request came
    std::size_t last_master = 0;

    Pass(const DramConfig& config, const DramPart& part) : banks(config, part) {}
  };

  std::size_t master(std::uint32_t id);
  static Tick answer(Tick end, const Asked& asked) { return end > asked.request.at ? end : asked.request.at; }
  static std::int64_t lateness(const Progress& progress, const Asked& asked);
  static Tick arrival(const Progress& progress, const Asked& asked);
  // The master whose request comes next, of those that have one; masters_.size(): none has.
  std::size_t first(const Pass& pass) const;
  Tick go_through(Pass& pass, std::size_t master) const;
  void settle(Tick until);
  void forget_settled();

  static constexpr std::size_t max_pending = 4096;  // more are settled before their time

  std::vector<Master> masters_;  // in the order in which they first asked
  std::size_t pending_ = 0;
  Pass settled_, current_;
};

}  // namespace asterism
