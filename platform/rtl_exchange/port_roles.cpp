#include "platform/rtl_exchange/port_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <regex>
#include <tuple>

#include "base/enum_names.h"
#include "platform/config/nearest_name.h"

namespace asterism {
namespace {

using Json = nlohmann::ordered_json;
using Way = TopPort::Direction;

constexpr const char* by_name = "its name";

// The keys of ports with several signals. Whether a signal of a bus is an input of a target.
struct BusSignal {
  const char* key;
  const char* name;  // of APB
  bool into_target;
  bool is_optional;
};
constexpr BusSignal bus_signals[] = {{"address", "paddr", true, false},     {"select", "psel", true, false},
                                     {"enable", "penable", true, false},    {"write", "pwrite", true, false},
                                     {"write_data", "pwdata", true, false}, {"strobe", "pstrb", true, true},
                                     {"read_data", "prdata", false, false}, {"ready", "pready", false, false},
                                     {"error", "pslverr", false, true}};
constexpr const char* flow_keys[] = {"valid",  "ready",      "data",      "last", "destination",
                                     "parity", "third",      "operation", "mode", "outcome",
                                     "chips",  "used_third", "syndromes"};
const std::set<std::string> table_keys = {"answer", "candidates", "chips",   "complete",  "data",   "flag",
                                          "lines",  "operation",  "outcome", "page",      "parity", "pending",
                                          "phase",  "reason",     "sectors", "syndromes", "zone"};

// A name in lower case, without what marks its direction: rst_ni becomes rst_n, i_paddr and paddr_i paddr.
std::string plain(const std::string& name) {
  std::string text;
  for (const char c : name) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (text.ends_with("_ni")) text.pop_back();
  for (const std::string_view end : {"_in", "_out", "_i", "_o"})
    if (text.ends_with(end) && text.size() > end.size()) {
      text.resize(text.size() - end.size());
      break;
    }
  for (const std::string_view begin : {"i_", "o_"})
    if (text.starts_with(begin)) text.erase(0, begin.size());
  return text;
}

bool is_part(const std::string& role, const char* of, std::string& key) {
  if (!role.starts_with(of)) return false;
  key = role.substr(std::string_view(of).size());
  return true;
}

std::vector<std::string> known_roles() {
  std::vector<std::string> roles{"clock",     "reset:low",  "reset:high", "power_on_reset",
                                 "idle",      "next_event", "request",    "grant",
                                 "interrupt", "state",      "input",      "output"};
  for (const char* side : {"bus.", "master."})
    for (const BusSignal& signal : bus_signals) roles.push_back(std::string(side) + signal.key);
  for (const char* side : {"in.", "out."}) {
    for (const char* key : flow_keys) roles.push_back(std::string(side) + key);
    for (const std::string& key : table_keys) roles.push_back(side + key);
  }
  return roles;
}

// "a, b, c"
std::string list_of(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

// The number at the end of "input:9"; nullopt if there is none.
std::optional<std::uint32_t> number_of(const std::string& role) {
  std::uint32_t number = 0;
  const char *begin = role.data() + role.find(':') + 1, *end = role.data() + role.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  return begin != end && error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// The port of block.json for a role of a single port.
Json single_port(const PortClaim& claim) {
  const std::size_t colon = claim.role.find(':');
  Json port;
  port["role"] = claim.role.substr(0, colon);
  port["signal"] = claim.port;
  if (colon == std::string::npos || port["role"] == "interrupt") return port;
  const std::string value = claim.role.substr(colon + 1);
  if (port["role"] == "input") {
    const std::optional<std::uint32_t> number = number_of(claim.role);
    if (number != 0U) port["value"] = number ? Json(*number) : Json(value);  // the reader reports a text
    return port;
  }
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t comma = std::min(value.find(',', at), value.size());
    port["states"].push_back(value.substr(at, comma - at));
    at = comma + 1;
  }
  return port;
}

// Interrupts with numbers at their places, the others between them in their order.
std::vector<const PortClaim*> in_order_of_numbers(const std::vector<const PortClaim*>& interrupts,
                                                  Diagnostics& problems) {
  std::vector<const PortClaim*> ordered(interrupts.size()), others;
  for (const PortClaim* claim : interrupts) {
    const std::optional<std::uint32_t> number = number_of(claim->role);
    if (claim->role == "interrupt")
      others.push_back(claim);
    else if (number && *number < ordered.size())
      ordered[*number] = claim;
    else
      problems.add({.origin = claim->origin,
                    .path = "",
                    .problem = fmt::format("{} is {}, but there are {} interrupts, from 0 on", claim->port,
                                           claim->role, interrupts.size())});
  }
  for (auto at = ordered.begin(); const PortClaim* claim : others)
    if ((at = std::ranges::find(at, ordered.end(), nullptr)) != ordered.end()) *at = claim;
  std::erase(ordered, nullptr);
  return ordered;
}

}  // namespace

PortClaim port_claim(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    refuse_option("--port", "expected PORT=ROLE, got \"" + text + "\"");
  PortClaim claim{.port = text.substr(0, equals),
                  .role = text.substr(equals + 1),
                  .origin = Origin::command_line(),
                  .reason = "--port"};
  const std::string role = claim.role.substr(0, claim.role.find(':'));
  const std::vector<std::string> roles = known_roles();
  const bool has_value = role.size() < claim.role.size();
  if (has_value ? role != "input" && role != "state" && role != "interrupt" &&
                      std::ranges::count(roles, claim.role) == 0
                : std::ranges::count(roles, role) == 0)
    throw ConfigError(
        Diagnostic{.origin = claim.origin,
                   .path = "--port",
                   .problem = fmt::format("{}: there is no role \"{}\"", claim.port, claim.role),
                   .nearest = nearest_name(claim.role, roles)});
  if (has_value && (role == "input" || role == "interrupt") && !number_of(claim.role))
    refuse_option(option_of(claim).c_str(),
                  fmt::format("expected {0}:NUMBER with a decimal number of at most 32 bits, got \"{1}\"",
                              role, claim.role.substr(role.size() + 1)));
  return claim;
}

const PortClaim* PortRoles::claim_of(const std::string& port) const {
  const auto found = std::ranges::find(claims_, port, &PortClaim::port);
  return found == claims_.end() ? nullptr : &*found;
}

void PortRoles::claim(const PortClaim& claim) {
  const auto found = std::ranges::find(claims_, claim.port, &PortClaim::port);
  if (found == claims_.end()) claims_.push_back(claim);
  // A reset whose level is said elsewhere.
  else if (found->role == "reset" && claim.role.starts_with("reset:"))
    found->role = claim.role;
  else if (found->reason.empty() && claim.reason.empty() && found->role != claim.role &&
           claim.role != "reset")
    contradictions_.add({.origin = claim.origin,
                         .path = "",
                         .problem = fmt::format("{} is {} here, but {} at {}", claim.port, claim.role,
                                                found->role, found->origin.text())});
}

bool PortRoles::has_target() const {
  return std::ranges::any_of(claims_, [](const PortClaim& claim) { return claim.role.starts_with("bus."); });
}

// Whether the description gives a port to a bus of another protocol.
bool PortRoles::is_foreign(const std::string& port) const {
  return std::ranges::any_of(described_.foreign, [&](const ForeignBus& bus) {
    return bus.ports.empty() || std::ranges::count(bus.ports, port) != 0;
  });
}

// Ports with the names of APB and a common beginning are a bus if none of the required ones is missing and
// all have the directions of one side.
void PortRoles::infer_buses() {
  std::map<std::string, std::map<std::string, const TopPort*>> groups;  // by beginning and name of APB
  static const std::regex apb(
      "(.*?)(paddr|psel|penable|pwrite|pwdata|pstrb|prdata|pready|pslverr|pprot)(x|0)?");
  for (const TopPort& port : top_.ports) {
    std::smatch match;
    const std::string name = plain(port.name);
    if (std::regex_match(name, match, apb) && (claim_of(port.name) || !is_foreign(port.name)))
      groups[match[1]].emplace(match[2], &port);
  }
  for (const auto& group : groups) {
    const auto select = group.second.find("psel"), enable = group.second.find("penable");
    const bool is_bus = select != group.second.end() && enable != group.second.end();
    std::vector<std::string> missing;
    for (const BusSignal& signal : bus_signals) {
      const auto found = group.second.find(signal.name);
      if (!is_bus || (found == group.second.end() && signal.is_optional)) continue;
      const bool into_it = (select->second->direction == Way::input) == signal.into_target;
      if (found == group.second.end() || !is_free(*found->second) ||
          (found->second->direction == Way::input) != into_it)
        missing.push_back(fmt::format("{} ({})", signal.key, signal.name));
    }
    if (is_bus && is_free(*select->second) && !missing.empty())
      incomplete_ = fmt::format("the one of {} has no {}", select->second->name, list_of(missing));
    for (const bool is_target : {true, false}) {
      const std::map<std::string, const TopPort*>& signals = group.second;
      const std::string side = is_target ? "bus." : "master.";
      std::set<std::string> ports;
      const bool is_whole = std::ranges::all_of(bus_signals, [&](const BusSignal& signal) {
        const auto found = signals.find(signal.name);
        if (found == signals.end()) return signal.is_optional;
        const TopPort& port = *found->second;
        ports.insert(port.name);
        const PortClaim* claim = claim_of(port.name);
        return (!claim || claim->role == side + signal.key) &&
               (port.direction == Way::input) == (signal.into_target == is_target);
      });
      const bool has_other = std::ranges::any_of(claims_, [&](const PortClaim& claim) {
        return claim.role.starts_with(side) && !ports.contains(claim.port);
      });
      if (!is_whole || has_other) continue;
      for (const BusSignal& signal : bus_signals)
        if (const auto found = signals.find(signal.name); found != signals.end())
          claim({found->second->name, side + signal.key, described_.origin, by_name});
      if (const auto protection = signals.find("pprot"); protection != signals.end())
        claim({protection->second->name, is_target ? "input:0" : "output", described_.origin, by_name});
    }
  }
}

// The only port whose name matches, if it has one bit.
void PortRoles::infer_single(const std::string& role, Way direction, const char* names) {
  if (std::ranges::any_of(claims_, [&](const PortClaim& c) { return c.role == role; })) return;
  const std::regex pattern(names);
  const TopPort* found = nullptr;
  for (const TopPort& port : top_.ports)
    if (is_free(port) && port.direction == direction && std::regex_match(plain(port.name), pattern)) {
      if (found) return;
      found = &port;
    }
  if (found) claim({found->name, role, described_.origin, by_name});
}

// The n of rst_n says the level. Without it there is a reset, but no level.
void PortRoles::infer_reset() {
  static const std::regex pattern("(.*_)?(p|a|s|h)?(rst|reset|arst|srst|areset|sreset)(_?(n|b|l))?");
  std::vector<PortClaim*> unknown;
  for (PortClaim& each : claims_)
    if (each.role == "reset") unknown.push_back(&each);
  const auto is_low = [&](const std::string& port) {
    std::smatch match;
    const std::string name = plain(port);
    return std::regex_match(name, match, pattern) && match[4].matched;
  };
  for (PortClaim* each : unknown)
    if (is_low(each->port)) each->role = "reset:low";
  if (std::ranges::any_of(claims_, [](const PortClaim& c) { return c.role.starts_with("reset"); })) return;
  const TopPort* found = nullptr;
  for (const TopPort& port : top_.ports)
    if (is_free(port) && port.direction == Way::input && port.width == 1 &&
        std::regex_match(plain(port.name), pattern)) {
      if (found) return;
      found = &port;
    }
  if (found) claim({found->name, is_low(found->name) ? "reset:low" : "reset", described_.origin, by_name});
}

void PortRoles::infer_interrupts() {
  static const std::regex pattern("(.*_)?(interrupt|intr|irq)[0-9]*");
  for (const TopPort& port : top_.ports)
    if (is_free(port) && port.direction == Way::output && std::regex_match(plain(port.name), pattern))
      claim({port.name, "interrupt", described_.origin, by_name});
}

void PortRoles::infer(BlockContract contract) {
  infer_single("clock", Way::input, "(.*_)?(p|a|h|s)?(clk|clock)");
  infer_reset();
  if (contract == BlockContract::bus_device) infer_interrupts();
  if (contract == BlockContract::arbiter) {
    infer_single("request", Way::input, "req|reqs|request|requests");
    infer_single("grant", Way::output, "gnt|grant|grants");
  }
  if (contract == BlockContract::stream_switch)
    for (const char* key : {"valid", "ready", "data", "last", "destination"})
      for (const bool in : {true, false}) {
        const std::string side = in ? "in" : "out";
        const bool is_input = in != (std::string_view(key) == "ready");
        infer_single(fmt::format("{}.{}", side, key), is_input ? Way::input : Way::output,
                     fmt::format("{}_{}", side, key).c_str());
      }
  const bool is_table = has_table(contract);
  if (contract != BlockContract::codec && !is_table) return;
  for (const bool in : {true, false}) {
    const auto signal = [&](const std::string& key) {
      infer_single((in ? "in." : "out.") + key, in ? Way::input : Way::output, key.c_str());
    };
    if (is_table) signal("valid");
    if (is_table)
      std::ranges::for_each(table_keys, signal);
    else
      std::ranges::for_each(flow_keys, signal);
  }
}

void PortRoles::write(Json& block, std::map<std::string, Origin>& said, Diagnostics& problems) const {
  check(problems);
  // The order of a block.json: what the contract is about first, then the other ports in the module's order.
  std::map<std::string, Json> wide;
  std::map<std::string, std::vector<const PortClaim*>> single;
  std::map<std::string, const PortClaim*> wide_claims;
  const auto contract = enum_from_text<BlockContract>(block.value("contract", ""));
  const bool is_table = contract && has_table(*contract);
  std::vector<const PortClaim*> ordered;
  for (const TopPort& port : top_.ports)
    if (const PortClaim* claim = claim_of(port.name)) ordered.push_back(claim);
  for (const PortClaim& claim : claims_)
    if (!top_.find(claim.port)) ordered.push_back(&claim);  // bind_ports() reports it
  for (const PortClaim* claim : ordered) {
    std::string key;
    const auto simple = [&](const char* name) {
      block[name] = claim->port;
      said[name] = claim->origin;
    };
    if (claim->role == "clock" || claim->role == "idle" || claim->role == "next_event")
      simple(claim->role.c_str());
    else if (claim->role.starts_with("reset")) {
      block["reset"]["port"] = claim->port;
      if (claim->role.starts_with("reset:")) block["reset"]["active"] = claim->role.substr(6);
      said["reset.port"] = claim->origin;
    } else if (claim->role == "power_on_reset") {
      block["reset"]["power_on"] = claim->port;
      said["reset.power_on"] = claim->origin;
    } else {
      for (const char* side : {"bus.", "master.", "in.", "out."})
        if (is_part(claim->role, side, key)) {
          (is_table && key != "valid" ? wide[side]["signals"][key] : wide[side][key]) = claim->port;
          wide_claims[side + std::string(is_table && key != "valid" ? "signals." : "") + key] = claim;
        }
      if (key.empty()) single[claim->role.substr(0, claim->role.find(':'))].push_back(claim);
    }
  }
  Json ports = Json::array();
  single["interrupt"] = in_order_of_numbers(single["interrupt"], problems);
  const auto add_single = [&](const char* role) {
    for (const PortClaim* claim : single[role]) {
      said[fmt::format("ports.{}", ports.size())] = claim->origin;
      ports.push_back(single_port(*claim));
    }
  };
  add_single("request");
  add_single("grant");
  const char* flow = is_table ? "table" : block.value("contract", "") == "codec" ? "block" : "stream";
  for (const auto& [side, role, key, value] : {std::tuple{"bus.", "bus", "side", "target"},
                                               {"master.", "bus", "side", "master"},
                                               {"in.", flow, "direction", "in"},
                                               {"out.", flow, "direction", "out"}}) {
    const auto found = wide.find(side);
    if (found == wide.end()) continue;
    Json port;
    port["role"] = role;
    port[key] = value;
    for (const auto& [name, signal] : found->second.items()) port[name] = signal;
    for (const auto& [name, claim] : wide_claims)
      if (name.starts_with(side))
        said[fmt::format("ports.{}.{}", ports.size(), name.substr(std::string(side).size()))] = claim->origin;
    said[fmt::format("ports.{}", ports.size())] = wide_claims.lower_bound(side)->second->origin;
    ports.push_back(std::move(port));
  }
  for (const char* role : {"interrupt", "state", "input", "output"}) add_single(role);
  block["ports"] = std::move(ports);
}

// A role that several ports have is an error for each port with several signals, not for each signal.
void PortRoles::check_that_roles_are_single(Diagnostics& problems) const {
  std::map<std::string, const PortClaim*> owners;  // by role
  std::map<std::string, std::pair<std::vector<std::string>, std::vector<std::string>>>
      doubles;  // by first word
  std::map<std::string, Origin> origins;
  for (const PortClaim& claim : claims_) {
    const std::string word = claim.role.substr(0, claim.role.find_first_of(":."));
    // Any number of ports may have these roles, but not the same interrupt.
    if (claim.role == "interrupt" || std::ranges::count(std::array{"state", "input", "output"}, word) != 0)
      continue;
    const auto [owner, is_new] = owners.emplace(word == "reset" ? word : claim.role, &claim);
    if (is_new) continue;
    const std::string what = word == "interrupt" ? claim.role : word;
    doubles[what].first.push_back(owner->second->port);
    doubles[what].second.push_back(claim.port);
    origins.emplace(what, claim.origin);
  }
  for (const auto& [word, ports] : doubles)
    problems.add({.origin = origins.at(word),
                  .path = "",
                  .problem = fmt::format("{} would be a second {} beside {}, and a block has one",
                                         list_of(ports.second), word, list_of(ports.first)),
                  .detail = fmt::format("--port {}=ROLE gives it another role", ports.second.front())});
}

// Where a signal is missing because an option gives its port another role, the option is to blame.
void PortRoles::check_that_buses_are_complete(Diagnostics& problems) const {
  for (const std::string side : {"bus.", "master."}) {
    const auto first =
        std::ranges::find_if(claims_, [&](const PortClaim& claim) { return claim.role.starts_with(side); });
    if (first == claims_.end()) continue;
    for (const BusSignal& signal : bus_signals) {
      if (signal.is_optional || std::ranges::count(claims_, side + signal.key, &PortClaim::role) != 0)
        continue;
      const bool is_reported = std::ranges::any_of(top_.ports, [&](const TopPort& port) {
        return is_free(port) && plain(port.name).ends_with(signal.name);  // as a port without a role
      });
      if (is_reported) continue;
      const auto other = std::ranges::find_if(claims_, [&](const PortClaim& claim) {
        return claim.origin.is_command_line() && plain(claim.port).ends_with(signal.name);
      });
      const PortClaim& blamed = other == claims_.end() ? *first : *other;
      problems.add(
          {.origin = blamed.origin,
           .path = blamed.origin.is_command_line() ? option_of(blamed) : "",
           .problem = fmt::format("the APB port of {} has no {} ({})", first->port, signal.key, signal.name),
           .detail = fmt::format("--port PORT={}{} gives a port this role", side, signal.key)});
    }
  }
}

std::set<std::string> PortRoles::check_foreign_buses(Diagnostics& problems) const {
  std::set<std::string> reported;
  for (const ForeignBus& bus : described_.foreign) {
    std::vector<std::string> open;
    for (const TopPort& port : top_.ports)
      if (is_free(port) && (bus.ports.empty() || std::ranges::count(bus.ports, port.name) != 0))
        open.push_back(port.name);
    reported.insert(open.begin(), open.end());
    if (!open.empty())
      problems.add({.origin = bus.origin,
                    .path = "",
                    .problem = fmt::format("a block has no ports of the protocol {}, which {} has",
                                           bus.protocol, bus.name),
                    .detail = fmt::format("--port ties or leaves open {}", list_of(open))});
  }
  return reported;
}

void PortRoles::check(Diagnostics& problems) const {
  problems.add(contradictions_);
  check_that_roles_are_single(problems);
  check_that_buses_are_complete(problems);
  const auto refuse = [&](const Origin& origin, std::string problem, std::string detail) {
    problems.add({.origin = origin, .path = "", .problem = std::move(problem), .detail = std::move(detail)});
  };
  for (const PortClaim& claim : claims_)
    if (claim.role == "reset")
      refuse(claim.origin, fmt::format("nothing says at which level {} resets the block", claim.port),
             fmt::format("--port {0}=reset:low or --port {0}=reset:high says it", claim.port));
  const std::set<std::string> reported = check_foreign_buses(problems);
  std::vector<std::string> inputs, outputs;
  for (const TopPort& port : top_.ports)
    if (is_free(port) && !reported.contains(port.name))
      (port.direction == Way::input ? inputs : outputs).push_back(port.name);
  if (!inputs.empty())
    refuse(described_.origin, fmt::format("nothing says what drives {}", list_of(inputs)),
           fmt::format("--port {0}=input:VALUE ties an input to a constant, --port {0}=ROLE gives it a role",
                       inputs.front()));
  if (!outputs.empty())
    refuse(described_.origin, fmt::format("nothing says what {} mean", list_of(outputs)),
           fmt::format("--port {0}=output leaves an output open, --port {0}=ROLE gives it a role",
                       outputs.front()));
}

}  // namespace asterism
