// The options of a run for all of its RTL.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/units.h"

namespace asterism {

struct RtlOptions {
  bool skip = true;  // cycles in which a block is idle are not stepped; results do not depend on it
  // Checks what a block says: whenever it says that it is idle, one cycle is stepped anyway, and a block that
  // reports a next event is observed until then. A wrong report is an RtlError.
  bool check_idle = false;
  std::filesystem::path traces = {};  // a folder; created when the first trace is written
  struct Trace {
    std::string instance;  // or the beginning of its path, up to a dot
    Picoseconds from, to;
  };
  std::vector<Trace> trace = {};  // on demand: <traces>/<instance>.fst
};

}  // namespace asterism
