#include "platform/debug/gdb_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ranges>

#include "platform/debug/gdb_packet.h"

namespace asterism {
namespace {

using Answer = GdbSession::Answer;

constexpr std::string_view bad_packet = "E01", no_memory = "E0e", done = "OK";
constexpr std::size_t largest_payload = 0x4000, max_memory = largest_payload / 2;
constexpr unsigned sigint = 2, sigtrap = 5;

// The register numbers in the target description: x0-x30, sp, pc, cpsr; v0-v31, fpsr, fpcr; then the system
// registers.
constexpr unsigned first_vector = GdbSession::generals, fpsr_number = first_vector + GdbSession::vectors,
                   fpcr_number = fpsr_number + 1, first_system = fpcr_number + 1;

Answer reply(std::string_view text) { return {.what = Answer::What::reply, .text = std::string(text)}; }

// Returns the text before a separator, and advances `text` past it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string little_endian(std::uint64_t value, std::size_t size) {
  std::string bytes(size, '\0');
  std::memcpy(bytes.data(), &value, size);
  return bytes;
}

std::uint64_t from_little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

// ADDRESS,LENGTH
struct Span {
  std::uint64_t address, size;
};
std::optional<Span> span_of(std::string_view text) {
  const auto address = hex_number(take_until(text, ','));
  const auto size = hex_number(text);
  if (!address || !size) return std::nullopt;
  return Span{*address, *size};
}

std::string thread_id(unsigned core) { return fmt::format("{:x}", core + 1); }

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char byte : text) {
    switch (byte) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += byte;
    }
  }
  return result;
}

// Parts of the description of the target: a register, and a feature with its registers.
std::string described(std::string_view name, unsigned bits, std::string_view more) {
  return fmt::format("<reg name=\"{}\" bitsize=\"{}\"{}{}/>\n", name, bits, more.empty() ? "" : " ", more);
}

std::string feature(std::string_view name, const std::string& contents) {
  return fmt::format("<feature name=\"{}\">\n{}</feature>\n", name, contents);
}

std::string core_registers() {
  constexpr std::array<std::pair<const char*, unsigned>, 11> flags{{{"SP", 0},
                                                                    {"F", 6},
                                                                    {"I", 7},
                                                                    {"A", 8},
                                                                    {"D", 9},
                                                                    {"IL", 20},
                                                                    {"SS", 21},
                                                                    {"V", 28},
                                                                    {"C", 29},
                                                                    {"Z", 30},
                                                                    {"N", 31}}};
  std::string text;
  for (unsigned x = 0; x <= 30; ++x) text += described(fmt::format("x{}", x), 64, "");
  text += described("sp", 64, "type=\"data_ptr\"") + described("pc", 64, "type=\"code_ptr\"");
  text += "<flags id=\"cpsr_flags\" size=\"4\">\n<field name=\"EL\" start=\"2\" end=\"3\"/>\n";
  for (const auto& [name, bit] : flags)
    text += fmt::format("<field name=\"{}\" start=\"{}\" end=\"{}\"/>\n", name, bit, bit);
  return text + "</flags>\n" + described("cpsr", 32, "type=\"cpsr_flags\"");
}

// The ways to see a vector register.
std::string vector_types() {
  struct View {
    const char *id, *type, *field;
    unsigned count;
  };
  constexpr std::array<View, 10> views{{{"v2d", "ieee_double", "d", 2},
                                        {"v2u", "uint64", "d", 2},
                                        {"v2i", "int64", "d", 2},
                                        {"v4f", "ieee_single", "s", 4},
                                        {"v4u", "uint32", "s", 4},
                                        {"v4i", "int32", "s", 4},
                                        {"v8u", "uint16", "h", 8},
                                        {"v8i", "int16", "h", 8},
                                        {"v16u", "uint8", "b", 16},
                                        {"v16i", "int8", "b", 16}}};
  constexpr std::array<std::pair<const char*, std::array<std::pair<const char*, const char*>, 3>>, 4> unions{
      {{"vnd", {{{"f", "v2d"}, {"u", "v2u"}, {"s", "v2i"}}}},
       {"vns", {{{"f", "v4f"}, {"u", "v4u"}, {"s", "v4i"}}}},
       {"vnh", {{{"u", "v8u"}, {"s", "v8i"}, {"", ""}}}},
       {"vnb", {{{"u", "v16u"}, {"s", "v16i"}, {"", ""}}}}}};
  std::string text;
  for (const View& view : views)
    text += fmt::format("<vector id=\"{}\" type=\"{}\" count=\"{}\"/>\n", view.id, view.type, view.count);
  for (const auto& [id, fields] : unions) {
    text += fmt::format("<union id=\"{}\">\n", id);
    for (const auto& [name, type] : fields)
      if (*name != '\0') text += fmt::format("<field name=\"{}\" type=\"{}\"/>\n", name, type);
    text += "</union>\n";
  }
  return text +
         "<union id=\"aarch64v\">\n<field name=\"d\" type=\"vnd\"/>\n<field name=\"s\" type=\"vns\"/>\n"
         "<field name=\"h\" type=\"vnh\"/>\n<field name=\"b\" type=\"vnb\"/>\n<field name=\"q\" "
         "type=\"uint128\"/>\n</union>\n";
}

std::string vector_registers() {
  std::string text;
  for (unsigned v = 0; v < GdbSession::vectors; ++v)
    text += described(fmt::format("v{}", v), 128, "type=\"aarch64v\"");
  return text + described("fpsr", 32, "type=\"int\"") + described("fpcr", 32, "type=\"int\"");
}

}  // namespace

void GdbSession::reset() {
  set_stops({});
  selection_ = {};
  reports_breakpoints_ = false;
  actions_.assign(target_.cores(), {});
}

Answer GdbSession::handle(std::string_view packet) {
  if (packet.empty()) return reply("");
  std::string_view rest = packet.substr(1);
  switch (packet.front()) {
    case '?':
      return reply(last_stop_.back());
    case 'g':
      return reply(read_registers());
    case 'G':
      return reply(write_registers(rest));
    case 'p':
      return reply(read_register(rest));
    case 'P':
      return reply(write_register(rest));
    case 'm':
      return reply(read_memory(rest));
    case 'M':
      return reply(write_memory(rest, false));
    case 'X':
      return reply(write_memory(rest, true));
    case 'H':
      return reply(select(rest));
    case 'T':
      return reply(core_of(rest) ? done : bad_packet);
    case 'Z':
    case 'z':
      return reply(change_breakpoint(rest, packet.front() == 'Z'));
    case 'q':
      return query(rest);
    case 'Q':
      return set(rest);
    case 'b':
      return packet == "bs"   ? Answer{.what = Answer::What::step_back}
             : packet == "bc" ? Answer{.what = Answer::What::continue_back}
                              : reply("");
    case 'c':
    case 's':
    case 'C':
    case 'S':
    case 'v':
      return resume(packet);
    case 'D':
      return {.what = Answer::What::detach, .text = std::string(done)};
    case 'k':
      return {.what = Answer::What::kill};
    default:
      return reply("");
  }
}

// ---- queries ----

Answer GdbSession::query(std::string_view packet) {
  if (take_prefix(packet, "Supported")) {
    reports_breakpoints_ = packet.find("swbreak+") != std::string_view::npos;
    return reply(
        fmt::format("PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;qXfer:threads:read+;"
                    "vContSupported+;swbreak+;hwbreak+;ReverseStep+;ReverseContinue+",
                    largest_payload));
  }
  if (packet == "fThreadInfo") {
    std::string all = "m";
    for (unsigned core = 0; core < target_.cores(); ++core) all += (core != 0 ? "," : "") + thread_id(core);
    return reply(all);
  }
  if (packet == "sThreadInfo") return reply("l");
  if (take_prefix(packet, "ThreadExtraInfo,")) {
    const auto core = core_of(packet);
    return reply(core ? to_hex(target_.name(*core) + ": " + target_.state(*core)) : std::string(bad_packet));
  }
  if (packet == "C") return reply("QC" + thread_id(selection_.for_registers));
  if (packet == "Attached" || packet.starts_with("Attached:")) return reply("1");
  if (packet.starts_with("Symbol:")) return reply(done);
  if (take_prefix(packet, "Xfer:")) return reply(transfer(packet));
  if (take_prefix(packet, "Rcmd,")) return reply(monitor(packet));
  return reply("");
}

Answer GdbSession::set(std::string_view packet) {
  if (packet == "StartNoAckMode")
    return {.what = Answer::What::reply, .text = std::string(done), .without_acknowledgements = true};
  return reply("");
}

// OBJECT:read:ANNEX:OFFSET,LENGTH
std::string GdbSession::transfer(std::string_view request) {
  const std::string_view object = take_until(request, ':'), what = take_until(request, ':'),
                         annex = take_until(request, ':');
  const auto span = span_of(request);
  if (what != "read") return "";
  std::string whole;
  if (object == "features")
    whole = annex == "target.xml" ? description() : "";
  else if (object == "threads" && annex.empty())
    whole = threads();
  else
    return "";
  if (whole.empty() || !span || span->address > whole.size()) return std::string(bad_packet);
  const std::string part = whole.substr(span->address, std::min<std::uint64_t>(span->size, max_memory));
  return (span->address + part.size() == whole.size() ? "l" : "m") + part;
}

std::string GdbSession::monitor(std::string_view digits) {
  const auto command = from_hex(digits);
  if (!command) return std::string(bad_packet);
  std::string said = target_.monitor(selection_.for_registers, *command);
  if (said.empty()) return std::string(done);
  if (said.size() > max_memory) {
    said.resize(max_memory - 4);
    said += "...\n";
  }
  return to_hex(said);
}

std::string GdbSession::description() const {
  std::string system;
  for (const std::string& name : target_.port(0).system_registers())
    system += described(xml_text(name), 64, "type=\"uint64\" group=\"system\" save-restore=\"no\"");
  return "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n"
         "<architecture>aarch64</architecture>\n" +
         feature("org.gnu.gdb.aarch64.core", core_registers()) +
         feature("org.gnu.gdb.aarch64.fpu", vector_types() + vector_registers()) +
         feature("org.asterism.aarch64.system", system) + "</target>\n";
}

std::string GdbSession::threads() const {
  std::string text = "<?xml version=\"1.0\"?>\n<threads>\n";
  for (unsigned core = 0; core < target_.cores(); ++core)
    text += fmt::format("<thread id=\"{}\" core=\"{}\" name=\"{}\">{}</thread>\n", thread_id(core), core,
                        xml_text(target_.name(core)), xml_text(target_.state(core)));
  return text + "</threads>\n";
}

// The number of a thread; 0 stands for any thread.
std::optional<unsigned> GdbSession::core_of(std::string_view thread) const {
  const auto number = hex_number(thread);
  if (!number || *number > target_.cores()) return std::nullopt;
  return *number == 0 ? selection_.for_registers : static_cast<unsigned>(*number - 1);
}

std::string GdbSession::select(std::string_view packet) {
  if (packet.size() < 2 || (packet[0] != 'g' && packet[0] != 'c')) return std::string(bad_packet);
  const std::string_view thread = packet.substr(1);
  unsigned& chosen = packet[0] == 'g' ? selection_.for_registers : selection_.for_resume;
  if (thread == "-1") return std::string(done);
  const auto core = core_of(thread);
  if (!core) return std::string(bad_packet);
  chosen = *core;
  return std::string(done);
}

// ---- registers ----

unsigned GdbSession::registers() const {
  return first_system + static_cast<unsigned>(target_.port(0).system_registers().size());
}

std::string GdbSession::register_bytes(unsigned core, unsigned number) {
  if (number < generals)
    return little_endian(target_.read(core, number), number == DebugTarget::pstate_number ? 4 : 8);
  DebugPort& port = target_.port(core);
  if (number < fpsr_number) {
    const DebugPort::Vector value = port.read_vector(number - first_vector);
    return little_endian(value.low, 8) + little_endian(value.high, 8);
  }
  if (number == fpsr_number) return little_endian(port.fpsr(), 4);
  if (number == fpcr_number) return little_endian(port.fpcr(), 4);
  return little_endian(port.read_system(number - first_system), 8);
}

bool GdbSession::set_register(unsigned core, unsigned number, std::string_view bytes) {
  if (bytes.size() != register_bytes(core, number).size()) return false;
  const std::uint64_t value = from_little_endian(bytes);
  if (number < generals) return target_.write(core, number, value);
  DebugPort& port = target_.port(core);
  if (!port.is_between_instructions()) return false;
  if (number < fpsr_number)
    port.write_vector(number - first_vector, {value, from_little_endian(bytes.substr(8))});
  else if (number == fpsr_number)
    port.set_fpsr(static_cast<std::uint32_t>(value));
  else if (number == fpcr_number)
    port.set_fpcr(static_cast<std::uint32_t>(value));
  else
    return port.write_system(number - first_system, value);
  return true;
}

// All registers except the system registers, which are read one by one.
std::string GdbSession::read_registers() {
  std::string all;
  for (unsigned number = 0; number < first_system; ++number)
    all += register_bytes(selection_.for_registers, number);
  return to_hex(all);
}

std::string GdbSession::write_registers(std::string_view digits) {
  const auto bytes = from_hex(digits);
  if (!bytes) return std::string(bad_packet);
  std::string_view rest = *bytes;
  for (unsigned number = 0; number < first_system && !rest.empty(); ++number) {
    const std::size_t size = register_bytes(selection_.for_registers, number).size();
    if (rest.size() < size || !set_register(selection_.for_registers, number, rest.substr(0, size)))
      return std::string(bad_packet);
    rest.remove_prefix(size);
  }
  return std::string(rest.empty() ? done : bad_packet);
}

std::string GdbSession::read_register(std::string_view packet) {
  const auto number = hex_number(packet);
  if (!number || *number >= registers()) return std::string(bad_packet);
  return to_hex(register_bytes(selection_.for_registers, static_cast<unsigned>(*number)));
}

std::string GdbSession::write_register(std::string_view packet) {
  const auto number = hex_number(take_until(packet, '='));
  const auto bytes = from_hex(packet);
  if (!number || *number >= registers() || !bytes) return std::string(bad_packet);
  return std::string(
      set_register(selection_.for_registers, static_cast<unsigned>(*number), *bytes) ? done : bad_packet);
}

// ---- memory ----

std::string GdbSession::read_memory(std::string_view packet) {
  const auto span = span_of(packet);
  if (!span) return std::string(bad_packet);
  std::string data(std::min<std::uint64_t>(span->size, max_memory), '\0');
  data.resize(target_.read_memory(selection_.for_registers, span->address, data.data(), data.size()));
  if (data.empty() && span->size != 0) return std::string(no_memory);
  return to_hex(data);
}

std::string GdbSession::write_memory(std::string_view packet, bool is_binary) {
  const auto span = span_of(take_until(packet, ':'));
  const auto data = is_binary ? std::optional(gdb_unescaped(packet)) : from_hex(packet);
  if (!span || !data || data->size() != span->size) return std::string(bad_packet);
  if (data->empty()) return std::string(done);
  return std::string(target_.write_memory(selection_.for_registers, span->address, *data) ? done : no_memory);
}

// ---- breakpoints ----

// TYPE,ADDRESS,KIND. A breakpoint may be inserted or removed twice.
std::string GdbSession::change_breakpoint(std::string_view packet, bool insert) {
  const auto type = hex_number(take_until(packet, ','));
  const auto span = span_of(packet.substr(0, packet.find(';')));
  if (!type || !span) return std::string(bad_packet);
  const auto change = [&](auto& list, const auto& each) {
    const auto found = std::ranges::find(list, each);
    if (insert && found == list.end()) {
      if (list.size() == max_breakpoints) return false;
      list.push_back(each);
    } else if (!insert && found != list.end()) {
      list.erase(found);
    }
    return true;
  };
  bool changed = false;
  if (*type <= 1) {
    if (span->address % 4 != 0) return std::string(bad_packet);
    changed = change(stops_.breakpoints, Breakpoint{span->address, *type == 1});
  } else if (*type <= 4) {
    if (span->size == 0 || span->size - 1 > ~span->address) return std::string(bad_packet);
    changed = change(stops_.watchpoints, Watchpoint{.range = {Address(span->address), Bytes(span->size)},
                                                    .loads = *type != 2,
                                                    .stores = *type != 3});
  } else {
    return "";
  }
  if (!changed) return std::string(bad_packet);
  if (*type <= 1)
    apply_breakpoints();
  else
    apply_watchpoints();
  return std::string(done);
}

void GdbSession::set_stops(Stops stops) {
  stops_ = std::move(stops);
  apply_breakpoints();
  apply_watchpoints();
}

void GdbSession::apply_breakpoints() {
  std::vector<std::uint64_t> addresses;
  for (const Breakpoint& each : stops_.breakpoints) addresses.push_back(each.address);
  for (unsigned core = 0; core < target_.cores(); ++core) target_.port(core).set_breakpoints(addresses);
}

void GdbSession::apply_watchpoints() {
  for (unsigned core = 0; core < target_.cores(); ++core)
    target_.port(core).set_watchpoints(stops_.watchpoints);
}

// ---- resuming and stopping ----

Answer GdbSession::resume(std::string_view packet) {
  if (packet == "vCont?") return reply("vCont;c;C;s;S;r");
  if (take_prefix(packet, "vCont;")) return resume_each(packet);
  if (packet.starts_with("vKill")) return {.what = Answer::What::kill, .text = std::string(done)};
  if (packet.starts_with('v')) return reply("");
  const char what = packet.front();
  packet.remove_prefix(1);
  if (what == 'C' || what == 'S') take_until(packet, ';');  // a signal, which is ignored
  if (!packet.empty()) {
    const auto pc = hex_number(packet);
    if (!pc || !target_.write(selection_.for_resume, DebugTarget::pc_number, *pc)) return reply(bad_packet);
  }
  actions_.assign(target_.cores(), {});
  if (what == 's' || what == 'S') actions_[selection_.for_resume].what = DebugAction::What::step;
  return {.what = Answer::What::resume};
}

// ACTION:THREAD;ACTION:THREAD... The first action that matches a thread applies; an action without a thread
// matches all.
Answer GdbSession::resume_each(std::string_view actions) {
  if (actions.empty()) return reply(bad_packet);
  std::vector<std::optional<DebugAction>> chosen(target_.cores());
  while (!actions.empty()) {
    std::string_view thread = take_until(actions, ';');
    std::string_view action = take_until(thread, ':');
    DebugAction next;
    if (action.empty()) return reply(bad_packet);
    switch (action.front()) {
      case 'c':
      case 'C':
        break;
      case 's':
      case 'S':
        next.what = DebugAction::What::step;
        break;
      case 'r': {
        const auto range = span_of(action.substr(1));
        if (!range) return reply(bad_packet);
        next = {DebugAction::What::step, range->address, range->size};
        break;
      }
      default:
        return reply(bad_packet);
    }
    const bool all = thread.empty() || thread == "-1";
    const auto core = all ? std::optional(0u) : core_of(thread);
    if (!core) return reply(bad_packet);
    for (unsigned each = 0; each < target_.cores(); ++each)
      if ((all || each == *core) && !chosen[each]) chosen[each] = next;
  }
  actions_.clear();
  for (const auto& each : chosen) actions_.push_back(each.value_or(DebugAction{DebugAction::What::hold}));
  return {.what = Answer::What::resume};
}

std::vector<std::string> GdbSession::stopped(const DebugStop& stop) {
  using enum DebugStop::Why;
  selection_ = {stop.core, stop.core};
  std::string reply = fmt::format("T{:02x}thread:{};core:{:x};", stop.why == interrupted ? sigint : sigtrap,
                                  thread_id(stop.core), stop.core);
  if (stop.why == breakpoint && reports_breakpoints_) {
    const bool is_hardware =
        std::ranges::find(stops_.breakpoints, Breakpoint{stop.address, true}) != stops_.breakpoints.end();
    reply += is_hardware ? "hwbreak:;" : "swbreak:;";
  }
  if (stop.why == loaded || stop.why == stored) {
    const auto found = std::ranges::find_if(stops_.watchpoints, [&](const Watchpoint& each) {
      return each.range.contains(Address(stop.address));
    });
    const bool both = found != stops_.watchpoints.end() && found->loads && found->stores;
    reply += fmt::format("{}:{:x};", both ? "awatch" : stop.why == loaded ? "rwatch" : "watch", stop.address);
  }
  if (stop.why == beginning) reply += "replaylog:begin;";
  last_stop_.clear();
  if (!stop.text.empty()) last_stop_.push_back("O" + to_hex(stop.text));
  last_stop_.push_back(reply);
  return last_stop_;
}

std::string GdbSession::ended(unsigned status) const { return fmt::format("W{:02x}", status & 0xff); }

}  // namespace asterism
