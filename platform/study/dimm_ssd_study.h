// How long a program takes whose memory a DIMM-SSD checkpoints (models/dimm_ssd/workload), by the method of checkpointing.
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind dimm_ssd_study;

}  // namespace asterism
