// One channel of DRAM whose requests are answered at once, although they may be made out of the order of
// their times: a master that is simulated ahead of another one, by up to its quantum, makes its requests
// before those of the other master that have earlier times.
//
// Each request is scheduled by the queues of a DramChannel (FR-FCFS) at its own time, among all requests
// known by then. Its answer is speculative: an earlier request of another master may become known afterwards.
// Then the requests are replayed in the order of their times. If the replay shows that a master was answered
// too early or too late, its later requests reach the channel later or earlier by the difference, and its
// next answer includes the difference. A master that waits for each answer therefore reaches the same time
// whatever the order of the calls, except for the differences of its last answers. A single master that does
// so gets the answers of DramChannel.
//
// A request reaches the queue at its time `at`, plus the difference above (`lateness`), plus the time for
// which the queue was full (`held`). A pass over the requests may have to move it behind requests that the
// pass has already taken (by `shift`); its answer is then earlier by the same amount.
//
// No later request has a time before `committed`. Requests before it are replayed for the last time, and so
// are the earliest requests if there are more than `max_pending`. A request that has a time before those
// already committed, or before the last request of its own master, is scheduled as if it came after them, and
// its answer is earlier by the same amount.
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
  using Request = ChannelAccess;

  LooseChannel(const DramConfig& config, const DramPart& part, std::uint32_t bursts = 1)
      : committed_(config, part, bursts), speculative_(committed_), lookahead_(committed_) {}

  // Returns the time at which the last beat of a read has been moved, or the queue has taken a write.
  Tick access(Tick committed, const Request& request);

  // Commits all requests and closes all banks; counts are kept.
  void reset(Tick now);
  void clear_counts();  // after a reset
  // The counts up to `now`, including those of requests that are later.
  DramCounts counts(Tick now) const;

 private:
  static constexpr Tick never = DramChannel::never;
  static constexpr std::uint64_t max_pending = 4096;  // more are committed before their time
  // A request that is earlier than others is answered by a replay of all requests that are not committed, if
  // there are at most this many of them, or if time has been committed since the last replay. Otherwise it is
  // scheduled behind the others, and its answer is earlier by the same amount; later answers correct this
  // error, too.
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
  // The state of a master in one pass over the requests.
  struct Progress {
    std::uint64_t next = 0;     // number of the next request
    Tick asked = 0, taken = 0;  // the request before it: when it was made, and when it came
    // The latest end of what the master waits for: by the answers that it was given, and in this pass.
    Tick answered = 0, ended = 0;
    std::int64_t later = 0;  // the lateness of its last request
    Tick held = 0;           // the time for which its next request has waited for a place in a full queue
    Tick shift = 0;          // by which its requests are moved behind those that the pass has already taken
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
    std::optional<std::size_t> newest;  // whose request was taken, if no read has ended since
    std::optional<Tick> answer;         // to the request that had none before

    Pass(const DramConfig& config, const DramPart& part, std::uint32_t bursts)
        : channel(config, part, bursts) {}
  };
  std::size_t master(std::uint32_t id);
  const Asked& next_of(const Pass& pass, std::size_t m) const {
    return masters_[m].asked[pass.masters[m].next - masters_[m].first];
  }
  // The time at which the master continues after this answer.
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
  bool is_in_order(Pass& pass, std::size_t m, Tick committed) const;
  void commit(Tick until);

  std::vector<Master> masters_;  // in the order in which they first asked
  std::uint64_t asked_ = 0;      // by all
  // The passes over the committed requests; over all up to the latest one; and beyond that, until the latest
  // request was answered.
  Pass committed_, speculative_, lookahead_;
  Tick replayed_at_ = 0;        // what was committed at the last replay
  bool has_lookahead_ = false;  // lookahead_ belongs to the latest request
  bool is_replay_ = true;       // speculative_ is as a replay would leave it
};

}  // namespace asterism
