// One channel of DRAM: its queues, its scheduler, and the state of its banks. Times are clocks of the part.
//
// Scheduling is FR-FCFS: among the commands that could be issued first, reads or writes to an open row go
// before activates and precharges, and older requests before younger ones. A row with waiting hits is not
// closed. Reads go before writes until `write_high` writes wait, or until there has been no read for a row
// cycle (tRC). Then writes go until `write_low` are left or, in the second case, until a read comes. A read
// of a block whose write waits is answered from the write queue in the next clock; a second write of such a
// block replaces the first.
//
// No read starves: once the oldest one has waited for `starvation_limit`, nothing passes it, and after as
// many writes as their queue holds the reads that wait by then go first. Writes may starve, as no master
// waits for them.
//
// Each rank is refreshed every tREFI, one rank after the other, and pseudo-channels at the same time. When a
// refresh is due, nothing else starts in the banks that it covers, all or some of the rank, until it is done.
// Refreshes of some banks come in rounds, each of all banks: of those that are left in a round the first ones
// without requests are next, or the first ones if there are requests for all of them.
// With postponed refreshes, this holds from when that many of these banks are due, and the refresh then stays
// that of the same banks; before, a refresh waits as long as there are requests for its banks. When it is due
// and its banks are closed, no bank of the rank is activated if that would delay it.
// While the queues are empty, no event announces refreshes; they are caught up at the next call.
//
// A request is for a block, which is one burst or two: two reads or writes of the row, complete with the
// second. The ranks of a channel are those of all of its pseudo-channels: rank % pseudo-channels is the
// pseudo-channel.
//
// A channel is a value: a copy continues from the state of the original (loose_channel.h).
#pragma once

#include <array>
#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "memory/address_mapping.h"
#include "memory/dram_config.h"
#include "memory/dram_part.h"
#include "memory/dram_timing.h"

namespace asterism {

// An access to a channel that is answered at once (loose_channel.h, contended_channel.h).
struct ChannelAccess {
  Tick at = 0;
  std::uint32_t master = 0;
  BlockLocation location;
  bool is_write = false;
  bool is_posted = false;  // a write for which the master does not wait
};

// Counts of a channel since the beginning.
struct DramCounts {
  std::uint64_t reads = 0, writes = 0;      // accepted
  std::uint64_t forwarded = 0, merged = 0;  // of these: answered from, and replaced in, the write queue
  std::uint64_t refused = 0;                // because a queue was full
  // By the first command that a request needed.
  std::uint64_t row_hits = 0, row_misses = 0, row_conflicts = 0;
  // From arrival to the last beat.
  std::uint64_t read_clocks = 0, write_clocks = 0, longest_read = 0, longest_write = 0;
  std::uint64_t data_clocks = 0;  // of the bus
  std::array<std::uint64_t, dram_commands> commands{};
  std::uint64_t open_clocks = 0;  // of ranks with a row open

  void count_burst(bool is_write, Tick clocks, Tick waited);
  DramCounts& operator+=(const DramCounts& other);
};

struct IssuedCommand {
  DramCommand command;
  std::uint32_t rank, bank;
  Tick at;
};

class DramChannel {
 public:
  static constexpr Tick never = std::numeric_limits<Tick>::max();

  struct Completion {
    Tick at;
    std::uint64_t id;
  };

  // `bursts` are those of a request.
  DramChannel(const DramConfig& config, const DramPart& part, std::uint32_t bursts = 1);

  // Returns false if the queue is full.
  bool submit(Tick now, std::uint64_t id, const BlockLocation& at, bool is_write);
  // `never` if the channel is idle.
  Tick next_event() const;
  // Issues commands up to `now`, or up to the first completion, which it returns; nullopt: all up to `now` is
  // done.
  std::optional<Completion> advance(Tick now);

  // Closes all banks and empties the queues; counts are kept.
  void reset(Tick now);
  void clear_counts() { counts_ = {}; }
  // The counts up to `now`.
  DramCounts counts(Tick now) const;

  std::vector<IssuedCommand>* log = nullptr;  // if set, receives every command

 private:
  enum Kind : std::uint8_t { read, write, kinds };
  using Slot = std::uint16_t;  // an index into the pool
  static constexpr Slot none = std::numeric_limits<Slot>::max();
  struct Entry {
    std::uint64_t id = 0;
    Tick arrival = 0;
    std::uint64_t age = 0;
    std::uint32_t row = 0, column = 0;
    std::uint16_t rank = 0, bank = 0;   // the bank is numbered within the channel
    Slot previous = none, next = none;  // in its queue; `next` also links free entries
    Slot older = none, younger = none;  // of all reads
    bool counted = false;               // as a hit, miss or conflict
    std::uint8_t bursts = 1;            // that are to come
  };
  struct Queue {  // by age
    Slot first = none, last = none;
    bool empty() const { return first == none; }
  };
  // The next command for the requests of a bank, by the state of the bank alone.
  struct Candidate {
    Tick from = 0;            // by the rules of the bank, and since the request is there
    std::uint64_t order = 0;  // among commands of the same time
    Slot request = none;
    DramCommand command = DramCommand::refresh;
  };
  struct Bank {
    static constexpr std::uint32_t closed = ~std::uint32_t{0};
    std::uint32_t open_row = closed;
    std::array<Slot, kinds> hit{none, none};  // the oldest request for the open row
    std::array<Queue, kinds> queue;
    std::array<Candidate, kinds> candidate;  // of requests that wait, if it is not stale
    bool has_requests() const { return !queue[read].empty() || !queue[write].empty(); }
  };
  // Those of a rank: a bit for each bank.
  struct Requests {
    std::uint64_t waiting = 0;            // that has some
    std::uint64_t stale = 0;              // whose candidate has to be found again
    std::array<std::uint64_t, 3> next{};  // whose candidate is an activate, a precharge, a read or write
  };
  struct Rank {
    Tick refresh_due = never;
    std::uint32_t refresh_from = 0;  // the first bank of that refresh
    std::uint64_t refreshed = 0;     // in this round: a bit for each bank
    bool is_closing = false;  // its banks have been closed for that refresh, which is no longer another
    Tick open_since = 0;
    std::uint32_t open_banks = 0;
    std::array<Requests, kinds> requests;
  };
  struct Choice {
    Tick at = never;
    std::uint64_t order = 0;  // among commands of the same time
    Slot request = none;
    DramCommand command = DramCommand::refresh;
    std::uint32_t rank = 0;
  };

  std::uint32_t in_rank(const Entry& e) const { return e.bank - e.rank * banks_per_rank_; }
  Kind direction() const { return draining_ || reads_ == 0 ? write : read; }
  bool has(const Bank& bank, Kind kind, std::uint32_t row, std::uint32_t column) const;
  Slot next_hit(const Bank& bank, Slot from) const;
  void take(Tick now, std::uint64_t id, const BlockLocation& at, Kind kind);
  void release(Tick now, Slot slot, Kind kind);
  void begin_or_end_draining();

  void choose();
  void find_candidate(Candidate& found, std::uint32_t rank, std::uint32_t bank, Kind kind,
                      bool oldest_only) const;
  void renew_candidate(std::uint32_t rank, std::uint32_t bank, Kind kind);
  void renew_candidates(std::uint32_t rank, Kind kind);
  Choice choice_of(const Candidate& candidate, std::uint32_t rank, std::uint32_t bank, Kind kind) const;
  void consider(const Choice& choice);
  static std::uint64_t wanted_banks(const Rank& rank);
  bool is_wanted(std::uint32_t rank) const;
  Tick refresh_forced(const Rank& rank) const;
  Tick refresh_begins(std::uint32_t rank) const;
  Tick activates_end(std::uint32_t rank) const;
  void consider_banks(std::uint32_t rank, std::uint64_t banks, Kind kind, Tick end);
  Tick of_rank(DramCommand command, std::uint32_t rank, Kind kind) const;
  std::uint64_t covered_by_refresh(const Rank& rank) const;
  Choice refresh_candidate(std::uint32_t rank) const;
  bool is_open_to_refresh(std::uint32_t rank) const;
  void issue(const Choice& choice);
  void issue_column(const Choice& choice);
  DramCommand column_command(const Bank& bank, Kind kind) const;
  void count_first_command(Entry& entry, DramCommand command);
  void note(DramCommand command, std::uint32_t rank, std::uint32_t bank, Tick at);
  void open(std::uint32_t rank, std::uint32_t bank, std::uint32_t row, Tick at);
  void close(std::uint32_t rank, std::uint32_t bank, Tick at);
  void close_for_refresh(std::uint32_t rank, Tick at);
  void refreshed(Rank& rank) const;
  void skip_refreshes_of(Rank& rank, std::uint64_t count) const;
  bool is_settled(const Rank& rank, Tick now) const;
  bool choose_refresh(Rank& rank, Tick now) const;
  bool find_refresh(Rank& rank) const;
  Tick& bus_free(DramCommand command) { return bus_free_[is_on_column_bus(command) ? 1 : 0]; }
  Tick bus_free(DramCommand command) const { return bus_free_[is_on_column_bus(command) ? 1 : 0]; }
  bool is_on_column_bus(DramCommand command) const;
  void find_hits(Bank& bank);
  void skip_refreshes(Tick now);
  Tick closed_by_refreshes(std::uint32_t rank) const;

  std::uint32_t banks_per_rank_, refreshed_banks_, pseudo_channels_, bursts_, read_limit_, write_limit_,
      write_high_, write_low_;
  PagePolicy policy_;
  Tick read_latency_, write_latency_, burst_, refresh_interval_, write_pause_, starvation_limit_;
  // The latest refreshes of an idle rank that have an effect on the state; with those of other banks.
  std::uint64_t kept_refreshes_ = 1;
  Tick postponed_;                // for which a refresh may wait
  Tick activate_to_refresh_ = 0;  // of other banks; 0 with refreshes of ranks
  bool refresh_;
  bool has_column_bus_;  // for commands
  std::array<Tick, dram_commands> command_clocks_{};
  std::uint64_t refreshed_mask_;  // a bit for each bank of a refresh of bank 0
  std::uint64_t all_mask_;        // of a rank

  DramTimingState timing_;
  std::vector<Rank> ranks_;
  std::vector<Bank> banks_;
  std::vector<Entry> pool_;
  Slot free_ = none;
  Queue all_reads_;  // by age
  std::uint32_t reads_ = 0, writes_ = 0;
  bool draining_ = false;
  std::uint32_t drained_ = 0;       // writes since the drain began
  std::uint32_t reads_owed_ = 0;    // reads that go before the next drain
  std::array<Tick, 2> bus_free_{};  // when the bus for commands is free, and that for columns
  Tick writes_from_ = 0;            // when writes may begin because there were no reads for long enough
  std::uint64_t ages_ = 0;
  Choice best_;
  bool is_urgent_ = false;  // the oldest read has reached its starvation limit
  boost::circular_buffer<Completion> completions_, forwarded_;  // each sorted by time

  DramCounts counts_;
};

}  // namespace asterism
