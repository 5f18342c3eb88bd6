// How much of its time a machine dense in GPUs works, at a size and a density, by three models
// (models/resilience).
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind gpu_system_study;

}  // namespace asterism
