#include "resilience/semi_blocking.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace asterism {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-9;  // relative, of sums of times
constexpr int bits = 22;           // of log tau; an optimum is no sharper in a double

struct Bounds {
  double low, high;
};

void check_work(Seconds work) {
  if (!std::isfinite(work.count()) || work <= Seconds())
    throw std::invalid_argument("the work of a run is above 0");
}

void check_tau(const BuddyCheckpoint& b, Seconds tau) {
  if (!(tau > Seconds())) throw std::invalid_argument("an interval is above 0");
  if (tau > b.mttf) throw std::invalid_argument("an interval is no longer than the mean time to a failure");
}

// The positive t with a t + b / t < limit: an open range, which is empty if low >= high.
Bounds where_below(double a, double b, double limit) {
  const double inside = limit * limit - 4 * a * b;
  if (limit <= 0 || inside <= 0) return {1, 0};
  const double high = (limit + std::sqrt(inside)) / (2 * a);
  return {b / (a * high), high};
}

// The smallest time(tau) within the bounds; time is finite inside `progress`.
template <class Time>
BuddyOptimum minimum(Bounds bounds, Bounds progress, const Time& time) {
  const double low = std::max(bounds.low, progress.low), high = std::min(bounds.high, progress.high);
  if (!(low < high)) {
    const bool point = low == high && low >= bounds.low;  // the bounds leave one interval
    return {Seconds(point ? low : 0), Seconds(point ? time(low) : never), point};
  }
  const auto [found, shortest] = boost::math::tools::brent_find_minima(
      [&](double log_tau) { return time(std::exp(log_tau)); }, std::log(low), std::log(high), bits);
  BuddyOptimum best{Seconds(std::clamp(std::exp(found), low, high)), Seconds(shortest), false};
  for (const double end : {bounds.low, bounds.high})
    if (end >= low && end <= high && time(end) <= best.total.count() * (1 + 1e-12))
      best = {Seconds(end), Seconds(time(end)), true};
  return best;
}

SemiBlockingTime split(const BuddyCheckpoint& b, Seconds work, Seconds tau) {
  const double intervals = work / (tau - b.overhead);
  SemiBlockingTime time{work, intervals * b.local, intervals * b.overhead, {}, {}};
  const double during = b.overlap / tau;  // share of the failures that occur in a global checkpoint
  const Seconds back = (1 - during) * (b.restart + (tau + b.overlap) / 2 - b.overhead),
                further = during * (b.restart + tau + b.overlap / 2 + b.blocking - b.overhead);
  const double left = 1 - (back + further) / b.mttf;
  const Seconds total(left > 0 ? (time.work + time.local + time.overhead).count() / left : never);
  const double failures = total / b.mttf;
  const auto times = [](double count, Seconds each) { return each > Seconds() ? count * each : Seconds(); };
  time.rollback = times(failures, back);
  time.further_rollback = times(failures, further);
  return time;
}

Seconds blocking(const BuddyCheckpoint& b, Seconds work, Seconds tau) {
  const double left = 1 - (b.restart + (tau + b.blocking) / 2) / b.mttf;
  return left > 0 ? work * (1 + b.blocking / tau) / left : Seconds(never);
}

}  // namespace

void check_buddy_checkpoint(const BuddyCheckpoint& b) {
  if (!std::isfinite(b.mttf.count()) || b.mttf <= Seconds())
    throw std::invalid_argument("a mean time to a failure is above 0");
  for (const Seconds time : {b.overlap, b.overhead, b.local, b.blocking, b.restart})
    if (!std::isfinite(time.count()) || time < Seconds())
      throw std::invalid_argument("a time of a checkpoint is 0 or more");
  if (b.overhead > b.overlap)
    throw std::invalid_argument("a global checkpoint's overhead is no longer than its overlap");
  if (b.overlap + b.local < b.blocking * (1 - rounding))
    throw std::invalid_argument("a global checkpoint takes no less time beside the program than alone");
}

SemiBlockingTime semi_blocking_time(const BuddyCheckpoint& b, Seconds work, Seconds tau) {
  check_buddy_checkpoint(b);
  check_work(work);
  check_tau(b, tau);
  if (tau < b.overlap)
    throw std::invalid_argument(
        "a global checkpoint has ended when the next one begins: tau is overlap or more");
  if (tau <= b.overhead) throw std::invalid_argument("an interval has work: tau is above overhead");
  if (tau - b.overhead > work) throw std::invalid_argument("an interval is no longer than the run");
  return split(b, work, tau);
}

Seconds blocking_time(const BuddyCheckpoint& b, Seconds work, Seconds tau) {
  check_buddy_checkpoint(b);
  check_work(work);
  check_tau(b, tau);
  if (tau > work) throw std::invalid_argument("an interval is no longer than the run");
  return blocking(b, work, tau);
}

BuddyOptimum semi_blocking_optimum(const BuddyCheckpoint& b, Seconds work) {
  check_buddy_checkpoint(b);
  check_work(work);
  const double m = b.mttf.count(), overlap = b.overlap.count(), overhead = b.overhead.count();
  // Without an overlap any interval above 0 is valid.
  const double most = std::min(m, work.count() + overhead);
  const Bounds bounds{std::max({overlap, overhead * (1 + 1e-9), most * 1e-9}), most};
  // Rework below MTTF: tau / 2 + overlap c / tau < MTTF - R - overlap + overhead.
  const Bounds progress =
      where_below(0.5, overlap * b.blocking.count(), m - b.restart.count() - overlap + overhead);
  return minimum(bounds, progress, [&](double tau) { return split(b, work, Seconds(tau)).total().count(); });
}

BuddyOptimum blocking_optimum(const BuddyCheckpoint& b, Seconds work) {
  check_buddy_checkpoint(b);
  check_work(work);
  const double m = b.mttf.count();
  const double most = std::min(m, work.count());
  const Bounds bounds{most * 1e-9, most}, progress{0, 2 * (m - b.restart.count()) - b.blocking.count()};
  return minimum(bounds, progress, [&](double tau) { return blocking(b, work, Seconds(tau)).count(); });
}

double semi_blocking_benefit(const BuddyOptimum& semi_blocking, const BuddyOptimum& blocking) {
  return 1 - semi_blocking.total / blocking.total;
}

Seconds mean_time_to_lost_checkpoint(const BuddyCheckpoint& b, unsigned nodes, BuddyPlacement placement) {
  check_buddy_checkpoint(b);
  if (nodes < 2) throw std::invalid_argument("a node has a buddy: there are two nodes or more");
  if (placement == BuddyPlacement::pairs && nodes % 2 != 0)
    throw std::invalid_argument("pairs of buddies are an even number of nodes");
  const double buddies = placement == BuddyPlacement::pairs || nodes == 2 ? 1 : 2;
  return b.mttf * (nodes / buddies) * (b.mttf / (b.restart + b.overlap));
}

}  // namespace asterism
