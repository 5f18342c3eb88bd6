// What PCIe gives a GPU's transfer to the host against its size (models/gpu/host_link.h).
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind host_link_study;

}  // namespace asterism
