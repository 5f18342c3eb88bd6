// What a Swizzle-Switch costs against its radix (models/swizzle_switch/switch_technology.h): nothing is simulated.
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind swizzle_switch_study;

}  // namespace asterism
