#include "resilience/training_job.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "resilience/training_mistake.h"
#include "resilience/young_daly.h"

namespace asterism {
namespace {

void expect_of_training(bool holds, const char* member, const std::string& problem) {
  if (!holds) throw TrainingMistake(member, problem);
}

// Of seconds or shares, for messages: to a thousandth.
std::string rounded(double value) {
  std::string text = std::to_string(value);
  return text.substr(0, text.size() - 3);
}

Seconds time_of(double bytes, Bandwidth rate) { return Seconds(bytes / static_cast<double>(rate.count())); }

bool has_memory(const TrainingJob& job) {
  return job.protocol == TrainingProtocol::replicas || job.protocol == TrainingProtocol::sharded;
}

// Whole iterations, at least one.
Seconds whole_iterations(const TrainingJob& job, Seconds interval) {
  return job.iteration * std::max(1.0, std::ceil(interval / job.iteration - 1e-9));
}

void take_memory(const TrainingJob& job, TrainingCosts& costs) {
  const double node = static_cast<double>(job.state.count()) / job.nodes(), gpu = node / job.gpus_per_node;
  const double size = job.group, parity = job.parity;
  const bool sharded = job.protocol == TrainingProtocol::sharded;
  const double sent = sharded ? node * parity / (size - parity) : node * (size - 1);
  costs.transfer = std::max(
      {time_of(gpu, job.gpu_link), time_of(sent, job.node_link), time_of(node + sent, job.copies_on)});
  // A node that is replaced receives its part, or is computed from those of the rest of its group.
  const double received = sharded ? node * (size - parity) : node;
  costs.memory_read = std::max({time_of(gpu, job.gpu_link), time_of(received, job.node_link),
                                time_of(node, job.copies_read.value_or(job.copies_on))});
}

void take_memory_interval(const TrainingJob& job, TrainingCosts& costs, Seconds interval) {
  costs.memory_interval = interval;
  costs.memory_stall = std::max(costs.transfer - interval * job.idle, Seconds());
  // After the stall, the rest is sent in the idle spans of as many iterations as it needs.
  const Seconds rest = costs.transfer - costs.memory_stall;
  costs.memory_lag = job.idle > 0 ? std::min(interval, whole_iterations(job, rest / job.idle)) : Seconds();
}

void take_file(const TrainingJob& job, TrainingCosts& costs) {
  const auto state = static_cast<double>(job.state.count());
  costs.file_write = costs.file_read = time_of(state, job.file_system);
  // In the background the run waits for the copy to the host, unless that is there for a memory checkpoint.
  const Seconds copy = has_memory(job) ? Seconds() : time_of(state / job.gpus, job.gpu_link);
  costs.file_stall = job.background ? std::max(copy - job.iteration * job.idle, Seconds()) : costs.file_write;
  costs.file_lag = job.background ? costs.file_write : Seconds();
}

// Failures after which the run needs a level, and what each costs beyond the work since the checkpoint.
struct LevelOfTraining {
  struct Part {
    Rate rate;
    Seconds restart;  // is begun again by each further failure that stops the run
    Seconds lag;
  };
  Rate rate;
  std::vector<Part> parts;

  void add(const Part& part) {
    rate += part.rate;
    parts.push_back(part);
  }
  // CheckpointLevel has failures of its own alone. Its restart is here the one that then takes as long as a
  // restart that all failures interrupt.
  CheckpointLevel level(Seconds checkpoint, Rate interrupting) const {
    Seconds mean;
    for (const Part& part : parts) {
      const Seconds taken = restart_with(interrupting, part.restart);
      mean += (Seconds(std::log1p(rate * taken) / rate.per_second()) + part.lag) * (part.rate / rate);
    }
    return {.failures = rate, .checkpoint = checkpoint, .restart = mean};
  }

  // The mean time until a span of this length has passed without a failure.
  static Seconds restart_with(Rate interrupting, Seconds span) {
    if (!(interrupting > Rate())) return span;
    // Beyond an exponent of 600 there is no progress either way, and what is computed from it stays finite.
    return Seconds(std::expm1(std::min(interrupting * span, 600.0)) / interrupting.per_second());
  }
};

struct LevelsOfTraining {
  LevelOfTraining memory, file;
  Rate interrupting;  // all failures that stop the run
  double slow = 0;    // the share of time that slow GPUs cost, with their replacement
  std::vector<double>
      lost;  // by class: the share of time, to first order, without the work since a checkpoint
};

// The time from a failure until the processes run, without reading a checkpoint.
Seconds down_time(const TrainingJob& job, const FailureClass& c) {
  const bool found_late = c.effect != FailureEffect::stops;  // what a check finds needs no other detection
  return (found_late ? Seconds() : job.detection) + job.restart +
         (c.loses == FailureLoss::node ? job.replacement : Seconds());
}

Seconds slow_time(const FailureClass& c) { return seconds(c.found_after) * (c.slowdown / (1 + c.slowdown)); }

// Fills in what a failure of each class costs beside the work since the checkpoint, which is in the levels.
// Copies in memory are of use only with `from_copies`.
LevelsOfTraining levels_of_training(const TrainingJob& job, const FailureProfile& profile,
                                    const TrainingCosts& costs, bool from_copies,
                                    std::vector<ClassCost>& classes) {
  LevelsOfTraining levels;
  classes.clear();
  for (const FailureClass& c : profile.classes)
    if (c.effect == FailureEffect::stops) levels.interrupting += profile.rate(c) * job.gpus;
  for (const FailureClass& c : profile.classes) {
    const Rate rate = profile.rate(c) * job.gpus;
    double memory = 0;
    if (from_copies && c.effect != FailureEffect::corrupts)
      memory = c.loses == FailureLoss::process
                   ? 1
                   : survival_probability(job.copies(), std::min(c.nodes, job.nodes()));
    const Seconds down = down_time(job, c);
    if (c.effect == FailureEffect::slows) {
      // The run stops at an iteration of its own choice: nothing is repeated.
      const Seconds cost =
          down + slow_time(c) + (has_memory(job) ? costs.memory_read : costs.file_write + costs.file_read);
      levels.slow += rate * cost;
      levels.lost.push_back(rate * cost);
      classes.push_back({rate, has_memory(job) ? 1.0 : 0.0, cost});
      continue;
    }
    const LevelOfTraining::Part by_memory{
        rate * memory, down + (has_memory(job) ? costs.memory_read : costs.file_write + costs.file_read),
        has_memory(job) ? costs.memory_lag : Seconds()};
    const LevelOfTraining::Part by_file{
        rate * (1 - memory), down + costs.file_read,
        costs.file_lag + (c.effect == FailureEffect::corrupts ? seconds(c.found_after) : Seconds())};
    double lost = 0;
    for (const LevelOfTraining::Part& part : {by_memory, by_file})
      lost += part.rate * (LevelOfTraining::restart_with(levels.interrupting, part.restart) + part.lag);
    levels.lost.push_back(lost);
    levels.memory.add(by_memory);
    levels.file.add(by_file);
    classes.push_back(
        {rate, memory,
         (by_memory.restart + by_memory.lag) * memory + (by_file.restart + by_file.lag) * (1 - memory)});
  }
  return levels;
}

double efficiency_of(const LevelOfTraining& level, Rate interrupting, Seconds checkpoint, Seconds interval) {
  if (!(level.rate > Rate())) return interval / (interval + checkpoint);
  return single_level_efficiency(level.level(checkpoint, interrupting), interval);
}

Seconds best_of(const LevelOfTraining& level, Seconds checkpoint, Seconds otherwise) {
  if (!(level.rate > Rate())) return otherwise;
  return best_interval({.failures = level.rate, .checkpoint = checkpoint, .restart = {}});  // whatever it is
}

// How probable it is that a Poisson variable is at most `count`.
double poisson_at_most(std::uint32_t count, double mean) {
  if (mean > 500) return std::erfc((mean - count - 0.5) / std::sqrt(2 * mean)) / 2;  // a normal distribution
  double term = std::exp(-mean), sum = term;
  for (std::uint32_t i = 1; i <= count && term > 0 && sum < 1; ++i) {
    term *= mean / i;
    sum += term;
  }
  return sum > 1 - 1e-12 ? 1 : sum;  // what is left is rounding
}

// The smallest number that a Poisson variable exceeds in at most 1% of cases.
std::uint32_t poisson_99(double mean) {
  std::uint32_t count = mean > 500 ? static_cast<std::uint32_t>(mean) : 0;
  while (poisson_at_most(count, mean) < 0.99) ++count;
  return count;
}

// Whatever is rare, a checkpoint a day is on the file system.
constexpr Seconds longest_interval{86'400};

// The shortest whole number of iterations that divides an interval and is no shorter than another.
Seconds divisor_of(const TrainingJob& job, Seconds interval, Seconds least) {
  const double iterations = std::round(interval / job.iteration);
  double parts = std::max(1.0, std::floor(interval / least + 1e-9));
  while (parts > 1 && std::fmod(iterations, parts) != 0) --parts;
  return interval / parts;
}

// The longer interval is a multiple of the shorter. One that is given stays; of two that are, the longer is
// rounded up.
void align_intervals(const TrainingJob& job, TrainingCosts& costs) {
  const auto multiple = [](Seconds of, Seconds least) {
    return of * std::max(1.0, std::ceil(least / of - 1e-9));
  };
  if (costs.file_interval >= costs.memory_interval)
    costs.file_interval = multiple(costs.memory_interval, costs.file_interval);
  else if (job.memory_interval && !job.file_interval)
    costs.file_interval = divisor_of(job, costs.memory_interval, costs.file_interval);
  else
    take_memory_interval(job, costs, multiple(costs.file_interval, costs.memory_interval));
}

// The share of time that each class costs, so that all shares are 1 together.
void take_shares(const std::vector<double>& lost, TrainingPrediction& p) {
  const TrainingCosts& costs = p.costs;
  p.stalls = p.goodput * (costs.file_stall / costs.file_interval);
  if (costs.memory_interval > Seconds()) p.stalls += p.goodput * (costs.memory_stall / costs.memory_interval);
  const double sum = std::accumulate(lost.begin(), lost.end(), 0.0);
  const double all = std::max(1 - p.waiting - p.goodput - p.stalls, 0.0);
  for (std::size_t i = 0; i < lost.size(); ++i) p.classes[i].share = sum > 0 ? all * lost[i] / sum : 0;
}

// With the copies in memory, or as if only the file system were of use.
TrainingPrediction predicted_training(const TrainingJob& job, const FailureProfile& profile,
                                      bool from_copies) {
  TrainingPrediction p;
  TrainingCosts& costs = p.costs;
  take_file(job, costs);
  const bool memory = has_memory(job);
  const auto levels_now = [&] { return levels_of_training(job, profile, costs, from_copies, p.classes); };
  if (memory) {
    take_memory(job, costs);
    take_memory_interval(job, costs, whole_iterations(job, job.memory_interval.value_or(job.iteration)));
  }
  LevelsOfTraining levels = levels_now();
  if (memory && !job.memory_interval && costs.memory_stall > Seconds()) {
    // The shortest interval whose copies fit into idle spans, or the optimum of what stalls, if that is
    // shorter.
    const Seconds fits = job.idle > 0 ? costs.transfer / job.idle : longest_interval;
    const Seconds best = std::min(fits, best_of(levels.memory, costs.transfer, fits));
    take_memory_interval(job, costs, whole_iterations(job, best));
  }
  const Seconds best =
      std::clamp(best_of(levels.file, costs.file_stall, longest_interval),
                 std::max(job.iteration, costs.file_lag), std::max(longest_interval, costs.file_lag));
  costs.file_interval = whole_iterations(job, job.file_interval.value_or(best));
  expect_of_training(costs.file_interval >= costs.file_lag, "file_interval",
                     "expected at least the " + rounded(costs.file_lag.count()) +
                         " s that a checkpoint is written to the file system, got " +
                         rounded(costs.file_interval.count()) + " s");
  if (memory) align_intervals(job, costs);
  levels = levels_now();

  const Seconds of_memory = memory ? costs.memory_interval : job.iteration;
  p.goodput = efficiency_of(levels.file, levels.interrupting, costs.file_stall, costs.file_interval);
  if (job.protocol != TrainingProtocol::file_system)
    p.goodput *= efficiency_of(levels.memory, levels.interrupting, costs.memory_stall, of_memory);
  p.goodput *= std::max(1 - levels.slow, 0.0);
  for (std::size_t i = 0; i < p.classes.size(); ++i) {
    ClassCost& c = p.classes[i];
    p.failures += c.rate;
    if (profile.classes[i].loses == FailureLoss::node)
      p.under_repair += c.rate * job.repair * std::min(profile.classes[i].nodes, job.nodes());
    if (profile.classes[i].effect == FailureEffect::slows) continue;
    const Seconds since = of_memory / 2 * c.from_memory + costs.file_interval / 2 * (1 - c.from_memory);
    c.lost += since;
    levels.lost[i] += c.rate * since;
  }
  const double away = std::min(p.under_repair, static_cast<double>(job.nodes()));
  p.spares_needed = poisson_99(away);
  const double enough = poisson_at_most(job.spares, away);
  p.waiting = 1 - enough;
  p.goodput *= enough;
  take_shares(levels.lost, p);
  return p;
}

}  // namespace

CopyPlacement TrainingJob::copies() const {
  CopyPlacement placed{.placement = placement, .nodes = nodes(), .size = group, .tolerated = group - 1};
  if (protocol == TrainingProtocol::sharded) placed.tolerated = parity;
  if (protocol == TrainingProtocol::just_in_time) {
    placed.placement = ReplicaPlacement::mixed;
    placed.size = std::min({data_parallel, nodes(), max_group_size});
    placed.tolerated = placed.size - 1;
  }
  return placed;
}

void check_training(const TrainingJob& job) {
  expect_of_training(job.gpus_per_node > 0 && job.gpus > 0 && job.gpus % job.gpus_per_node == 0, "gpus",
                     "expected a multiple of the " + std::to_string(job.gpus_per_node) +
                         " GPUs of a node, got " + std::to_string(job.gpus));
  expect_of_training(job.iteration > Seconds() && std::isfinite(job.iteration.count()), "iteration",
                     "expected more than 0 s, got " + rounded(job.iteration.count()) + " s");
  expect_of_training(job.state > Bytes(), "state", "expected a byte or more, got none");
  const auto check_rate = [](const char* member, Bandwidth rate) {
    expect_of_training(rate > Bandwidth(), member, "expected more than 0 B/s, got 0 B/s");
  };
  check_rate("gpu_link", job.gpu_link);
  check_rate("node_link", job.node_link);
  check_rate("copies_on", job.copies_on);
  if (job.copies_read) check_rate("copies_on", *job.copies_read);
  check_rate("file_system", job.file_system);
  expect_of_training(job.idle >= 0 && job.idle <= 1, "idle",
                     "expected a share from 0 to 1, got " + rounded(job.idle));
  const auto check_time = [](const char* member, Seconds time) {
    expect_of_training(time >= Seconds() && std::isfinite(time.count()), member,
                       "expected 0 s or more, got " + rounded(time.count()) + " s");
  };
  check_time("detection", job.detection);
  check_time("restart", job.restart);
  check_time("replacement", job.replacement);
  check_time("repair", job.repair);
  expect_of_training(
      job.protocol != TrainingProtocol::just_in_time || job.data_parallel >= 2, "data_parallel",
      "expected 2 or more copies of the state, of which one can be written just in time, got " +
          std::to_string(job.data_parallel));
  expect_of_training(job.protocol != TrainingProtocol::sharded || job.parity >= 1, "parity",
                     "expected 1 or more of a group, got 0");
  if (job.protocol != TrainingProtocol::file_system) check_placement(job.copies());
  const auto check_interval = [&job](const char* member, const std::optional<Seconds>& interval) {
    expect_of_training(!interval || *interval >= job.iteration, member,
                       "expected at least the " + rounded(job.iteration.count()) +
                           " s of an iteration, got " + rounded(interval.value_or(Seconds()).count()) + " s");
  };
  check_interval("memory_interval", job.memory_interval);
  check_interval("file_interval", job.file_interval);
}

TrainingPrediction predict_training(const TrainingJob& job, const FailureProfile& profile) {
  check_training(job);
  expect_of_training(profile.gpus_per_node == job.gpus_per_node, "gpus_per_node",
                     "expected the " + std::to_string(profile.gpus_per_node) +
                         " GPUs of a node of the failures, got " + std::to_string(job.gpus_per_node));
  TrainingPrediction from_file = predicted_training(job, profile, false);
  if (job.protocol == TrainingProtocol::file_system) return from_file;
  TrainingPrediction from_copies = predicted_training(job, profile, true);
  return from_file.goodput > from_copies.goodput ? from_file : from_copies;
}

}  // namespace asterism
