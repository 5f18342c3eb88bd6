// Power failures of a DIMM-SSD at random events, and what is recovered afterwards (models/dimm_ssd/crash/crash_trial.h).
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind crash_study;

}  // namespace asterism
