// Exit statuses of the `asterism` command. The statuses 0 to 63 are those of the firmware.
#pragma once

namespace asterism {

enum class ExitStatus : int {
  success = 0,
  differs = 1,               // of `compare` and `paper`
  largest_of_firmware = 63,  // a larger status is reported as this one; the summary shows it in full
  usage = 64,
  bad_input = 65,  // a configuration or input file has an error
  input_missing = 66,
  expectation = 67,  // an expectation of the scenario is not met, or node.checks has ended the run
  lockstep = 68,     // RTL and model differ
  time_limit = 69,
  internal = 70,      // also if output cannot be written, as on a full disk
  plugin = 71,        // a plug-in has thrown, crashed or not returned during a run
  interrupted = 130,  // by SIGINT or SIGTERM, or because the parent process has ended
};

}  // namespace asterism
