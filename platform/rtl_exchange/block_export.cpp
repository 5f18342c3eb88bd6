#include "platform/rtl_exchange/block_export.h"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "platform/rtl/block_cache.h"
#include "platform/rtl/block_contract.h"
#include "platform/rtl/elaboration.h"
#include "platform/rtl/loaded_block.h"
#include "platform/rtl_exchange/described_block.h"

namespace asterism {
namespace {

struct IncludedFile {
  std::string file, folder;  // folder: that of `include`; "" if it is the file's own
};
struct ExportedBlock {
  LoadedBlock block;
  std::vector<IncludedFile> included;  // the files in the folders of `include` that are headers
  std::vector<BoundPort> ports;
};

// A folder of `include` may have any files, also the sources themselves.
bool is_header(const std::filesystem::path& file, const BlockFiles& files, const TopModule& top) {
  const auto is_this = [path = std::filesystem::weakly_canonical(file)](const std::filesystem::path& other) {
    return std::filesystem::weakly_canonical(other) == path;
  };
  if (file.extension() == ".svh" || file.extension() == ".vh") return true;
  return std::ranges::any_of(top.files, is_this) && std::ranges::none_of(files.sources, is_this);
}

ExportedBlock exported_block(const ExportRequest& request, const std::filesystem::path& out) {
  ExportedBlock exported{.block = load_block({.file = request.block, .overrides = request.overrides}),
                         .included = {},
                         .ports = {}};
  LoadedBlock& block = exported.block;
  for (auto* files : {&block.config.sources, &block.config.properties, &block.config.include})
    for (std::string& file : *files) file = path_from(out, block.file.parent_path() / file);
  const BlockCache cache = BlockCache::standard();
  const PartialFolder work(cache);
  const BuildSignals signals;
  const TopModule top = elaborated_top(block, Toolchain::find(block.file), work.path(), signals);
  for (const std::filesystem::path& file : block.files.included) {
    if (!is_header(file, block.files, top)) continue;
    const auto folder = std::ranges::find_if(block.files.include, [&](const std::filesystem::path& each) {
      return *file.lexically_relative(each).begin() != "..";
    });
    const bool is_own = folder == block.files.include.end() || *folder == file.parent_path();
    exported.included.push_back({path_from(out, file), is_own ? "" : path_from(out, *folder)});
  }
  Diagnostics problems;
  exported.ports = bind_ports(block.config, block.document, top, problems);
  problems.throw_if_any();
  return exported;
}

// ---- FuseSoC ----

constexpr std::string_view keys_of_a_core[] = {"name", "sources", "include", "defines", "top", "parameters"};

// A text that YAML may take for something else is quoted.
std::string yaml_text(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '/' || c == '.' || c == '-';
  };
  const bool is_word = !text.empty() && text.front() != '-' && std::ranges::all_of(text, is_plain);
  return is_word ? text : nlohmann::json(text).dump();
}

std::string core_fileset(const char* name, const std::vector<std::string>& files,
                         const std::vector<IncludedFile>& included) {
  std::string text = fmt::format("  {}:\n    files:\n", name);
  for (const auto& [file, folder] : included)
    text += fmt::format("      - {}: {{is_include_file: true{}}}\n", yaml_text(file),
                        folder.empty() ? "" : ", include_path: " + yaml_text(folder));
  for (const std::string& file : files)
    text +=
        fmt::format("      - {}{}\n", yaml_text(file), file.ends_with(".vlt") ? ": {file_type: vlt}" : "");
  return text + "    file_type: systemVerilogSource\n";
}

// A .core file lists block.json as it is for what it has no key for, so these keys cannot be overridden.
void refuse_what_a_core_leaves_to_block_json(const ExportRequest& request) {
  for (const std::string& override : request.overrides) {
    const std::string key = override.substr(0, override.find_first_of(".="));
    if (std::ranges::count(keys_of_a_core, key) == 0)
      throw ConfigError(
          Diagnostic{.origin = Origin::command_line(),
                     .path = key,
                     .problem = "a .core file leaves this key to block.json, which has to say it"});
  }
}

std::string core_parameter(const std::string& name, const char* type, const char* kind,
                           const std::string& value) {
  return fmt::format("  {}:\n    datatype: {}\n    paramtype: {}\n    default: {}\n", name, type, kind,
                     value);
}

// ---- IP-XACT ----

// A role of block_contract.h as the interface that has it and its logical port there.
struct LogicalPort {
  std::string interface, logical;
  bool operator<(const LogicalPort& other) const {
    return std::tie(interface, logical) < std::tie(other.interface, other.logical);
  }
};
constexpr const char* apb_names[][2] = {
    {"address", "PADDR"},    {"select", "PSEL"},       {"enable", "PENABLE"},
    {"write", "PWRITE"},     {"write_data", "PWDATA"}, {"strobe", "PSTRB"},
    {"read_data", "PRDATA"}, {"ready", "PREADY"},      {"error", "PSLVERR"}};

std::optional<LogicalPort> logical_port(const std::string& role) {
  const std::size_t dot = role.find('.');
  const std::string group = role.substr(0, dot), key = dot == std::string::npos ? "" : role.substr(dot + 1);
  if (group == "bus" || group == "master")
    for (const auto& [of_block, of_apb] : apb_names)
      if (key == of_block) return LogicalPort{group, of_apb};
  if (group == "in" || group == "out") return LogicalPort{group, key};
  if (group == "request" || group == "grant") return LogicalPort{"in", group};
  if (group == "idle" || group == "next_event" || group == "power_on_reset")
    return LogicalPort{"simulation", group};
  if (group == "state") return LogicalPort{"simulation", "state" + key};
  return std::nullopt;
}

// Whether the interrupts have the numbers that an import gives them, those of the order of the ports.
bool interrupts_are_in_order(const std::vector<BoundPort>& ports) {
  unsigned count = 0;
  return std::ranges::all_of(ports, [&](const BoundPort& port) {
    return !port.role.starts_with("interrupt.") || port.role == fmt::format("interrupt.{}", count++);
  });
}

bool is_open(const BoundPort& port) {
  return port.role.empty() && port.port.direction == TopPort::Direction::output;
}
bool is_tied(const BoundPort& port) { return port.role.empty() && !port.is_clock && !is_open(port); }

class IpxactWriter {
 public:
  IpxactWriter(const ExportRequest& request, const ExportedBlock& exported)
      : request_(request),
        config_(exported.block.config),
        included_(exported.included),
        ports_(exported.ports),
        interrupts_are_in_order_(interrupts_are_in_order(exported.ports)) {}

  std::string run() {
    xml_.PushHeader(false, true);
    open("ipxact:component");
    xml_.PushAttribute("xmlns:ipxact", "http://www.accellera.org/XMLSchema/IPXACT/1685-2022");
    xml_.PushAttribute("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");
    xml_.PushAttribute("xsi:schemaLocation",
                       "http://www.accellera.org/XMLSchema/IPXACT/1685-2022 "
                       "http://www.accellera.org/XMLSchema/IPXACT/1685-2022/index.xsd");
    xml_.PushAttribute("xmlns:asterism", "asterism:interface");
    text("vendor", request_.vendor);
    text("library", request_.library);
    text("name", config_.name);
    text("version", request_.version);
    if (config_.device) text("description", config_.device->meaning);
    interfaces();
    if (config_.device && !config_.device->registers.empty()) registers(*config_.device);
    inside("model", [&] {
      views();
      inside("ports", [&] {
        for (const BoundPort& each : ports_) port(each);
      });
    });
    inside("fileSets", [&] { filesets(); });
    if (config_.device && !config_.device->compatible.empty())
      in_line("vendorExtensions", [&] {
        for (const std::string& name : config_.device->compatible) element("asterism:compatible", name);
      });
    close();
    return xml_.CStr();
  }

 private:
  // The printer keeps the pointers to names.
  void open(const std::string& name) { xml_.OpenElement(names_.insert(name).first->c_str(), is_line_); }
  void close() { xml_.CloseElement(is_line_); }
  void element(const std::string& name, const std::string& content) {
    open(name);
    xml_.PushText(content.c_str());
    xml_.CloseElement(true);
  }
  void text(const std::string& name, const std::string& content) { element("ipxact:" + name, content); }
  void inside(const std::string& name, const std::function<void()>& content) {
    open("ipxact:" + name);
    content();
    close();
  }
  // The same, in one line.
  void in_line(const std::string& name, const std::function<void()>& content) {
    open("ipxact:" + name);
    const bool was_line = std::exchange(is_line_, true);
    content();
    close();
    is_line_ = was_line;
  }
  void attribute(const char* name, const std::string& value) { xml_.PushAttribute(name, value.c_str()); }

  void interfaces();
  void interface(const std::string& group, const std::map<LogicalPort, std::string>& ports);
  void library_reference(const char* element, const std::string& group, bool is_abstraction);
  void registers(const BlockAsDevice& device);
  void one_register(const BlockRegister& reg);
  void field(const BlockRegister& reg, const BlockField& field);
  void views();
  void port(const BoundPort& bound);
  void filesets();
  std::string left_bound(const BoundPort& bound) const;

  const ExportRequest& request_;
  const BlockConfig& config_;
  const std::vector<IncludedFile>& included_;
  const std::vector<BoundPort>& ports_;
  tinyxml2::XMLPrinter xml_;
  std::set<std::string> names_;
  bool is_line_ = false;
  const bool interrupts_are_in_order_;  // of the ports: else their numbers have to be said
};

void IpxactWriter::library_reference(const char* element, const std::string& group, bool is_abstraction) {
  const bool is_apb = group == "bus" || group == "master";
  const std::string name = is_apb ? "APB4" : group == "simulation" ? group : contract_text(config_);
  open(fmt::format("ipxact:{}", element));
  attribute("vendor", is_apb ? "amba.com" : "asterism");
  attribute("library", is_apb ? "AMBA4" : "interface");
  attribute("name", name + (is_abstraction ? "_rtl" : ""));
  attribute("version", is_apb ? "r0p0_0" : "1.0");
  close();
}

void IpxactWriter::interfaces() {
  std::map<std::string, std::map<LogicalPort, std::string>> groups;
  unsigned open = 0;
  for (const BoundPort& bound : ports_)
    if (const auto logical = logical_port(bound.role))
      groups[logical->interface][*logical] = bound.port.name;
    else if (is_open(bound))
      groups["simulation"][{"simulation", fmt::format("open{}", open++)}] = bound.port.name;
  if (groups.contains("bus"))
    for (const BoundPort& bound : ports_) {
      if (bound.is_clock) groups["bus"][{"bus", "PCLK"}] = bound.port.name;
      if (bound.role == "reset" && config_.reset->active == ResetLevel::low)
        groups["bus"][{"bus", "PRESETn"}] = bound.port.name;
    }
  if (!groups.empty())
    inside("busInterfaces", [&] {
      for (const auto& [group, ports] : groups)
        inside("busInterface", [&, g = group, &p = ports] { interface(g, p); });
    });
}

void IpxactWriter::interface(const std::string& group, const std::map<LogicalPort, std::string>& ports) {
  text("name", group);
  library_reference("busType", group, false);
  inside("abstractionTypes", [&] {
    inside("abstractionType", [&] {
      library_reference("abstractionRef", group, true);
      inside("portMaps", [&] {
        for (const auto& [logical, physical] : ports)
          in_line("portMap", [&, &l = logical.logical, &p = physical] {
            inside("logicalPort", [&] { text("name", l); });
            inside("physicalPort", [&] { text("name", p); });
          });
      });
    });
  });
  const bool is_initiator = group == "master" || group == "out";
  inside(is_initiator ? "initiator" : "target", [&] {
    if (group != "bus" || !config_.device || config_.device->registers.empty()) return;
    open("ipxact:memoryMapRef");
    attribute("memoryMapRef", "registers");
    close();
  });
}

void IpxactWriter::registers(const BlockAsDevice& device) {
  inside("memoryMaps", [&] {
    inside("memoryMap", [&] {
      text("name", "registers");
      inside("addressBlock", [&] {
        text("name", "registers");
        text("baseAddress", "0");
        text("range", std::to_string(device.size.count()));
        text("width", "32");
        text("usage", "register");
        for (const BlockRegister& reg : device.registers) inside("register", [&] { one_register(reg); });
      });
      text("addressUnitBits", "8");
    });
  });
}

void IpxactWriter::one_register(const BlockRegister& reg) {
  text("name", reg.name);
  text("description", reg.meaning);
  text("addressOffset", fmt::format("'h{:x}", reg.offset.value));
  text("size", "32");
  const bool reads_only = reg.access == RegisterAccess::read_only,
             writes_only = reg.access == RegisterAccess::write_only;
  in_line("accessPolicies", [&] {
    inside("accessPolicy", [&] {
      text("access", reads_only ? "read-only" : writes_only ? "write-only" : "read-write");
    });
  });
  // A register without fields is one number: a field of the same name.
  if (reg.fields.empty()) field(reg, {.name = reg.name, .low = 0, .width = 32, .meaning = reg.meaning});
  for (const BlockField& each : reg.fields) field(reg, each);
}

void IpxactWriter::field(const BlockRegister& reg, const BlockField& field) {
  const std::uint32_t mask = field.width >= 32 ? ~0U : (1U << field.width) - 1;
  inside("field", [&] {
    text("name", field.name);
    text("description", field.meaning);
    text("bitOffset", std::to_string(field.low));
    text("bitWidth", std::to_string(field.width));
    if (reg.reset_value)
      in_line("resets", [&] {
        inside("reset",
               [&] { text("value", fmt::format("'h{:x}", reg.reset_value->value >> field.low & mask)); });
      });
    if (reg.access == RegisterAccess::write_one_to_clear || reg.access == RegisterAccess::write_one_to_set)
      in_line("fieldAccessPolicies", [&] {
        inside("fieldAccessPolicy", [&] {
          text("modifiedWriteValue",
               reg.access == RegisterAccess::write_one_to_clear ? "oneToClear" : "oneToSet");
        });
      });
    if (!field.values.empty())
      inside("enumeratedValues", [&] {
        for (const auto& [name, value] : field.values)
          in_line("enumeratedValue", [&, &n = name, v = value] {
            text("name", n);
            text("value", std::to_string(v));
          });
      });
  });
}

void IpxactWriter::views() {
  inside("views", [&] {
    inside("view", [&] {
      text("name", "rtl");
      text("componentInstantiationRef", "rtl");
    });
  });
  inside("instantiations", [&] {
    inside("componentInstantiation", [&] {
      text("name", "rtl");
      text("language", "SystemVerilog");
      text("moduleName", config_.top);
      if (!config_.parameters.empty())
        inside("moduleParameters", [&] {
          for (const auto& [name, value] : config_.parameters) {
            open("ipxact:moduleParameter");
            attribute("parameterId", name);
            attribute("type", "longint");
            text("name", name);
            text("value", std::to_string(value));
            close();
          }
        });
      in_line("fileSetRef", [&] { text("localName", "rtl"); });
    });
  });
}

// The number of a switch's ports stays a parameter, as `radix` says.
std::string IpxactWriter::left_bound(const BoundPort& bound) const {
  const bool is_radix = bound.role == "request" ||
                        (bound.role == "in.valid" && config_.contract == BlockContract::stream_switch);
  if (is_radix && config_.radix) return *config_.radix + " - 1";
  return std::to_string(bound.port.width - 1);
}

void IpxactWriter::port(const BoundPort& bound) {
  const auto described = std::ranges::find(config_.ports, bound.port.name, &BlockPort::signal);
  inside("port", [&] {
    text("name", bound.port.name);
    inside("wire", [&] {
      text("direction", bound.port.direction == TopPort::Direction::input ? "in" : "out");
      if (bound.is_clock || bound.role == "reset" || bound.role.starts_with("interrupt."))
        in_line("qualifier", [&] {
          if (bound.is_clock) text("isClock", "true");
          if (bound.role == "reset") {
            open("ipxact:isReset");
            attribute("level", config_.reset->active == ResetLevel::low ? "low" : "high");
            xml_.PushText("true");
            xml_.CloseElement(true);
          }
          if (bound.role.starts_with("interrupt.")) text("isInterrupt", "true");
        });
      if (bound.port.width > 1 || left_bound(bound) != "0")
        in_line("vectors", [&] {
          inside("vector", [&] {
            text("left", left_bound(bound));
            text("right", "0");
          });
        });
      if (is_tied(bound))
        in_line("drivers",
                [&] { inside("driver", [&] { text("defaultValue", std::to_string(bound.tied)); }); });
    });
    if (described != config_.ports.end() && !described->states.empty())
      inside("vendorExtensions",
             [&] { element("asterism:states", fmt::format("{}", fmt::join(described->states, " "))); });
    if (bound.role.starts_with("interrupt.") && !interrupts_are_in_order_)
      inside("vendorExtensions",
             [&] { element("asterism:interrupt", bound.role.substr(bound.role.find('.') + 1)); });
  });
}

void IpxactWriter::filesets() {
  const auto file = [&](const std::string& name, const IncludedFile* included, bool has_defines) {
    in_line("file", [&] {
      text("name", name);
      text("fileType", name.ends_with(".vlt") ? "user" : "systemVerilogSource");
      if (included) text("isIncludeFile", "true");
      if (included && !included->folder.empty())
        inside("vendorExtensions", [&] { element("asterism:include", included->folder); });
      if (!has_defines) return;
      for (const auto& [macro, value] : config_.defines)
        inside("define", [&, &m = macro, &v = value] {
          text("name", m);
          text("value", v);
        });
    });
  };
  inside("fileSet", [&] {
    text("name", "rtl");
    for (const IncludedFile& each : included_) file(each.file, &each, false);
    for (const std::string& name : config_.sources) file(name, nullptr, name == config_.sources.front());
  });
  if (config_.properties.empty()) return;
  inside("fileSet", [&] {
    text("name", "properties");
    text("group", "properties");
    for (const std::string& name : config_.properties) file(name, nullptr, false);
  });
}

}  // namespace

std::string fusesoc_core_of(const ExportRequest& request, const std::filesystem::path& out) {
  refuse_what_a_core_leaves_to_block_json(request);
  const ExportedBlock exported = exported_block(request, out);
  const BlockConfig& config = exported.block.config;
  const std::string name =
      fmt::format("{}:{}:{}:{}", request.vendor, request.library, config.name, request.version);
  std::string text = fmt::format("CAPI=2:\nname: {}\n", nlohmann::json(name).dump());
  if (config.device) text += fmt::format("description: {}\n", nlohmann::json(config.device->meaning).dump());
  text += "filesets:\n" + core_fileset("rtl", config.sources, exported.included);
  if (!config.properties.empty()) text += core_fileset("properties", config.properties, {});
  text += fmt::format("  block:\n    files:\n      - {}\n    file_type: user\n",
                      yaml_text(path_from(out, request.block)));
  if (!config.parameters.empty() || !config.defines.empty()) text += "parameters:\n";
  std::vector<std::string> parameters;
  for (const auto& [name, value] : config.parameters) {
    text += core_parameter(name, "int", "vlogparam", std::to_string(value));
    parameters.push_back(name);
  }
  for (const auto& [name, value] : config.defines) {
    if (value.empty())
      throw ConfigError(Diagnostic{.origin = exported.block.document.origin_of("defines." + name),
                                   .path = "defines." + name,
                                   .problem = "FuseSoC defines no macro without a text"});
    text += core_parameter(name, "str", "vlogdefine", nlohmann::json(value).dump());
    parameters.push_back(name);
  }
  text += fmt::format("targets:\n  default: &default\n    filesets: [rtl, block]\n    toplevel: {}\n",
                      config.top);
  if (!parameters.empty()) text += fmt::format("    parameters: [{}]\n", fmt::join(parameters, ", "));
  if (!config.properties.empty())
    text +=
        "  assertions:\n    <<: *default\n    description: With the assertions, which are bound to the "
        "module\n"
        "    filesets_append: [properties]\n";
  return text;
}

std::string ipxact_component_of(const ExportRequest& request, const std::filesystem::path& out) {
  const ExportedBlock exported = exported_block(request, out);
  return IpxactWriter(request, exported).run();
}

}  // namespace asterism
