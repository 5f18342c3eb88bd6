// What local and global checkpoints cost a machine between a petaflops and an exaflops (models/resilience).
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind mpp_system_study;

}  // namespace asterism
