// One channel or pseudo-channel of DRAM whose requests are answered at once from its load, without queues:
// the time that the request takes by itself, by the state of its bank, and the time that it is expected to
// wait for others.
//
// By itself: each master has rows, banks and requests in flight of its own. A single master that waits for
// its answers gets the answers of DramChannel: row hits, misses and conflicts, tRC, tRAS, tRTP, and the
// refreshes at their times. If it has several requests in flight, they wait for their bank and the bus in the
// order in which they come.
//
// For others, by what the master has met in the past (load_meter.h), with S the mean time of a read in its
// bank and s that on the channel, both by the measured share of activates:
//
//   bank     place_waiting * S + bank_residual * place_reads * mean of S^2 + recovery from writes
//   channel  s * (waiting + channel_residual * s * reads + own requests that are ahead)
//
// The read queue has places for `read_queue` reads. Further ones wait in front of it, and masters take turns
// for its places: if more reads wait than it has places, a master meets, in addition to these, one read of
// each other master for each own read that is under way, and half of that for the read itself. Under a load
// that fills the queue, a master with few reads in flight is therefore answered sooner than one with many.
// Only reads that are in the queue at the same time are served together because they are of the same row.
//
// Each wait varies from nothing to two or three times its mean, so that requests overtake each other. The
// probability that a row is still open falls with the others' accesses to the bank since the last own one; a
// row is also closed by the page policy if anything waits for its bank. Both follow the mean without chance.
//
// Writes are posted. While there are pauses for them, a read finds the bus turned around or the bank in
// recovery. Otherwise they are drained in groups (write_high - write_low): a read waits for those that come
// while it waits and for the rest of a drain that it finds. `drain_knee` is the load of writes, relative to
// the pauses, at which the first case turns into the second. A master that writes more than the channel
// stores waits for a place in the queue, with its next request if the write is posted.
//
// s is tCCD, or what tFAW and tRRD demand of the share of activates, and overheads. No more is served than
// that: if the requests of a bin of time, which all masters made by their expectations, are more than the
// channel can serve in it, each of these masters waits longer with its next request by the difference. A
// change of the load is thereby followed late, by a quantum, but what was too early is made up for.
//
// Deterministic: only the masters' numbers seed the variation of waits, and only + - * / and square roots of
// doubles are used.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "memory/dram_channel.h"
#include "memory/dram_curves.h"
#include "memory/load_meter.h"

namespace asterism {

class ContendedChannel {
 public:
  using Request = ChannelAccess;

  // `bursts` are those of a request.
  ContendedChannel(const DramConfig& config, const DramPart& part, const DramCurves& curves,
                   std::uint32_t bursts = 1);

  // Returns the time at which the last beat of a read has been moved, or the queue has taken a write. No
  // request comes at a time before `committed` any more.
  Tick access(Tick committed, const Request& request);

  void reset(Tick now);  // closes all banks and forgets the load; counts are kept
  void clear_counts();
  DramCounts counts(Tick now) const;
  // The time for which reads waited for others and for own requests, so far.
  Tick waited() const { return static_cast<Tick>(waited_); }

 private:
  struct Bank {
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    std::uint32_t row = none, written_row = none;  // the last row that the master read, and wrote
    std::uint64_t refreshes = 0;                   // of its banks, when the row was opened
    Tick served = 0;                               // the last read
    // Rows that the master read before `row`, and when the last read of each was served: while reads of
    // several rows are in the queue, those of each are served together.
    struct Other {
      std::uint32_t row = none;
      Tick served = 0;
    };
    std::array<Other, 7> others{};
    Tick others_served = 0;                        // the latest of them, or later
    double switches = 0;                           // between these rows that have not been yet
    Tick column = 0, precharge = 0, activate = 0;  // when each may follow
  };
  struct InFlight {
    Tick ready = 0, ended = 0;  // when the read could have had the bus, and its last beat
    bool opens = false;
  };
  // The latest ones, the oldest first, one behind the other in the host's memory.
  class Latest {
   public:
    bool empty() const { return first_ == end_; }
    std::size_t size() const { return end_ - first_; }
    const InFlight& oldest() const { return reads_[first_]; }
    const InFlight* begin() const { return &reads_[first_]; }
    const InFlight* end() const { return &reads_[end_]; }
    void add(const InFlight& read) {
      if (size() == most) forget_oldest();
      if (end_ + 1 == reads_.size()) {
        std::copy(begin(), end(), reads_.begin());
        end_ -= first_;
        first_ = 0;
      }
      reads_[end_++] = read;
    }
    void forget_oldest() { ++first_; }

   private:
    static constexpr std::size_t most = 32;
    std::array<InFlight, 4 * most> reads_{};
    std::size_t first_ = 0, end_ = 0;
  };
  struct Master {
    std::uint32_t number;  // of the master in `meter_`
    std::vector<Bank> banks;
    Latest in_flight;
    Random variation;
    double peak = 1;                         // requests in flight at most, lately
    double latency = 0;                      // mean
    double hit = 0, miss = 0, conflict = 0;  // expected ones that have not been yet
    double reopened = 0;                     // rows of its writes, by drains, that have not been counted yet
    double queued = 0;                       // work for its writes when it last wrote, in ticks
    Tick written = 0;
    // By how much requests come later than their master says, because earlier answers were too early: those
    // before `until`, the answer with which the master learns of it.
    double debt = 0;
    Tick shift = 0, until = 0;

    Master(std::uint32_t n, std::size_t bank_count) : number(n), banks(bank_count), variation(n) {}
  };
  struct Ahead {
    double wait = 0;  // for the master's own reads
    Tick last = 0;    // when the last of them ends
  };
  enum class Row : std::uint8_t { hit, miss, conflict };
  struct Refreshed {  // the banks of a refresh
    Tick first_refresh = 0;
    std::uint64_t refreshes = 0;  // when a row was opened last
    Tick open_since = DramChannel::never;
    // The interval of which the number was asked last: most questions are about the same one.
    mutable std::uint64_t asked = 0;
    mutable Tick asked_from = DramChannel::never;
  };
  // What depends on the load of the channel as a whole.
  struct State {
    double read = 0, write = 0;        // work on the channel
    double bank = 0, bank_square = 0;  // time of a read in its bank, and its square
    double draining = 0;               // the share of drains among the ways by which writes are stored
    double waiting_writes = 0;         // in the queue
    double waiting_per_write = 0;      // the same for each write in a tick
    double write_load = 0;             // share of time
    double drain = 0;                  // the length of one
    double writes_per_read = 0;        // work for writes for each tick of work for reads
    double turned = 0;                 // mean wait because the bus is turned around
    double opening_writes = 0;         // share
  };

  Master& master(std::uint32_t id);
  Tick come(Master& master, const Request& request) const;
  Tick write(Master& master, const Request& request, Tick start);
  Tick read(Master& master, const Request& request, Tick came);
  void count_read(Row row, Tick latency);
  Ahead own_reads(Master& master, Tick ready) const;
  void restart(Tick now);
  std::size_t refreshed_with(const BlockLocation& at) const {
    return (at.rank * banks_per_rank_ + at.bank) >> refreshed_shift_;
  }
  std::uint64_t refreshes(std::size_t banks, Tick at) const;
  Tick due(std::size_t banks, std::uint64_t refresh) const {
    return refreshed_[banks].first_refresh + (refresh - 1) * trefi_;
  }
  Tick after_refresh(std::size_t banks, Tick at) const;
  double closed_by_policy(const LoadMeter::Met& met) const;
  Row find_row(Master& master, const Bank& bank, const LoadMeter::Met& met, std::uint32_t row,
               Tick start) const;
  Tick column(Bank& bank, Row row, Tick from) const;
  static bool joins_other_row(const Master& master, Bank& bank, std::uint32_t row, Tick start);
  static void leave_row(Bank& bank);
  double in_front_of_queue(const Master& master, const LoadMeter::Met& met) const;
  double bank_wait(const LoadMeter::Met& met) const;
  double drain_wait(const Master& master, const LoadMeter::Met& met, double waits) const;
  Tick over_refresh(const Request& request, Bank& bank, Tick data, Tick activated, bool waited) const;
  void charge(const LoadMeter::Bin& bin);
  void derive();
  double beside_a_write() const;
  void note_open(std::size_t banks, Tick at);
  static double vary(Master& master);

  DramCurves curves_;
  DramConfig config_;
  std::uint32_t banks_per_rank_, bursts_;
  unsigned refreshed_shift_ = 0;  // banks of a refresh, as a power of two
  double mean_queue_ = 0;         // writes that wait while drains are needed
  Tick cl_, burst_, trcd_, trp_, tras_, trc_, trtp_, tccd_, trfc_, trefi_, turn_;
  Tick refresh_interval_ = 0;  // of a rank: that of the same banks is trefi_
  double write_distance_ = 0;  // within a bank group, if it is longer than that of reads
  std::uint32_t bank_groups_ = 1;
  double activate_, write_activate_, write_cycle_, rank_switch_, refresh_share_;

  LoadMeter meter_;
  State state_;
  double backlog_ = 0;              // work beyond what the bins that have ended could do
  std::vector<std::uint32_t> ids_;  // of `masters_`
  std::size_t last_ = 0;            // the master that asked last
  std::vector<Master> masters_;
  std::vector<Refreshed> refreshed_;
  DramCounts counts_;
  double waited_ = 0;
};

}  // namespace asterism
