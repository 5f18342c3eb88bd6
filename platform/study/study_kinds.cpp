#include <array>

#include "platform/study/buddy_overlap_study.h"
#include "platform/study/checkpoint_location_study.h"
#include "platform/study/checkpoint_media_study.h"
#include "platform/study/cluster_scale_study.h"
#include "platform/study/cluster_truth_study.h"
#include "platform/study/crash_study.h"
#include "platform/study/dimm_ssd_study.h"
#include "platform/study/ecc_study.h"
#include "platform/study/fabric_study.h"
#include "platform/study/failure_causes_study.h"
#include "platform/study/first_order_study.h"
#include "platform/study/functional_partitioning_study.h"
#include "platform/study/gpu_study.h"
#include "platform/study/gpu_system_study.h"
#include "platform/study/host_link_study.h"
#include "platform/study/interval_study.h"
#include "platform/study/local_global_study.h"
#include "platform/study/manycore_study.h"
#include "platform/study/markov_study.h"
#include "platform/study/memory_study.h"
#include "platform/study/mpp_system_study.h"
#include "platform/study/semi_blocking_study.h"
#include "platform/study/shared_ssd_study.h"
#include "platform/study/snapshot_truth_study.h"
#include "platform/study/study_kind.h"
#include "platform/study/swizzle_switch_study.h"
#include "platform/study/topology_study.h"

namespace asterism {

std::span<const StudyKind> study_kinds() {
  static const std::array kinds = {fabric_study,
                                   topology_study,
                                   swizzle_switch_study,
                                   manycore_study,
                                   memory_study,
                                   ecc_study,
                                   dimm_ssd_study,
                                   crash_study,
                                   gpu_study,
                                   gpu_system_study,
                                   host_link_study,
                                   snapshot_truth_study,
                                   cluster_truth_study,
                                   semi_blocking_study,
                                   buddy_overlap_study,
                                   cluster_scale_study,
                                   interval_study,
                                   first_order_study,
                                   markov_study,
                                   local_global_study,
                                   failure_causes_study,
                                   mpp_system_study,
                                   checkpoint_location_study,
                                   checkpoint_media_study,
                                   functional_partitioning_study,
                                   shared_ssd_study};
  return kinds;
}

}  // namespace asterism
