// How long a kilo-core chip takes for a workload on a fabric (models/manycore): a closed loop of cores,
// caches, memory.
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind manycore_study;

}  // namespace asterism
