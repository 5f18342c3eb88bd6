// The Markov model of multilevel checkpointing: Moody, Bronevetsky, Mohror, de Supinski, "Design, modeling,
// and evaluation of a scalable multi-level checkpointing system", SC 2010.
//
// What it adds to the first order: failures strike while checkpoints are written and read, and a failure can
// follow upon another. Its assumptions:
//   - failures are independent and exponential, and a level's rate is constant;
//   - a failure of the level whose checkpoint is being read makes one of the next level necessary (the last
//     level's is read again); a lower one lets it be read again, a higher one needs its own;
//   - a checkpoint that is interrupted counts for nothing; no work is done meanwhile.
//
// Times in seconds, rates in failures a second of the whole machine; efficiency is work over expected time, 0 to 1.
//
// Range of validity: any rate and cost, as long as those assumptions hold; nothing is taken to be small. Against failures played
// through (monte_carlo.h, `asterism study markov_limits`) it is inside their 99% interval from 81% down to 8% of the time left for work.
// It promises too little where a machine reads the same checkpoint again after a failure that struck the restart: by 0.05 points at
// 79%, by 4 at 39%. Where failures follow on each other (Weibull shape 0.7) it promises 0.1 points too much at 79%, and 4 too little at
// 8%.
//
// A piece of the run leaves either as it should or by a failure of some level. Each way out has a probability
// p and the expected time m = p * E[time | this way], held together as p + m e with e^2 = 0, the first order
// of the generating function: then pieces in succession multiply, alternatives add, and repeating what comes
// back by q is 1 / (1 - q).
#pragma once

#include <span>

#include "resilience/checkpoint_levels.h"

namespace asterism {

// Work over expected time; 0 where it is too small for a double. Throws as check_levels() and
// check_schedule().
double markov_efficiency(std::span<const CheckpointLevel> levels, const CheckpointSchedule& schedule);

struct MarkovOptimum {
  CheckpointSchedule schedule;
  double efficiency = 0;
};

// The schedule of the highest efficiency, with an interval no shorter than `least` (what a level costs
// nothing would be written without end). A search from the first order's intervals, period by period; within
// 1e-4 of the optimum. Throws as check_levels().
MarkovOptimum markov_optimum(std::span<const CheckpointLevel> levels, Seconds least = Seconds(1));

}  // namespace asterism
