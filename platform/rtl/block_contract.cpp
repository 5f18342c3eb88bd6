#include "platform/rtl/block_contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <string_view>

#include "base/enum_names.h"
#include "platform/config/nearest_name.h"

namespace asterism {
namespace {

using Direction = TopPort::Direction;

constexpr unsigned max_requesters = 128;
constexpr unsigned max_interrupts = 32;
constexpr unsigned bus_data = 32;

std::string bits(unsigned count) { return count == 1 ? "1 bit" : fmt::format("{} bits", count); }
const char* article(Direction direction) { return direction == Direction::input ? "an input" : "an output"; }
Direction opposite(Direction direction) {
  return direction == Direction::input ? Direction::output : Direction::input;
}

bool belongs(PortRole role, BlockContract contract) {
  switch (role) {
    case PortRole::request:
    case PortRole::grant:
      return contract == BlockContract::arbiter;
    case PortRole::bus:
    case PortRole::interrupt:
      return contract == BlockContract::bus_device;
    case PortRole::stream:
      return contract == BlockContract::stream_switch;
    case PortRole::block:
      return contract == BlockContract::codec;
    case PortRole::table:
      return has_table(contract);
    case PortRole::state:
    case PortRole::input:
    case PortRole::output:
      return true;
  }
  return false;
}

std::string roles_of(BlockContract contract) {
  std::string names;
  for (const auto& entry : enum_names(PortRole{}))
    if (belongs(entry.value, contract)) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

// The signals of a port with the role "table", besides `valid`.
struct TableSignal {
  const char* key;
  unsigned width;
  const char* why;
};
constexpr TableSignal rank_codec_in[] = {{"operation", 1, "0 encodes, 1 decodes"},
                                         {"data", 512, "a block has 64 bytes"},
                                         {"parity", 128, "a byte for each of 16 beats"}};
constexpr TableSignal rank_codec_out[] = {{"data", 512, "a block has 64 bytes"},
                                          {"parity", 128, "a byte for each of 16 beats"},
                                          {"outcome", 2, "clean, corrected or uncorrectable"},
                                          {"chips", 10, "a rank has 10 chips"},
                                          {"syndromes", 128, "those of all codewords"}};
constexpr TableSignal matt_in[] = {{"operation", 3, "there are 8"},
                                   {"page", 32, "it is the number of a page"},
                                   {"lines", 64, "a page has so many"},
                                   {"flag", 1, "it is set or not"}};
constexpr TableSignal matt_out[] = {{"answer", 1, "it is yes or no"},
                                    {"page", 32, "it is the number of a page"},
                                    {"lines", 64, "a page has so many"},
                                    {"phase", 16, "phases have at most 16 bits"},
                                    {"reason", 2, "priority, pending or candidate"},
                                    {"pending", 32, "it is a number of pages"},
                                    {"candidates", 1, "there are some or none"}};
constexpr TableSignal zone_monitor_in[] = {{"operation", 3, "there are 7"},
                                           {"zone", 32, "it is the number of a zone"},
                                           {"flag", 1, "it is set or not"}};
constexpr TableSignal zone_monitor_out[] = {{"answer", 2, "it is proceed, first stall or stall"},
                                            {"sectors", 16, "it is a number of sectors"},
                                            {"complete", 1, "a snapshot is open or none"}};
std::span<const TableSignal> signals_of_table(BlockContract contract, StreamDirection direction) {
  const bool in = direction == StreamDirection::in;
  if (contract == BlockContract::rank_codec)
    return in ? std::span<const TableSignal>(rank_codec_in) : rank_codec_out;
  if (contract == BlockContract::zone_monitor)
    return in ? std::span<const TableSignal>(zone_monitor_in) : zone_monitor_out;
  return in ? std::span<const TableSignal>(matt_in) : matt_out;
}

class Binder {
 public:
  Binder(const BlockConfig& config, const ConfigDocument& document, const TopModule& top,
         Diagnostics& problems)
      : config_(config), document_(document), top_(top), problems_(problems) {
    for (const TopPort& port : top.ports) bound_.push_back({.port = port, .role = ""});
  }

  std::vector<BoundPort> run() {
    bind_clock_and_reset();
    for (std::size_t i = 0; i < config_.ports.size(); ++i) bind_port(i);
    if (config_.idle) narrow(bind("idle", *config_.idle, "idle", Direction::output), 1);
    if (config_.next_event)
      narrow(bind("next_event", *config_.next_event, "next_event", Direction::output), 64);
    if (config_.contract == BlockContract::arbiter) check_arbiter();
    if (config_.contract == BlockContract::bus_device) check_bus_device();
    if (config_.contract == BlockContract::stream_switch) check_stream_switch();
    if (config_.contract == BlockContract::codec) check_both_directions(PortRole::block);
    if (has_table(config_.contract)) check_both_directions(PortRole::table);
    for (const BoundPort& port : bound_) check_named(port.port);
    return std::move(bound_);
  }

 private:
  // A port that block.json names.
  struct Named {
    std::string path;  // of the key that names it
    const TopPort* port = nullptr;
    explicit operator bool() const { return port != nullptr; }
  };

  void refuse(const std::string& path, const std::string& problem, const std::string& nearest = "",
              const std::string& detail = "") {
    problems_.add({.origin = document_.origin_of(path),
                   .path = path,
                   .problem = problem,
                   .detail = detail,
                   .nearest = nearest});
  }

  Named bind(const std::string& path, const std::string& name, const std::string& role, Direction direction);
  void bind_clock_and_reset();
  void bind_port(std::size_t index);
  void bind_bus(std::size_t index);
  void bind_stream(std::size_t index);
  void bind_block(std::size_t index);
  void bind_table(std::size_t index);
  void bind_tied(const std::string& path, const BlockPort& port);
  void bind_state(const std::string& path, const BlockPort& port);

  void check_arbiter();
  void check_bus_device();
  void check_stream_switch();
  void check_both_directions(PortRole role);
  void check_radix(const Named& port);
  void check_named(const TopPort& port);

  void expect(const Named& port, unsigned width, const std::string& why) {
    if (port && port.port->width != width)
      refuse(port.path,
             fmt::format("{} has {}, expected {}: {}", port.port->name, bits(port.port->width), width, why));
  }
  // Refuses a port with more bits.
  void narrow(const Named& port, unsigned width) {
    if (port && port.port->width > width)
      refuse(port.path, fmt::format("{} has {}, expected {}{}", port.port->name, bits(port.port->width),
                                    width == 1 ? "" : "at most ", width));
  }
  // Requires a whole number of bits for each of `count`.
  void divisible(const Named& port, unsigned count, const Named& by) {
    if (port && by && port.port->width % count != 0)
      refuse(port.path, fmt::format("{} has {}, expected a whole number of bits for each of the {} of {}",
                                    port.port->name, bits(port.port->width), count, by.port->name));
  }
  std::string as_many_as(const Named& port) const { return "as many as " + port.port->name; }

  const Named& role(const std::string& name) { return roles_[name]; }
  std::string_view contract() const { return to_text(config_.contract); }
  std::string nearest_of(std::initializer_list<std::string_view> words) const;

  const BlockConfig& config_;
  const ConfigDocument& document_;
  const TopModule& top_;
  Diagnostics& problems_;
  std::vector<BoundPort> bound_;
  std::map<std::string, Named> roles_;        // by role
  std::map<std::string, std::string> named_;  // path by port
  unsigned interrupts_ = 0, states_ = 0;
};

Binder::Named Binder::bind(const std::string& path, const std::string& name, const std::string& role,
                           Direction direction) {
  const TopPort* port = top_.find(name);
  if (!port) {
    const std::string nearest = nearest_name(name, top_.port_names());
    refuse(path, fmt::format("module {} has no port {}", top_.name, name), nearest);
    if (!nearest.empty()) named_.emplace(nearest, path);  // so that it is not reported again
    return {path};
  }
  if (const auto [first, is_new] = named_.emplace(name, path); !is_new) {
    refuse(path, fmt::format("{} already has a role, at {}", name, first->second));
    return {path};
  }
  if (!role.empty()) {
    if (roles_.contains(role)) refuse(path, fmt::format("there is already a port for {}", role));
    roles_[role] = {path, port};
  }
  if (port->direction != direction) {
    refuse(path, fmt::format("{} is {}, expected {}", name, article(port->direction), article(direction)));
    return {path};
  }
  std::ranges::find(bound_, name, [](const BoundPort& bound) { return bound.port.name; })->role = role;
  if (!port->problem.empty()) return {path};  // check_named reports it
  return {path, port};
}

// The input of one bit whose name is nearest to one of these.
std::string Binder::nearest_of(std::initializer_list<std::string_view> words) const {
  for (const TopPort& port : top_.ports) {
    std::string name = port.name;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (port.direction == Direction::input && port.width == 1)
      for (const std::string_view word : words)
        if (name.find(word) != std::string::npos) return port.name;
  }
  return "";
}

void Binder::bind_clock_and_reset() {
  const auto needs = [&](const char* key, const std::string& nearest) {
    problems_.add({.origin = document_.root().origin,
                   .path = "",
                   .problem = fmt::format("contract {} needs \"{}\"", contract(), key),
                   .nearest = nearest});
    if (!nearest.empty()) named_.emplace(nearest, key);
  };
  if (!config_.clock) {
    needs("clock", nearest_of({"clk", "clock"}));
  } else if (const Named clock = bind("clock", *config_.clock, "", Direction::input)) {
    expect(clock, 1, "it is the clock");
    std::ranges::find(bound_, *config_.clock, [](const BoundPort& b) { return b.port.name; })->is_clock =
        true;
  }
  if (!config_.reset) return needs("reset", nearest_of({"rst", "reset"}));
  expect(bind("reset.port", config_.reset->port, "reset", Direction::input), 1, "it is the reset");
  if (config_.reset->power_on)
    expect(bind("reset.power_on", *config_.reset->power_on, "power_on_reset", Direction::input), 1,
           "it is a reset");
}

void Binder::bind_port(std::size_t index) {
  const BlockPort& port = config_.ports[index];
  const std::string path = fmt::format("ports.{}", index), signal = path + ".signal";
  if (!belongs(port.role, config_.contract)) {
    refuse(path + ".role", fmt::format("contract {} has no role \"{}\"", contract(), to_text(port.role)), "",
           "its roles are " + roles_of(config_.contract));
    if (!port.signal.empty()) named_.emplace(port.signal, signal);
    return;
  }
  switch (port.role) {
    case PortRole::request:
      bind(signal, port.signal, "request", Direction::input);
      break;
    case PortRole::grant:
      bind(signal, port.signal, "grant", Direction::output);
      break;
    case PortRole::bus:
      bind_bus(index);
      break;
    case PortRole::stream:
      bind_stream(index);
      break;
    case PortRole::block:
      bind_block(index);
      break;
    case PortRole::table:
      bind_table(index);
      break;
    case PortRole::interrupt:
      expect(bind(signal, port.signal, fmt::format("interrupt.{}", interrupts_++), Direction::output), 1,
             "it is an interrupt line");
      break;
    case PortRole::state:
      bind_state(signal, port);
      break;
    case PortRole::input:
      bind_tied(signal, port);
      break;
    case PortRole::output:
      bind(signal, port.signal, "", Direction::output);
      break;
  }
}

void Binder::bind_state(const std::string& path, const BlockPort& port) {
  const Named state = bind(path, port.signal, fmt::format("state.{}", states_++), Direction::output);
  narrow(state, 64);
  if (state && state.port->width < 32 && port.states.size() > std::size_t{1} << state.port->width)
    refuse(path, fmt::format("{} has {}, which is too few for {} states", port.signal,
                             bits(state.port->width), port.states.size()));
}

void Binder::bind_tied(const std::string& path, const BlockPort& port) {
  const Named input = bind(path, port.signal, "", Direction::input);
  if (!input) return;
  if (input.port->width < 32 && port.value >> input.port->width != 0)
    refuse(path, fmt::format("{} has {}, which is too few for the value {}", port.signal,
                             bits(input.port->width), port.value));
  std::ranges::find(bound_, port.signal, [](const BoundPort& b) { return b.port.name; })->tied = port.value;
}

void Binder::bind_bus(std::size_t index) {
  const BlockPort& port = config_.ports[index];
  const bool target = port.side == BusSide::target;
  const std::string path = fmt::format("ports.{}.", index), role = target ? "bus." : "master.";
  const Direction there = target ? Direction::input : Direction::output, back = opposite(there);
  const auto signal = [&](const char* key, const std::string& name, Direction direction) {
    return bind(path + key, name, role + key, direction);
  };
  narrow(signal("address", port.address, there), 64);
  for (const auto& [key, name] :
       {std::pair{"select", &port.select}, {"enable", &port.enable}, {"write", &port.write}})
    expect(signal(key, *name, there), 1, "it is a signal of a bus");
  const std::string width = fmt::format("a bus carries {} bits of data", bus_data);
  expect(signal("write_data", port.write_data, there), bus_data, width);
  if (port.strobe) expect(signal("strobe", *port.strobe, there), bus_data / 8, "one for each byte of data");
  expect(signal("read_data", port.read_data, back), bus_data, width);
  expect(signal("ready", port.ready, back), 1, "it is a signal of a bus");
  if (port.error) expect(signal("error", *port.error, back), 1, "it is a signal of a bus");
}

void Binder::bind_stream(std::size_t index) {
  const BlockPort& port = config_.ports[index];
  const bool in = port.direction == StreamDirection::in;
  const std::string path = fmt::format("ports.{}.", index), role = in ? "in." : "out.";
  const Direction there = in ? Direction::input : Direction::output;
  bind(path + "valid", port.valid, role + "valid", there);
  bind(path + "ready", port.ready, role + "ready", opposite(there));
  bind(path + "data", port.data, role + "data", there);
  bind(path + "last", port.last, role + "last", there);
  if (in) bind(path + "destination", port.destination, role + "destination", there);
}

void Binder::bind_block(std::size_t index) {
  const BlockPort& port = config_.ports[index];
  const bool in = port.direction == StreamDirection::in;
  const std::string path = fmt::format("ports.{}.", index), role = in ? "in." : "out.";
  const auto signal = [&](const char* key, const std::string& name, unsigned width, const char* why) {
    expect(bind(path + key, name, role + key, in ? Direction::input : Direction::output), width, why);
  };
  signal("valid", port.valid, 1, "there is a block or none");
  signal("data", port.data, 512, "a block has 64 bytes");
  signal("parity", port.parity, 64, "a byte for each of 8 beats");
  signal("third", port.third, 32, "a byte for each of 4 codewords");
  if (in) {
    signal("operation", port.operation, 1, "0 encodes, 1 decodes");
    signal("mode", port.mode, 1, "0 is normal, 1 is strong");
  } else {
    signal("outcome", port.outcome, 2, "clean, corrected or uncorrectable");
    signal("chips", port.chips, 19, "18 chips and the third parity");
    signal("used_third", port.used_third, 1, "it was used or not");
    signal("syndromes", port.syndromes, 128, "4 bytes for each of 4 codewords");
  }
}

void Binder::bind_table(std::size_t index) {
  const BlockPort& port = config_.ports[index];
  const bool in = port.direction == StreamDirection::in;
  const std::string path = fmt::format("ports.{}.", index), role = in ? "in." : "out.";
  const Direction there = in ? Direction::input : Direction::output;
  expect(bind(path + "valid", port.valid, role + "valid", there), 1, "there is one or none");
  const std::span<const TableSignal> expected = signals_of_table(config_.contract, port.direction);
  for (const TableSignal& signal : expected) {
    const auto named = port.signals.find(signal.key);
    if (named == port.signals.end())
      refuse(path + "signals", fmt::format("contract {} needs the signal \"{}\"", contract(), signal.key));
    else
      expect(bind(fmt::format("{}signals.{}", path, signal.key), named->second, role + signal.key, there),
             signal.width, signal.why);
  }
  for (const auto& [key, name] : port.signals)
    if (std::ranges::none_of(expected, [&, k = key](const TableSignal& signal) { return k == signal.key; }))
      refuse(fmt::format("{}signals.{}", path, key),
             fmt::format("contract {} has no such signal", contract()));
}

void Binder::check_radix(const Named& port) {
  if (config_.radix)
    expect(port, config_.parameters.at(*config_.radix), fmt::format("the parameter {}", *config_.radix));
}

void Binder::check_arbiter() {
  const Named request = role("request"), grant = role("grant");
  for (const char* needed : {"request", "grant"})
    if (role(needed).path.empty() &&
        std::ranges::none_of(config_.ports, [&](const BlockPort& p) { return to_text(p.role) == needed; }))
      refuse("ports", fmt::format("contract arbiter needs a port with role \"{}\"", needed));
  narrow(request, max_requesters);
  check_radix(request);
  if (request) expect(grant, request.port->width, as_many_as(request));
}

void Binder::check_bus_device() {
  const auto buses = [&](BusSide side) {
    return std::ranges::count_if(
        config_.ports, [&](const BlockPort& p) { return p.role == PortRole::bus && p.side == side; });
  };
  if (buses(BusSide::target) == 0)
    refuse("ports", "contract bus_device needs a port with role \"bus\" and side \"target\"");
  if (interrupts_ > max_interrupts)
    refuse("ports", fmt::format("{} interrupt lines, expected at most {}", interrupts_, max_interrupts));
}

void Binder::check_both_directions(PortRole role) {
  for (const StreamDirection direction : {StreamDirection::in, StreamDirection::out})
    if (std::ranges::none_of(config_.ports,
                             [&](const BlockPort& p) { return p.role == role && p.direction == direction; }))
      refuse("ports", fmt::format("contract {} needs a port with role \"{}\" and direction \"{}\"",
                                  contract(), to_text(role), to_text(direction)));
}

void Binder::check_stream_switch() {
  check_both_directions(PortRole::stream);
  const Named valid = role("in.valid");
  if (!valid) return;
  const unsigned radix = valid.port->width;
  if (radix < 2)
    return refuse(valid.path, fmt::format("{} has 1 bit, expected at least 2", valid.port->name));
  check_radix(valid);
  for (const char* same : {"in.ready", "in.last", "out.valid", "out.ready", "out.last"})
    expect(role(same), radix, as_many_as(valid));
  const Named data = role("in.data");
  divisible(data, radix, valid);
  if (data) expect(role("out.data"), data.port->width, as_many_as(data));
  const auto destination = static_cast<unsigned>(std::bit_width(radix - 1));
  expect(role("in.destination"), radix * destination,
         fmt::format("{} for each bit of {}", destination, valid.port->name));
}

// Checks the ports that block.json does not name.
void Binder::check_named(const TopPort& port) {
  if (const auto named = named_.find(port.name); named != named_.end()) {
    if (!port.problem.empty()) refuse(named->second, port.name + " " + port.problem);
  } else if (!port.problem.empty()) {
    refuse("ports", port.name + " " + port.problem);
  } else if (port.direction == Direction::input) {
    refuse("ports", fmt::format("nothing drives the input {}", port.name), "",
           "name it by its role, or with role \"input\" and the value that it is tied to");
  } else {
    refuse("ports", fmt::format("the output {} has no role", port.name), "",
           "name it with role \"output\" to leave it open");
  }
}

}  // namespace

std::vector<BoundPort> bind_ports(const BlockConfig& config, const ConfigDocument& document,
                                  const TopModule& top, Diagnostics& problems) {
  return Binder(config, document, top, problems).run();
}

}  // namespace asterism
