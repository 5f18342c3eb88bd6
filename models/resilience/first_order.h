// The efficiency of checkpointing to first order: each level alone, one failure at a time, and none while a
// checkpoint is written or read.
//
// A level with a checkpoint every tau costs C / tau + lambda * (tau / 2 + R) of the time worked. The best
// interval is tau = sqrt(2 C / lambda), which costs sqrt(2 lambda C) + lambda R. The efficiency of several
// levels is the product of 1 / (1 + cost).
//
// The model is good if lambda (tau + C + R) is far below 1 for the failures of all levels together; beyond
// that its efficiency is too high. In the model every level writes all its checkpoints, although one of a
// higher level could replace one of a lower level; the efficiency is therefore slightly too low if failures
// are rare.
//
// Levels in the background (background_levels.h) cost no time to write. A drain begins when the one before
// has ended, so that a failure repeats half a drain of its level on average, and the drains of all levels up
// to its own.
//
// Sources: Young, "A first order approximation to the optimum checkpoint interval", CACM 1974. lee2019 does
// not print its equations: optimal intervals (section 3), for each level by its bandwidth and its failures
// (section 7.1). The product over the levels was chosen, and not the Markov model (moody_markov.h), because
// it has the results of the paper's figures 3 and 14.
#pragma once

#include <span>

#include "resilience/background_levels.h"
#include "resilience/checkpoint_levels.h"

namespace asterism {

Seconds optimal_interval(const CheckpointLevel& level);  // sqrt(2 C / lambda)
double first_order_cost(const CheckpointLevel& level, Seconds interval);

// Work over time, each level at its optimal interval. Throws as check_levels().
double first_order_efficiency(std::span<const CheckpointLevel> levels,
                              HigherLevels higher = HigherLevels::blocking);

}  // namespace asterism
