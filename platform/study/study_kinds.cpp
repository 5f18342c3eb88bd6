#include "platform/study/study_kinds.h"

#include <array>

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
