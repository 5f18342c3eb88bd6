// How the debugger goes back in time (reexecution.h).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/engine.h"
#include "platform/debug/debugger.h"
#include "platform/host/human_time.h"
#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {

using Kind = DebugPlace::Kind;
using Goal = Reexecution::Goal;
using Why = DebugStop::Why;

DebugPlace Debugger::place_of(unsigned core) const {
  return {.kind = Kind::core,
          .core = core,
          .count = system_.cores[core].core->instructions(),
          .pc = read(core, pc_number)};
}

DebugPlace Debugger::pause_now() { return {.kind = Kind::pause, .count = now().count()}; }

// ---- what is kept ----

bool Debugger::keeps_snapshots() const {
  return connected_ && system_.snapshot_interval != Picoseconds(0) && system_.why_no_snapshots.empty() &&
         (again_ ? again_->task.goal == Goal::arrive && kept_.size() < most_kept
                 : kept_.size() < most_kept - kept_for_ways);
}

// Distances grow with the length of the run, so that there are not too many snapshots. On the way to a place
// they shrink instead: the next way back probably begins there.
bool Debugger::keep_snapshot(const DebugPlace& here, bool is_of_user) {
  const auto set_next = [this] {
    const Picoseconds distance =
        again_ ? (std::max(again_->task.end_time, now()) - now()) / 4 : (now() - kept_.front().time) / 8;
    next_kept_ = now() + std::max(system_.snapshot_interval, distance);
  };
  kept_.push_back({.number = system_.snapshots->count() + 1,
                   .at = here,
                   .time = now(),
                   .inputs = inputs_.size(),
                   .is_of_user = is_of_user});
  std::optional<std::string> message;
  try {
    message = system_.snapshots->save();
  } catch (const std::system_error& error) {
    kept_.pop_back();
    if (is_of_user) throw;
    system_.snapshot_interval = Picoseconds(0);
    log("gdb").warn("no further snapshots are kept: {}", error.what());
    return false;
  }
  if (message) {
    const Reexecution task = Reexecution::from_text(*message);
    if (has_stale_news_) port_.take();
    reader_ = {};
    reader_.feed(task.unread);
    again_.reset();
    if (task.goal != Goal::load) again_.emplace(Again{.task = task});
    const bool looks_at_stops = task.goal == Goal::load || (task.goal == Goal::search && !task.steps);
    session_.set_stops(looks_at_stops ? task.stops : GdbSession::Stops());
    break_on_ = task.steps ? std::set<std::string>() : task.events;
    mute_log(again_.has_value());
    if (task.goal == Goal::load) set_log_levels(task.log_levels);
  }
  set_next();
  return message.has_value();
}

void Debugger::forget_history() {
  kept_.clear();
  inputs_.clear();
  all_run_ = true;
}

void Debugger::record(const GdbSession::Selection& selection, const GdbPacketReader::Item& item,
                      const GdbSession::Answer& answer) {
  const std::string& packet = item.payload;
  bool changes = monitor_changed_;
  if (answer.what == GdbSession::Answer::What::resume) {
    const bool runs_on = packet == "c" || packet.starts_with("vCont;c");
    changes = !runs_on || !all_run_ || std::ranges::any_of(session_.actions(), [](const DebugAction& action) {
      return action.what != DebugAction::What::run;
    });
  } else if (!packet.empty() && std::string_view("PGMX").find(packet[0]) != std::string_view::npos) {
    changes = answer.text == "OK";
  }
  if (changes) inputs_.push_back({here_, selection, packet});
}

std::optional<Picoseconds> Debugger::next_poll() const {
  std::optional<Picoseconds> next;
  if (keeps_snapshots()) next = next_kept_;
  // The places before the next pause may all be reached in one slice of the simulation.
  if (again_) {
    const auto& inputs = again_->task.inputs;
    const auto left = inputs.begin() + static_cast<std::ptrdiff_t>(again_->repeated);
    const auto pause = std::find_if(left, inputs.end(),
                                    [](const DebugInput& input) { return input.at.kind == Kind::pause; });
    const DebugPlace& place = pause == inputs.end() ? again_->task.end : pause->at;
    if (place.kind == Kind::pause) next = earlier(next, Picoseconds(place.count));
  }
  return next && *next > now() ? next : std::nullopt;
}

std::string Debugger::snapshot(std::span<const std::string> words) {
  if (!system_.why_no_snapshots.empty()) return system_.why_no_snapshots + "\n";
  std::vector<Kept> of_user;
  std::ranges::copy_if(kept_, std::back_inserter(of_user), &Kept::is_of_user);
  if (words.size() == 1 && words[0] == "save") {
    const bool loaded = keep_snapshot(here_, true);
    return fmt::format(
        "snapshot {} of {}{}\n", of_user.size() + 1, human_time(now()),
        loaded ? " was loaded; let GDB discard what it has read:\nmaintenance flush register-cache\n"
                 "maintenance flush dcache"
               : "");
  }
  if (!words.empty() && words[0] == "load" && words.size() <= 2) {
    std::size_t number = of_user.size();
    if (number == 0) return "there is no snapshot yet; use: monitor snapshot save\n";
    if (words.size() == 2) {
      const std::string& text = words[1];
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error != std::errc() || end != text.data() + text.size() || number == 0 || number > of_user.size())
        return fmt::format("expected a number from 1 to {}, got \"{}\"\n", of_user.size(), text);
    }
    Reexecution task{.goal = Goal::load,
                     .end = {},
                     .stops = session_.stops(),
                     .events = break_on_,
                     .log_levels = log_levels_};
    continue_from(of_user[number - 1].number, std::move(task));
  }
  return "expected: monitor snapshot save, or: monitor snapshot load [N]\n";
}

// ---- the process that goes back ----

void Debugger::continue_from(unsigned snapshot, Reexecution task) {
  port_.pause();
  task.unread = reader_.rest() + port_.take().bytes;
  system_.snapshots->load(snapshot, task.to_text());
}

void Debugger::go_back(bool steps) {
  if (!system_.why_no_snapshots.empty()) return refuse_to_go_back(system_.why_no_snapshots);
  if (kept_.empty())
    return refuse_to_go_back(
        system_.snapshot_interval == Picoseconds(0)
            ? "there is no snapshot to go back to; --gdb-snapshots TIME keeps some, monitor snapshot save one"
            : "there is no snapshot to go back to: the run has not gone on since this debugger has "
              "connected");
  const unsigned core = session_.selection().for_resume;
  const std::uint64_t count = system_.cores[core].core->instructions();
  const Kept& last = kept_.back();
  const auto first = inputs_.begin() + static_cast<std::ptrdiff_t>(last.inputs);
  const std::size_t inputs = std::max(halt_inputs_, last.inputs);
  Reexecution task{.goal = Goal::search,
                   .end = here_,
                   .inputs = {first, inputs_.begin() + static_cast<std::ptrdiff_t>(inputs)},
                   .steps = steps,
                   .core = core,
                   .from = count == 0 ? 0 : count - 1,
                   .stop = here_stop_,
                   .stops = session_.stops(),
                   .events = break_on_,
                   .log_levels = log_levels_};
  continue_from(last.number, std::move(task));
}

// GDB displays the text, and that there is no more history.
void Debugger::refuse_to_go_back(const std::string& why) {
  for (const std::string& payload : session_.stopped(
           {.why = Why::beginning, .core = session_.selection().for_registers, .text = why + "\n"}))
    send(payload);
}

// ---- the process that executes again ----

const DebugPlace& Debugger::next_place() const {
  const Again& again = *again_;
  const auto& inputs = again.task.inputs;
  return again.repeated < inputs.size() ? inputs[again.repeated].at : again.task.end;
}

void Debugger::continue_again() {
  if (again_) reach(here_);
  if (again_) halted_ = false;
}

void Debugger::pass(const DebugPlace& here, Iss::Stop why) {
  Again& again = *again_;
  const auto has_breakpoint = [&] {
    return std::ranges::find(session_.stops().breakpoints, here.pc, &GdbSession::Breakpoint::address) !=
           session_.stops().breakpoints.end();
  };
  if (again.watched && again.watched->at.core == here.core && again.watched->at != here) {
    const WatchHit hit = std::exchange(again.watched, std::nullopt)->hit;
    note_hit(here,
             {.why = hit.is_store ? Why::stored : Why::loaded, .core = here.core, .address = hit.address});
  }
  if (why == Iss::Stop::watchpoint) again.watched = {here, port(here.core).watch_hit()};
  if (why == Iss::Stop::breakpoint || (why == Iss::Stop::reached && has_breakpoint()))
    note_hit(here, {.why = Why::breakpoint, .core = here.core, .address = here.pc});
  if (again.task.steps && here.core == again.task.core && here.count >= again.task.from)
    note_hit(here, {.why = Why::stepped, .core = here.core});
  const bool went_on = reach(here);
  if (!went_on && again_ && why == Iss::Stop::stepped && session_.actions()[here.core].repeats_at(here.pc))
    port(here.core).step();
}

// The debugger expects a stop at a watchpoint behind the access, and then goes back over it itself. So the
// end may be such a stop, unless that was already reported to the debugger.
void Debugger::note_hit(const DebugPlace& here, const DebugStop& stop) {
  Again& again = *again_;
  if (again.task.goal != Goal::search || (again.hit && again.hit->at == here)) return;
  const auto is_watchpoint = [](const DebugStop& each) {
    return each.why == Why::loaded || each.why == Why::stored;
  };
  const bool may_be_end = again.task.end_counts || (is_watchpoint(stop) && !is_watchpoint(again.task.stop));
  if (here == again.task.end && !may_be_end) return;
  again.hit = {here, again.repeated, stop, now()};
}

// Repeats the inputs that were made here, and handles the end. Returns whether it has done something.
bool Debugger::reach(const DebugPlace& here) {
  Again& again = *again_;
  const auto& inputs = again.task.inputs;
  bool has_repeated = false;
  const bool was_halted = std::exchange(halted_, true);
  for (; again.repeated < inputs.size() && inputs[again.repeated].at == here; has_repeated = true) {
    const DebugInput& input = inputs[again.repeated++];
    if (!has_repeated)
      for (unsigned core = 0; core < cores(); ++core) port(core).cancel_step();  // as halt() does
    session_.select(input.selection);
    const GdbSession::Answer answer = session_.handle(input.packet);
    inputs_.push_back(input);
    if (answer.what == GdbSession::Answer::What::resume) start_cores();
  }
  halted_ = was_halted;
  const DebugPlace& next = next_place();
  if (next == here) {
    reach_end(here);
    return true;
  }
  const bool is_past =
      (next.kind == Kind::core && system_.cores[next.core].core->instructions() > next.count) ||
      (next.kind == Kind::event && events_ > next.count) ||
      (next.kind == Kind::pause && now() > Picoseconds(next.count));
  if (is_past) {
    lose_the_way(here);
    return true;
  }
  arm();
  return has_repeated;
}

// Lets each core stop from the instruction on that matters next.
void Debugger::arm() {
  const Again& again = *again_;
  const DebugPlace& next = next_place();
  for (unsigned core = 0; core < cores(); ++core) {
    std::uint64_t from = DebugPort::never;
    if (next.kind == Kind::core && next.core == core) from = next.count;
    if (again.watched && again.watched->at.core == core) from = std::min(from, again.watched->at.count);
    if (again.task.goal == Goal::search && again.task.steps && again.task.core == core)
      from = std::min(from, again.task.from);
    port(core).stop_from(from);
  }
}

void Debugger::end_again() {
  again_.reset();
  mute_log(false);
  for (unsigned core = 0; core < cores(); ++core) port(core).stop_from(DebugPort::never);
}

void Debugger::reach_end(const DebugPlace& here) {
  const Again again = *again_;
  const Reexecution& task = again.task;
  if (task.goal == Goal::search && !again.hit) return search_before(task);
  if (task.goal == Goal::search) {
    Reexecution next = task;
    next.goal = Goal::arrive;
    next.end = again.hit->at;
    next.end_time = again.hit->time;
    next.inputs.resize(again.hit->inputs);
    next.stop = again.hit->stop;
    continue_from(kept_.back().number, std::move(next));
  }
  end_again();
  session_.set_stops(task.stops);
  break_on_ = task.events;
  set_log_levels(task.log_levels);
  is_stop_expected_ = true;
  halt(task.stop, here);
}

// A debugger that interrupts a long search finds the run at the end of the part that was being searched.
void Debugger::give_up_search() {
  Reexecution& task = again_->task;
  if (task.goal != Goal::search || (!port_.has_news() && reader_.empty())) return;
  const std::uint64_t connection = connection_;
  take_news();
  if (!connected_ || connection_ != connection) {
    end_again();
    return connected_ ? void() : run_freely();
  }
  bool is_interrupted = false;
  while (const auto item = reader_.next()) {
    is_interrupted |= item->kind == GdbPacketReader::Kind::interrupt;
    check_for_kill(*item);
  }
  if (killed_) return end_again();
  if (!is_interrupted) return;
  task.goal = Goal::arrive;
  task.stop = {.why = Why::interrupted, .core = task.core};
  session_.set_stops({});
  break_on_.clear();
  arm();
}

// Levels of the log that were set behind the snapshot.
void Debugger::set_log_levels(const std::vector<std::string>& assignments) {
  if (assignments == log_levels_) return;
  for (const std::string& each : assignments) set_log_level(each);
  log_levels_ = assignments;
}

// Nothing was found between the newest snapshot and the end.
void Debugger::search_before(const Reexecution& task) {
  Reexecution next = task;
  const Kept& last = kept_.back();
  const Kept& earlier = kept_[kept_.size() < 2 ? 0 : kept_.size() - 2];
  next.end = last.at;
  next.end_counts = task.end_counts || last.at != task.end;
  next.inputs.assign(inputs_.begin() + static_cast<std::ptrdiff_t>(earlier.inputs),
                     inputs_.begin() + static_cast<std::ptrdiff_t>(last.inputs));
  if (kept_.size() < 2) {
    next.goal = Goal::arrive;
    next.stop = {.why = Why::beginning,
                 .core = task.end.core,
                 .text = fmt::format("this is the earliest snapshot, at {}\n", human_time(last.time))};
  }
  continue_from(earlier.number, std::move(next));
}

void Debugger::lose_the_way(const DebugPlace& here) {
  again_->task.goal = Goal::arrive;
  again_->task.stop = {.why = Why::event,
                       .core = here.core,
                       .text =
                           "the execution from the snapshot differs from the first one, so the place to "
                           "go back to was not found\n"};
  reach_end(here);
}

}  // namespace asterism
