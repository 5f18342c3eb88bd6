// What the memory's codes make of failures of one or two chips (models/ecc/fault_coverage.h): Table 4.4 of abeyratne2017,
// measured, counted exactly and published.
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind ecc_study;

}  // namespace asterism
