// The load of a link of a fabric, for packets whose time is known at once although their senders are not
// simulated in the order of time: a master that is simulated ahead of another one, by up to its quantum,
// sends packets before those of the other master that are earlier.
//
// The load is therefore collected in bins of time, and a bin is evaluated once no packet can come before its
// end any more. How long a packet waits follows from the bins that have ended, and hardly depends on the
// quantum: a longer one is only followed later. The mean wait of a packet that others delay is
//
//   contention * (sum of work^2 in a time / that time) / 2 * amplification
//
// with a packet's time on the link as its work.
//
// With random arrivals at a given load it is amplification = 1 / (1 - load / knee) (Pollaczek). Where masters
// wait for their packets, the load depends on the waits, and a late answer to the load would overshoot. The
// amplification is therefore 1 + load / knee * the amplification that packets had in the bins of this load:
// it follows from the number of packets that were waiting, and approaches the same value from below (the mean
// value analysis of Schweitzer, as in Lazowska et al., "Quantitative System Performance", 1984, section 6.4).
//
// No more passes a link than it can carry: a packet waits at least until the link has done what is known of
// the work before it, in the bins that have ended and in those that have not.
//
// Only + - * / of floating-point numbers are used: results are the same on any machine.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/units.h"

namespace asterism {

// Values for one kind of link, fitted to the flit engine (fabric_curves.h).
struct LinkCurve {
  // A factor on the wait in a queue with random arrivals: packets on several virtual channels alternate flit
  // by flit, whereas a queue transmits one after the other.
  double contention = 1;
  // The load at which the link saturates if its packets come from inputs that have packets to many other
  // links: these block each other before the load is 1. The fewer others there are, the closer to 1 it is.
  double knee = 1;
};

// The bins of time, which all links of a fabric share.
class LoadBins {
 public:
  static constexpr std::uint64_t count = 16;  // that are kept until they have ended; later ones are the last
  struct Moment {
    std::uint64_t bin;
    double passed;  // ps since the bin began
  };

  // Masters run ahead of each other by this quantum.
  explicit LoadBins(Picoseconds quantum)
      : bin_(std::max(1_us, quantum / 8)),
        length_(static_cast<double>(bin_.count())),
        delay_(std::max(1.0, static_cast<double>(quantum.count()) / length_)) {}

  // No packet is sent before `until` any more.
  void commit(Picoseconds until) {
    if (until >= end_) first_ = until / bin_, end_ = bin_ * (first_ + 1);
  }
  void reset() { first_ = 0, end_ = bin_; }

  std::uint64_t first() const { return first_; }  // that has not ended
  double length() const { return length_; }       // in ps
  double delay() const { return delay_; }         // until masters follow the load of a bin, in bins
  // In the kept bins.
  Moment moment(Picoseconds at) const {
    const std::uint64_t bin = at / bin_;
    return kept({bin, static_cast<double>((at - bin_ * bin).count())});
  }
  Moment later(Moment moment, double time) const {
    moment.passed += time;
    if (moment.passed < length_) return moment;
    const auto bins = static_cast<std::uint64_t>(moment.passed / length_);
    return kept({moment.bin + bins, moment.passed - static_cast<double>(bins) * length_});
  }

 private:
  Moment kept(Moment at) const {
    const std::uint64_t last = first_ + count - 1;
    if (at.bin < first_) return {first_, 0};
    if (at.bin <= last) return at;
    return {last, at.passed + static_cast<double>(at.bin - last) * length_};
  }

  Picoseconds bin_;
  double length_, delay_;
  std::uint64_t first_ = 0;
  Picoseconds end_ = bin_;  // of the first
};

class LinkLoad {
 public:
  using Moment = LoadBins::Moment;

  // Evaluates the bins that have ended. All other calls come after it.
  void evaluate_until(const LoadBins& bins, const LinkCurve& curve) {
    if (first_ != bins.first()) evaluate(bins, curve);
  }
  // The wait of a packet that all others delay, in ps.
  double wait() const { return wait_at_random_ * amplification_; }
  // The time that the link needs for the known work before a moment, in ps.
  double backlog(const Moment& at) const;
  struct Packet {
    double work = 0;      // its time on the link, in ps
    double wait = 0;      // in ps
    double others = 1;    // the part of the others that has delayed it
    double blocking = 1;  // how much packets of its input to other links block it
  };
  void add(const LoadBins& bins, const Moment& at, const Packet& packet);

  double mean() const { return work_; }  // work, as a share of time
  // The share of time around a moment for which the link is occupied by known packets.
  double load_at(const LoadBins& bins, const Moment& at) const;

 private:
  struct Bin {
    float work = 0, squares = 0;           // sums
    float waits = 0, waits_at_random = 0;  // weighted by work: as they were, and without amplification
    float blocking = 0;                    // weighted by work
    float known_until = 0;                 // the time of the latest packet, in ps since the bin began
    float backlog = 0;                     // work that is left when it begins
  };

  Bin& bin(std::uint64_t number) { return bins_[number % LoadBins::count]; }
  const Bin& bin(std::uint64_t number) const { return bins_[number % LoadBins::count]; }
  static double work_before(const Bin& bin, double passed) {
    return passed < bin.known_until ? bin.work * passed / bin.known_until : bin.work;
  }
  void evaluate(const LoadBins& bins, const LinkCurve& curve);

  std::uint64_t first_ = 0;  // bin that has not been evaluated
  double work_ = 0, squares_ = 0,
         blocking_ = 0;  // means over the bins that have ended, divided by their time
  double wait_at_random_ = 0, amplification_ = 1;
  std::array<Bin, LoadBins::count> bins_{};
};

inline double LinkLoad::backlog(const Moment& at) const {
  const Bin& b = bin(at.bin);
  if (double{b.backlog} + b.work <= at.passed) return 0;
  return std::max(0.0, b.backlog + work_before(b, at.passed) - at.passed);
}

inline void LinkLoad::add(const LoadBins& bins, const Moment& at, const Packet& packet) {
  Bin& counted = bin(at.bin);
  counted.work += static_cast<float>(packet.work);
  counted.squares += static_cast<float>(packet.work * packet.work);
  counted.waits += static_cast<float>(packet.wait * packet.work);
  counted.waits_at_random += static_cast<float>(wait_at_random_ * packet.others * packet.work);
  counted.blocking += static_cast<float>(packet.blocking * packet.work);
  counted.known_until = std::max(counted.known_until, static_cast<float>(at.passed));
  // What is left of a bin is work for the next one.
  for (std::uint64_t i = at.bin; i + 1 < first_ + LoadBins::count; ++i) {
    const double left = double{bin(i).backlog} + bin(i).work - bins.length();
    if (left <= 0 || left <= bin(i + 1).backlog) break;
    bin(i + 1).backlog = static_cast<float>(left);
  }
}

// A part of the packets through a link: those that come through the same input of a router.
class PartialLoad {
 public:
  // Evaluates the bins that have ended, after those of the link and of that to the input.
  void evaluate_until(const LoadBins& bins, const LinkLoad& input, const LinkLoad& link) {
    if (first_ != bins.first()) evaluate(bins, input, link);
  }
  // The part of the link's load that all others are.
  double others() const { return others_; }
  // How much packets from the input to other links are in its way, from 0 to 1.
  double blocking() const { return blocking_; }
  void add(const LoadBins::Moment& at, double work) {
    sums_[at.bin % LoadBins::count] += static_cast<float>(work);
  }

 private:
  void evaluate(const LoadBins& bins, const LinkLoad& input, const LinkLoad& link);

  std::uint64_t first_ = 0;  // bin that has not been evaluated
  float mean_ = 0;           // of the work in the bins that have ended, divided by their time
  float others_ = 0, blocking_ = 1;
  std::array<float, LoadBins::count> sums_{};
};

}  // namespace asterism
