// Multilevel checkpointing to first order: each level alone at its own interval, the product over all
// (models/resilience/first_order.h).
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind first_order_study;

}  // namespace asterism
