// Which failures a local checkpoint survives, and how that changes with soft errors: dong2011 Table IV and Eq. 8
// (models/resilience/failure_causes.h).
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind failure_causes_study;

}  // namespace asterism
