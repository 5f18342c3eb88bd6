// The report of one run, or of two beside each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/report/run_folder.h"

namespace asterism {

struct RunOnPage {
  RunFolder folder;
  std::string name;
  // What only the description of the configuration knows: [{"path", "value", "otherwise"}] of the keys that
  // differ from their defaults, and the netlist of the node (netlist.js); null if it is not known.
  nlohmann::ordered_json changed = nlohmann::ordered_json::array(), graph = nullptr;
  std::optional<Picoseconds> record_end = {};  // of the last that is recorded, if there is a record
  std::string record_problem = {};             // why nothing of it is shown; "" if something is
};

// At most two.
std::string run_page(std::vector<RunOnPage> runs);

}  // namespace asterism
