// Exit statuses of the `asterism` command; 0 to 63 are the firmware's own.
#pragma once

namespace asterism {

enum class ExitStatus : int {
  success = 0,
  largest_of_firmware = 63,  // a larger one shows as this, and in full in the summary
  usage = 64,
  bad_input = 65,  // configuration or input file
  input_missing = 66,
  expectation = 67,  // not met
  lockstep = 68,     // mismatch
  time_limit = 69,
  internal = 70,
  interrupted = 130,  // by SIGINT
};

}  // namespace asterism
