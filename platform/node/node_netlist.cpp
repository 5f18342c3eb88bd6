#include "platform/node/node_netlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/quantity_text.h"

namespace asterism {
namespace {

using Json = nlohmann::ordered_json;

class Netlist {
 public:
  explicit Netlist(const PreparedNode& node) : node_(node) {}

  Json json() {
    const bool runs_firmware = node_.config.runs == NodeProgram::firmware;
    add_cores(runs_firmware);
    const FabricConfig& fabric = node_.config.fabric;
    add("fabric", "fabric", std::string(to_text(fabric.topology)), 1,
        fabric.arbiter.impl == Impl::model ? "block" : "rtl");
    connect("cores", "fabric", "access");
    if (runs_firmware)
      for (const PlacedDevice& device : node_.devices.all()) add_device(device);
    else
      add("memory", "memory", fmt::format("{} controllers", node_.config.chip.memory.count), 2, "block"),
          connect("fabric", "memory", "access");
    return {{"nodes", nodes_}, {"edges", edges_}};
  }

 private:
  void add(const std::string& id, const std::string& label, const std::string& detail, int column,
           const char* kind) {
    nodes_.push_back({{"id", id}, {"label", label}, {"detail", detail}, {"column", column}, {"kind", kind}});
  }
  void connect(const std::string& from, const std::string& to, const char* kind,
               const std::string& label = "") {
    edges_.push_back({{"from", from}, {"to", to}, {"kind", kind}, {"label", label}});
  }

  void add_cores(bool runs_firmware) {
    const CoreConfig& cores = node_.config.cores;
    if (runs_firmware)
      add("cores", fmt::format("{} core{}", cores.count, cores.count == 1 ? "" : "s"), to_text(cores.clock),
          0, "block");
    else
      add("cores", "trace cores", node_.config.workload, 0, "block");
  }

  void add_device(const PlacedDevice& device) {
    const bool is_last = device.shape.is_memory || device.shape.interrupt_controller;
    const bool is_rtl = device.type == "rtl" || std::ranges::any_of(device.rtl, [](const RtlUse& use) {
                          return use.swap.impl != Impl::model;
                        });
    const std::string& name = device.instance();
    std::string detail = device.type;
    if (!device.place.ranges.empty()) detail += " " + to_text(device.place.ranges.front().first);
    add(name, name, detail, is_last ? 3 : 2, is_rtl ? "rtl" : "device");
    if (!device.place.ranges.empty()) connect("fabric", name, "access");
    for (const DeviceInitiator& each : device.shape.initiators)
      connect(name, each.memory.empty() ? "fabric" : each.memory, "master", name + ": " + each.key);
    const PlacedDevice* const controller = node_.devices.interrupt_controller();
    for (const auto& interrupt : device.place.interrupts)
      if (interrupt && controller)
        connect(name, controller->instance(), "interrupt", fmt::format("{}: SPI {}", name, *interrupt));
    if (device.shape.network && !device.shape.network->empty()) add_network(name, *device.shape.network);
  }

  void add_network(const std::string& nic, const std::string& network) {
    const std::string id = "network " + network;
    if (std::ranges::none_of(nodes_, [&](const Json& node) { return node["id"] == id; }))
      add(id, id, "", 3, "network");
    connect(nic, id, "network");
  }

  const PreparedNode& node_;
  Json nodes_ = Json::array(), edges_ = Json::array();
};

}  // namespace

Json node_netlist(const PreparedNode& node) { return Netlist(node).json(); }

}  // namespace asterism
