// Why a machine fails, and how that changes when its transistors shrink: which share of failures a checkpoint
// in the failed node's own memory survives, and how much more frequent failures become. dong2011 section 4.3,
// Table IV and Eq. 8.
//
// Soft errors are a share of the hardware's failures. A reboot ends them, and also the failures of software,
// network, people and facilities, so that a local checkpoint survives. Hard errors and failures of unknown
// cause need a global checkpoint. Only soft errors scale.
#pragma once

#include <cstdint>

#include "resilience/seconds.h"

namespace asterism {

struct FailureCauses {  // counted; LANL, 1996-2005
  std::uint64_t hardware = 14341, software = 5361, network = 421, human = 149, facilities = 362,
                undetermined = 3105;
  double soft_share = 0.64;  // of the hardware's: Michalak et al. 2005, on ASCI Q

  std::uint64_t total() const { return hardware + software + network + human + facilities + undetermined; }
};

struct FailureSplit {
  double locally_recoverable = 0;  // q_L
  double failures = 0;             // over those at a soft error rate of 1
};

// The split at `soft_error_factor` times the soft errors. Throws std::invalid_argument unless there is a
// failure, the share is from 0 to 1 and the factor is 0 or more.
FailureSplit failure_split(const FailureCauses& causes, double soft_error_factor);

}  // namespace asterism
