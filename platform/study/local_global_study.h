// Hybrid local/global checkpoints by dong2011's equations, its symbols as keys (models/resilience).
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind local_global_study;

}  // namespace asterism
