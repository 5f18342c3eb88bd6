// A machine of up to 100,000 nodes in a network, its buddy checkpoints and its failures, simulated by SimGrid
// (models/cluster_scale), beside what ni2012's model says.
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind cluster_scale_study;

}  // namespace asterism
