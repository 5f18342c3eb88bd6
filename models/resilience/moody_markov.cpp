#include "resilience/moody_markov.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "resilience/first_order.h"

namespace asterism {
namespace {

// p + m e, e^2 = 0.
struct Way {
  double probability = 0, time = 0;

  Way& operator+=(Way b) { return probability += b.probability, time += b.time, *this; }
  friend Way operator+(Way a, Way b) { return a += b; }
  friend Way operator*(Way a, Way b) {
    return {a.probability * b.probability, a.probability * b.time + a.time * b.probability};
  }
};

// 1 + q + q^2 + ...; `rest` is 1 - q.probability. The caller sums it from the other ways, since the
// difference is too inexact if a piece hardly ever succeeds.
Way again(Way q, double rest) { return {1 / rest, q.time / (rest * rest)}; }

struct Piece {
  Way through;
  std::array<Way, max_levels> failed;  // by the level of the failure
};

class Model {
 public:
  Model(std::span<const CheckpointLevel> levels, const CheckpointSchedule& schedule)
      : levels_(levels), schedule_(schedule), all_(failures_of(levels)) {}

  double efficiency(HigherLevels higher) const {
    const Way cycle = (higher == HigherLevels::background ? drained() : recovered(last(), last())).through;
    return cycle.probability > 0 ? schedule_.work().count() * cycle.probability / cycle.time : 0;
  }

 private:
  std::size_t last() const { return levels_.size() - 1; }

  // A piece of a given length: nothing fails, or the first failure ends it.
  Piece stretch(Seconds time) const {
    const double expected = all_ * time;
    const double fails = -std::expm1(-expected), holds = std::exp(-expected);
    const double mean = (fails - expected * holds) / all_.per_second();  // time to a failure, times `fails`
    Piece piece{{holds, holds * time.count()}, {}};
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const double share = levels_[i].failures / all_;
      piece.failed[i] = {share * fails, share * mean};
    }
    return piece;
  }

  Piece both(const Piece& first, const Piece& second) const {
    Piece piece{first.through * second.through, {}};
    for (std::size_t i = 0; i < levels_.size(); ++i)
      piece.failed[i] = first.failed[i] + first.through * second.failed[i];
    return piece;
  }

  static Piece nothing() { return {{1, 0}, {}}; }

  // Repeated that often.
  Piece repeated(Piece piece, std::uint64_t times) const {
    if (times == 0) return nothing();
    Piece all = piece;
    for (--times; times > 0; times >>= 1, piece = both(piece, piece))
      if (times & 1) all = both(all, piece);
    return all;
  }

  // From a checkpoint of level `from` to one of level `to`, over those below `from`.
  Piece unrecovered(std::size_t from, std::size_t to) const {
    if (from == 0) return stretch(schedule_.interval + levels_[to].checkpoint);
    const std::size_t below = from - 1;
    const std::uint64_t count = schedule_.counts[below];
    if (count == 0) return unrecovered(below, to);
    Piece piece = unrecovered(below, below);
    if (count > 1) piece = both(piece, repeated(recovered(below, below), count - 1));
    return both(piece, recovered(below, to));
  }

  // The same, begun again from that checkpoint after every failure that it survives.
  Piece recovered(std::size_t from, std::size_t to) const {
    return recovered(unrecovered(from, to), from, nothing());
  }

  // The piece, begun again after every failure that a checkpoint of level `from` survives: this is read, and
  // `before` is repeated, which leads from the checkpoint to where the piece begins.
  Piece recovered(const Piece& run, std::size_t from, const Piece& before) const {
    const Piece read = stretch(levels_[from].restart);
    const bool reads_again = from == last();  // after a failure of its own level
    Way survived, interrupted;
    for (std::size_t i = 0; i <= from; ++i) survived += run.failed[i];
    for (std::size_t i = 0; i < from + reads_again; ++i) interrupted += read.failed[i];
    double ends = read.through.probability;
    for (std::size_t i = from + reads_again; i < levels_.size(); ++i) ends += read.failed[i].probability;
    const Way reads = again(interrupted, ends);
    const Way back = survived * read.through * before.through * reads;
    std::array<Way, max_levels> leaves;
    double rest = run.through.probability;
    for (std::size_t i = from + 1; i < levels_.size(); ++i) {
      Way lost = read.failed[i];
      if (i == from + 1) lost += read.failed[from];
      lost += read.through * before.failed[i];
      leaves[i] = run.failed[i] + survived * lost * reads;
      rest += leaves[i].probability;
    }
    const Way rounds = again(back, rest);
    Piece piece{run.through * rounds, {}};
    for (std::size_t i = from + 1; i < levels_.size(); ++i) piece.failed[i] = leaves[i] * rounds;
    return piece;
  }

  // From the end of a drain of the last level to that of the next one. On each level `delay` leads from a
  // checkpoint to the end of its drain.
  Piece drained() const {
    const std::vector<std::uint64_t> drains = drains_of(schedule_, levels_);
    Piece delay = nothing(), period = recovered(0, 0);
    for (std::size_t level = 1; level <= last(); ++level) {
      delay = recovered(both(delay, repeated(period, drains[level - 1])), level, nothing());
      period = recovered(repeated(period, schedule_.counts[level - 1] + 1), level, delay);
    }
    return period;
  }

  std::span<const CheckpointLevel> levels_;
  const CheckpointSchedule& schedule_;
  Rate all_;
};

// By the periods of the levels: the efficiency depends on each almost alone.
CheckpointSchedule schedule_of(std::span<const Seconds> periods) {
  CheckpointSchedule schedule{periods[0], {}};
  Seconds period = periods[0];
  double max_intervals = 0x1p52;  // intervals of a cycle
  for (const Seconds next : periods.subspan(1)) {
    const double count = std::clamp(std::round(next / period), 1.0, std::floor(max_intervals));
    schedule.counts.push_back(static_cast<std::uint64_t>(count) - 1);
    period = period * count;
    max_intervals /= count;
  }
  return schedule;
}

}  // namespace

double markov_efficiency(std::span<const CheckpointLevel> levels, const CheckpointSchedule& schedule,
                         HigherLevels higher) {
  if (higher == HigherLevels::background) check_drains(schedule, levels);
  check_levels(levels);
  check_schedule(schedule, levels);
  return Model(levels, schedule).efficiency(higher);
}

MarkovOptimum markov_optimum(std::span<const CheckpointLevel> levels, Seconds min_interval,
                             HigherLevels higher) {
  check_levels(levels);
  const bool background = higher == HigherLevels::background;
  std::vector<Seconds> periods;
  for (const CheckpointLevel& level : levels.first(background ? 1 : levels.size()))
    periods.push_back(std::max(optimal_interval(level), periods.empty() ? min_interval : periods.back()));
  const auto at = [&](const std::vector<Seconds>& tried) {
    CheckpointSchedule schedule = background ? tightest_drains(tried[0], levels) : schedule_of(tried);
    const double efficiency = Model(levels, schedule).efficiency(higher);
    return MarkovOptimum{std::move(schedule), efficiency};
  };
  MarkovOptimum best = at(periods);
  for (double step = 2; step > 1.001;) {
    bool better = false;
    for (std::size_t i = 0; i < periods.size(); ++i)
      for (const double factor : {step, 1 / step}) {
        std::vector<Seconds> tried = periods;
        tried[i] = std::max(tried[i] * factor, min_interval);
        MarkovOptimum found = at(tried);
        if (found.efficiency <= best.efficiency) continue;
        best = std::move(found);
        periods = std::move(tried);
        better = true;
      }
    if (!better) step = std::sqrt(step);
  }
  return best;
}

}  // namespace asterism
