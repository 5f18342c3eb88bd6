#include "resilience/new_machine.h"

#include <algorithm>
#include <cmath>

#include "resilience/training_mistake.h"

namespace asterism {
namespace {

// The renewal function between the times at which it is known.
class RenewalCurve {
 public:
  RenewalCurve(double shape, double until) {
    constexpr double first = 1e-6, growth = 1.04, longest = 0.02;
    for (double time = first; time < std::min(until, long_run);
         time += std::min(longest, time * (growth - 1)))
      times_.push_back(time);
    times_.push_back(std::min(until, long_run));
    counts_ = weibull_renewals(shape, times_);
  }
  double at(double time) const {
    if (time <= 0) return 0;
    const auto after = std::ranges::lower_bound(times_, time);
    if (after == times_.end()) return counts_.back() + (time - times_.back());
    const auto i = static_cast<std::size_t>(after - times_.begin());
    const double from = i == 0 ? 0 : times_[i - 1], count = i == 0 ? 0 : counts_[i - 1];
    return count + (counts_[i] - count) * (time - from) / (times_[i] - from);
  }

 private:
  static constexpr double long_run = 5;  // after which renewals have their mean rate

  std::vector<double> times_, counts_;
};

// Adds a span's shares of the time.
void add_span(const TrainingPrediction& span, double weight, TrainingPrediction& sum) {
  sum.goodput += weight * span.goodput;
  sum.stalls += weight * span.stalls;
  sum.waiting += weight * span.waiting;
  sum.under_repair += weight * span.under_repair;
  sum.failures += span.failures * weight;
  sum.spares_needed = std::max(sum.spares_needed, span.spares_needed);
  for (std::size_t i = 0; i < sum.classes.size(); ++i) {
    sum.classes[i].rate += span.classes[i].rate * weight;
    sum.classes[i].share += weight * span.classes[i].share;
  }
}

void divide_by(double time, TrainingPrediction& sum) {
  for (double* share : {&sum.goodput, &sum.stalls, &sum.waiting, &sum.under_repair}) *share /= time;
  sum.failures = sum.failures * (1 / time);
  for (ClassCost& c : sum.classes) {
    c.rate = c.rate * (1 / time);
    c.share /= time;
  }
}

}  // namespace

std::vector<double> weibull_renewals(double shape, const std::vector<double>& times) {
  const double scale = 1 / std::tgamma(1 + 1 / shape);
  const auto failed = [&](double age) { return age <= 0 ? 0.0 : -std::expm1(-std::pow(age / scale, shape)); };
  std::vector<double> counts, middles;
  counts.reserve(times.size());
  middles.reserve(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    middles.push_back(((i == 0 ? 0 : times[i - 1]) + times[i]) / 2);
    double sum = failed(times[i]), before = 0;
    for (std::size_t j = 0; j < i; ++j) {
      sum += (counts[j] - before) * failed(times[i] - middles[j]);
      before = counts[j];
    }
    const double own = failed(times[i] - middles[i]);
    counts.push_back((sum - before * own) / (1 - own));
  }
  return counts;
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
  const RenewalCurve failures(profile.shape, last / mean);

  TrainingPrediction sum = steady;
  for (double* share : {&sum.goodput, &sum.stalls, &sum.waiting, &sum.under_repair}) *share = 0;
  sum.failures = Rate();
  for (ClassCost& c : sum.classes) c.rate = Rate(), c.share = 0;

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
