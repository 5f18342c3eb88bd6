#include "platform/rtl_exchange/block_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/enum_names.h"
#include "platform/config/config.h"
#include "platform/config/nearest_name.h"
#include "platform/rtl/block_cache.h"
#include "platform/rtl/block_contract.h"
#include "platform/rtl/elaboration.h"
#include "platform/rtl/loaded_block.h"
#include "platform/rtl_exchange/port_roles.h"

namespace asterism {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_line = 110;

// JSON in which what fits in a line is one line.
std::string tidy(const Json& value, std::size_t indentation) {
  if (!value.is_structured()) return value.dump();
  const bool is_object = value.is_object();
  std::vector<std::string> parts;
  std::size_t size = indentation;
  for (const auto& [key, item] : value.items()) {
    parts.push_back((is_object ? Json(key).dump() + ": " : "") + tidy(item, indentation + 2));
    size += parts.back().size() + 2;
  }
  const bool has_lines = std::ranges::any_of(
      parts, [](const std::string& part) { return part.find('\n') != std::string::npos; });
  const char *open = is_object ? "{" : "[", *close = is_object ? "}" : "]";
  if (parts.empty()) return std::string(open) + close;
  if (!has_lines && size + 2 <= longest_line && indentation > 0)
    return fmt::format("{0}{3}{2}{3}{1}", open, close, fmt::join(parts, ", "), is_object ? " " : "");
  const std::string blanks(indentation, ' ');
  return fmt::format("{0}\n{3}  {2}\n{3}{1}", open, close, fmt::join(parts, ",\n  " + blanks), blanks);
}

// The value with all overrides, without what a null has removed.
Json json_of(const ConfigValue& value) {
  if (const PlainValue* scalar = value.scalar())
    return std::visit([](const auto& plain) { return Json(plain); }, *scalar);
  Json json;
  if (const ConfigValue::List* list = value.list()) {
    json = Json::array();
    for (const ConfigValue& item : *list) json.push_back(json_of(item));
  }
  if (const ConfigValue::Object* object = value.object()) {
    json = Json::object();
    for (const ConfigMember& member : *object)
      if (!member.value.is_null()) json[member.key] = json_of(member.value);
  }
  return json;
}

// The keys in the order in which block.json is read.
Json in_usual_order(const Json& block) {
  Json ordered;
  for (const char* key :
       {"name", "contract", "sources", "include", "defines", "properties", "assertions", "top", "parameters",
        "radix", "clock", "reset", "ports", "idle", "next_event", "device"})
    if (block.contains(key)) ordered[key] = block[key];
  return ordered;
}

class Import {
 public:
  explicit Import(const ImportRequest& request) : request_(request) {}

  ImportedBlock run() {
    described_ =
        request_.file.extension() == ".core" ? read_fusesoc_core(request_) : read_ipxact_component(request_);
    // "wb_slave.setup" is a name in IP-XACT, but not one of a block.
    if (Json& name = described_.block["name"]; name.is_string()) {
      std::string text = name;
      std::ranges::replace_if(
          text, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '-'; }, '_');
      name = text;
    }
    const TopModule top = elaborated();
    compare_ports(top);
    PortRoles roles(top, described_);
    claim_what_the_user_says(top, roles);
    for (const PortClaim& claim : described_.claims) roles.claim(claim);
    roles.infer_buses();
    roles.infer(contract(roles));
    for (const PortClaim& claim : described_.defaults) roles.claim(claim);
    if (!has("ports")) roles.write(described_.block, described_.said, problems_);
    throw_if_any();
    return finished(top, roles);
  }

 private:
  // Whether the description or the user gives a key.
  bool has(const std::string& key) const { return document().has(key); }

  ConfigDocument document() const {
    ConfigDocument document = ConfigDocument::parse(described_.block.dump(), request_.out.string());
    for (const std::string& override : request_.overrides) document.apply_override(override);
    return document;
  }

  void claim_what_the_user_says(const TopModule& top, PortRoles& roles) const {
    for (const PortClaim& claim : request_.ports) {
      const auto first = std::ranges::find(request_.ports, claim.port, &PortClaim::port);
      if (first->role != claim.role)
        refuse_option("--port",
                      fmt::format("{} has two roles, {} and {}", claim.port, first->role, claim.role));
      if (has("ports")) refuse_option("--port", "ports=... gives the roles of all ports");
      if (!top.find(claim.port))
        throw ConfigError(Diagnostic{.origin = claim.origin,
                                     .path = option_of(claim),
                                     .problem = fmt::format("module {} has no port {}", top.name, claim.port),
                                     .nearest = nearest_name(claim.port, top.port_names())});
      roles.claim(claim);
    }
  }

  // The option that gave a port of the text its role: "ports.4.value" comes from "--port scan=input:9".
  const PortClaim* claim_at(std::string path) const {
    std::ranges::replace(path, '.', '/');
    for (Json::json_pointer at("/" + path); !at.empty(); at = at.parent_pointer()) {
      if (!described_.block.contains(at)) continue;
      const Json& value = described_.block[at];
      const std::string port = value.is_string()   ? value.get<std::string>()
                               : value.is_object() ? value.value("signal", "")
                                                   : std::string();
      const auto found = std::ranges::find(request_.ports, port, &PortClaim::port);
      if (found != request_.ports.end()) return &*found;
    }
    return nullptr;
  }

  // Errors in the text that was made are errors at the place of the description from which it was made.
  Diagnostic at_its_place(Diagnostic problem) const {
    if (problem.origin.file != request_.out.string()) return problem;
    std::string path = problem.path;
    for (; !path.empty(); path.resize(path.rfind('.') == std::string::npos ? 0 : path.rfind('.')))
      if (const auto found = described_.said.find(path); found != described_.said.end()) {
        const PortClaim* claim = found->second.is_command_line() ? claim_at(problem.path) : nullptr;
        if (claim) problem.path = option_of(*claim);
        problem.origin = found->second;
        return problem;
      }
    problem.origin = described_.origin;
    return problem;
  }
  template <class Work>
  auto with_places(const Work& work) const {
    const auto moved = [&](const ConfigError& error) {
      Diagnostics problems;
      for (const Diagnostic& each : error.diagnostics().all()) problems.add(at_its_place(each));
      return problems;
    };
    try {
      return work();
    } catch (const InputMissing& error) {
      throw InputMissing(moved(error));
    } catch (const ConfigError& error) {
      throw ConfigError(moved(error));
    }
  }
  void throw_if_any() const {
    with_places([&] { problems_.throw_if_any(); });
  }

  void require(const char* key, const std::string& problem, const std::string& detail) {
    const ConfigDocument given = document();
    const ConfigValue* value = given.root().find(key);
    if (!value || (value->list() && value->list()->empty()))
      problems_.add({.origin = described_.said.contains(key) ? described_.said.at(key) : described_.origin,
                     .path = "",
                     .problem = problem,
                     .detail = detail});
  }

  LoadedBlock loaded(const Json& block, const std::vector<std::string>& overrides) {
    LoadedBlock loaded{.file = request_.out,
                       .overrides = overrides,
                       .document = ConfigDocument::parse(block.dump(), request_.out.string()),
                       .config = {},
                       .files = {}};
    for (const std::string& override : overrides) loaded.document.apply_override(override);
    with_places([&] {
      Diagnostics problems;
      loaded.config = read_config<BlockConfig>(loaded.document, nullptr, problems);
      problems.throw_if_any();
      find_files(loaded);
    });
    return loaded;
  }

  TopModule elaborated() {
    require("sources", "the description names no file in Verilog", "sources=FILE,... names them");
    require("top", "the description names no top module", "top=MODULE names it");
    throw_if_any();
    Json block = described_.block;
    // What depends on the contract or the ports, which may not be known yet.
    for (const char* key : {"device", "radix", "reset"}) block.erase(key);
    block["contract"] = "arbiter";
    block["ports"] = Json::array();
    // Only what Verilator needs; the other keys are not complete yet.
    std::vector<std::string> overrides;
    for (const std::string& override : request_.overrides) {
      const std::string key = override.substr(0, override.find_first_of(".="));
      for (const char* each :
           {"name", "sources", "include", "defines", "properties", "assertions", "top", "parameters"})
        if (key == each) overrides.push_back(override);
    }
    const LoadedBlock loaded = this->loaded(block, overrides);
    const BlockCache cache = BlockCache::standard();
    const PartialFolder work(cache);
    const BuildSignals signals;
    return with_places(
        [&] { return elaborated_top(loaded, Toolchain::find(request_.file), work.path(), signals); });
  }

  // The ports that a component lists are those of the RTL: a role by name would be a guess for the others.
  void refuse_unlisted_ports(const TopModule& top) {
    const auto place = described_.said.find("ports");
    if (place == described_.said.end() || has("ports")) return;
    std::vector<std::string> unlisted;
    for (const TopPort& port : top.ports)
      if (std::ranges::count(described_.ports, port.name, &DescribedPort::name) == 0 &&
          std::ranges::count(request_.ports, port.name, &PortClaim::port) == 0)
        unlisted.push_back(port.name);
    if (!unlisted.empty())
      problems_.add({.origin = place->second,
                     .path = "",
                     .problem = fmt::format("expected all ports of the module {}, but {} is not listed",
                                            top.name, fmt::join(unlisted, ", ")),
                     .detail = fmt::format("--port {}=ROLE gives one a role", unlisted.front())});
  }

  // The ports that a description lists, and those to which it gives roles, are those of the RTL.
  void compare_ports(const TopModule& top) {
    // The widths in the description are those with its own parameters.
    const bool has_other_parameters = std::ranges::any_of(
        request_.overrides, [](const std::string& override) { return override.starts_with("parameters"); });
    for (const DescribedPort& described : described_.ports) {
      const TopPort* port = top.find(described.name);
      const auto refuse = [&](const std::string& problem) {
        problems_.add({.origin = described.origin, .path = "", .problem = problem});
      };
      if (!port)
        refuse(fmt::format("module {} has no port {}", top.name, described.name));
      else if ((port->direction == TopPort::Direction::output) != described.is_output)
        refuse(
            fmt::format("{} is an {} of the module", port->name, described.is_output ? "input" : "output"));
      else if (described.width != port->width && !has_other_parameters)
        refuse(fmt::format("{} has {} bits, but {} in the module", port->name, described.width, port->width));
    }
    for (const PortClaim& claim : described_.claims)
      if (!top.find(claim.port) &&
          std::ranges::count(described_.ports, claim.port, &DescribedPort::name) == 0)
        problems_.add({.origin = claim.origin,
                       .path = "",
                       .problem = fmt::format("module {} has no port {}", top.name, claim.port),
                       .nearest = nearest_name(claim.port, top.port_names())});
    throw_if_any();
    refuse_unlisted_ports(top);
    throw_if_any();
  }

  BlockContract contract(const PortRoles& roles) {
    if (!has("contract") && roles.has_target()) described_.say("contract", "bus_device", described_.origin);
    std::string names;
    for (const auto& entry : enum_names(BlockContract{}))
      names += (names.empty() ? "" : ", ") + std::string(entry.name);
    if (!has("contract")) roles.check_foreign_buses(problems_);  // an AXI port says why it is no bus_device
    const std::string& incomplete = roles.incomplete_bus();
    require("contract", "nothing says what the block is",
            fmt::format("contract=NAME does, one of {}; a bus_device is recognised by its APB port{}", names,
                        incomplete.empty() ? "" : ", but " + incomplete));
    throw_if_any();
    const Json text = json_of(*document().root().find("contract"));
    for (const auto& entry : enum_names(BlockContract{}))
      if (text == entry.name) {
        described_.block["contract"] = text;
        return entry.value;
      }
    return BlockContract::bus_device;  // the reader of block.json reports it
  }

  ImportedBlock finished(const TopModule& top, const PortRoles& roles) {
    const LoadedBlock block = loaded(described_.block, request_.overrides);
    Diagnostics problems;
    bind_ports(block.config, block.document, top, problems);
    with_places([&] { problems.throw_if_any(); });
    Json json = json_of(block.document.root());
    if (json.contains("defines"))
      json["defines"] = block.config.defines;  // texts, also from the command line
    ImportedBlock imported{.text = tidy(in_usual_order(json), 0) + "\n",
                           .name = block.config.name,
                           .contract = contract_text(block.config),
                           .ports = {},
                           .ignored = described_.ignored};
    for (const TopPort& port : top.ports) {
      const auto claim = std::ranges::find(roles.claims(), port.name, &PortClaim::port);
      if (claim != roles.claims().end()) imported.ports.push_back(*claim);
    }
    return imported;
  }

  const ImportRequest& request_;
  DescribedBlock described_;
  Diagnostics problems_;
};

}  // namespace

ImportedBlock import_block(const ImportRequest& request) { return Import(request).run(); }

}  // namespace asterism
