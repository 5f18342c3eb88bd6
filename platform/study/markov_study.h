// Multilevel checkpointing by the Markov model of Moody et al., and failures played through beside it
// (models/resilience).
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind markov_study;

}  // namespace asterism
