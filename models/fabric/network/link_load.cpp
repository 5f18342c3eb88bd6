#include "fabric/network/link_load.h"

namespace asterism {
namespace {

constexpr double weight = 0.25;  // of a bin in the means

// The amplification approaches its value from below. It may follow it quickly, and beyond saturation become
// as long as a queue, if masters follow it soon; if they follow it late, it would swing.
struct Pace {
  explicit Pace(double delay) : weight(std::min(0.75, 2 / delay)), most(1000 / delay) {}
  double weight;  // of a bin
  double most;
};

double power(double base, std::uint64_t exponent) {
  double result = 1;
  for (; exponent != 0; exponent /= 2, base *= base)
    if (exponent % 2 != 0) result *= base;
  return result;
}

}  // namespace

void LinkLoad::evaluate(const LoadBins& bins, const LinkCurve& curve) {
  const double length = bins.length();
  const std::uint64_t ended = bins.first() - first_, kept = std::min(ended, LoadBins::count);
  const auto average = [](double& mean, double value) { mean += weight * (value - mean); };
  const auto after = [](const Bin& b, double time) {
    return static_cast<float>(std::max(0.0, double{b.backlog} + b.work - time));
  };
  double done = 0, waits = 0, waits_at_random = 0;
  for (std::uint64_t i = 0; i < kept; ++i, ++first_) {
    Bin& oldest = bin(first_);
    done += std::min(length, double{oldest.backlog} + oldest.work);
    waits += oldest.waits;
    waits_at_random += oldest.waits_at_random;
    average(work_, oldest.work / length);
    average(squares_, oldest.squares / std::max(length, double{oldest.work}));
    average(blocking_, oldest.blocking / length);
    oldest = Bin{.backlog = after(bin(first_ + LoadBins::count - 1), length)};
  }
  const Pace pace(bins.delay());
  const double left = power(1 - pace.weight, ended), idle = static_cast<double>(ended - kept);
  if (idle > 0) {
    for (double* mean : {&work_, &squares_, &blocking_}) *mean *= power(1 - weight, ended - kept);
    for (Bin& b : bins_) b.backlog = after(b, idle * length);
    first_ = bins.first();
  }
  const double load = done / (static_cast<double>(ended) * length);
  const double had = waits_at_random > 0 ? std::min(pace.most, waits / waits_at_random) : amplification_;
  const double knee = work_ > 0 ? 1 - (1 - curve.knee) * std::min(1.0, blocking_ / work_) : 1;
  amplification_ = left * amplification_ + (1 - left) * (1 + had * load / knee);
  amplification_ = std::min(amplification_, pace.most);
  wait_at_random_ = curve.contention * squares_ / 2;
}

double LinkLoad::load_at(const LoadBins& bins, const Moment& at) const {
  const double before = at.bin > first_ ? bin(at.bin - 1).work / bins.length() : work_;
  const double passed = std::min(1.0, at.passed / bins.length());
  return std::min(1.0, work_before(bin(at.bin), at.passed) / bins.length() + before * (1 - passed));
}

void PartialLoad::evaluate(const LoadBins& bins, const LinkLoad& input, const LinkLoad& link) {
  const std::uint64_t ended = bins.first() - first_, kept = std::min(ended, LoadBins::count);
  double mean = mean_;
  for (std::uint64_t i = 0; i < kept; ++i) {
    float& sum = sums_[(first_ + i) % LoadBins::count];
    mean += weight * (sum / bins.length() - mean);
    sum = 0;
  }
  if (ended > kept) mean *= power(1 - weight, ended - kept);
  mean_ = static_cast<float>(mean);
  const double elsewhere = mean < input.mean() ? 1 - mean / input.mean() : 0;
  // With few other links, there are virtual channels for all of them.
  blocking_ = static_cast<float>(elsewhere * elsewhere * elsewhere * elsewhere);
  others_ = mean < link.mean() ? static_cast<float>(1 - mean / link.mean()) : 0;
  first_ = bins.first();
}

}  // namespace asterism
