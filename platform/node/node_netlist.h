// The netlist of a node as data, for pictures that are drawn elsewhere: boxes in columns, and lines between
// them. node_graph.h draws the same with more detail.
#pragma once

#include <nlohmann/json.hpp>

#include "platform/node/prepared_node.h"

namespace asterism {

// {"nodes": [{"id": "uart0", "label": "uart0", "detail": "pl011 0x0900_0000", "column": 2,
//             "kind": "device"}],
//  "edges": [{"from": "fabric", "to": "uart0", "kind": "access", "label": ""}]}
// From the left: cores, the fabric, the devices, and what these access or signal themselves. The kind of a
// box that RTL replaces or shadows is "rtl"; that of a line is "access", "master", "interrupt" or "network".
nlohmann::ordered_json node_netlist(const PreparedNode& node);

}  // namespace asterism
