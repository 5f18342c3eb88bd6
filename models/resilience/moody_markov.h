// The Markov model of multilevel checkpointing: Moody, Bronevetsky, Mohror, de Supinski, "Design, modeling,
// and evaluation of a scalable multi-level checkpointing system", SC 2010.
//
// It adds to the first order that failures occur while checkpoints are written and read, and that one failure
// can follow another. Its assumptions:
//
//   - failures are independent and exponential, and the rate of a level is constant;
//   - after a failure of the level whose checkpoint is being read, one of the next level is read (that of the
//     last level is read again); after a failure of a lower level the same checkpoint is read again, and a
//     failure of a higher level needs a checkpoint of its own level;
//   - a checkpoint that is interrupted cannot be used; no work is done while one is written or read.
//
// Times are in seconds and rates in failures a second of the whole machine. Efficiency is work over expected
// time, from 0 to 1.
//
// Range of validity: any rate and cost, as long as these assumptions hold; no quantity is assumed to be
// small. The efficiency is inside the 99% interval of a Monte Carlo simulation (monte_carlo.h, `asterism
// study markov_limits`) from 81% down to 8%. For a machine that reads the same checkpoint again after a
// failure during the restart it is too low: by 0.05 points at 79%, by 4 points at 39%. If failures come in
// bursts (Weibull shape 0.7), it is 0.1 points too high at 79%, and 4 points too low at 8%.
//
// With levels in the background (background_levels.h) the recursion is the same, but a period of a level goes
// from the end of one drain to the end of the next: after a failure of the level the machine has to repeat
// the work of the delay as well, before it is again where the period began.
//
// A piece of the run ends either successfully or by a failure of some level. Each of these ways has a
// probability p and an expected time m = p * E[time | this way]. Both together are written as p + m e with
// e^2 = 0, the first order of the generating function: then the values of successive pieces are multiplied,
// those of alternatives are added, and a piece that is repeated with probability q contributes 1 / (1 - q).
#pragma once

#include <span>

#include "resilience/background_levels.h"
#include "resilience/checkpoint_levels.h"

namespace asterism {

// Work over expected time; 0 if it is too small for a double. Throws as check_levels() and check_schedule()
// do; with levels in the background also as check_drains().
double markov_efficiency(std::span<const CheckpointLevel> levels, const CheckpointSchedule& schedule,
                         HigherLevels higher = HigherLevels::blocking);

struct MarkovOptimum {
  CheckpointSchedule schedule;
  double efficiency = 0;
};

// The schedule of the highest efficiency with an interval no shorter than `min_interval`; without that limit,
// checkpoints that cost nothing would be written all the time. The search begins at the intervals of the
// first order and goes period by period; the result is within 1e-4 of the optimum. Throws as check_levels()
// does. With levels in the background the schedule is tightest_drains() of the best interval.
MarkovOptimum markov_optimum(std::span<const CheckpointLevel> levels, Seconds min_interval = Seconds(1),
                             HigherLevels higher = HigherLevels::blocking);

}  // namespace asterism
