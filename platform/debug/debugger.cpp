#include "platform/debug/debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "platform/debug/core_access.h"
#include "platform/debug/event_kinds.h"
#include "platform/host/human_time.h"
#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::size_t events_kept = 20;

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != std::string::npos;) {
    const std::size_t end = text.find(' ', at);
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace

// The port sends this text to any further debugger. GDB displays it, because it takes it for the reply to its
// first packet.
Debugger::Debugger(const GdbEndpoint& endpoint)
    : port_(endpoint, "+" + gdb_packet("E.another debugger is connected to this run")) {}

void Debugger::attach(DebuggedSystem system) {
  system_ = std::move(system);
  for (const DebuggedCore& each : system_.cores) each.core->debugged_by(*this);
  clear_breakpoints();
}

unsigned Debugger::index_of(const CoreModule& core) const {
  const auto found = std::ranges::find(system_.cores, &core, &DebuggedCore::core);
  return static_cast<unsigned>(found - system_.cores.begin());
}

// ---- halting and resuming ----

void Debugger::stopped(CoreModule& core, Iss::Stop why) {
  const unsigned index = index_of(core);
  const DebugPlace here = place_of(index);
  if (again_) return pass(here, why);
  switch (why) {
    case Iss::Stop::breakpoint:
      return halt({.why = DebugStop::Why::breakpoint, .core = index, .address = here.pc}, here);
    case Iss::Stop::watchpoint: {
      const WatchHit hit = port(index).watch_hit();
      return halt({.why = hit.is_store ? DebugStop::Why::stored : DebugStop::Why::loaded,
                   .core = index,
                   .address = hit.address},
                  here);
    }
    case Iss::Stop::stepped: {
      const DebugAction& action = session_.actions()[index];
      if (action.repeats_at(here.pc) && !wants_to_stop()) return port(index).step();
      return halt({.why = DebugStop::Why::stepped, .core = index}, here);
    }
    default:
      if (const auto stop = requested_stop(index)) halt(*stop, here);
  }
}

std::optional<DebugStop> Debugger::requested_stop(unsigned core) {
  stop_requested_ = false;
  const bool came = take_news();
  DebugStop stop{.core = core};
  if (waits_for_first_ || came) return stop;
  if (!connected_) return std::nullopt;
  if (off_) {
    stop.why = DebugStop::Why::stepped;
    stop.core = *std::exchange(off_, std::nullopt);
    return stop;
  }
  bool interrupted = false;  // a running system accepts nothing but an interrupt or a kill
  while (const auto item = reader_.next()) {
    interrupted |= item->kind == GdbPacketReader::Kind::interrupt;
    check_for_kill(*item);
  }
  return interrupted ? std::optional(stop) : std::nullopt;
}

void Debugger::halt(const DebugStop& stop, const DebugPlace& here) {
  here_ = here;
  here_stop_ = stop;
  halt_inputs_ = inputs_.size();
  for (unsigned each = 0; each < cores(); ++each) port(each).cancel_step();
  system_.halted();
  const std::vector<std::string> replies = session_.stopped(stop);
  if (std::exchange(is_stop_expected_, false))
    for (const std::string& payload : replies) send(payload);
  for (halted_ = true; halted_;) {
    take_news();
    for (;;) {
      if (system_.interrupted() || (!connected_ && !waits_for_first_ && halted_)) return run_freely();
      const auto item = halted_ ? reader_.next() : std::nullopt;
      if (!item) break;
      serve(*item);
    }
    if (halted_) port_.wait_for_news(std::chrono::milliseconds(100));
  }
}

bool Debugger::take_news() {
  takes_news_ = true;
  const GdbPort::News news = port_.take();
  if (news.refused > 0)
    log("gdb").warn("another debugger was refused, because a run accepts only one at a time");
  if (news.came || news.went) {
    if (connected_ && !news.came) {
      reader_.feed(news.bytes);
      while (const auto item = reader_.next()) check_for_kill(*item);
    }
    if (connected_)
      log("gdb").warn("the debugger has disconnected");  // perhaps because another one has connected
    clear_breakpoints();
    reader_ = {};
    acknowledges_ = true;
    is_stop_expected_ = false;
    connected_ = news.came && !news.went;
    connection_ = news.connection;
    if (connected_) waits_for_first_ = false;
  }
  if (connected_) reader_.feed(news.bytes);
  takes_news_ = false;
  return news.came && connected_;
}

// Handles a kill from a debugger that does not wait until the system has halted.
void Debugger::check_for_kill(const GdbPacketReader::Item& item) {
  if (item.kind != GdbPacketReader::Kind::packet) return;
  if (item.payload != "k" && !item.payload.starts_with("vKill")) return;
  killed_ = true;
  sc_core::sc_stop();
}

void Debugger::serve(const GdbPacketReader::Item& item) {
  using Kind = GdbPacketReader::Kind;
  if (item.kind == Kind::repeat && !last_sent_.empty()) port_.send(connection_, last_sent_);
  if (item.kind == Kind::damaged && acknowledges_) port_.send(connection_, "-");
  if (item.kind != Kind::packet) return;
  if (acknowledges_) port_.send(connection_, "+");
  const GdbSession::Selection selection = session_.selection();
  monitor_changed_ = false;
  const GdbSession::Answer answer = session_.handle(item.payload);
  if (again_) return continue_again();  // from a snapshot that this packet has made
  if (answer.what == GdbSession::Answer::What::resume && kept_.empty() && keeps_snapshots() &&
      keep_snapshot(here_))
    return continue_again();
  record(selection, item, answer);
  if (answer.without_acknowledgements) acknowledges_ = false;
  switch (answer.what) {
    case GdbSession::Answer::What::reply:
      return send(answer.text);
    case GdbSession::Answer::What::resume:
      return resume();
    case GdbSession::Answer::What::step_back:
      return go_back(true);
    case GdbSession::Answer::What::continue_back:
      return go_back(false);
    case GdbSession::Answer::What::detach:
      send(answer.text);
      port_.close(connection_);
      connected_ = false;
      return run_freely();
    case GdbSession::Answer::What::kill:
      if (!answer.text.empty()) send(answer.text);
      port_.close(connection_);
      connected_ = false;
      killed_ = true;
      sc_core::sc_stop();
      return run_freely();
  }
}

void Debugger::resume() {
  start_cores();
  is_stop_expected_ = true;
  halted_ = false;
  off_.reset();
  for (const DebuggedCore& each : system_.cores) went_off(*each.core);
  stop_requested_ |= !reader_.empty();
}

void Debugger::start_cores() {
  for (unsigned each = 0; each < cores(); ++each) {
    const DebugAction& action = session_.actions()[each];
    if (action.what == DebugAction::What::step) port(each).step();
    system_.cores[each].core->halt(action.what == DebugAction::What::hold);
  }
  all_run_ = std::ranges::all_of(
      session_.actions(), [](const DebugAction& action) { return action.what == DebugAction::What::run; });
}

void Debugger::went_off(CoreModule& core) {
  using State = CoreModule::State;
  const unsigned index = index_of(core);
  const bool steps =
      is_stop_expected_ && !halted_ && session_.actions()[index].what == DebugAction::What::step;
  if (!steps || core.state() == State::running || core.state() == State::waiting) return;
  off_ = index;
  stop_requested_ = true;
}

void Debugger::clear_breakpoints() {
  session_.reset();
  break_on_ = {"core_locked_up"};
  forget_history();
}

void Debugger::run_freely() {
  clear_breakpoints();
  for (const DebuggedCore& each : system_.cores) each.core->halt(false);
  is_stop_expected_ = waits_for_first_ = halted_ = false;
}

void Debugger::send(std::string_view payload) {
  last_sent_ = gdb_packet(payload);
  port_.send(connection_, last_sent_);
}

void Debugger::poll() {
  const DebugPlace here = pause_now();
  if (again_) reach(here);
  if (again_) give_up_search();
  const bool is_due = keeps_snapshots() && now() >= next_kept_ && !port_.has_news();
  if (is_due && keep_snapshot(here)) reach(here);
  if (!wants_to_stop()) return;
  if (const auto stop = requested_stop(0)) halt(*stop, here);
}

void Debugger::stalled() {
  const DebugPlace here{.kind = DebugPlace::Kind::stall};
  if (again_) return static_cast<void>(reach(here));
  take_news();
  if (connected_)
    halt({.why = DebugStop::Why::event,
          .text = "no event is pending: no core runs, and nothing can wake one\n"},
         here);
}

void Debugger::ended(int status) {
  if (again_) {
    log("gdb").error("the run has ended before the place to which it was to go back");
    is_stop_expected_ = true;
  }
  if (connected_ && is_stop_expected_) send(session_.ended(static_cast<unsigned>(status)));
  port_.close(connection_);
}

void Debugger::event_occurred(Picoseconds at, std::string_view source, std::string_view kind) {
  const std::string line = fmt::format("{} {}: {}\n", human_time(at), source, kind);
  last_events_.push_back(line);
  if (last_events_.size() > events_kept) last_events_.pop_front();
  const DebugPlace here{.kind = DebugPlace::Kind::event, .count = ++events_};
  const bool breaks = break_on_.contains(std::string(kind));
  if (halted_ || (!again_ && (!connected_ || !breaks))) return;
  const auto is_source = [&](const DebuggedCore& each) { return each.core->name() == source; };
  auto core = static_cast<unsigned>(std::ranges::find_if(system_.cores, is_source) - system_.cores.begin());
  // The event may be an effect of a core that waits for the bus.
  if (core == cores())
    for (core = 0; core < cores() && port(core).is_between_instructions();) ++core;
  const DebugStop stop{.why = DebugStop::Why::event, .core = core % cores(), .text = line};
  if (!again_) return halt(stop, here);
  if (breaks) note_hit(here, stop);
  reach(here);
}

// ---- the DebugTarget of GdbSession ----

std::string Debugger::state(unsigned core) const { return state_of(*system_.cores[core].core); }

std::uint64_t Debugger::read(unsigned core, unsigned general) const {
  return system_.cores[core].core->iss().read(general_register(general));
}

bool Debugger::write(unsigned core, unsigned general, std::uint64_t value) {
  return write_general(*system_.cores[core].core, general, value);
}

std::size_t Debugger::read_memory(unsigned core, std::uint64_t address, char* data, std::size_t size) {
  return read_through(*system_.cores[core].core, address, Addressing::translated,
                      std::as_writable_bytes(std::span(data, size)));
}

bool Debugger::write_memory(unsigned core, std::uint64_t address, std::string_view data) {
  return write_through(*system_.cores[core].core, address, Addressing::translated,
                       std::as_bytes(std::span(data)));
}

// ---- monitor ----

std::string Debugger::monitor(unsigned core, const std::string& command) {
  const std::vector<std::string> words = words_of(command);
  const std::string verb = words.empty() ? "help" : words[0];
  if (verb == "break") return break_on({words.begin() + 1, words.end()});
  if (verb == "info" && words.size() == 2) return info(words[1]);
  if (verb == "fault") return fault(command);
  if (verb == "log" && words.size() == 2) return set_log_level(words[1]);
  if (verb == "reset" && words.size() == 1) {
    monitor_changed_ = true;
    return system_.cores[core].reset_node() ? "the node restarts when the run is resumed\n"
                                            : "the node has no power and cannot be reset\n";
  }
  if (verb == "symbols" && words.size() == 1) return system_.write_symbols(core);
  if (verb == "snapshot") return snapshot(std::span(words).subspan(1));
  std::string text =
      "monitor break on KIND    stop at events of this kind (see events.jsonl) or of this group:\n";
  for (const auto& [group, kinds] : event_groups())
    text += fmt::format("    {}: {}\n", group, fmt::join(kinds, ", "));
  text += fmt::format(
      "monitor break off        stop at no event (the default is to stop at core_locked_up)\n"
      "monitor info WHAT        show information about cores, events, {}\n"
      "monitor fault JSON       inject a fault, as in a scenario's faults; without \"at\" it occurs now\n"
      "monitor log INSTANCE=LEVEL  set a level of the log, e.g. core0=trace or uart0=debug\n"
      "monitor reset            make a warm reset, as PSCI SYSTEM_RESET does\n"
      "monitor snapshot save    save the state of the whole run\n"
      "monitor snapshot load [N]  return to the newest snapshot, or to the Nth\n"
      "monitor symbols          write a file for GDB with the symbols of the kernel of Linux\n",
      fmt::join(system_.infos, ", "));
  return verb == "help" ? text : fmt::format("there is no command \"{}\"\n{}", command, text);
}

// Braces and quotes of JSON may contain blanks.
std::string Debugger::fault(const std::string& command) {
  const std::size_t at = command.find('{');
  if (at == std::string::npos) return "expected: monitor fault JSON, e.g. {\"kind\": \"power_loss\"}\n";
  const std::string problem = system_.inject_fault(command.substr(at));
  monitor_changed_ = problem.empty();
  return problem.empty() ? "" : problem + "\n";
}

std::string Debugger::set_log_level(const std::string& assignment) {
  const std::string problem = system_.set_log_level(assignment);
  if (!problem.empty()) return problem + "\n";
  log_levels_.push_back(assignment);
  return "";
}

std::string Debugger::break_on(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == "off") {
    break_on_.clear();
    return "";
  }
  if (words.size() == 2 && words[0] == "on") {
    try {
      break_on_.merge(kinds_named(words[1]));
    } catch (const std::invalid_argument& error) {
      return fmt::format("{}; `monitor help` lists the groups, docs/events.md the kinds\n", error.what());
    }
  } else if (!words.empty()) {
    return "expected: monitor break on KIND, or: monitor break off\n";
  }
  return fmt::format("stops at: {}\n",
                     break_on_.empty() ? "no event" : fmt::format("{}", fmt::join(break_on_, ", ")));
}

std::string Debugger::info(const std::string& what) const {
  std::string text;
  if (what == "events") {
    for (const std::string& line : last_events_) text += line;
    return text.empty() ? "no event has occurred yet\n" : text;
  }
  if (what == "cores") {
    for (unsigned core = 0; core < cores(); ++core)
      text += fmt::format("{:<14} {:#018x}  {}\n", name(core), read(core, pc_number), state(core));
    return text;
  }
  if (std::ranges::find(system_.infos, what) != system_.infos.end()) return system_.info(what);
  return fmt::format("expected one of cores, events, {}\n", fmt::join(system_.infos, ", "));
}

}  // namespace asterism
