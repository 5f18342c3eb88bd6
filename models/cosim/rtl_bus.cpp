#include "cosim/rtl_bus.h"

#include <fmt/format.h>

#include <algorithm>

#include "cosim/hang_watch.h"

namespace asterism {
namespace {

struct Hangs : RtlError {
  using RtlError::RtlError;
};

}  // namespace

RtlBus::RtlBus(std::shared_ptr<const RtlLibrary> library, std::string instance, const Settings& settings,
               const RtlOptions& options)
    : instance_(std::move(library), std::move(instance)),
      settings_(settings),
      timeline_(instance_, settings.time, options),
      target_(port(instance_, "bus.")),
      master_(port(instance_, "master.")) {
  check_ports();
  for (unsigned line = 0;; ++line) {
    const RtlPort interrupt = instance_.port(fmt::format("interrupt.{}", line));
    if (interrupt.width() == 0) break;
    interrupts_.push_back(interrupt);
  }
  timeline_.on_change = [this](Picoseconds at) { seen(at); };
  reset(Reset::cold, Picoseconds(0));
}

void RtlBus::check_ports() const {
  const RtlLibrary& library = instance_.library();
  if (library.contract() != "bus_device")
    throw RtlError(fmt::format("{}: {} is a block of the contract {}, a bus_device is expected", name(),
                               library.name(), library.contract()));
  for (const std::string side : {"bus.", "master."}) {
    if (side == "master." && !has_master()) continue;
    const bool target = side == "bus.";
    const auto in = target ? ASTERISM_RTL_INPUT : ASTERISM_RTL_OUTPUT;
    const auto out = target ? ASTERISM_RTL_OUTPUT : ASTERISM_RTL_INPUT;
    for (const char* role : {"address", "select", "enable", "write", "write_data"})
      library.index_of(side + role, in);
    for (const char* role : {"read_data", "ready"}) library.index_of(side + role, out);
    for (const char* role : {"read_data", "write_data"})
      if (const auto width = library.width(side + role); width != 32)
        throw RtlError(fmt::format("{}: the port {}{} of {} has {} bits, 32 are expected", name(), side, role,
                                   library.name(), width));
  }
}

RtlBus::Port RtlBus::port(const RtlInstance& instance, const std::string& side) {
  const auto at = [&](const char* role) { return instance.port(side + role); };
  return {at("address"), at("select"),    at("enable"), at("write"), at("write_data"),
          at("strobe"),  at("read_data"), at("ready"),  at("error")};
}

std::vector<RtlPort> RtlBus::states() const {
  std::vector<RtlPort> states;
  for (unsigned i = 0;; ++i) {
    states.push_back(instance_.port(fmt::format("state.{}", i)));
    if (states.back().width() == 0) break;
  }
  states.pop_back();
  return states;
}

// ---- time ----

void RtlBus::reset(Reset kind, Picoseconds at) {
  catch_up(at);
  if (progress_.phase != Phase::none) finish({.error = true, .end = timeline_.time()});
  progress_.master = Master::none;
  if (kind != Reset::cold && instance_.port("power_on_reset").width() != 0) return pulse_reset();
  const HangWatch::Scope scope(name());
  instance_.reset();
  timeline_.start(at + duration(Cycles(1), settings_.time.clock));
}

void RtlBus::pulse_reset() {
  release();
  RtlPort reset = instance_.port("reset");
  const AsterismRtlBlock& block = instance_.library().block();
  const HangWatch::Scope scope(name());
  reset.set(block.reset_active_high ? 1 : 0);
  timeline_.inputs_changed();
  for (std::uint32_t i = 0; i < block.reset_cycles; ++i) timeline_.step();
  reset.set(block.reset_active_high ? 0 : 1);
  timeline_.inputs_changed();
}

void RtlBus::catch_up(Picoseconds now) {
  while (timeline_.is_behind(now)) {
    if (progress_.phase != Phase::none || progress_.master == Master::answered)
      cycle();
    else
      timeline_.advance(now);
  }
}

// ---- as a target ----

void RtlBus::begin(const BusAccess& access, Picoseconds at) {
  catch_up(at);
  progress_.answer = {};
  if (access.write && access.strobes != 0xF && !has_strobes()) {
    progress_.answer = {.error = true, .end = timeline_.time()};
    return;
  }
  progress_.access = access;
  progress_.waited = 0;
  progress_.phase = Phase::setup;
  target_.address.set(access.address);
  target_.select.set(1);
  target_.write.set(access.write);
  target_.write_data.set(access.write ? access.data : 0);
  target_.strobe.set(access.write ? access.strobes : 0);
  timeline_.inputs_changed();
}

bool RtlBus::run_until_done() {
  const HangWatch::Scope scope(name());
  while (progress_.phase != Phase::none) {
    const bool accesses = progress_.phase == Phase::access;
    cycle();
    scope.alive();
    if (accesses && progress_.phase == Phase::access && progress_.master == Master::waits) return false;
  }
  return true;
}

RtlBus::Answer RtlBus::access(const BusAccess& access, Picoseconds at) {
  begin(access, at);
  if (!run_until_done())
    throw RtlError(name() + ": it waits for an access of its own, but its master port is not connected");
  return progress_.answer;
}

// One cycle with an access in progress on either port.
void RtlBus::cycle() {
  timeline_.settle();
  const bool ends = progress_.phase == Phase::access && target_.ready.is_set();
  const bool error = target_.error.is_set();
  const Answer answer{
      .data = progress_.access.write || error ? 0 : static_cast<std::uint32_t>(target_.read_data.get()),
      .error = error,
      .end = timeline_.next_edge()};
  const bool answers_master = progress_.master == Master::answered;
  timeline_.edge();
  if (answers_master) {
    progress_.master = Master::none;
    master_.ready.set(0);
    master_.read_data.set(0);
    master_.error.set(0);
    timeline_.inputs_changed();
    look_at_master(timeline_.time());
  }
  if (ends) return finish(answer);
  if (progress_.phase == Phase::access && progress_.master != Master::waits &&
      ++progress_.waited >= settings_.max_cycles)
    hangs();
  if (progress_.phase != Phase::setup) return;
  progress_.phase = Phase::access;
  target_.enable.set(1);
  timeline_.inputs_changed();
}

void RtlBus::finish(const Answer& answer) {
  progress_.phase = Phase::none;
  progress_.answer = answer;
  release();
}

void RtlBus::release() {
  for (RtlPort* input : {&target_.address, &target_.select, &target_.enable, &target_.write,
                         &target_.write_data, &target_.strobe})
    input->set(0);
  timeline_.inputs_changed();
}

void RtlBus::hangs() const {
  const auto index = instance_.library().find("bus.ready");
  throw Hangs(fmt::format("{}: {} {:#05x} hangs: {} was low for {} cycles", name(),
                          progress_.access.write ? "the write of" : "the read of", progress_.access.address,
                          instance_.library().ports()[*index].name, progress_.waited));
}

// ---- without a trace ----

void RtlBus::set_trying(bool tries) {
  tries_ = tries;
  timeline_.set_quiet(tries);
}

// The effects of `body` on the block are undone, and nothing is reported.
template <class Body>
auto RtlBus::tried(const Body& body) {
  const Progress progress = progress_;
  timeline_.keep(before_);
  set_trying(true);
  std::optional<decltype(body())> result;
  try {
    result = body();
  } catch (const Hangs&) {
  } catch (...) {
    set_trying(false);
    throw;
  }
  timeline_.return_to(before_);
  set_trying(false);
  progress_ = progress;
  return result;
}

std::optional<RtlBus::Answer> RtlBus::peek(const BusAccess& access, Picoseconds at) {
  if (is_busy()) return std::nullopt;
  const auto answer = tried([&]() -> std::optional<Answer> {
    begin(access, at);
    return run_until_done() ? std::optional(progress_.answer) : std::nullopt;
  });
  return answer ? *answer : std::nullopt;
}

RtlBus::Answer RtlBus::access_or_peek(const BusAccess& access, Picoseconds at) {
  catch_up(at);
  if (access.write) return this->access(access, at);
  const auto tried_answer = tried([&] {
    const Answer answer = this->access(access, at);
    timeline_.step();
    timeline_.keep(after_);
    return answer;
  });
  if (!tried_answer) return this->access(access, at);
  const bool leaves_no_trace = *tried([&] {
    while (timeline_.cycles() < after_.cycles) timeline_.step();
    timeline_.keep(without_);
    return after_.state == without_.state;
  });
  return leaves_no_trace ? *tried_answer : this->access(access, at);
}

// ---- as a master ----

void RtlBus::seen(Picoseconds at) {
  std::uint32_t levels = 0;
  for (std::size_t line = 0; line < interrupts_.size(); ++line)
    levels |= std::uint32_t{interrupts_[line].is_set()} << line;
  if (levels != levels_) {
    levels_ = levels;
    if (on_interrupts) on_interrupts(at, levels);
  }
  look_at_master(at);
}

void RtlBus::look_at_master(Picoseconds at) {
  if (progress_.master != Master::none || !master_.select.is_set() || !master_.enable.is_set()) return;
  progress_.master = Master::waits;
  const bool write = master_.write.is_set();
  const unsigned strobes =
      master_.strobe.width() == 0 || !write ? 0xF : static_cast<unsigned>(master_.strobe.get());
  if (on_master && !tries_)
    on_master({write, master_.address.get(), write ? static_cast<std::uint32_t>(master_.write_data.get()) : 0,
               strobes},
              at);
}

void RtlBus::answer_master(std::uint32_t data, bool error, Picoseconds at) {
  catch_up(at);
  if (progress_.master != Master::waits) return;  // a reset has ended it
  progress_.master = Master::answered;
  master_.ready.set(1);
  master_.read_data.set(data);
  master_.error.set(error);
  timeline_.inputs_changed();
}

}  // namespace asterism
