// What a fabric is made of, without a packet: routers, radix, clocks, area, link lengths, wires at the bisection.
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind topology_study;

}  // namespace asterism
