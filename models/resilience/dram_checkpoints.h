// Failures of a machine whose newest checkpoint is in DRAM and whose older one is on the SSDs: after how many
// of them the one in DRAM can still be read, by the code of its pages and by the interval of scrubbing
// (abeyratne2017 sections 4.3.4 and 4.4: a checkpoint in DRAM with an uncorrectable error is discarded).
//
// The data of the program are in normal mode whatever the mode of the checkpoint. A fault that normal mode
// does not correct is therefore a failure of the machine if the program's data have it:
//
//   wide    a bank of a device, all of it, or a pin. Addresses are interleaved, so that data and checkpoint
//           have it alike: a checkpoint in normal mode is lost by the fault that makes it necessary
//   row     a row of a device, under data or under the checkpoint. Nothing reads a checkpoint before it is
//           needed; an uncorrectable row of one in normal mode is noticed when it is read, or by the patrol
//           scrubber, and then repaired (spare rows, another page)
//   small   bits, words and columns, which both modes correct. Stuck ones stay until the device is replaced.
//           Strong mode then fails if a wide fault follows in the same rank
//
// A checkpoint may be in DRAM of its own instead, behind a CXL link. What fails in the memory of the nodes
// does not concern it, and what fails in its own does not stop the program, so that it is noticed when the
// checkpoint is read or scrubbed: in normal mode wide faults as well as rows, in strong mode none, as a
// further fault in the same rank is neglected. All wide ones count as stuck, although a transient one is gone
// with the next checkpoint.
//
// Other failures come with the machine; a share of them ends the contents of memory.
//
// Faults of devices are independent and constant in rate. Neglected, as less than a hundredth of what is
// counted: pairs of small faults or rows, which seldom meet in a codeword, and transient faults of the
// checkpoint, which the next one overwrites.
#pragma once

#include <cstdint>
#include <optional>

#include "base/enum_names.h"
#include "resilience/seconds.h"

namespace asterism {

enum class CheckpointCode { normal, strong };
constexpr auto enum_names(CheckpointCode) {
  return std::to_array<EnumName<CheckpointCode>>(
      {{CheckpointCode::normal, "normal", "RS(36,32), as all memory: wide faults and rows are only detected"},
       {CheckpointCode::strong, "strong", "RS(18,16) and RS(19,16): each fault of one chip is corrected"}});
}

// Of one device.
struct DeviceFaults {
  Rate wide, row;               // which normal mode does not correct
  Rate stuck_row, stuck_small;  // which stay if they are not repaired
};

struct DramOfMachine {
  double devices = 1'080'000;
  unsigned devices_of_rank = 18;
  DeviceFaults faults;
  double checkpoint_share = 1.0 / 3;  // of the memory
  CheckpointCode code = CheckpointCode::strong;
  Seconds scrub;        // between two reads of a block; 0: never
  Seconds small_stays;  // a stuck fault that is corrected
  // Devices of the medium that hold the checkpoint, if it is not in the memory of the nodes; 0 of flash.
  std::optional<double> devices_of_medium = {};
  bool medium_keeps = false;  // its contents, when those of memory end
  Rate other;                 // failures but for those of memory
  double ends_memory = 0;     // the share of them
};

struct DramCheckpointFailures {
  Rate readable, lost;  // failures after which the checkpoint in DRAM can be read, and others

  Rate all() const { return readable + lost; }
};

// Throws std::invalid_argument for negative rates and times, shares outside of 0 to 1, or a rank without a
// device.
DramCheckpointFailures dram_checkpoint_failures(const DramOfMachine& machine);

}  // namespace asterism
