// What a snapshot of a GPU costs the program that runs on it (models/gpu/workload), by the way in which it is
// taken.
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind gpu_study;

}  // namespace asterism
