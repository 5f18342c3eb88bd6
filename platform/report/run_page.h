// The report of one run, or of two beside each other.
#pragma once

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
  // Why the record and the map of pages are left out; "" if they are not.
  std::string record_problem = {}, pages_problem = {};
};

// At most two.
std::string run_page(std::vector<RunOnPage> runs);

}  // namespace asterism
