#include "memory/load_meter.h"

#include <algorithm>

namespace asterism {
namespace {

constexpr double length = LoadMeter::bin_length;
constexpr double rounding = 1e-9;  // less than this part of a load is none

double power(double base, std::uint64_t exponent) {
  double result = 1;
  for (; exponent != 0; exponent /= 2, base *= base)
    if (exponent % 2 != 0) result *= base;
  return result;
}

// The part of others in an average over all.
double others(double all, double own) { return all - own > rounding * all ? all - own : 0; }

}  // namespace

void LoadMeter::add(Tick at, const Use& use) {
  if (use.master >= met_.size()) {
    met_.resize(use.master + 1);
    own_.resize(met_.size() * places_);
  }
  known_ = std::max(known_, at);
  bins_[std::clamp(at / bin_length, bin_, bin_ + bins - 1) % bins].push_back(use);
  ++pending_;
}

void LoadMeter::reset(Tick now) {
  for (auto& bin : bins_) bin.clear();
  met_.clear();
  own_.clear();
  std::ranges::fill(totals_, Place{});
  pending_ = averaged_ = known_ = 0;
  masters_ = 0;
  recent_.clear();
  rates_ = {};
  bin_ = now / bin_length;
}

// Nothing has happened for long.
void LoadMeter::forget(std::uint64_t bin) {
  for (Master& master : met_) master = {};
  masters_ = 0;
  recent_.clear();
  rates_ = {};
  bin_ = bin;
}

// The sums of all masters, of each, and of each place.
void LoadMeter::sum(const std::vector<Use>& uses) {
  sums_ = {};
  active_.clear();
  std::uint32_t last = 0;
  Place* own_places = nullptr;  // of the last master
  for (const Use& use : uses) {
    Sums& of_master = met_[use.master].sums;
    if (!own_places || use.master != last) {
      last = use.master;
      own_places = &own(last, 0);
      if (of_master.bin != bin_ + 1) {
        of_master = {.bin = bin_ + 1};
        active_.push_back(use.master);
      }
    }
    Place &total = totals_[use.place], &own_place = own_places[use.place];
    if (use.is_write) {
      ++sums_.writes, ++total.writes, ++of_master.writes;
      sums_.opening_writes += use.opens;
      continue;
    }
    ++sums_.reads, ++total.reads, ++own_place.reads, ++of_master.reads;
    sums_.opening_reads += use.opens;
    sums_.waiting += use.waited, of_master.waited += use.waited;
    sums_.place_waiting += use.place_waited, of_master.place_waited += use.place_waited;
    total.waited += use.place_waited, own_place.waited += use.place_waited;
  }
}

// What others have done in the places of each read.
void LoadMeter::compare(const std::vector<Use>& uses) {
  for (const Use& use : uses) {
    if (use.is_write) continue;
    const Place &total = totals_[use.place], &own_place = own(use.master, use.place);
    Sums& of_master = met_[use.master].sums;
    of_master.same_reads += total.reads - own_place.reads;
    of_master.same_waited += total.waited - own_place.waited;
    of_master.same_writes += total.writes;
  }
  for (const Use& use : uses) totals_[use.place] = own(use.master, use.place) = {};
}

void LoadMeter::average() {
  const auto add = [](double& mean, double sum) { mean += weight * (sum / length - mean); };
  add(rates_.reads, sums_.reads);
  add(rates_.writes, sums_.writes);
  add(rates_.opening_reads, sums_.opening_reads);
  add(rates_.opening_writes, sums_.opening_writes);
  add(rates_.waiting, sums_.waiting);
  add(rates_.place_waiting, sums_.place_waiting);
  ++averaged_;
}

void LoadMeter::count_masters() {
  for (const std::uint32_t m : active_) {
    if (met_[m].recent_until < averaged_) ++masters_;
    met_[m].recent_until = averaged_ + recent;
    recent_.push_back({m, averaged_ + recent});
  }
  for (; !recent_.empty() && recent_.front().until <= averaged_; recent_.pop_front()) {
    Master& master = met_[recent_.front().master];
    if (master.recent_until != recent_.front().until) continue;  // it has used it since
    master.recent_until = 0;
    --masters_;
  }
}

// Of the bins in which the master did not use the resource, the load of others is known only in the mean.
void LoadMeter::catch_up(Master& master) const {
  const std::uint64_t passed = averaged_ - master.averaged;
  if (passed == 0) return;
  const double kept = power(1 - weight, passed);
  master.reads *= kept;
  master.waiting *= kept;
  const double part = std::min(1.0, static_cast<double>(passed) * weight / 4);
  master.met.own_reads -= part * master.met.own_reads;
  master.met.own_writes -= part * master.met.own_writes;
  master.met.reads += part * (others(rates_.reads, master.reads) - master.met.reads);
  master.met.waiting += part * (others(rates_.waiting, master.waiting) - master.met.waiting);
}

void LoadMeter::update(Master& master) const {
  const Sums& own_sums = master.sums;
  const auto add = [](double& mean, double sum) { mean += weight * (sum / length - mean); };
  add(master.reads, own_sums.reads);
  add(master.waiting, own_sums.waited);
  master.averaged = averaged_;
  Met& met = master.met;
  add(met.own_writes, own_sums.writes);
  if (own_sums.reads == 0) return;
  add(met.own_reads, own_sums.reads);
  add(met.reads, sums_.reads - own_sums.reads);
  add(met.waiting, sums_.waiting - own_sums.waited);
  const double place_waited = sums_.place_waiting - own_sums.place_waited;
  add(master.others_place_waiting, place_waited);
  master.same_reads.add(own_sums.same_reads, own_sums.reads * (sums_.reads - own_sums.reads));
  master.same_waiting.add(own_sums.same_waited, own_sums.reads * place_waited);
  master.same_writes.add(own_sums.same_writes, own_sums.reads * sums_.writes);
  met.place_reads = master.same_reads.of(met.reads);
  met.place_waiting = master.same_waiting.of(master.others_place_waiting);
  met.place_writes = master.same_writes.of(rates_.writes);
}

LoadMeter::Bin LoadMeter::evaluate() {
  std::vector<Use>& uses = bins_[bin_ % bins];
  sum(uses);
  const Bin ended{static_cast<std::uint64_t>(sums_.reads), static_cast<std::uint64_t>(sums_.writes), active_};
  // Without a use, a bin says nothing if a use is known that is later: its master waits for it.
  if (uses.empty() && known_ >= (bin_ + 1) * bin_length) {
    ++bin_;
    return ended;
  }
  for (const std::uint32_t master : active_) catch_up(met_[master]);
  average();
  count_masters();
  compare(uses);
  for (const std::uint32_t master : active_) update(met_[master]);
  pending_ -= uses.size();
  uses.clear();
  ++bin_;
  return ended;
}

}  // namespace asterism
