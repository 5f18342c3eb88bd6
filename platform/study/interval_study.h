// How often a machine should write its checkpoints, where, and what that costs (models/resilience).
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind interval_study;

}  // namespace asterism
