// The optimum interval between checkpoints of one level, and what a run of a given length then takes: Young's
// first order, Daly's first order, Daly's higher order, and the cost function whose optimum they approximate.
//
// M = 1 / failures is the mean time to a failure, delta the time to write a checkpoint, R that to read it,
// tau the interval of work between two checkpoints (without delta), all in seconds of a whole machine.
//
//   Young, first order     tau = sqrt(2 delta M)
//   Daly, first order      tau = sqrt(2 delta (M + R))
//   Daly, higher order     tau = sqrt(2 delta M) (1 + sqrt(delta / 2M) / 3 + delta / 18 M) - delta;
//                          tau = M if delta is at least 2 M
//   optimum of the cost    tau = M (1 + W(-exp(-1 - delta / M))), W the principal branch of Lambert's
//                          function
//
// The cost function: failures are independent and exponential and occur in checkpoints and restarts, too.
// Each sends the run back to its last complete checkpoint, or to its beginning, after a restart, which is
// begun again if it fails. Undisturbed work of length t takes M exp(R / M) (exp(t / M) - 1) on average;
// intervals in succession add. The last piece of a run needs no checkpoint.
//
// Range of validity (R = 0): by how much tau differs from the optimum, and by how much a long run then takes
// longer than with the optimum:
//
//   delta / M               1/500           1/50           1/10            1
//   Young, first order      2.1%, 0.001%    7.0%, 0.043%   16.7%, 0.47%    68%, 14%
//   Daly, higher order      0               0.003%, 0      0.04%, 0        1.8%, 0.014%
//
// Daly's first order is Young's at R = 0 and longer otherwise, though the optimum does not depend on R.
// Either first order extends beyond M, where the optimum never is.
//
// Sources: Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 1974. Daly,
// "A model for predicting the optimum checkpoint interval for restart dumps", ICCS 2003 (first order). Daly,
// "A higher order estimate of the optimum checkpoint interval for restart dumps", Future Generation Computer
// Systems 22(3), 2006 (cost function, higher order).
#pragma once

#include "resilience/checkpoint_levels.h"

namespace asterism {

// All functions throw std::invalid_argument unless the rate of failures is above 0 and no time is negative.
Seconds young_interval(const CheckpointLevel& level);
Seconds daly_first_order_interval(const CheckpointLevel& level);
Seconds daly_interval(const CheckpointLevel& level);
// The optimum of expected_run_time() for a long run; 0 if a checkpoint costs nothing.
Seconds best_interval(const CheckpointLevel& level);

// The mean time of a run of `work` by the cost function; infinite if it is beyond a double. Also throws
// std::invalid_argument unless both are above 0 and the interval is no longer than the run.
Seconds expected_run_time(const CheckpointLevel& level, Seconds interval, Seconds work);
// The same to first order: work (1 + delta / tau + (tau / 2 + R) / M).
Seconds first_order_run_time(const CheckpointLevel& level, Seconds interval, Seconds work);

// Work over expected time of an endless run. Throws as the intervals do, and unless the interval is above 0.
double single_level_efficiency(const CheckpointLevel& level, Seconds interval);

}  // namespace asterism
