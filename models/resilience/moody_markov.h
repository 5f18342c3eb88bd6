// The Markov model of multilevel checkpointing: Moody, Bronevetsky, Mohror, de Supinski, "Design, modeling,
// and evaluation of a scalable multi-level checkpointing system", SC 2010.
//
// It adds to the first order that failures occur while checkpoints are written and read, and that one failure
// can follow another. Its assumptions:
//
//   - failures are independent and exponential, and the rate of a level is constant;
//   - a failure of the level whose checkpoint is being read makes one of the next level necessary (that of
//     the last level is read again); after a lower one it is read again, and a higher one needs its own;
//   - a checkpoint that is interrupted counts for nothing; no work is done meanwhile.
//
// Times are in seconds and rates in failures a second of the whole machine. Efficiency is work over expected
// time, from 0 to 1.
//
// Range of validity: any rate and cost, as long as these assumptions hold; nothing is taken to be small. It
// is inside the 99% interval of a Monte Carlo simulation (monte_carlo.h, `asterism study markov_limits`) from
// 81% down to 8% of the time left for work. It promises too little for a machine that reads the same
// checkpoint again after a failure during the restart: by 0.05 points at 79%, by 4 at 39%. If failures come
// in bursts (Weibull shape 0.7) it promises 0.1 points too much at 79%, and 4 too little at 8%.
//
// A piece of the run ends either as it should or by a failure of some level. Each way has a probability p and
// the expected time m = p * E[time | this way], held together as p + m e with e^2 = 0, the first order of the
// generating function: then pieces in succession multiply, alternatives add, and the repetition of what comes
// back with probability q is 1 / (1 - q).
#pragma once

#include <span>

#include "resilience/checkpoint_levels.h"

namespace asterism {

// Work over expected time; 0 if it is too small for a double. Throws as check_levels() and check_schedule()
// do.
double markov_efficiency(std::span<const CheckpointLevel> levels, const CheckpointSchedule& schedule);

struct MarkovOptimum {
  CheckpointSchedule schedule;
  double efficiency = 0;
};

// The schedule of the highest efficiency with an interval no shorter than `min_interval`; without that limit,
// checkpoints that cost nothing would be written all the time. The search begins at the intervals of the
// first order and goes period by period; the result is within 1e-4 of the optimum. Throws as check_levels()
// does.
MarkovOptimum markov_optimum(std::span<const CheckpointLevel> levels, Seconds min_interval = Seconds(1));

}  // namespace asterism
