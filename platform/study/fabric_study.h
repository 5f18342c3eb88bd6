// The flit engine under a traffic: latency, accepted load, hops and power at a rate, or the rate at which it saturates.
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind fabric_study;

}  // namespace asterism
