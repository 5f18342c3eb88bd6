#include "resilience/new_machine.h"

#include <algorithm>
#include <cmath>

#include "resilience/training_mistake.h"

namespace asterism {
namespace {

// The mean numbers of renewals at times that are added in their order.
class RenewalSums {
 public:
  explicit RenewalSums(double shape) : shape_(shape), scale_(1 / std::tgamma(1 + 1 / shape)) {}

  void add(double time) {
    const double middle = (this->time() + time) / 2;
    double sum = failed(time), before = 0;
    for (std::size_t j = 0; j < times_.size(); ++j) {
      sum += (counts_[j] - before) * failed(time - middles_[j]);
      before = counts_[j];
    }
    const double own = failed(time - middle);
    times_.push_back(time);
    middles_.push_back(middle);
    counts_.push_back((sum - before * own) / (1 - own));
  }
  double time() const { return times_.empty() ? 0 : times_.back(); }
  const std::vector<double>& times() const { return times_; }
  const std::vector<double>& counts() const { return counts_; }

 private:
  double failed(double age) const { return age <= 0 ? 0.0 : -std::expm1(-std::pow(age / scale_, shape_)); }

  double shape_, scale_;
  std::vector<double> times_, middles_, counts_;
};

// The renewal function between the times at which it is known, computed as far as it is asked for. How soon
// renewals have their mean rate depends on the shape: within 1% after 5 lifetimes with 0.7 or 4, after 20
// with 0.5 or 10; with 0.3 their rate is 1.24 of it after 10 and still 1.02 after 100.
class RenewalCurve {
 public:
  explicit RenewalCurve(double shape) : sums_(shape) {}
  double at(double time) {
    if (time <= 0) return 0;
    while (sums_.time() < std::min(time, long_run)) sums_.add(next());
    const std::vector<double>&times = sums_.times(), &counts = sums_.counts();
    const auto after = std::ranges::lower_bound(times, time);
    const auto i = std::min(static_cast<std::size_t>(after - times.begin()), times.size() - 1);
    const double from = i == 0 ? 0 : times[i - 1], count = i == 0 ? 0 : counts[i - 1];
    return count + (counts[i] - count) * (time - from) / (times[i] - from);
  }

 private:
  static constexpr double long_run = 100;  // after which their rate stays

  double next() const {
    constexpr double first = 1e-6, early = 0.04, short_step = 0.02, late = 0.001;
    const double time = sums_.time();
    return time > 0 ? time + std::min(time * early, std::max(short_step, time * late)) : first;
  }

  RenewalSums sums_;
};

// Adds a span's shares of the time, and what its failures cost.
void add_span(const TrainingPrediction& span, double weight, TrainingPrediction& sum) {
  sum.goodput += weight * span.goodput;
  sum.stalls += weight * span.stalls;
  sum.waiting += weight * span.waiting;
  sum.under_repair += weight * span.under_repair;
  sum.failures += span.failures * weight;
  sum.spares_needed = std::max(sum.spares_needed, span.spares_needed);
  for (std::size_t i = 0; i < sum.classes.size(); ++i) {
    const ClassCost& of_span = span.classes[i];
    const Rate failures = of_span.rate * weight;
    sum.classes[i].rate += failures;
    sum.classes[i].from_memory += of_span.from_memory * failures.per_second();
    sum.classes[i].lost += of_span.lost * failures.per_second();
    sum.classes[i].share += weight * of_span.share;
  }
}

void divide_by(double time, TrainingPrediction& sum) {
  for (double* share : {&sum.goodput, &sum.stalls, &sum.waiting, &sum.under_repair}) *share /= time;
  sum.failures = sum.failures * (1 / time);
  for (ClassCost& c : sum.classes) {
    if (c.rate > Rate()) {
      c.from_memory /= c.rate.per_second();
      c.lost = c.lost / c.rate.per_second();
    }
    c.rate = c.rate * (1 / time);
    c.share /= time;
  }
}

}  // namespace

std::vector<double> weibull_renewals(double shape, const std::vector<double>& times) {
  RenewalSums sums(shape);
  for (const double time : times) sums.add(time);
  return sums.counts();
}

TrainingPrediction predict_new_machine(const TrainingJob& job, const FailureProfile& profile, Seconds work) {
  if (!(work > Seconds())) throw TrainingMistake("work", "expected more than 0 s");
  const TrainingPrediction steady = predict_training(job, profile);
  TrainingJob aligned = job;
  if (steady.costs.memory_interval > Seconds()) aligned.memory_interval = steady.costs.memory_interval;
  aligned.file_interval = steady.costs.file_interval;

  const double mean = 1 / (profile.rate().per_second() * job.gpus_per_node);  // of a node, in seconds
  constexpr double growth = 1.15, slowest = 50;  // a run that takes so many times its work has no end
  const double last = slowest * work.count();
  RenewalCurve failures(profile.shape);

  TrainingPrediction sum = steady;
  for (double* share : {&sum.goodput, &sum.stalls, &sum.waiting, &sum.under_repair}) *share = 0;
  sum.failures = Rate();
  for (ClassCost& c : sum.classes) c = ClassCost();

  double from = 0, done = 0;
  for (double to = std::min(60.0, last); from < last && done < work.count();
       to = std::min(to * growth, last)) {
    const double count = failures.at(to / mean) - failures.at(from / mean);
    const double factor = count * mean / (to - from);  // of the rates of a machine that has run for long
    FailureProfile now = profile;
    now.gpu_hours /= factor;
    const double away = failures.at(to / mean) - failures.at((to - job.repair.count()) / mean);
    aligned.repair = Seconds(away * mean / factor);
    const TrainingPrediction span = predict_training(aligned, now);
    double time = to - from;
    if (done + span.goodput * time > work.count()) time = (work.count() - done) / span.goodput;
    done += span.goodput * time;
    add_span(span, time, sum);
    from += time;
  }
  divide_by(from, sum);
  return sum;
}

}  // namespace asterism
