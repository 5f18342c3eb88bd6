// A checkpoint into a store that the nodes make of themselves, with cores set aside for it, and what else li2010
// works out (models/resilience/aggregate_store.h, functional_partitioning.h).
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind functional_partitioning_study;

}  // namespace asterism
