// DRAM alone (models/memory/dram_system.h): bandwidth, latency and energy under a pattern of accesses or a trace.
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind memory_study;

}  // namespace asterism
