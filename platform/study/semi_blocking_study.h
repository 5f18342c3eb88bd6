// Buddy checkpointing, blocking and semi-blocking: the interval that is best and what it costs
// (models/resilience/semi_blocking.h).
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind semi_blocking_study;

}  // namespace asterism
