// The requests of a live session (docs/live.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>
#include <systemc>

#include "platform/config/diagnostics.h"
#include "platform/config/nearest_name.h"
#include "platform/debug/core_access.h"
#include "platform/debug/event_kinds.h"
#include "platform/debug/gdb_session.h"
#include "platform/host/human_time.h"
#include "platform/live/live_session.h"
#include "platform/system/fault_injection.h"
#include "tlm/time.h"

namespace asterism {

using Code = LiveError::Code;

namespace {

constexpr unsigned protocol_version = 1;
constexpr std::uint64_t most_bytes = 4 << 20;  // of memory, or of output
constexpr std::uint64_t most_events = 10'000;  // in one answer

const std::vector<std::string>& general_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (unsigned i = 0; i < DebugTarget::sp_number; ++i) all.push_back(fmt::format("x{}", i));
    all.insert(all.end(), {"sp", "pc", "pstate"});
    return all;
  }();
  return names;
}

const std::vector<std::string>& vector_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (unsigned i = 0; i < DebugPort::vectors; ++i) all.push_back(fmt::format("v{}", i));
    all.insert(all.end(), {"fpsr", "fpcr"});
    return all;
  }();
  return names;
}

std::optional<unsigned> position(std::span<const std::string> names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<unsigned>(found - names.begin()));
}

std::string vector_text(DebugPort::Vector value) {
  return fmt::format("0x{:016x}{:016x}", value.high, value.low);
}

// Throws std::invalid_argument if the core has no such register.
std::string register_text(CoreModule& core, const std::string& name) {
  DebugPort& port = core.iss().debug_port();
  if (const auto general = position(general_names(), name))
    return hex(core.iss().read(general_register(*general)));
  if (const auto vector = position(vector_names(), name)) {
    if (*vector < DebugPort::vectors) return vector_text(port.read_vector(*vector));
    return hex(name == "fpsr" ? port.fpsr() : port.fpcr());
  }
  if (const auto system = position(port.system_registers(), name)) return hex(port.read_system(*system));
  std::vector<std::string> names(port.system_registers().begin(), port.system_registers().end());
  names.insert(names.end(), general_names().begin(), general_names().end());
  names.insert(names.end(), vector_names().begin(), vector_names().end());
  const std::string nearest = nearest_name(name, names);
  throw std::invalid_argument(
      fmt::format("there is no register \"{}\"{}", name,
                  nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
}

// Returns false if the register cannot be written now, or not at all.
bool write_named(CoreModule& core, const std::string& name, DebugPort::Vector value) {
  DebugPort& port = core.iss().debug_port();
  if (const auto general = position(general_names(), name)) return write_general(core, *general, value.low);
  if (!port.is_between_instructions()) return false;
  if (const auto system = position(port.system_registers(), name))
    return port.write_system(*system, value.low);
  if (name == "fpsr")
    port.set_fpsr(static_cast<std::uint32_t>(value.low));
  else if (name == "fpcr")
    port.set_fpcr(static_cast<std::uint32_t>(value.low));
  else
    port.write_vector(*position(vector_names(), name), value);
  return true;
}

// 128 bits, as vector_text() writes them.
std::optional<DebugPort::Vector> vector_in(const std::string& text) {
  if (!text.starts_with("0x") || text.size() != 34) return std::nullopt;
  DebugPort::Vector value;
  const char* const digits = text.data() + 2;
  const auto high = std::from_chars(digits, digits + 16, value.high, 16);
  const auto low = std::from_chars(digits + 16, digits + 32, value.low, 16);
  return high.ptr == digits + 16 && low.ptr == digits + 32 ? std::optional(value) : std::nullopt;
}

std::string_view name_of_access(Access access) {
  switch (access) {
    case Access::read_write:
      return "read_write";
    case Access::read_only:
      return "read_only";
    case Access::write_only:
      return "write_only";
    case Access::write_one_to_clear:
      return "write_one_to_clear";
    case Access::write_one_to_set:
      return "write_one_to_set";
  }
  return "";
}

LiveJson described(const Register& reg) {
  LiveJson fields = LiveJson::array();
  for (const Field& each : reg.fields())
    fields.push_back(
        {{"name", each.name}, {"low", each.low}, {"width", each.width}, {"meaning", each.meaning}});
  LiveJson all = {{"name", reg.name()},
                  {"offset", hex(reg.offset())},
                  {"access", name_of_access(reg.access())},
                  {"meaning", reg.meaning()},
                  {"fields", std::move(fields)}};
  if (reg.count() > 1) all["count"] = reg.count();
  return all;
}

// A register of a device, or an element of an array of them.
struct FoundRegister {
  const Register* reg;
  unsigned index;
  Address address;
};

std::optional<FoundRegister> find_register(const PlacedDevice& device, const std::string& range,
                                           const std::string& name, unsigned index) {
  for (std::size_t i = 0; i < device.shape.targets.size(); ++i) {
    const DeviceTarget& target = device.shape.targets[i];
    if (!target.registers || (range != device.instance() && range != device.range_name(i))) continue;
    for (const Register* reg : target.registers->registers())
      if (reg->name() == name && index < reg->count())
        return FoundRegister{reg, index,
                             device.place.ranges[i].first + Bytes(reg->offset() + index * reg->stride())};
  }
  return std::nullopt;
}

std::vector<std::string> register_names(const PlacedDevice& device) {
  std::vector<std::string> names;
  for (const DeviceTarget& target : device.shape.targets)
    if (target.registers)
      for (const Register* reg : target.registers->registers()) names.push_back(reg->name());
  return names;
}

// The register of the parameters `device` and `register`: NAME, or NAME[3].
FoundRegister register_of(const LiveParams& params, const PlacedDevice& device) {
  const std::string text = params.needed_text("register");
  const std::size_t bracket = text.find('[');
  const std::string name = text.substr(0, bracket);
  unsigned index = 0;
  if (bracket != std::string::npos) {
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + bracket + 1, last, index);
    if (error != std::errc() || std::string_view(end, last) != "]")
      params.refuse("register", fmt::format("expected NAME or NAME[NUMBER], got \"{}\"", text));
  }
  if (const auto found = find_register(device, params.needed_text("device"), name, index)) return *found;
  const std::string nearest = nearest_name(name, register_names(device));
  params.refuse(
      "register",
      fmt::format("{} has no register \"{}\"{}", params.needed_text("device"), text,
                  nearest.empty() || nearest == name ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
}

std::optional<std::uint32_t> read_word(CoreModule& core, Address address) {
  std::array<std::byte, 4> bytes{};
  if (!core.read_memory(address, bytes)) return std::nullopt;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
  return value;
}

bool is_within(const std::filesystem::path& file, const std::filesystem::path& folder) {
  std::error_code error;
  const auto inner = std::filesystem::weakly_canonical(std::filesystem::absolute(file), error),
             outer = std::filesystem::weakly_canonical(folder, error);
  return std::ranges::mismatch(outer, inner).in1 == outer.end();
}

LiveJson fields_of(const Register& reg, std::uint32_t value) {
  LiveJson fields = LiveJson::object();
  for (const Field& each : reg.fields()) {
    const std::uint32_t content = each.get(value);
    const auto named = std::ranges::find(each.values, content, &FieldValue::value);
    fields[each.name] = named == each.values.end() ? LiveJson(content) : LiveJson(named->name);
  }
  return fields;
}

void add_modules(std::vector<std::string>& names, const std::vector<sc_core::sc_object*>& objects) {
  for (const sc_core::sc_object* each : objects) {
    if (dynamic_cast<const sc_core::sc_module*>(each)) names.emplace_back(each->name());
    add_modules(names, each->get_child_objects());
  }
}

[[noreturn]] void refuse_live(const std::string& problem) { throw LiveError(Code::refused, problem); }

}  // namespace

const std::vector<LiveSession::Handler>& LiveSession::handlers() {
  static const std::vector<Handler> all = {
      {"version", &LiveSession::version, false, {}},
      {"status", &LiveSession::status, false, {}},
      {"run", &LiveSession::run, true, {"until", "for", "event", "source", "details", "breakpoint"}},
      {"step", &LiveSession::step, true, {"core", "count"}},
      {"stop", &LiveSession::stop, false, {}},
      {"cores", &LiveSession::list_cores, false, {}},
      {"read_registers", &LiveSession::read_registers, false, {"core", "registers"}},
      {"write_register", &LiveSession::write_register, true, {"core", "register", "value"}},
      {"read_memory", &LiveSession::read_memory, false, {"address", "size", "core", "physical"}},
      {"write_memory", &LiveSession::write_memory, true, {"address", "data", "core", "physical"}},
      {"devices", &LiveSession::list_devices, false, {"device"}},
      {"read_device", &LiveSession::read_device, false, {"device", "register", "core"}},
      {"write_device", &LiveSession::write_device, true, {"device", "register", "value", "core"}},
      {"statistics", &LiveSession::statistics, false, {}},
      {"events", &LiveSession::events, false, {"since", "limit"}},
      {"console", &LiveSession::console, false, {"line", "since"}},
      {"inject_fault", &LiveSession::inject, true, {"fault"}},
      {"snapshot", &LiveSession::snapshot, true, {"file"}},
      {"subscribe", &LiveSession::subscribe, false, {"to"}},
      {"on_disconnect", &LiveSession::on_disconnect, false, {"then"}},
      {"quit", &LiveSession::request_end, false, {}},
  };
  return all;
}

// ---- the run ----

LiveSession::Answer LiveSession::version(const LiveParams&) {
  LiveJson names = LiveJson::array();
  for (const Handler& each : handlers()) names.push_back(each.name);
  return {{{"asterism", run_->version}, {"protocol", protocol_version}, {"requests", std::move(names)}}};
}

LiveSession::Answer LiveSession::status(const LiveParams&) {
  LiveJson all = {{"state", state_ == State::halted    ? "halted"
                            : state_ == State::running ? "running"
                                                       : "ended"},
                  {"time_ps", now().count()},
                  {"instructions", run_->system.instructions()},
                  {"events", events_},
                  {"scenario", run_->scenario.name},
                  {"folder", run_->directory.path().string()}};
  if (state_ != State::running) all["halted"] = halt_;
  return all;
}

std::uint64_t LiveSession::address_of(const LiveParams& params, const std::string& key,
                                      const std::string& word) const {
  const LiveRequest number{.method = "", .params = {{"a", word}}};
  try {
    return LiveParams(number, {"a"}).needed_number("a");
  } catch (const LiveError&) {
    const FunctionSymbols& symbols = run_->scenario.firmware.symbols;
    if (symbols.is_kernel()) params.refuse(key, "expected an address, because a kernel chooses its own ones");
    std::vector<std::string> names;
    for (std::size_t i = 0; i < symbols.boundaries().size(); ++i) {
      names.push_back(symbols.name_of(i + 1));
      if (names.back() == word) return symbols.boundaries()[i];
    }
    const std::string nearest = nearest_name(word, names);
    params.refuse(key, fmt::format("there is no function \"{}\"{}", word,
                                   nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
  }
}

// Sources of events are instances, and in a cluster what acts for all of its nodes (docs/events.md).
void LiveSession::check_source(const LiveParams& params, const std::string& source) const {
  std::vector<std::string> names;
  add_modules(names, sc_core::sc_get_top_level_objects());
  if (run_->scenario.is_cluster()) names.insert(names.end(), {"cluster", "management"});
  if (position(names, source)) return;
  // A device may consist of several parts: node.gpu.0.
  const std::size_t last = source.find_last_not_of("0123456789");
  if (last != std::string::npos && last + 1 < source.size() && source[last] == '.' &&
      position(names, source.substr(0, last)))
    return;
  const auto ends = [&](const std::string& name) { return name.ends_with("." + source); };
  const auto whole = std::ranges::find_if(names, ends);
  const std::string nearest = whole == names.end() ? nearest_name(source, names) : *whole;
  params.refuse("source", fmt::format("there is no instance \"{}\"{}", source,
                                      nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
}

LiveSession::Answer LiveSession::run(const LiveParams& params) {
  Goal goal{.until = params.time("until")};
  if (const auto duration = params.time("for")) {
    if (goal.until) params.refuse("for", "cannot be combined with \"until\"");
    goal.until = now() + *duration;
  }
  if (goal.until && *goal.until < now())
    params.refuse("until",
                  fmt::format("{} has passed, it is {}", human_time(*goal.until), human_time(now())));
  try {
    if (const auto kinds = params.texts("event"))
      for (const std::string& kind : *kinds) goal.kinds.merge(kinds_named(kind));
  } catch (const std::invalid_argument& error) {
    params.refuse("event", error.what());
  }
  goal.source = params.text("source");
  if (const auto details = params.object("details")) goal.details = *details;
  if (goal.kinds.empty()) {
    if (params.has("event")) params.refuse("event", "expected at least one kind");
    for (const char* each : {"source", "details"})
      if (params.has(each)) params.refuse(each, "has no effect without \"event\"");
  }
  if (goal.source) check_source(params, *goal.source);
  if (params.has("breakpoint") && params.find("breakpoint")->is_number())
    goal.breakpoints = {params.needed_number("breakpoint")};
  else if (const auto places = params.texts("breakpoint"))
    for (const std::string& place : *places)
      goal.breakpoints.push_back(address_of(params, "breakpoint", place));
  if (params.has("breakpoint") && goal.breakpoints.empty())
    params.refuse("breakpoint", "expected at least one place");
  for (const std::uint64_t each : goal.breakpoints)
    if (each % 4 != 0)
      params.refuse("breakpoint",
                    fmt::format("expected the address of an instruction, a multiple of 4, got {:#x}", each));
  if (goal.breakpoints.size() > GdbSession::max_breakpoints)
    params.refuse("breakpoint", fmt::format("expected at most {} places", GdbSession::max_breakpoints));
  run_to(std::move(goal));
  return std::nullopt;
}

LiveSession::Answer LiveSession::step(const LiveParams& params) {
  const unsigned index = core_of(params);
  const std::uint64_t count = params.number("count").value_or(1);
  if (count == 0) params.refuse("count", "expected at least 1, got 0");
  const CoreModule::State state = core(index).state();
  if (state == CoreModule::State::off || state == CoreModule::State::locked_up)
    refuse_live(fmt::format("step: {} is {}", cores_[index].name, state_of(core(index))));
  run_to({.steps_of = index, .steps = count});
  return std::nullopt;
}

LiveSession::Answer LiveSession::stop(const LiveParams&) {
  if (state_ != State::running) return halt_;
  stop_wanted_ = true;
  return std::nullopt;
}

LiveSession::Answer LiveSession::request_end(const LiveParams&) {
  quit();
  return LiveJson::object();
}

LiveSession::Answer LiveSession::snapshot(const LiveParams& params) {
  const std::string file = params.needed_text("file");
  if (!run_->why_no_snapshots.empty()) refuse_live("snapshot: " + run_->why_no_snapshots);
  // The folder has files of the run's own, some of which are only written at the end.
  for (const std::filesystem::path& own : {run_->directory.path(), run_->directory.final_path()})
    if (is_within(file, own))
      params.refuse("file",
                    fmt::format("\"{}\" is in the folder of the run, whose files it could replace", file));
  try {
    run_->save(file);
  } catch (const ConfigError& error) {
    refuse_live(message_of(error, ""));
  }
  return {{{"file", std::filesystem::absolute(file).string()}, {"time_ps", now().count()}}};
}

LiveSession::Answer LiveSession::inject(const LiveParams& params) {
  const auto fault = params.object("fault");
  if (!fault)
    params.refuse("fault", "expected the keys of a fault in a scenario, e.g. {\"kind\": \"power_loss\"}");
  if (const std::string why = inject_fault(run_->system, run_->directory, to_line(*fault)); !why.empty())
    refuse_live("inject_fault: " + why);
  return LiveJson::object();
}

// ---- cores and memory ----

unsigned LiveSession::core_of(const LiveParams& params) const {
  if (params.has("core") && params.find("core")->is_number()) {
    const std::uint64_t index = params.needed_number("core");
    if (index >= cores_.size())
      params.refuse("core",
                    fmt::format("expected a number below {}, or a name, got {}", cores_.size(), index));
    return static_cast<unsigned>(index);
  }
  const auto name = params.text("core");
  if (!name) return 0;
  std::vector<std::string> names;
  for (const DebuggedCore& each : cores_) names.push_back(each.name);
  if (const auto found = position(names, *name)) return *found;
  const std::string nearest = nearest_name(*name, names);
  params.refuse("core", fmt::format("there is no core \"{}\"{}", *name,
                                    nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
}

std::string LiveSession::place_of(unsigned index) const {
  return core(index).describe_code(core(index).iss().read(CoreRegister::pc));
}

LiveSession::Answer LiveSession::list_cores(const LiveParams&) {
  LiveJson all = LiveJson::array();
  for (unsigned i = 0; i < cores_.size(); ++i)
    all.push_back({{"name", cores_[i].name},
                   {"state", state_of(core(i))},
                   {"pc", hex(core(i).iss().read(CoreRegister::pc))},
                   {"place", place_of(i)},
                   {"instructions", core(i).instructions()},
                   {"time_ps", core(i).local_time().count()}});
  return all;
}

LiveSession::Answer LiveSession::read_registers(const LiveParams& params) {
  const unsigned index = core_of(params);
  CoreModule& of = core(index);
  LiveJson registers = LiveJson::object();
  const auto add = [&](const std::string& name) { registers[name] = register_text(of, name); };
  for (const std::string& name : params.texts("registers").value_or(std::vector<std::string>{"general"})) {
    if (name == "general") {
      std::ranges::for_each(general_names(), add);
    } else if (name == "vector") {
      std::ranges::for_each(vector_names(), add);
    } else if (name == "system") {
      std::ranges::for_each(of.iss().debug_port().system_registers(), add);
    } else {
      try {
        add(name);
      } catch (const std::invalid_argument& error) {
        params.refuse("registers", error.what());
      }
    }
  }
  return {{{"core", cores_[index].name}, {"registers", std::move(registers)}}};
}

LiveSession::Answer LiveSession::write_register(const LiveParams& params) {
  const unsigned index = core_of(params);
  const std::string name = params.needed_text("register");
  try {
    register_text(core(index), name);
  } catch (const std::invalid_argument& error) {
    params.refuse("register", error.what());
  }
  const LiveJson* const given = params.find("value");
  const auto vector = given && given->is_string() ? vector_in(*given) : std::nullopt;
  const DebugPort::Vector value = vector ? *vector : DebugPort::Vector{.low = params.needed_number("value")};
  if (!write_named(core(index), name, value))
    refuse_live(fmt::format("write_register: {} of {} cannot be written {}", name, cores_[index].name,
                            core(index).iss().debug_port().is_between_instructions()
                                ? "with this value, or not at all"
                                : "now, because the core waits for the bus within an instruction"));
  return {{{"value", register_text(core(index), name)}}};
}

namespace {

struct Place {
  Addressing how;
  std::uint64_t address;
};

// By a core's tables if a core is named, unless the parameter `physical` says otherwise.
Place place_in(const LiveParams& params) {
  const bool is_physical = params.flag("physical").value_or(!params.has("core"));
  return {is_physical ? Addressing::physical : Addressing::translated, params.needed_number("address")};
}

}  // namespace

LiveSession::Answer LiveSession::read_memory(const LiveParams& params) {
  const Place from = place_in(params);
  const std::uint64_t size = params.needed_number("size");
  if (size > most_bytes) params.refuse("size", fmt::format("expected at most {}, got {}", most_bytes, size));
  std::string data(size, '\0');
  const std::size_t read =
      read_through(core(core_of(params)), from.address, from.how, std::as_writable_bytes(std::span(data)));
  if (read < size) refuse_live(fmt::format("read_memory: nothing answers at {:#x}", from.address + read));
  return {{{"address", hex(from.address)}, {"data", hex_of_bytes(data)}}};
}

LiveSession::Answer LiveSession::write_memory(const LiveParams& params) {
  const Place to = place_in(params);
  const std::string data = params.needed_bytes("data");
  if (!write_through(core(core_of(params)), to.address, to.how, std::as_bytes(std::span(data))))
    refuse_live(fmt::format("write_memory: not all of {:#x} to {:#x} can be written", to.address,
                            to.address + data.size()));
  return {{{"address", hex(to.address)}, {"size", data.size()}}};
}

// ---- devices ----

const PlacedDevice& LiveSession::find_device(const LiveParams& params) const {
  const std::string name = params.needed_text("device");
  std::vector<std::string> names;
  for (const PlacedDevice& device : run_->scenario.node.devices.all()) {
    names.push_back(device.instance());
    for (std::size_t i = 0; i < device.shape.targets.size(); ++i) names.push_back(device.range_name(i));
    if (std::ranges::find(names, name) != names.end()) return device;
  }
  const std::string nearest = nearest_name(name, names);
  params.refuse("device", fmt::format("there is no device \"{}\"{}", name,
                                      nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
}

LiveSession::Answer LiveSession::list_devices(const LiveParams& params) {
  const PlacedDevice* const wanted = params.has("device") ? &find_device(params) : nullptr;
  LiveJson all = LiveJson::array();
  for (const PlacedDevice& device : run_->scenario.node.devices.all()) {
    if (wanted && &device != wanted) continue;
    LiveJson ranges = LiveJson::array();
    for (std::size_t i = 0; i < device.shape.targets.size(); ++i) {
      const AddressRange range = device.place.ranges.at(i);
      LiveJson entry = {
          {"name", device.range_name(i)}, {"base", hex(range.first.value())}, {"size", range.size.count()}};
      LiveJson registers = LiveJson::array();
      if (const auto& bank = device.shape.targets[i].registers)
        for (const Register* reg : bank->registers())
          registers.push_back(wanted ? described(*reg) : LiveJson(reg->name()));
      entry["registers"] = std::move(registers);
      ranges.push_back(std::move(entry));
    }
    all.push_back({{"name", device.instance()}, {"type", device.type}, {"ranges", std::move(ranges)}});
  }
  return all;
}

LiveSession::Answer LiveSession::read_device(const LiveParams& params) {
  const PlacedDevice& device = find_device(params);
  CoreModule& by = core(core_of(params));
  if (params.has("register")) {
    const FoundRegister found = register_of(params, device);
    const auto value = read_word(by, found.address);
    if (!value) refuse_live(fmt::format("read_device: nothing answers at {:#x}", found.address.value()));
    return {{{"value", hex(*value)}, {"fields", fields_of(*found.reg, *value)}}};
  }
  LiveJson registers = LiveJson::object();
  const std::string range = params.needed_text("device");
  for (const std::string& name : register_names(device)) {
    const auto first = find_register(device, range, name, 0);
    if (!first || registers.contains(name)) continue;
    LiveJson values = LiveJson::array();
    for (unsigned i = 0; i < first->reg->count(); ++i)
      if (const auto value = read_word(by, find_register(device, range, name, i)->address))
        values.push_back(hex(*value));
    registers[name] = first->reg->count() == 1 && values.size() == 1 ? values[0] : values;
  }
  return {{{"device", range}, {"registers", std::move(registers)}}};
}

LiveSession::Answer LiveSession::write_device(const LiveParams& params) {
  const FoundRegister found = register_of(params, find_device(params));
  const std::uint64_t value = params.needed_number("value");
  if (value >> 32 != 0) params.refuse("value", fmt::format("expected 32 bits, got {:#x}", value));
  std::array<std::byte, 4> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
  if (!core(core_of(params)).write_registers(found.address, bytes))
    refuse_live(fmt::format("write_device: {} of {} cannot be written", found.reg->name(),
                            params.needed_text("device")));
  return LiveJson::object();
}

// ---- what the run has left so far ----

LiveSession::Answer LiveSession::statistics(const LiveParams&) {
  Statistics all;
  all.add("simulated_time", now());
  all.add("instructions", run_->system.instructions());
  run_->system.report_to(all);
  return LiveJson::parse(to_json(all));
}

LiveSession::Answer LiveSession::events(const LiveParams& params) {
  const std::uint64_t since = params.number("since").value_or(0);
  const std::uint64_t limit = std::min(params.number("limit").value_or(most_events), most_events);
  std::ifstream file(run_->directory.path() / "events.jsonl");
  Position at = since >= read_until_.event ? read_until_ : Position{};
  file.seekg(static_cast<std::streamoff>(at.byte));
  LiveJson list = LiveJson::array();
  for (std::string line; list.size() < limit && std::getline(file, line); ++at.event) {
    at.byte += line.size() + 1;
    if (at.event < since) continue;
    LiveJson event = {{"n", at.event}};
    event.update(LiveJson::parse(line));
    list.push_back(std::move(event));
  }
  read_until_ = at;
  return {{{"events", std::move(list)}, {"next", std::max(since, at.event)}}};
}

LiveSession::Answer LiveSession::console(const LiveParams& params) {
  std::vector<std::string> lines = run_->system.serial_lines();
  lines.insert(lines.begin(), "console");
  const std::string line = params.text("line").value_or("console");
  if (!position(lines, line))
    params.refuse("line", fmt::format("expected one of {}, got \"{}\"", fmt::join(lines, ", "), line));
  const std::uint64_t since = params.number("since").value_or(0);
  std::ifstream file(run_->directory.path() / (line + ".log"), std::ios::binary);
  file.seekg(static_cast<std::streamoff>(since));
  std::string text(most_bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  const std::uint64_t next = since + text.size();
  return {{{"line", line}, {"text", std::move(text)}, {"next", next}}};
}

// ---- the connection ----

LiveSession::Answer LiveSession::subscribe(const LiveParams& params) {
  const std::vector<std::string> kinds = {"event", "halted", "output"};
  const std::vector<std::string> to = params.texts("to").value_or(std::vector<std::string>());
  for (const std::string& each : to)
    if (!position(kinds, each))
      params.refuse("to", fmt::format("expected some of {}, got \"{}\"", fmt::join(kinds, ", "), each));
  clients_[client_].subscriptions = {to.begin(), to.end()};
  return {{{"to", to}}};
}

LiveSession::Answer LiveSession::on_disconnect(const LiveParams& params) {
  const std::vector<std::string> ways = {"wait", "go_on", "quit"};
  const auto which = position(ways, params.needed_text("then"));
  if (!which) params.refuse("then", fmt::format("one of {}", fmt::join(ways, ", ")), *params.find("then"));
  clients_[client_].then = static_cast<Then>(*which);
  return LiveJson::object();
}

}  // namespace asterism
