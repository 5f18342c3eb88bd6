// How many nodes may share an SSD for their checkpoints: li2010 Eq. 1 and Table I
// (models/resilience/functional_partitioning.h).
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind shared_ssd_study;

}  // namespace asterism
