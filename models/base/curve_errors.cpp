#include "base/curve_errors.h"

#include <algorithm>
#include <cmath>

#include "base/fields.h"

namespace asterism {

static_assert(member_count<CurveErrors>() == 4);
void describe(Fields& f, CurveErrors& e) {
  f("latency_mean", e.latency_mean, "The mean error of the latency of accesses below the knee.",
    within(0, 10));
  f("latency_worst", e.latency_worst, "The largest error of the latency of accesses below the knee.",
    within(0, 10));
  f("throughput_mean", e.throughput_mean, "The mean error of the throughput above the knee.", within(0, 10));
  f("throughput_worst", e.throughput_worst, "The largest error of the throughput above the knee.",
    within(0, 10));
}

CurveErrors summary_of(std::span<const LoadError> errors) {
  CurveErrors summary;
  double below = 0, above = 0;
  for (const auto& [signed_error, is_below_knee] : errors) {
    const double error = std::abs(signed_error);
    (is_below_knee ? below : above) += 1;
    (is_below_knee ? summary.latency_mean : summary.throughput_mean) += error;
    double& worst = is_below_knee ? summary.latency_worst : summary.throughput_worst;
    worst = std::max(worst, error);
  }
  if (below > 0) summary.latency_mean /= below;
  if (above > 0) summary.throughput_mean /= above;
  for (double* error :
       {&summary.latency_mean, &summary.latency_worst, &summary.throughput_mean, &summary.throughput_worst})
    *error = std::round(*error * 1e4) / 1e4;
  return summary;
}

double misfit_of(std::span<const LoadError> errors) {
  double sum = 0;
  for (const LoadError& each : errors) {
    const double error = std::min(0.5, std::abs(each.error));
    sum += error + 3 * error * std::min(0.3, error);
  }
  return sum / static_cast<double>(errors.size());
}

}  // namespace asterism
