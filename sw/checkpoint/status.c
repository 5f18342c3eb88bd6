#include "checkpoint/status.h"

const char* checkpoint_text(CheckpointStatus status) {
  switch (status) {
    case checkpoint_ok:
      return "ok";
    case checkpoint_no_device:
      return "no DIMM-SSD";
    case checkpoint_bad_argument:
      return "bad argument";
    case checkpoint_too_large:
      return "too many regions or pages";
    case checkpoint_not_found:
      return "no such checkpoint";
    case checkpoint_other_regions:
      return "made of other regions";
    case checkpoint_torn:
      return "contents are not what was written";
    case checkpoint_no_space:
      return "no space on the device";
    case checkpoint_unreadable:
      return "uncorrectable error of flash or PCRAM";
    case checkpoint_device_error:
      return "request refused by the device";
    case checkpoint_uncorrectable:
      return "uncorrectable memory error";
    case checkpoint_no_strong_memory:
      return "no memory under strong ECC";
    case checkpoint_not_asked:
      return "not asked";
    case checkpoint_pending:
      return "not durable yet";
    case checkpoint_busy:
      return "another checkpoint is not durable yet";
    case checkpoint_aborted:
      return "aborted";
    case checkpoint_worn_out:
      return "flash or PCRAM is worn out";
    case checkpoint_skipped:
      return "skipped";
    case checkpoint_no_pcram:
      return "no PCRAM";
    case checkpoint_not_stored:
      return "not stored by the auxiliary cores";
    case checkpoint_no_cxl:
      return "no CXL memory";  // of this kind, or not enough of it
  }
  return "unknown status";
}

CheckpointStatus status_of(DimmSsdError error) {
  switch (error) {
    case dimm_ssd_ok:
      return checkpoint_ok;
    case dimm_ssd_no_space:
      return checkpoint_no_space;
    case dimm_ssd_not_found:
      return checkpoint_not_found;
    case dimm_ssd_uncorrectable:
      return checkpoint_unreadable;
    case dimm_ssd_busy:
      return checkpoint_busy;
    case dimm_ssd_aborted:
      return checkpoint_aborted;
    case dimm_ssd_worn_out:
      return checkpoint_worn_out;
    case dimm_ssd_bad_descriptor:
    case dimm_ssd_bus_error:
      return checkpoint_device_error;
  }
  return checkpoint_device_error;
}

CheckpointStatus status_of_pcram(PcramError error) {
  switch (error) {
    case pcram_ok:
      return checkpoint_ok;
    case pcram_uncorrectable:
      return checkpoint_unreadable;
    case pcram_worn_out:
      return checkpoint_worn_out;
    case pcram_bad_argument:
    case pcram_bus_error:
    case pcram_busy:
      return checkpoint_device_error;
  }
  return checkpoint_device_error;
}
