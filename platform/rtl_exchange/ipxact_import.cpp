// Reads sources, parameters, ports, bus interfaces and registers of an IP-XACT component.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>

#include "base/enum_names.h"
#include "platform/config/nearest_name.h"
#include "platform/rtl/block_config.h"
#include "platform/rtl_exchange/described_block.h"
#include "platform/rtl_exchange/ipxact_file.h"
#include "platform/rtl_exchange/ipxact_registers.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t most_bits = 1 << 20;  // of a port; Verilator has no wider ones

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The key of block.json for a signal of APB; "" for one that block.json does not have.
std::string key_of_apb(const std::string& logical) {
  static const std::map<std::string, std::string> keys = {
      {"PADDR", "address"},    {"PENABLE", "enable"}, {"PWRITE", "write"}, {"PWDATA", "write_data"},
      {"PRDATA", "read_data"}, {"PREADY", "ready"},   {"PSTRB", "strobe"}, {"PSLVERR", "error"}};
  std::string upper = logical;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  if (upper.starts_with("PSEL")) return "select";  // PSEL, PSELx, PSEL1
  const auto found = keys.find(upper);
  return found == keys.end() ? "" : found->second;
}

class IpxactImport {
 public:
  explicit IpxactImport(const ImportRequest& request) : request_(request), file_(request.file) {}

  DescribedBlock run() {
    const XmlElement* root = file_.root();
    described_.origin = file_.origin_of(root);
    described_.say("name", file_.text(root, "name"), file_.origin_of(file_.child(root, "name")));
    described_.block["sources"] = nlohmann::ordered_json::array();
    read_instantiation();
    read_ports();
    for (const XmlElement* bus : file_.children(file_.child(root, "busInterfaces"), "busInterface"))
      read_bus(bus);
    describe_registers(file_, memory_map_, described_);
    for (const char* key : {"sources", "top"}) described_.said.emplace(key, described_.origin);
    return std::move(described_);
  }

 private:
  const XmlElement* instantiation() const;
  bool is_verilog(const XmlElement* instantiation) const;
  std::vector<const XmlElement*> filesets_of(const XmlElement* instantiation) const;
  void read_instantiation();
  void read_fileset(const XmlElement* fileset);
  void read_parameters(const XmlElement* instantiation);
  void read_ports();
  std::string level_of_reset(const XmlElement* bus) const;
  std::string role_of_signal(const std::string& type, const XmlElement* bus) const;
  std::string referenced_map(const XmlElement* bus) const;
  void read_bus(const XmlElement* bus);
  void read_own_bus(const XmlElement* bus, const std::string& type, bool is_initiator);
  void find_radix(const std::string& port);

  struct Mapped {
    std::string logical, physical;
    const XmlElement* element;
  };
  std::vector<Mapped> port_maps(const XmlElement* bus) const;
  void refuse_part(const Mapped& mapped) const;
  std::int64_t bits_of(const XmlElement* range) const;
  std::int64_t width_of(const XmlElement* port) const;
  void claim(const Mapped& mapped, const std::string& role) {
    refuse_part(mapped);
    described_.claims.push_back({mapped.physical, role, file_.origin_of(mapped.element)});
  }

  const ImportRequest& request_;
  IpxactFile file_;
  DescribedBlock described_;
  std::map<std::string, const XmlElement*> ports_;  // by name
  std::string memory_map_;
};

std::vector<const XmlElement*> IpxactImport::filesets_of(const XmlElement* instantiation) const {
  std::vector<const XmlElement*> chosen;
  const auto all = file_.children(file_.child(file_.root(), "fileSets"), "fileSet");
  for (const XmlElement* ref : file_.children(instantiation, "fileSetRef")) {
    const std::string name = file_.text(ref, "localName");
    const auto found =
        std::ranges::find_if(all, [&](const XmlElement* set) { return file_.text(set, "name") == name; });
    if (found == all.end()) file_.refuse(ref, "fileSetRef", "there is no fileSet " + name);
    chosen.push_back(*found);
  }
  return chosen;
}

bool IpxactImport::is_verilog(const XmlElement* instantiation) const {
  if (in_lower_case(file_.text(instantiation, "language")).find("verilog") != std::string::npos) return true;
  for (const XmlElement* set : filesets_of(instantiation))
    for (const XmlElement* file : file_.children(set, "file"))
      if (in_lower_case(file_.text(file, "fileType")).find("verilogsource") != std::string::npos) return true;
  return false;
}

// That of the view which the user names, else the only one in Verilog; nullptr if there is none.
const XmlElement* IpxactImport::instantiation() const {
  const auto all =
      file_.children(file_.child(file_.root(), "model/instantiations"), "componentInstantiation");
  std::string wanted;
  if (!request_.target.empty()) {
    std::vector<std::string> names;
    for (const XmlElement* view : file_.children(file_.child(file_.root(), "model/views"), "view")) {
      names.push_back(file_.text(view, "name"));
      if (names.back() == request_.target) wanted = file_.text(view, "componentInstantiationRef");
    }
    if (wanted.empty())
      file_.refuse(file_.child(file_.root(), "model"), "views",
                   fmt::format("there is no view {} of an instantiation", request_.target),
                   nearest_name(request_.target, names));
  }
  std::vector<const XmlElement*> chosen;
  std::vector<std::string> names;
  for (const XmlElement* each : all)
    if (wanted.empty() ? is_verilog(each) : file_.text(each, "name") == wanted) {
      chosen.push_back(each);
      names.push_back(file_.text(each, "name"));
    }
  if (chosen.size() > 1)
    file_.refuse(chosen[1], "instantiations",
                 fmt::format("there are several instantiations in Verilog: {}", fmt::join(names, ", ")), "",
                 "--target names the view of one");
  return chosen.empty() ? nullptr : chosen.front();
}

void IpxactImport::read_instantiation() {
  const XmlElement* chosen = instantiation();
  if (!chosen) return;
  if (const XmlElement* module = file_.child(chosen, "moduleName"))
    described_.say("top", file_.text(module), file_.origin_of(module));
  for (const XmlElement* set : filesets_of(chosen)) read_fileset(set);
  for (const XmlElement* set : file_.children(file_.child(file_.root(), "fileSets"), "fileSet"))
    if (file_.text(set, "group") == "properties") read_fileset(set);
  read_parameters(chosen);
}

void IpxactImport::read_fileset(const XmlElement* fileset) {
  const char* key = file_.text(fileset, "group") == "properties" ? "properties" : "sources";
  for (const XmlElement* each : file_.children(fileset, "file")) {
    const std::string name = file_.text(each, "name"), type = in_lower_case(file_.text(each, "fileType"));
    const fs::path file = request_.file.parent_path() / name;
    if (type.starts_with("vhdl"))
      file_.refuse(each, "fileSets", name + " is VHDL, which Verilator does not read");
    if (type.find("verilogsource") == std::string::npos && file.extension() != ".vlt") {
      described_.ignored.push_back(fmt::format("{} ({})", name, type));
      continue;
    }
    const bool is_included = file_.is_true(each, "isIncludeFile");
    auto& list = described_.block[is_included ? "include" : key];
    const std::string folder = file_.text(each, "vendorExtensions/include");
    const fs::path included = folder.empty() ? file.parent_path() : request_.file.parent_path() / folder;
    const std::string path = path_from(request_.out, is_included ? included : file);
    if (std::ranges::find(list, nlohmann::ordered_json(path)) != list.end()) continue;
    described_.said[fmt::format("{}.{}", is_included ? "include" : key, list.size())] = file_.origin_of(each);
    list.push_back(path);
    for (const XmlElement* define : file_.children(each, "define")) {
      const std::string macro = file_.text(define, "name");
      described_.block["defines"][macro] = file_.text(define, "value");
      described_.said["defines." + macro] = file_.origin_of(define);
    }
  }
}

void IpxactImport::read_parameters(const XmlElement* instantiation) {
  for (const XmlElement* parameter :
       file_.children(file_.child(instantiation, "moduleParameters"), "moduleParameter")) {
    const std::string name = file_.text(parameter, "name"), path = "parameters." + name;
    const XmlElement* value = file_.child(parameter, "value");
    const std::string type =
        IpxactFile::attribute(parameter, "type") + IpxactFile::attribute(parameter, "dataType");
    if (!value || IpxactFile::attribute(parameter, "usageType") == "nontyped-local") continue;
    if (type.find("string") != std::string::npos || type.find("real") != std::string::npos)
      file_.refuse(parameter, path,
                   fmt::format("a block has parameters that are integers, not of the type {}", type));
    described_.block["parameters"][name] = file_.value(value);
    described_.said[path] = file_.origin_of(value);
  }
}

void IpxactImport::read_ports() {
  const XmlElement* listed = file_.child(file_.root(), "model/ports");
  described_.said["ports"] = file_.origin_of(listed ? listed : file_.root());
  for (const XmlElement* port : file_.children(file_.child(file_.root(), "model/ports"), "port")) {
    const std::string name = file_.text(port, "name");
    ports_[name] = port;
    const XmlElement* wire = file_.child(port, "wire");
    if (!wire) continue;
    DescribedPort described{
        .name = name, .is_output = file_.text(wire, "direction") == "out", .origin = file_.origin_of(port)};
    described.width = static_cast<unsigned>(width_of(port));
    described_.ports.push_back(described);

    const Mapped self{name, name, port};
    // What an input is where nothing drives it.
    if (const XmlElement* tied = file_.child(wire, "drivers/driver/defaultValue");
        tied && !described.is_output)
      described_.defaults.push_back(
          {name, fmt::format("input:{}", file_.value(tied)), file_.origin_of(tied), "its default value"});
    const XmlElement* qualifier = file_.child(wire, "qualifier");
    if (file_.is_true(qualifier, "isClock") && !described.is_output) claim(self, "clock");
    if (file_.is_true(qualifier, "isInterrupt") && described.is_output) {
      const std::string number = file_.text(port, "vendorExtensions/interrupt");
      claim(self, number.empty() ? "interrupt" : "interrupt:" + number);
    }
    if (file_.is_true(qualifier, "isReset") && !described.is_output) {
      const std::string level = IpxactFile::attribute(file_.child(qualifier, "isReset"), "level");
      claim(self, level.empty() ? "reset" : "reset:" + level);
    }
  }
}

std::vector<IpxactImport::Mapped> IpxactImport::port_maps(const XmlElement* bus) const {
  std::vector<Mapped> all;
  const XmlElement* maps = nullptr;  // an abstraction for transactions has none
  for (const XmlElement* each : file_.children(file_.child(bus, "abstractionTypes"), "abstractionType"))
    if (!maps) maps = file_.child(each, "portMaps");
  for (const XmlElement* map : file_.children(maps, "portMap")) {
    const XmlElement* physical = file_.child(map, "physicalPort");
    if (!physical) continue;  // tied off
    all.push_back({file_.text(map, "logicalPort/name"), file_.text(physical, "name"), map});
  }
  return all;
}

// The number of bits from `left` to `right`.
std::int64_t IpxactImport::bits_of(const XmlElement* range) const {
  const std::int64_t left = file_.value(range, "left", 0), right = file_.value(range, "right", 0);
  for (const std::int64_t bound : {left, right})
    if (bound < -most_bits || bound > most_bits)
      file_.refuse(range, "", fmt::format("expected a bit up to {}, got {}", most_bits, bound));
  return std::abs(left - right) + 1;
}

std::int64_t IpxactImport::width_of(const XmlElement* port) const {
  std::int64_t width = 1;
  for (const XmlElement* vector : file_.children(file_.child(port, "wire/vectors"), "vector"))
    width = std::min(width * bits_of(vector), most_bits);
  return width;
}

// A role is that of a whole port, which may be written as the part with all its bits.
void IpxactImport::refuse_part(const Mapped& mapped) const {
  const XmlElement* range = file_.child(mapped.element, "physicalPort/partSelect/range");
  const auto port = ports_.find(mapped.physical);
  if (!range || port == ports_.end()) return;
  if (bits_of(range) != width_of(port->second))
    file_.refuse(mapped.element, "portMaps",
                 fmt::format("{} is a part of the port {}, and a role is that of a whole port",
                             mapped.logical, mapped.physical));
}

// Vendors say the level of a reset by a parameter POLARITY of its bus interface.
std::string IpxactImport::level_of_reset(const XmlElement* bus) const {
  for (const XmlElement* parameter : file_.children(file_.child(bus, "parameters"), "parameter")) {
    if (in_lower_case(file_.text(parameter, "name")) != "polarity") continue;
    const std::string polarity = in_lower_case(file_.text(parameter, "value"));
    for (const char* level : {"low", "high"})
      if (polarity.find(level) != std::string::npos) return std::string(":") + level;
  }
  return "";
}

// The role of the ports of an interface for single signals, by the name of its type; "" for a bus. A clock
// that the block generates and an interrupt that it takes have none.
std::string IpxactImport::role_of_signal(const std::string& type, const XmlElement* bus) const {
  const auto is = [&](const char* word, std::initializer_list<std::string_view> abbreviations) {
    return type.find(word) != std::string::npos || std::ranges::count(abbreviations, type) != 0;
  };
  if (is("clock", {"clk"})) return "clock";
  if (is("reset", {"rst", "rst_n"})) return "reset" + level_of_reset(bus);
  return is("interrupt", {"irq", "intr", "int"}) ? "interrupt" : "";
}

// The memory map that the interface of a target names; "" if it names none.
std::string IpxactImport::referenced_map(const XmlElement* bus) const {
  const XmlElement* ref =
      file_.child(bus, file_.child(bus, "target") ? "target/memoryMapRef" : "slave/memoryMapRef");
  if (!ref) return "";
  std::string wanted = IpxactFile::attribute(ref, "memoryMapRef");
  std::vector<std::string> names;
  for (const XmlElement* map : file_.children(file_.child(file_.root(), "memoryMaps"), "memoryMap"))
    names.push_back(file_.text(map, "name"));
  if (std::ranges::count(names, wanted) == 0)
    file_.refuse(ref, "memoryMapRef",
                 fmt::format("there is no memory map \"{}\", expected one of memoryMaps", wanted),
                 nearest_name(wanted, names));
  return wanted;
}

void IpxactImport::read_bus(const XmlElement* bus) {
  const XmlElement* type = file_.child(bus, "busType");
  if (!type) file_.refuse(bus, "busType", "a bus interface has a bus type");
  const auto part = [&](const char* name) { return IpxactFile::attribute(type, name); };
  const std::string name = in_lower_case(part("name"));
  const bool is_target = file_.child(bus, "target") || file_.child(bus, "slave"),
             is_initiator = file_.child(bus, "initiator") || file_.child(bus, "master");
  if (part("vendor") == "asterism" && part("library") == "interface")
    return read_own_bus(bus, name, is_initiator);
  const std::vector<Mapped> maps = port_maps(bus);
  const std::string memory_map = referenced_map(bus);
  if (name.starts_with("apb") && (is_target || is_initiator)) {
    const std::string side = is_target ? "bus." : "master.";
    for (const Mapped& mapped : maps) {
      const std::string logical = in_lower_case(mapped.logical);
      if (logical == "pclk")
        claim(mapped, "clock");
      else if (logical == "presetn")
        claim(mapped, "reset:low");
      else if (const std::string key = key_of_apb(logical); !key.empty())
        claim(mapped, side + key);
      else if (logical == "pprot")
        claim(mapped, is_target ? "input:0" : "output");
    }
    if (!memory_map.empty()) memory_map_ = memory_map;
    return;
  }
  if (const std::string role = role_of_signal(name, bus); !role.empty()) {
    for (const Mapped& mapped : maps) {
      const auto port = ports_.find(mapped.physical);
      if (port == ports_.end() ||
          (file_.text(port->second, "wire/direction") == "out") == (role == "interrupt"))
        claim(mapped, role);
    }
    return;
  }
  ForeignBus foreign{
      .name = file_.text(bus, "name"),
      .protocol = fmt::format("{}:{}:{}:{}", part("vendor"), part("library"), part("name"), part("version")),
      .origin = file_.origin_of(bus),
      .ports = {}};
  for (const Mapped& mapped : maps) foreign.ports.push_back(mapped.physical);
  described_.foreign.push_back(std::move(foreign));
}

// Interfaces of Asterism's contracts, whose logical names are the roles of block.json. `simulation` is for
// what only a simulator needs: idle, next_event, state, power_on_reset, and outputs that it leaves open.
void IpxactImport::read_own_bus(const XmlElement* bus, const std::string& type, bool is_initiator) {
  const bool is_contract =
      std::ranges::any_of(enum_names(BlockContract{}), [&](const auto& each) { return each.name == type; });
  if (is_contract)
    described_.say("contract", type, file_.origin_of(bus));
  else if (type != "simulation")
    file_.refuse(bus, "busType", fmt::format("there is no interface {} of asterism:interface", type));
  for (const Mapped& mapped : port_maps(bus)) {
    std::string role = mapped.logical;
    if (is_contract && type != "arbiter") role.insert(0, is_initiator ? "out." : "in.");
    if (role.starts_with("state")) {
      std::string names = file_.text(ports_[mapped.physical], "vendorExtensions/states");
      std::ranges::replace(names, ' ', ',');
      role = names.empty() ? "state" : "state:" + names;
    }
    if (role.starts_with("open")) role = "output";
    claim(mapped, role);
    if (role == "request" || (type == "stream_switch" && role == "in.valid")) find_radix(mapped.physical);
  }
}

// The parameter that is the number of bits of a port: its left bound is "Radix - 1".
void IpxactImport::find_radix(const std::string& port) {
  const XmlElement* left = file_.child(ports_[port], "wire/vectors/vector/left");
  std::string bound = file_.text(left);
  std::erase(bound, ' ');
  if (!bound.ends_with("-1")) return;
  if (const std::string name = file_.parameter_name(bound.substr(0, bound.size() - 2)); !name.empty())
    described_.say("radix", name, file_.origin_of(left));
}

}  // namespace

DescribedBlock read_ipxact_component(const ImportRequest& request) { return IpxactImport(request).run(); }

}  // namespace asterism
