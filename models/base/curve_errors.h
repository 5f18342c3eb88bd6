// How far a model whose parameters were fitted is from the exact one, over several loads. Below the knee,
// where an access takes less than twice its time without load, the error of a load is that of the mean
// latency of an access, and above it that of the throughput. Errors are fractions.
#pragma once

#include <span>

namespace asterism {

class Fields;

struct LoadError {
  double error;
  bool is_below_knee;
};

// The mean of the absolute errors and the largest, rounded to hundredths of a percent.
struct CurveErrors {
  double latency_mean = 0, latency_worst = 0, throughput_mean = 0, throughput_worst = 0;
};
void describe(Fields& f, CurveErrors& errors);
CurveErrors summary_of(std::span<const LoadError> errors);

// What a fit makes small: the mean of the errors and of their squares, of which large ones are limited.
double misfit_of(std::span<const LoadError> errors);

}  // namespace asterism
