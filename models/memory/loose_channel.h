// One channel of DRAM whose requests are answered at once, though they may come out of the order of their
// times: a master that is simulated ahead of another one, by up to its quantum, asks before requests that are
// earlier than its own.
//
// Each request is scheduled by the queues of a DramChannel (FR-FCFS) at its own time, among all requests
// known by then. Its answer is speculative: an earlier request of another master may become known afterwards.
// Then the requests are replayed in the order of their times. A master that was answered too early or too
// late comes to the channel by the difference later or earlier, and its next answer includes the difference.
// A master that waits for each answer therefore reaches the same time whatever the order of the calls, but
// for what its last answers still lack. A single master that does so gets the answers of DramChannel.
//
// A request comes to the queue at `at`, later by the difference above (`lateness`) and by the time for which
// the queue was full (`held`). A replay may have to move it behind requests already taken (`shift`); its
// answer is earlier by that.
//
// `committed`: no later call asks at a time before it. Requests before it are replayed for the last time, and
// so are the earliest of more than `max_pending` requests. A request at a time before `committed`, or before
// the last request of its own master, waits as if it came after that, and its answer is earlier by the same
// amount.
//
//   LooseChannel channel{config, part};
//   const Tick done = channel.access(committed, {.at = now, .master = 2, .location = location});
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "memory/dram_channel.h"

namespace asterism {

class LooseChannel {
 public:
  struct Request {
    Tick at = 0;
    std::uint32_t master = 0;
    BlockLocation location;
    bool is_write = false;
    bool is_posted = false;  // a write for which the master does not wait
  };

  LooseChannel(const DramConfig& config, const DramPart& part)
      : committed_(config, part), speculative_(committed_), lookahead_(committed_) {}

  // When the last beat of a read has been moved, or the queue has taken a write.
  Tick access(Tick committed, const Request& request);

  // All banks are closed and all requests are committed; counts stay.
  void reset(Tick now);
  void clear_counts();  // after a reset
  // What happened up to `now`, and by requests that are later.
  DramCounts counts(Tick now) const;

 private:
  static constexpr Tick never = DramChannel::never;
  static constexpr std::uint64_t max_pending = 4096;  // more are committed before their time
  // A request that is earlier than others is answered by a replay of all that are not committed, if these are
  // so few or time has been committed since the last replay. Otherwise it is answered as if it came after
  // them, by as much earlier; the error is made up for, too.
  static constexpr std::uint64_t max_replayed = 16;

  // Requests that are not committed, of one master in the order of its calls.
  struct Asked {
    Request request;
    Tick answered = never;  // until it is
  };
  struct Master {
    std::uint32_t id;
    std::uint64_t first = 0;  // number of the first of `asked` among all of this master
    std::deque<Asked> asked;
    std::uint64_t end() const { return first + asked.size(); }
  };
  // How far one pass over what was asked has come.
  struct Progress {
    std::uint64_t next = 0;     // number of the next request
    Tick asked = 0, taken = 0;  // the request before it: when it was made, and when it came
    Tick answered = 0,
         ended = 0;          // latest end of what the master waits for: as it was answered, and as it is
    std::int64_t later = 0;  // how much later than it has asked
    Tick held = 0;           // how long the next request has waited for a place in a full queue
    Tick shift = 0;          // by which its requests are moved behind those that were gone through too early
    std::uint32_t in_flight = 0;
  };
  // When a request comes to the queue, and since when it has waited for a place in it.
  struct Arrival {
    Tick at = never, since = never;
    auto operator<=>(const Arrival&) const = default;
  };
  struct Read {
    std::uint64_t id;
    std::size_t master;
    Asked asked;
    Tick shift;
  };
  struct Pass {
    DramChannel channel;
    std::vector<Progress> masters;
    std::vector<Arrival> arrivals;  // of the next request of each master
    std::vector<Read> reads;
    std::uint64_t taken = 0;  // requests of all masters
    Tick last = 0;            // when the last request came, or the last read ended
    std::size_t last_master = 0;
    std::optional<Tick> answer;  // to the request that had none before

    Pass(const DramConfig& config, const DramPart& part) : channel(config, part) {}
  };
  std::size_t master(std::uint32_t id);
  const Asked& next_of(const Pass& pass, std::size_t m) const {
    return masters_[m].asked[pass.masters[m].next - masters_[m].first];
  }
  // The answer as the master takes it.
  static Tick seen_by_master(const Request& request, Tick answer) {
    return request.is_posted ? request.at : answer;
  }
  static std::int64_t lateness(const Progress& progress, Tick at);
  void find_arrival(Pass& pass, std::size_t m) const;
  bool step(Pass& pass, Tick until) const;
  void submit(Pass& pass, std::size_t m, Tick from) const;
  static void end(Pass& pass, const Read& read, Tick at);
  bool is_behind(const Pass& pass) const;
  bool takes_next(Pass& pass, std::size_t m) const;
  void commit(Tick until);

  std::vector<Master> masters_;  // in the order in which they first asked
  std::uint64_t asked_ = 0;      // by all
  // The passes up to the committed requests, up to the latest request, and from there until it was
  // answered.
  Pass committed_, speculative_, lookahead_;
  Tick replayed_at_ = 0;        // what was committed at the last replay
  bool has_lookahead_ = false;  // lookahead_ belongs to the latest request
};

}  // namespace asterism
