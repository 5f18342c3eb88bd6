// Small clusters that lose what they consist of, at random and at bad moments (models/cluster/truth/cluster_trial.h).
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind cluster_truth_study;

}  // namespace asterism
