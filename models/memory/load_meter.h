// The load of a resource that several masters share, such as a channel of DRAM or a link, measured so that a
// request can be answered at once although the masters are not simulated in the order of time.
//
// A master that is simulated ahead of another one, by up to its quantum, uses the resource before uses that
// are earlier. The meter therefore does not ask what the others do at the time of a request, which may not be
// known yet. Uses are collected in bins of time, and a bin is evaluated once it has ended for all masters.
// What a master met there, because others used the resource in the same bins and in the same places as
// itself, is averaged over its bins, and is what it is expected to meet now. This hardly depends on the
// quantum: a longer one is only followed later.
//
// A place is a part of the resource in which uses are in each other's way more than elsewhere, such as a
// bank. That others use the same places as a master at the same time is kept as a ratio, which varies more
// slowly than the load does.
//
// In a closed loop, where masters wait for their requests, the number of requests that wait is a better
// measure than the time for which the resource is occupied: the more wait, the longer does each of them, so
// that a change is followed without overshooting (the mean value analysis of Schweitzer, as in Lazowska et
// al., "Quantitative System Performance", 1984, section 6.4).
//
// Only additions, multiplications and divisions of doubles are used: results are the same on any machine.
//
//   meter.commit(now, [&](const LoadMeter::Bin& bin) { ... });
//   const LoadMeter::Met& met = meter.met(master);
//   meter.add(served, {.master = 2, .place = bank, .waited = 12});
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace asterism {

class LoadMeter {
 public:
  using Tick = std::uint64_t;
  static constexpr Tick bin_length = 128;  // the shorter, the better are uses of a place distinguished

  // One read or write of the resource.
  struct Use {
    std::uint32_t master = 0;  // counted from 0 without gaps
    std::uint32_t place = 0;
    bool is_write = false;
    bool opens = false;      // needs the place to be prepared first, as a closed row is opened
    float waited = 0;        // for the resource, in ticks
    float place_waited = 0;  // before that for its place
  };
  // Means of uses per tick, or of uses that wait.
  struct Rates {
    double reads = 0, writes = 0, opening_reads = 0, opening_writes = 0, waiting = 0, place_waiting = 0;
  };
  // What other masters do while this one uses the resource.
  struct Met {
    double reads = 0;                      // per tick
    double waiting = 0;                    // reads that wait for the resource
    double place_reads = 0;                // per tick, of the places that this master reads
    double place_waiting = 0;              // reads that wait for these places
    double place_writes = 0;               // per tick, of the places that this master reads; its own, too
    double own_reads = 0, own_writes = 0;  // per tick, of this master
  };
  // How many masters have used the resource in the latest `recent` bins that were not left out.
  std::uint32_t masters() const { return masters_; }
  // A bin that has ended.
  struct Bin {
    std::uint64_t reads = 0, writes = 0;
    std::span<const std::uint32_t> masters;  // that used the resource in it
  };

  explicit LoadMeter(std::uint32_t places) : places_(places), totals_(places), bins_(bins) {}

  // Counts a use at `at`, the time at which it is served. Uses that are much later than what is committed
  // count as being earlier (`bins`).
  void add(Tick at, const Use& use);
  // Evaluates the bins that end until `until`: no use comes before it any more. f(Bin) is called for each bin
  // with uses, and for each that is idle.
  void commit(Tick until, auto&& f) {
    while (bin_ < until / bin_length) {
      if (until / bin_length - bin_ > 2 * bins && is_empty()) {
        forget(until / bin_length);
        break;
      }
      f(evaluate());
    }
  }

  const Met& met(std::uint32_t master) const { return master < met_.size() ? met_[master].met : nothing_; }
  const Rates& rates() const { return rates_; }
  void reset(Tick now);

 private:
  static constexpr std::uint64_t bins = 1024, recent = 16;
  // The weights of a bin in the averages: of the load, and of the ratio of common places.
  static constexpr double weight = 1.0 / 16, place_weight = 1.0 / 32;

  struct Ratio {  // of two averages, which is right from the first bin on
    double part = 0, all = 0;
    void add(double p, double a) { part += place_weight * (p - part), all += place_weight * (a - all); }
    double of(double amount) const { return all > 0 ? part / all * amount : 0; }
  };
  struct Sums {  // of the bin that is evaluated
    std::uint64_t bin = 0;
    double reads = 0, writes = 0, waited = 0, place_waited = 0;
    // Over the reads of a master: those of others in the same place, their waiting, and all writes there.
    double same_reads = 0, same_waited = 0, same_writes = 0;
  };
  struct Master {
    Met met;
    Ratio same_reads, same_waiting, same_writes;
    double others_place_waiting = 0;
    double reads = 0, waiting = 0;   // of this master, averaged over all bins as `rates_` are
    std::uint64_t averaged = 0;      // the value of `averaged_` then
    std::uint64_t recent_until = 0;  // the value of `averaged_` until which it counts in `masters_`
    Sums sums;
  };
  struct Place {
    double reads = 0, writes = 0, waited = 0;
  };

  bool is_empty() const { return pending_ == 0; }
  void forget(std::uint64_t bin);
  Bin evaluate();
  void sum(const std::vector<Use>& uses);
  void compare(const std::vector<Use>& uses);
  void average();
  void count_masters();
  void catch_up(Master& master) const;
  void update(Master& master) const;
  Place& own(std::uint32_t master, std::uint32_t place) {
    return own_[std::size_t{master} * places_ + place];
  }

  std::uint32_t places_;
  std::vector<Place> totals_, own_;  // of the bin that is evaluated, by place, and by master and place
  Rates sums_;                       // of that bin, not yet divided by its length
  std::vector<std::vector<Use>> bins_;
  std::uint64_t bin_ = 0;      // the first that has not been evaluated
  std::uint64_t pending_ = 0;  // uses that have not been
  Tick known_ = 0;             // the time of the latest use
  std::vector<Master> met_;
  std::vector<std::uint32_t> active_;  // in the bin that is evaluated
  std::uint32_t masters_ = 0;
  struct Recent {
    std::uint32_t master;
    std::uint64_t until;
  };
  std::deque<Recent> recent_;  // of each bin, in the order of `until`
  Rates rates_;
  std::uint64_t averaged_ = 0;  // the number of bins in `rates_`
  Met nothing_;
};

}  // namespace asterism
