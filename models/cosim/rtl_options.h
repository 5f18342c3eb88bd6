// What a run says about all its RTL.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/units.h"

namespace asterism {

struct RtlOptions {
  bool skip = true;  // cycles in which a block is idle are not stepped; without, the results are the same
  // Each time that a block says that it is idle one cycle is stepped all the same, and one that claims a next event is
  // watched until then: what lies is an RtlError.
  bool check_idle = false;
  std::filesystem::path traces = {};  // folder; made when the first trace is written
  struct Trace {
    std::string instance;  // or the beginning of its path, up to a dot
    Picoseconds from, to;
  };
  std::vector<Trace> trace = {};  // on demand: <traces>/<instance>.fst
};

}  // namespace asterism
