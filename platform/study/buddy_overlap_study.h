// What semi-blocking buddy checkpoints cost a program, by its communication and the network's policy, on the simulated cluster
// (models/cluster/traffic_cluster.h): the overlap and overhead of ni2012, Table 4.1 and Figure 4.3.
#pragma once

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind buddy_overlap_study;

}  // namespace asterism
