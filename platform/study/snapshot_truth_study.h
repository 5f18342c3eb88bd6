// Snapshots of GPUs in random interleavings, compared byte for byte (models/gpu/truth/snapshot_trial.h).
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind snapshot_truth_study;

}  // namespace asterism
