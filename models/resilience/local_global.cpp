#include "resilience/local_global.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace asterism {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double min_global_share = 1e-9;

// T_S / T_total = (b - c tau) / (1 + a / tau): (7) solved for it.
struct Coefficients {
  double a, b, c;

  double availability(double tau) const { return (b - c * tau) / (1 + a / tau); }
  double best_tau(double min_tau) const {
    return b <= 0 ? min_tau : std::max(min_tau, -a + std::sqrt(a * a + a * b / c));
  }
};

// For the functions below, delta_L and delta_G are those of the increments.
double mean_dump(const LocalGlobalCheckpoint& x, double local_share) {  // delta_eq
  if (x.background) return x.local.count() + (1 - local_share) * x.background_slowdown * x.global.count();
  return x.local.count() * local_share + x.global.count() * (1 - local_share);
}

double mean_restart(const LocalGlobalCheckpoint& x, double local_share) {  // R_eq
  // Each checkpoint that is stored in the background is a local one, too.
  if (local_share <= 0 && !x.background) return x.global_restart.count();
  const double q = x.locally_recoverable;
  return x.local_restart.count() * q + x.global_restart.count() * (1 - q);
}

// p_L q_G / (2 p_G): the intervals that a failure costs beyond the one in which it occurs.
double extra_intervals(const LocalGlobalCheckpoint& x, double local_share) {
  const double needs_global = 1 - x.locally_recoverable;
  return needs_global <= 0 ? 0 : local_share * needs_global / (2 * (1 - local_share));
}

// What a failure loses because the newest global checkpoint was still being stored.
double lost_while_stored(const LocalGlobalCheckpoint& x) {
  return x.background ? (1 - x.locally_recoverable) * x.global.count() : 0;
}

Coefficients coefficients(const LocalGlobalCheckpoint& x, double local_share) {
  const double dump = mean_dump(x, local_share), extra = extra_intervals(x, local_share), m = x.mttf.count();
  const double lost =
      dump / 2 + mean_restart(x, local_share) + extra * x.local.count() + lost_while_stored(x);
  return {.a = dump, .b = 1 - lost / m, .c = (0.5 + extra) / m};
}

double availability_at(const LocalGlobalCheckpoint& x, double local_share, double tau) {
  return coefficients(with_increments(x, Seconds(tau), local_share), local_share).availability(tau);
}

// What is left of the time between two global checkpoints when one is stored beside the program, as a share
// of it.
double time_left(const LocalGlobalCheckpoint& x, double local_share, double tau) {
  const LocalGlobalCheckpoint at = with_increments(x, Seconds(tau), local_share);
  const double room = tau + at.local.count();
  return 1 - at.global.count() * (1 - local_share) / room;
}

// At a best interval nothing is left, and rounding may make that a little less.
constexpr double rounding = 1e-9;

// Whether a global checkpoint is stored before the next one begins, but for rounding.
bool is_stored_in_time(const LocalGlobalCheckpoint& x, double local_share, double tau) {
  return !x.background || time_left(x, local_share, tau) >= -rounding;
}

// It is not for the taus between these two, which are `min_tau` if it always is. While tau grows, an
// increment at first grows faster, and then more and more slowly.
struct NotInTime {
  double from, to;
};
NotInTime not_in_time(const LocalGlobalCheckpoint& x, double local_share, double min_tau) {
  if (!x.background) return {min_tau, min_tau};
  // Without the allowance of is_stored_in_time(), which then covers what rounding does to the result.
  const auto is_in_time = [&](double tau) { return time_left(x, local_share, tau) >= 0; };
  const double enough = std::max(min_tau, x.global.count() * (1 - local_share));
  double worst = std::exp(boost::math::tools::brent_find_minima(
                              [&](double tau) { return time_left(x, local_share, std::exp(tau)); },
                              std::log(min_tau), std::log(enough), std::numeric_limits<double>::digits / 2)
                              .first);
  if (is_in_time(worst)) worst = min_tau;
  if (is_in_time(worst)) return {min_tau, min_tau};
  const auto edge = [&](double in_time) {
    for (double late = worst, step = 0; step < 60; ++step) {
      const double middle = std::sqrt(late * in_time);
      (is_in_time(middle) ? in_time : late) = middle;
    }
    return in_time;
  };
  return {is_in_time(min_tau) ? edge(min_tau) : min_tau, edge(enough)};
}

double tau_of(const LocalGlobalCheckpoint& x, double local_share, double min_tau) {
  const NotInTime excluded = not_in_time(x, local_share, min_tau);
  Coefficients of_full = coefficients(x, local_share);
  if (x.dirty_time <= Seconds()) return of_full.best_tau(excluded.to);
  // Increments are worth taking more often than full checkpoints of the same loss, and b is at most 1.
  of_full.b = 1;
  const auto available = [&](double tau) { return availability_at(x, local_share, tau); };
  const auto best_of = [&](double shortest, double longest) {
    const auto [logarithm, lost] = boost::math::tools::brent_find_minima(
        [&](double tau) { return -available(std::exp(tau)); }, std::log(shortest), std::log(longest),
        std::numeric_limits<double>::digits / 2);
    return available(shortest) >= -lost ? shortest : std::exp(logarithm);
  };
  const double best = best_of(excluded.to, of_full.best_tau(excluded.to));
  if (excluded.from <= min_tau) return best;
  const double shorter = best_of(min_tau, excluded.from);
  return available(shorter) > available(best) ? shorter : best;
}

void check_local_share(const LocalGlobalCheckpoint& x, double local_share) {
  const bool all = local_share >= 1 && x.locally_recoverable < 1;
  if (!(local_share >= 0 && local_share <= 1) || all)
    throw std::invalid_argument(
        "the share of local checkpoints is from 0 to below 1, or 1 where they survive every failure");
}

}  // namespace

void check_local_global(const LocalGlobalCheckpoint& x) {
  if (!std::isfinite(x.mttf.count()) || x.mttf <= Seconds())
    throw std::invalid_argument("the mean time to a failure is above 0");
  for (const Seconds time : {x.local, x.global, x.local_restart, x.global_restart})
    if (!std::isfinite(time.count()) || time < Seconds())
      throw std::invalid_argument("the times of checkpoints and recoveries are 0 or more");
  if (!(x.locally_recoverable >= 0 && x.locally_recoverable <= 1))
    throw std::invalid_argument("the share of failures that a local checkpoint survives is from 0 to 1");
  for (const Seconds time : {x.coordination, x.dirty_time})
    if (!std::isfinite(time.count()) || time < Seconds())
      throw std::invalid_argument("the times of coordination and of dirty pages are 0 or more");
  if (x.coordination > std::min(x.local, x.global))
    throw std::invalid_argument("coordination is a part of a checkpoint");
  if (!(x.background_slowdown >= 0 && x.background_slowdown <= 1))
    throw std::invalid_argument("the share by which a program is slowed down is from 0 to 1");
}

double increment(const LocalGlobalCheckpoint& x, Seconds t) {
  return x.dirty_time > Seconds() ? -std::expm1(-(t / x.dirty_time)) : 1;
}

LocalGlobalCheckpoint with_increments(const LocalGlobalCheckpoint& x, Seconds tau, double local_share) {
  const double global_share = std::max(1 - local_share, min_global_share);
  LocalGlobalCheckpoint at = x;
  at.local = x.coordination + (x.local - x.coordination) * increment(x, tau);
  at.global = x.coordination + (x.global - x.coordination) * increment(x, tau / global_share);
  at.dirty_time = Seconds();
  return at;
}

LocalGlobalTime local_global_time(const LocalGlobalCheckpoint& full, Seconds work, Seconds tau,
                                  double local_share) {
  check_local_global(full);
  check_local_share(full, local_share);
  if (!std::isfinite(work.count()) || work <= Seconds())
    throw std::invalid_argument("the work of a run is above 0");
  if (!std::isfinite(tau.count()) || tau <= Seconds())
    throw std::invalid_argument("an interval of work is above 0");
  if (tau > work) throw std::invalid_argument("an interval of work is no longer than the run");
  if (!is_stored_in_time(full, local_share, tau.count()))
    throw std::invalid_argument("a global checkpoint is stored before the next one begins");
  const LocalGlobalCheckpoint x = with_increments(full, tau, local_share);
  const double dump = mean_dump(x, local_share), restart = mean_restart(x, local_share),
               extra = extra_intervals(x, local_share);
  const double availability = coefficients(x, local_share).availability(tau.count());
  if (availability <= 0) return {work, work * (dump / tau.count()), Seconds(infinite), Seconds(infinite)};
  const double failures = work.count() / availability / x.mttf.count();
  return {work, work * (dump / tau.count()), failures * Seconds((tau.count() + dump) / 2 + restart),
          failures * (extra * (tau + x.local) + Seconds(lost_while_stored(x)))};
}

Seconds best_tau(const LocalGlobalCheckpoint& x, double local_share, Seconds min_tau) {
  check_local_global(x);
  check_local_share(x, local_share);
  return Seconds(tau_of(x, local_share, min_tau.count()));
}

double closed_form_local_share(const LocalGlobalCheckpoint& x) {
  check_local_global(x);
  const double q = x.locally_recoverable, difference = (x.global - x.local).count();
  if (difference <= 0 || q <= 0) return 0;
  return std::max(0.0, 1 - std::sqrt((1 - q) / q * x.local.count() / difference));
}

LocalGlobalOptimum local_global_optimum(const LocalGlobalCheckpoint& x, Seconds min_tau) {
  check_local_global(x);
  const auto availability = [&](double local_share) {
    return availability_at(x, local_share, tau_of(x, local_share, min_tau.count()));
  };
  const auto [logarithm, lost] = boost::math::tools::brent_find_minima(
      [&](double global_share) { return -availability(1 - std::exp(global_share)); },
      std::log(min_global_share), 0.0, std::numeric_limits<double>::digits / 2);
  double local_share = 1 - std::exp(logarithm);
  if (x.locally_recoverable >= 1 && availability(1) > -lost) local_share = 1;
  if (availability(0) >= availability(local_share)) local_share = 0;
  const double best = availability(local_share);
  return {Seconds(tau_of(x, local_share, min_tau.count())), local_share, best > 0 ? 1 / best - 1 : infinite};
}

}  // namespace asterism
