#include "platform/live/live_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <systemc>

#include "platform/config/diagnostics.h"
#include "platform/config/nearest_name.h"
#include "platform/debug/core_access.h"
#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {

using Code = LiveError::Code;

LiveSession::LiveSession(const SocketEndpoint& endpoint) : port_(std::make_unique<LivePort>(endpoint)) {}
LiveSession::~LiveSession() = default;

void LiveSession::attach(Run run) {
  run_.emplace(std::move(run));
  cores_ = run_->system.cores_to_debug();
  if (cores_.empty()) throw std::invalid_argument("no core of this scenario runs firmware");
  for (const DebuggedCore& each : cores_) each.core->debugged_by(*this);
}

// ---- halting and resuming ----

bool LiveSession::wants_to_stop() const {
  return port_ && (is_new_ || stop_wanted_ || off_ || port_->has_news());
}

void LiveSession::stopped(CoreModule& core, Iss::Stop why) {
  const auto index =
      static_cast<unsigned>(std::ranges::find(cores_, &core, &DebuggedCore::core) - cores_.begin());
  if (why == Iss::Stop::breakpoint) return halt("breakpoint", index);
  if (why == Iss::Stop::stepped && goal_ && --goal_->steps > 0) return core.iss().debug_port().step();
  if (why == Iss::Stop::stepped) return halt("step", index);
  if (is_new_) return halt("start", index);
  serve_news();
  if (off_) return halt("core_off", *std::exchange(off_, std::nullopt));
  if (stop_wanted_) halt("stop", index);
}

void LiveSession::went_off(CoreModule& core) {
  if (!goal_ || !goal_->steps_of || cores_[*goal_->steps_of].core != &core) return;
  if (core.state() == CoreModule::State::off || core.state() == CoreModule::State::locked_up)
    off_ = goal_->steps_of;
}

void LiveSession::poll() {
  if (!port_) return;
  serve_news();
  if (is_new_) return halt("start");
  if (off_) return halt("core_off", *std::exchange(off_, std::nullopt));
  if (goal_ && goal_->until && now() >= *goal_->until) return halt("time");
  if (stop_wanted_) halt("stop");
}

std::optional<Picoseconds> LiveSession::next_poll() const {
  return goal_ && goal_->until && *goal_->until > now() ? goal_->until : std::nullopt;
}

void LiveSession::stalled() {
  if (port_ && !clients_.empty() && !has_quit_) halt("stalled");
}

void LiveSession::ended(std::string_view how, std::optional<std::uint64_t> firmware_status) {
  if (!port_ || has_quit_) return;
  state_ = State::ended;
  LiveJson end = {{"ended", how}};
  if (firmware_status) end["firmware_status"] = *firmware_status;
  halt("end", std::nullopt, end);
}

void LiveSession::record(Picoseconds at, std::string_view source, std::string_view kind,
                         std::initializer_list<Detail> details) {
  const std::uint64_t number = events_++;
  if (!port_) return;
  const bool may_halt = state_ == State::running && goal_ && goal_->kinds.contains(std::string(kind));
  const auto listens = [](const auto& client) { return client.second.subscriptions.contains("event"); };
  if (!may_halt && std::ranges::none_of(clients_, listens)) return;
  LiveJson event = {{"n", number}, {"time_ps", at.count()}, {"source", source}, {"kind", kind}};
  for (const auto& [name, value] : details)
    std::visit([&entry = event[std::string(name)]](const auto& v) { entry = v; }, value);
  notify("event", event);
  if (may_halt && is_met_by(source, kind, event)) halt("event", std::nullopt, {{"event", event}});
}

bool LiveSession::is_met_by(std::string_view source, std::string_view kind, const LiveJson& event) const {
  if (!goal_->kinds.contains(std::string(kind)) || (goal_->source && *goal_->source != source)) return false;
  return std::ranges::all_of(goal_->details.items(), [&](const auto& wanted) {
    const auto found = event.find(wanted.key());
    return found != event.end() && *found == wanted.value();
  });
}

void LiveSession::output(const std::string& line, std::string_view text) {
  if (port_) notify("output", {{"line", line}, {"text", text}});
}

void LiveSession::halt(const std::string& reason, std::optional<unsigned> core, const LiveJson& more) {
  is_new_ = stop_wanted_ = false;
  off_.reset();
  halt_ = {{"reason", reason}, {"time_ps", now().count()}};
  if (core) {
    halt_["core"] = cores_[*core].name;
    halt_["pc"] = hex(this->core(*core).iss().read(CoreRegister::pc));
    halt_["place"] = place_of(*core);
  }
  halt_.update(more);
  for (const DebuggedCore& each : cores_) {
    DebugPort& port = each.core->iss().debug_port();
    port.cancel_step();
    if (goal_ && !goal_->breakpoints.empty()) port.set_breakpoints({});
  }
  goal_.reset();
  if (state_ == State::running) state_ = State::halted;
  run_->halted();
  for (const Asked& each : std::exchange(asked_, {})) {
    if (each.wants_answer) port_->send(each.client, to_line(live_answer(each.id, halt_)));
    if (const auto found = clients_.find(each.client); found != clients_.end() && found->second.has_gone)
      close(each.client);
  }
  notify("halted", halt_);
  stay_halted();
}

void LiveSession::stay_halted() {
  const auto stays = [this] {
    if (has_quit_ || run_->interrupted()) return false;
    return state_ == State::halted || (state_ == State::ended && !clients_.empty());
  };
  while (stays()) {
    serve_news();
    if (stays()) port_->wait_for_news(std::chrono::milliseconds(100));
  }
  if (state_ == State::halted) state_ = State::running;  // to its end
}

void LiveSession::run_to(Goal goal) {
  goal_ = std::move(goal);
  for (unsigned each = 0; each < cores_.size(); ++each) {
    DebugPort& port = core(each).iss().debug_port();
    if (!goal_->breakpoints.empty()) port.set_breakpoints(goal_->breakpoints);
    if (goal_->steps_of == each) port.step();
  }
  state_ = State::running;
  // The slice that is under way may reach further than the goal.
  if (sc_core::sc_get_status() == sc_core::SC_RUNNING) sc_core::sc_pause();
}

void LiveSession::quit() {
  has_quit_ = true;
  if (state_ != State::ended) sc_core::sc_stop();
}

// ---- clients ----

void LiveSession::pause_port() {
  if (port_) port_->pause();
}

void LiveSession::resume_port() {
  if (port_) port_->resume();
}

void LiveSession::forget_clients() {
  static_cast<void>(port_.release());  // its thread does not exist here, and its sockets are not open
  clients_.clear();
  asked_.clear();
}

void LiveSession::continue_at(const std::optional<SocketEndpoint>& endpoint) {
  halt_["reason"] = "restored";
  if (endpoint)
    port_ = std::make_unique<LivePort>(*endpoint);
  else
    state_ = State::running;
}

void LiveSession::serve_news() {
  if (is_at_work_) return;  // a request changes a device, which records an event
  is_at_work_ = true;
  const LivePort* const port = port_.get();
  for (LivePort::News& news : port_->take()) {
    switch (news.what) {
      case LivePort::News::What::came:
        clients_.try_emplace(news.client);
        break;
      case LivePort::News::What::line:
        serve(news.client, news.line);
        break;
      case LivePort::News::What::too_long:
        port_->send(news.client,
                    to_line(live_error({Code::no_request, fmt::format("a line is longer than {} MiB",
                                                                      LivePort::longest_line >> 20)},
                                       nullptr)));
        close(news.client);
        break;
      case LivePort::News::What::went:
        take_leave(news.client);
        break;
    }
    if (run_->interrupted()) break;
    if (port_.get() != port) break;  // this process continues from a snapshot
  }
  is_at_work_ = false;
}

bool LiveSession::is_awaited_by(Client client) const {
  return std::ranges::find(asked_, client, &Asked::client) != asked_.end();
}

// A client that has ended its input may still wait for an answer.
void LiveSession::take_leave(Client client) {
  const auto found = clients_.find(client);
  if (found == clients_.end()) return;
  if (found->second.then == Then::quit) quit();
  if (found->second.then == Then::go_on && state_ == State::halted) run_to({});
  found->second.has_gone = true;
  if (!is_awaited_by(client)) close(client);
}

void LiveSession::close(Client client) {
  port_->close(client);
  clients_.erase(client);
}

void LiveSession::notify(const std::string& what, const LiveJson& params) {
  std::string line;
  for (const auto& [client, connection] : clients_) {
    if (!connection.subscriptions.contains(what)) continue;
    if (line.empty()) line = to_line(live_notification(what, params));
    port_->send(client, line);
  }
}

void LiveSession::serve(Client client, const std::string& line) {
  if (!clients_.contains(client)) return;
  LiveJson id;
  bool wants_answer = true;
  LiveJson answer;
  const LivePort* const port = port_.get();
  try {
    const LiveRequest request = parse_live_request(line);
    id = request.id;
    wants_answer = request.wants_answer;
    answer = answer_to(client, request);
    if (answer.is_null()) return;
  } catch (const LiveError& error) {
    answer = live_error(error, id.is_null() ? error.id : id);
  } catch (const std::exception& error) {
    answer = live_error({Code::internal, error.what()}, id);
  }
  if (wants_answer && port_.get() == port) port_->send(client, to_line(answer));
  // A page in a browser may send HTTP to any port of its machine, with lines of its choice behind that.
  if (line.find(" HTTP/") != std::string::npos && line.front() != '{') close(client);
}

// Returns null if the request is answered when the system has halted, or by nobody.
LiveJson LiveSession::answer_to(Client client, const LiveRequest& request) {
  const auto found = std::ranges::find(handlers(), request.method, &Handler::name);
  if (found == handlers().end()) {
    std::vector<std::string> names;
    for (const Handler& each : handlers()) names.emplace_back(each.name);
    const std::string nearest = nearest_name(request.method, names);
    throw LiveError(Code::no_such_request,
                    fmt::format("there is no request \"{}\"{}", request.method,
                                nearest.empty() ? "; `version` lists them"
                                                : fmt::format("; did you mean \"{}\"?", nearest)));
  }
  const LiveParams params(request, found->params);
  if (found->needs_halt && state_ == State::ended)
    throw LiveError(Code::not_now, fmt::format("{}: the run has ended", request.method));
  if (found->needs_halt && state_ == State::running)
    throw LiveError(Code::not_now, fmt::format("{}: the run goes on; `stop` halts it", request.method));
  client_ = client;
  const Answer answer = (this->*found->serve)(params);
  if (answer) return live_answer(request.id, *answer);
  asked_.push_back({client, request.id, request.wants_answer});
  return nullptr;
}

}  // namespace asterism
