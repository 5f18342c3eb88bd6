#include "cosim/rtl_device.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/engine.h"
#include "cosim/report_text.h"
#include "tlm/log.h"
#include "tlm/payload.h"
#include "tlm/time.h"

namespace asterism {

RtlDevice::RtlDevice(const sc_core::sc_module_name& name, std::shared_ptr<const RtlLibrary> library,
                     const Settings& settings, const RtlOptions& options)
    : sc_module(name),
      settings_(settings),
      bus_(std::move(library), this->name(), settings.bus, options),
      window_(settings.bus.time.trace.window),
      alarm_("alarm", [this](Picoseconds now) {
        guarded([&] { bus_.catch_up(now); });
        rearm();
      }) {
  target.register_b_transport(this, &RtlDevice::b_transport);
  target.register_transport_dbg(this, &RtlDevice::transport_dbg);
  interrupts.init(bus_.interrupt_lines(),
                  [](const char* line, std::size_t) { return new sc_core::sc_out<bool>(line); });
  for (unsigned line = 0; line < interrupts.size(); ++line)
    interrupts[line].initialize((bus_.interrupts() >> line & 1) != 0);
  levels_ = bus_.interrupts();
  bus_.on_interrupts = [this](Picoseconds at, std::uint32_t levels) { wires_.push_back({at, levels}); };
  who_.master = settings.master;
  if (bus_.has_master()) {
    master.emplace("master");
    bus_.on_master = [this](const BusAccess& access, Picoseconds at) {
      wanted_ = Wanted{access, at, epoch_};
      wanted_event_.notify();
    };
    sc_core::sc_spawn([this] { serve_master(); }, sc_core::sc_gen_unique_name("serve_master"));
  }
  rearm();
}

// ---- as a target ----

void RtlDevice::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  if (!accept(payload, settings_.size)) return;
  if (delay != sc_core::SC_ZERO_TIME) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  take_turn();
  Picoseconds at = now();
  bool ok = !failed_ && !is_aborted(payload);
  if (payload.get_command() != tlm::TLM_IGNORE_COMMAND)
    for_each_word(payload, [&](std::uint64_t word, std::uint32_t value, std::uint32_t lanes, unsigned first,
                               unsigned count) {
      BusAccess one{.write = payload.is_write(), .address = word, .data = value, .strobes = 0};
      for (unsigned byte = 0; byte < 4; ++byte) one.strobes |= (lanes >> 8 * byte & 1) << byte;
      if (!(ok = ok && access(one, at, value)) || payload.is_write()) return;
      put_word(payload, value, first, count);
    });
  taken_ = false;
  free_.notify();
  rearm();
  delay = to_sc_time(std::max(at, now()) - now());
  payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
}

void RtlDevice::take_turn() {
  while (taken_) sc_core::wait(free_);
  taken_ = true;
}

// Accesses one word at `at`, which is advanced to the end of the access.
bool RtlDevice::access(const BusAccess& access, Picoseconds& at, std::uint32_t& data) {
  ++accesses_;
  const std::uint64_t epoch = epoch_;
  bool done = false;
  guarded([&] { bus_.begin(access, at); });
  while (guarded([&] { done = bus_.run_until_done(); }) && !done) {
    rearm();
    sc_core::wait(answered_);  // an access of the block itself is in progress
  }
  if (failed_ || epoch != epoch_) return false;
  const RtlBus::Answer& answer = bus_.answer();
  at = answer.end;
  data = answer.data;
  return !answer.error;
}

unsigned RtlDevice::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (failed_ || !accept(payload, settings_.size)) return 0;
  if (payload.is_write()) log(name()).warn("a debug write has no effect: the registers are RTL");
  if (!payload.is_read()) return 0;
  bool ok = true;
  for_each_word(payload,
                [&](std::uint64_t word, std::uint32_t, std::uint32_t, unsigned first, unsigned count) {
                  std::optional<RtlBus::Answer> answer;
                  guarded([&] { answer = bus_.peek({.address = word}, now()); });
                  ok = ok && answer && !answer->error;
                  if (ok) put_word(payload, answer->data, first, count);
                });
  return ok ? payload.get_data_length() : 0;
}

void RtlDevice::reset(Reset kind) {
  ++epoch_;
  who_.aborted = true;
  guarded([&] { bus_.reset(kind, now()); });
  answered_.notify();
  rearm();
}

// ---- time ----

void RtlDevice::rearm() {
  drive();
  std::optional<Picoseconds> next;
  guarded([&] { next = bus_.next_event(); });
  if (!wires_.empty()) next = earlier(next, wires_.front().at);
  alarm_.arm(next);
}

// Drives the interrupt lines up to the present time. Of two writes in a delta cycle the signal keeps only the
// last one: there is one change per delta cycle, and the alarm rings for the next one.
void RtlDevice::drive() {
  if (!sc_core::sc_is_running() || wires_.empty() || wires_.front().at > now()) return;
  if (driven_ == sc_core::sc_delta_count()) return;
  driven_ = sc_core::sc_delta_count();
  const std::uint32_t levels = wires_.front().levels;
  raised_ += static_cast<unsigned>(std::popcount(levels & ~levels_));
  levels_ = levels;
  for (unsigned line = 0; line < interrupts.size(); ++line) interrupts[line].write((levels >> line & 1) != 0);
  wires_.pop_front();
}

// ---- as a master ----

void RtlDevice::serve_master() {
  for (;;) {
    while (!wanted_) sc_core::wait(wanted_event_);
    const Wanted wanted = *std::exchange(wanted_, std::nullopt);
    if (wanted.at > now()) sc_core::wait(to_sc_time(wanted.at - now()));
    if (wanted.epoch != epoch_) continue;
    const auto [data, error] = make_access(wanted.access);
    if (wanted.epoch != epoch_) continue;
    guarded([&, data = data, error = error] { bus_.answer_master(data, error, now()); });
    answered_.notify();
    rearm();
  }
}

// Returns the data and whether the access failed, at the time of the answer.
std::pair<std::uint32_t, bool> RtlDevice::make_access(const BusAccess& access) {
  ++own_accesses_;
  unsigned char data[4], enables[4];
  std::memcpy(data, &access.data, 4);
  for (unsigned byte = 0; byte < 4; ++byte)
    enables[byte] = (access.strobes >> byte & 1) != 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  tlm::tlm_generic_payload payload;
  payload.set_command(access.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(access.address & ~std::uint64_t{3});
  payload.set_data_ptr(data);
  payload.set_data_length(4);
  payload.set_streaming_width(4);
  if (access.strobes != 0xF) {
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(4);
  }
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  who_.aborted = who_.poison = false;
  payload.set_extension(&who_);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  (*master)->b_transport(payload, delay);
  payload.clear_extension(&who_);
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  const bool error = !payload.is_response_ok() || who_.poison;
  own_errors_ += error && !who_.aborted;
  std::uint32_t word = 0;
  if (!access.write) std::memcpy(&word, data, 4);
  return {word, error};
}

void RtlDevice::report(Statistics& statistics) const {
  statistics.add("accesses", accesses_);
  if (bus_.has_master()) {
    statistics.add("own_accesses", own_accesses_);
    statistics.add("own_errors", own_errors_);
  }
  statistics.add("interrupts_raised", raised_);
}

// ---- failure ----

// Returns whether the RTL has completed it.
template <class Act>
bool RtlDevice::guarded(const Act& act) {
  if (failed_) return false;
  try {
    act();
    return true;
  } catch (const RtlError& error) {
    fail(error.what());
    return false;
  }
}

void RtlDevice::fail(const std::string& reason) {
  failed_ = true;
  Lockstep::Mismatch mismatch;
  mismatch.at = now();
  mismatch.instance = name();
  mismatch.what = "RTL failed";
  mismatch.rtl = report_reason(reason, bus_.name());
  if (const auto file = bus_.timeline().window_file()) {
    try {
      bus_.write_window(window_, {.mismatch = mismatch.at});
      mismatch.trace = file->string();
      mismatch.window = window_;
    } catch (const std::exception& error) {
      mismatch.trace_error = error.what();
    }
  }
  if (on_failure) on_failure(mismatch);
}

}  // namespace asterism
