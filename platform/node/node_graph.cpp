#include "platform/node/node_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/quantity_text.h"

namespace asterism {
namespace {

constexpr const char* begin_of_graph = R"( {
  rankdir=LR; nodesep=0.2; ranksep=0.9; labelloc=b; fontname="Helvetica"; fontsize=12;
  node [shape=plain, fontname="Helvetica", fontsize=12];
  edge [arrowsize=0.7];
)";

// The lines that connect two boxes.
constexpr const char* interrupt_line = "style=dashed";
constexpr const char* own_access = "style=bold";  // of a device

// Text in a label, whose language is that of HTML. Control characters would make an invalid SVG.
std::string shown(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '"')
      escaped += "&quot;";
    else
      escaped += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return escaped;
}

// A name of a box or of a place in it.
std::string identifier(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

// A path of which only the end is shown if it is long: "[...]/mine/block.json".
std::string short_path(const std::string& path) {
  constexpr std::size_t most = 40;
  std::size_t from = 0;
  while (path.size() - from > most) {
    const std::size_t slash = path.find('/', from + 1);
    if (slash == std::string::npos) break;
    from = slash;
  }
  return from == 0 ? path : "[...]" + path.substr(from);
}

std::string range_text(AddressRange range) {
  return fmt::format("{} - {}", to_text(range.first), to_text(range.last()));
}

std::string row(const std::string& cell) { return "<tr><td align=\"left\">" + cell + "</td></tr>"; }
std::string row(std::string_view port, const char* side, const std::string& cell) {
  return fmt::format("<tr><td port=\"{}\" align=\"{}\">{}</td></tr>", port, side, cell);
}
std::string bold(std::string_view text) { return "<b>" + shown(text) + "</b>"; }

// Lines in one cell. Rows would be spread over the height of a box.
std::string lines_in_cell(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "<br align=\"left\"/>";
  return text;
}

// A block in whose place RTL is simulated, or beside which it runs; "" for a model.
std::string rtl_cell(const std::string& block, Impl impl, const std::string& variant) {
  if (impl == Impl::model) return "";
  std::string what = impl == Impl::rtl ? "RTL" : "RTL in lockstep";
  if (!block.empty()) what += ": " + block;
  return fmt::format("<td align=\"left\" border=\"2\" bgcolor=\"gray85\">{}</td>",
                     lines_in_cell({bold(what), shown(short_path(variant))}));
}

std::string box_of(const std::string& id, const std::string& rows) {
  return fmt::format(
      "  {} [label=<<table border=\"1\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"2\">{}</table>>];\n",
      identifier(id), rows);
}

// `columns` are rows of cells, side by side.
std::string box(const std::string& id, const std::vector<std::string>& columns) {
  std::string cells;
  for (const std::string& rows : columns)
    if (!rows.empty())
      cells += "<td><table border=\"0\" cellspacing=\"0\" cellpadding=\"2\">" + rows + "</table></td>";
  return box_of(id, "<tr>" + cells + "</tr>");
}

std::string edge(const std::string& from, const std::string& to, const std::string& attributes = "") {
  return fmt::format("  {} -> {}{};\n", from, to, attributes.empty() ? "" : " [" + attributes + "]");
}

std::string core_names(unsigned count) {
  return count == 1 ? "core0" : fmt::format("core0 to core{}", count - 1);
}

// What a fabric box and a box of cores are called. No device can have these names.
constexpr const char* cores_box = "cores";
constexpr const char* fabric_box = "fabric";

class Drawing {
 public:
  explicit Drawing(const DrawnNode& node) : node_(node) {
    for (const PlacedDevice& device : node.devices.all()) devices_.push_back(&device);
    std::ranges::stable_sort(devices_, {}, [](const PlacedDevice* device) {
      if (device->shape.interrupt_controller) return 0;
      return device->shape.is_memory ? 3 : accesses_a_memory(*device) ? 2 : 1;
    });
  }

  std::string text() const {
    const bool runs_firmware = node_.config.runs == NodeProgram::firmware;
    return "digraph " + identifier(node_.name) + begin_of_graph + legend() +
           (runs_firmware ? cores() : trace_cores()) + fabric() +
           (runs_firmware ? all_devices() : trace_memory()) + "}\n";
  }

 private:
  static bool accesses_a_memory(const PlacedDevice& device) {
    return std::ranges::any_of(device.shape.initiators,
                               [](const DeviceInitiator& each) { return !each.memory.empty(); });
  }

  std::string legend() const {
    return fmt::format(
        "  label=<<table border=\"0\" cellspacing=\"6\"><tr><td colspan=\"2\">{}</td></tr><tr>"
        "<td>thin line: accesses over the fabric; thick: those of a device; dashed: interrupts; "
        "without an arrow: a network</td>"
        "<td border=\"2\" bgcolor=\"gray85\">RTL</td></tr></table>>;\n",
        bold(node_.name));
  }

  // ---- cores ----

  std::string cores() const {
    const CoreConfig& c = node_.config.cores;
    std::string rows = row(bold(counted(c.count, "core"))) + row(core_names(c.count));
    if (c.auxiliary != 0) rows += row(fmt::format("{} auxiliary", c.auxiliary));
    rows += row(to_text(c.clock) + (c.timing ? ", " + *c.timing : fmt::format(", CPI {}", c.cpi)));
    if (c.caches.model != CacheModel::none) rows += rows_of(c.caches);
    return box(cores_box, {rows}) + edge(cores_box, fabric_box);
  }

  static std::string rows_of(const CachesConfig& c) {
    std::string rows = row(fmt::format("L1: {} each", to_text(c.l1d.size)));
    if (c.l2)
      rows += row(fmt::format("L2: {}{}", to_text(c.l2->size),
                              c.l2->cores == 0   ? ""
                              : c.l2->cores == 1 ? " each"
                                                 : fmt::format(" for {} cores", c.l2->cores)));
    if (c.llc) rows += row("last level: " + to_text(c.llc->size));
    return rows;
  }

  std::string trace_cores() const {
    const ManycoreConfig& chip = node_.config.chip;
    const std::size_t nodes = node_.fabric.topology->nodes.size();
    return box(cores_box, {row(bold(counted(nodes - chip.memory.count, "trace core"))) +
                           row("each with a bank of the L2") + row(to_text(chip.core.clock)) +
                           row("workload " + shown(node_.config.workload))}) +
           edge(cores_box, fabric_box);
  }

  std::string trace_memory() const {
    const MemoryControllerConfig& memory = node_.config.chip.memory;
    return box("memory", {row(bold(counted(memory.count, "memory controller"))) +
                          row(fmt::format("{} each", counted(memory.channels, "channel")))}) +
           edge(fabric_box, "memory");
  }

  // ---- the fabric ----

  std::string fabric() const {
    const FabricConfig& c = node_.config.fabric;
    const std::string topology(to_text(c.topology));
    std::vector<std::string> lines{bold("fabric"), topology};
    if (const Topology* const built = node_.fabric.topology.get()) {
      if (c.topology == TopologyKind::graph) lines.push_back(shown(c.graph));
      for (const std::string& line :
           {counted(built->routers.size(), "router"), counted(built->nodes.size(), "node"),
            fmt::format("{} bits", built->channel_bits), std::string(to_text(c.fidelity))})
        lines.push_back(line);
    } else {
      lines.push_back(to_text(c.latency));
    }
    const std::string of =
        c.arbiter.routers.empty() ? "" : fmt::format(" of {}", fmt::join(c.arbiter.routers, ", "));
    return grid(lines_in_cell(lines), "arbiters" + shown(of)) +
           fmt::format("  {} [ordering=out];\n", fabric_box);
  }

  // A row for each device, from which the line to it begins, beside the description.
  std::string grid(const std::string& description, const std::string& arbiters) const {
    const ArbiterConfig& arbiter = node_.config.fabric.arbiter;
    const std::size_t of_rtl = arbiter.impl == Impl::model ? 0 : 1;
    const std::size_t all = std::max(devices_.size(), of_rtl + 1);
    std::string rows;
    for (std::size_t i = 0; i < all; ++i) {
      std::string cells;
      if (i == 0)
        cells += fmt::format("<td align=\"left\" rowspan=\"{}\">{}</td>", all - of_rtl, description);
      if (i == all - of_rtl) cells += rtl_cell(arbiters, arbiter.impl, arbiter.variant);
      cells += i < devices_.size() ? fmt::format("<td port=\"{}\" align=\"right\" height=\"44\">{}</td>",
                                                 devices_[i]->instance(), fabric_nodes(*devices_[i]))
                                   : "<td></td>";
      rows += "<tr>" + cells + "</tr>";
    }
    return box_of(fabric_box, rows);
  }

  // The nodes of the fabric at which a device is placed: "nodes 3, 7"; "" on a crossbar, which has none.
  std::string fabric_nodes(const PlacedDevice& device) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < device.shape.targets.size(); ++i) names.push_back(device.range_name(i));
    if (&device == &node_.devices.memory())
      std::ranges::copy(memory_nodes(node_.config.memory.controller), std::back_inserter(names));
    names.push_back(device.instance());  // as a master
    std::vector<NodeId> nodes;
    for (const std::string& name : names)
      if (const auto place = node_.fabric.placement.find(name); place != node_.fabric.placement.end())
        if (std::ranges::count(nodes, place->second) == 0) nodes.push_back(place->second);
    constexpr std::size_t most = 3;
    if (nodes.size() > most) return fmt::format("{} nodes", nodes.size());
    return nodes.empty() ? ""
                         : fmt::format("node{} {}", nodes.size() == 1 ? "" : "s", fmt::join(nodes, ", "));
  }

  // ---- devices ----

  std::string all_devices() const {
    std::string boxes, lines;
    for (const PlacedDevice* device : devices_) {
      boxes += box(device->instance(), {description(*device), signals(*device)});
      lines += edge(fmt::format("{}:{}:e", fabric_box, identifier(device->instance())),
                    identifier(device->instance()) + ":w");
      lines += lines_of(*device);
    }
    return boxes + lines + networks();
  }

  static std::string description(const PlacedDevice& device) {
    std::string rows = row(bold(device.instance()) + " &nbsp;" + device.type);
    const std::vector<AddressRange>& ranges = device.place.ranges;
    for (std::size_t i = 0; i < ranges.size(); ++i)
      rows += row((ranges.size() == 1 ? "" : device.range_name(i) + " &nbsp;") + range_text(ranges[i]));
    for (const std::string& part : device.shape.parts) rows += row(shown(part));
    for (std::size_t i = 0; i < device.shape.initiators.size(); ++i)
      if (device.shape.initiators[i].memory.empty()) rows += row(master(i), "left", "master of the fabric");
    for (const RtlUse& use : device.rtl)
      if (const std::string rtl = rtl_cell(use.block, use.swap.impl, use.swap.variant); !rtl.empty())
        rows += "<tr>" + rtl + "</tr>";
    return rows;
  }

  // Where the lines to memories and to the interrupt controller begin.
  static std::string signals(const PlacedDevice& device) {
    std::string rows;
    for (std::size_t i = 0; i < device.place.interrupts.size(); ++i)
      if (const auto number = device.place.interrupts[i])
        rows += row(interrupt(i), "right", fmt::format("SPI {}", *number));
    for (std::size_t i = 0; i < device.shape.initiators.size(); ++i)
      if (const DeviceInitiator& each = device.shape.initiators[i]; !each.memory.empty())
        rows += row(master(i), "right", shown(each.key));
    return rows;
  }

  std::string lines_of(const PlacedDevice& device) const {
    std::string lines;
    const std::string own = identifier(device.instance());
    const PlacedDevice* const controller = node_.devices.interrupt_controller();
    // The boxes of a memory and of the controller are in one column.
    const char* const beside = device.shape.is_memory ? ", constraint=false" : "";
    for (std::size_t i = 0; i < device.place.interrupts.size(); ++i)
      if (device.place.interrupts[i] && controller)
        lines += edge(fmt::format("{}:{}:e", own, interrupt(i)), identifier(controller->instance()),
                      std::string(interrupt_line) + beside);
    for (std::size_t i = 0; i < device.shape.initiators.size(); ++i) {
      const std::string& memory = device.shape.initiators[i].memory;
      lines += memory.empty()
                   ? edge(fmt::format("{}:{}:e", fabric_box, own), fmt::format("{}:{}:w", own, master(i)),
                          std::string(own_access) + ", dir=back")
                   : edge(fmt::format("{}:{}:e", own, master(i)), identifier(memory), own_access);
    }
    return lines;
  }

  static std::string interrupt(std::size_t line) { return fmt::format("interrupt{}", line); }
  static std::string master(std::size_t number) { return fmt::format("master{}", number); }

  // ---- networks ----

  std::string networks() const {
    std::string text;
    std::map<std::string, std::vector<std::string>> nics;  // by network
    for (const PlacedDevice* device : devices_)
      if (device->shape.network && !device->shape.network->empty())
        nics[*device->shape.network].push_back(device->instance());
    for (const auto& [network, names] : nics) text += cloud("network " + network, names);
    if (!node_.outer_network.empty()) text += cloud(node_.outer_network, {node_.nic});
    return text;
  }

  static std::string cloud(const std::string& name, const std::vector<std::string>& nics) {
    std::string text = fmt::format("  {0} [shape=ellipse, label=<{1}>];\n", identifier(name), shown(name));
    for (const std::string& nic : nics) text += edge(identifier(nic) + ":e", identifier(name), "dir=none");
    return text;
  }

  const DrawnNode& node_;
  // From the top: the interrupt controller, the devices without and those with lines to memories, the
  // memories. Interrupts and accesses then cross little.
  std::vector<const PlacedDevice*> devices_;
};

}  // namespace

std::string node_graph(const DrawnNode& node) { return Drawing(node).text(); }

}  // namespace asterism
