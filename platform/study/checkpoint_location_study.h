// Where a program's checkpoints go, SSD or ramdisk, by rule or by the checkpoint location controller, and what
// that costs in time, wear and energy (models/resilience/checkpointed_program.h).
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind checkpoint_location_study;

}  // namespace asterism
