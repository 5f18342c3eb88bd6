// The confidence interval of a mean of independent samples, by Student's t.
#pragma once

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace asterism {

// Half the width of the interval that has the mean with a probability of `confidence`. `squares`: the sum of
// the squares of the samples' distances from their mean; at least two samples.
//
// Computed in double: valgrind has no wider type, and Boost's constants for long double overflow there.
inline double half_width(double confidence, double squares, double samples) {
  using Distribution = boost::math::students_t_distribution<
      double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>;
  return boost::math::quantile(Distribution(samples - 1), (1 + confidence) / 2) *
         std::sqrt(squares / (samples - 1) / samples);
}
inline double half_width_99(double squares, double samples) { return half_width(0.99, squares, samples); }

}  // namespace asterism
