// A training run that begins on a machine of new nodes, which fail early (or late) as the shape of their
// lifetimes says, without a simulation. training_run.h simulates the same.
//
// The mean number of failures of a node up to a time is the renewal function of the Weibull distribution, by
// sums of Riemann and Stieltjes. Time is cut into spans, short ones first. In each of them the run has the
// goodput of training_job.h at the mean rate of failures in the span, with the intervals of a machine that
// has run for long. Nodes under repair are those that failed within the time that a repair takes. The run
// ends when its work is done.
//
// Source of the sums: Xie, "On the solution of renewal-type integral equations", Communications in Statistics
// - Simulation and Computation 18(1), 1989.
#pragma once

#include <vector>

#include "resilience/training_job.h"

namespace asterism {

// The mean number of renewals up to each of these times, which increase from above 0, in units of the mean
// lifetime; the first lifetime begins at 0. Steps that are short against a lifetime and against the time
// before them make it accurate.
std::vector<double> weibull_renewals(double shape, const std::vector<double>& times);

// Means over the time that the run takes, and over its failures of what one costs. The costs of checkpoints
// are those of predict_training(), and the spares that are needed the most of any span. Throws as that does,
// and TrainingMistake unless there is work.
TrainingPrediction predict_new_machine(const TrainingJob& job, const FailureProfile& profile, Seconds work);

}  // namespace asterism
