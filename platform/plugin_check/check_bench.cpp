#include "platform/plugin_check/check_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::size_t margin = 64;         // bytes around the data of a payload
constexpr unsigned char unwritten = 0xc3;  // the content of what nobody may write to
constexpr std::size_t kept_calls = 256;    // payloads that have returned and are still observed

// What a third party adds to its payloads, and no target of a node knows.
struct UnknownExtension : tlm::tlm_extension<UnknownExtension> {
  tlm_extension_base* clone() const override { return new UnknownExtension(*this); }
  void copy_from(const tlm_extension_base& other) override {
    *this = static_cast<const UnknownExtension&>(other);
  }
};

bool is_status(int status) {
  return status <= tlm::TLM_OK_RESPONSE && status >= tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
}

std::string transaction_text(const tlm::tlm_generic_payload& payload) {
  BenchAccess access{.command = payload.get_command(), .address = payload.get_address()};
  const unsigned char* const data = payload.get_data_ptr();
  if (data && payload.get_data_length() <= 1 << 20)
    access.data.assign(data, data + payload.get_data_length());
  access.has_data = data != nullptr;
  access.streaming_width = payload.get_streaming_width();
  return access.text();
}

}  // namespace

std::uint32_t BenchAnswer::word() const {
  std::uint32_t word = 0;
  std::memcpy(&word, data.data(), std::min<std::size_t>(4, data.size()));
  return word;
}

// ---- a call and its payload ----

// Its data have a margin on both sides, and it lives on for some time after the call, to show that the target
// does not.
class CheckBench::Call final : public tlm::tlm_mm_interface {
 public:
  explicit Call(const BenchAccess& access)
      : length(access.length()),
        enables(access.enables.value_or(std::vector<unsigned char>())),
        memory_(margin + access.length() + margin, unwritten) {
    std::ranges::copy(access.data, memory_.begin() + margin);
    enables.resize(std::max<std::size_t>(enables.size(), 1));  // a pointer, also for a length of 0
    if (access.master) {
      who.master = *access.master;
      who.secure = access.is_secure;
      payload.set_extension(&who);
    }
    if (access.has_other_extension) payload.set_extension(&other);
    payload.set_command(access.command);
    payload.set_address(access.address);
    payload.set_data_ptr(access.has_data ? memory_.data() + margin : nullptr);
    payload.set_data_length(length);
    payload.set_streaming_width(access.streaming_width);
    if (access.enables) {
      payload.set_byte_enable_ptr(enables.data());
      payload.set_byte_enable_length(static_cast<unsigned>(access.enables->size()));
    }
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    if (access.is_managed) payload.set_mm(this), payload.acquire();
  }
  ~Call() override { drop_extensions(); }

  std::vector<unsigned char> data() const {
    return {memory_.begin() + margin, memory_.begin() + margin + length};
  }
  bool has_margins() const {
    const auto is_unwritten = [](unsigned char byte) { return byte == unwritten; };
    return std::all_of(memory_.begin(), memory_.begin() + margin, is_unwritten) &&
           std::all_of(memory_.end() - margin, memory_.end(), is_unwritten);
  }
  unsigned char* begin_of_data() { return memory_.data() + margin; }

  // From now on nobody may write.
  void retire() {
    drop_extensions();
    std::ranges::fill(memory_, unwritten);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  // What a target did to it since; "" if nothing.
  std::string change() {
    if (!std::ranges::all_of(memory_, [](unsigned char byte) { return byte == unwritten; }))
      return "wrote to the data after the access had returned";
    if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
      return "set the response status after the access had returned";
    if (payload.has_mm() && payload.get_ref_count() != 1)
      return fmt::format("holds {} references to the payload, which it has not released",
                         payload.get_ref_count() - 1);
    return "";
  }
  void free(tlm::tlm_generic_payload*) override { was_freed = true; }

  tlm::tlm_generic_payload payload;
  InitiatorExtension who;
  UnknownExtension other;
  const unsigned length;
  std::vector<unsigned char> enables;
  bool was_freed = false;
  bool was_passed_on = false;  // by the device as an interconnect, which may change the address (§14.7)
  const sc_core::sc_process_handle caller = sc_core::sc_get_current_process_handle();
  std::string place, text;

 private:
  void drop_extensions() {
    if (payload.get_extension<InitiatorExtension>() == &who) payload.clear_extension(&who);
    if (payload.get_extension<UnknownExtension>() == &other) payload.clear_extension(&other);
  }
  std::vector<unsigned char> memory_;
};

// ---- what the device does as an initiator ----

class CheckBench::Tap final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Tap> initiator{"initiator"};
  tlm_utils::simple_initiator_socket<Tap> target{"target"};

  Tap(const sc_core::sc_module_name& name, CheckBench& bench, std::size_t index)
      : sc_module(name),
        bench_(bench),
        index_(index),
        place_(fmt::format("initiator {} of {}", index, bench.placed_.instance())) {
    initiator.register_b_transport(this, &Tap::b_transport);
    initiator.register_transport_dbg(this, &Tap::transport_dbg);
    initiator.register_get_direct_mem_ptr(this, &Tap::get_direct_mem_ptr);
    target.register_invalidate_direct_mem_ptr(this, &Tap::invalidate);
  }
  // What was under way has ended with a reset.
  void forget_delays() { ends_.clear(); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    TrialRecord& record = bench_.record;
    const std::string text = transaction_text(payload);
    const Picoseconds at = now() + to_picoseconds(delay);
    const auto broken = [&](TlmRule rule, const std::string& seen) {
      record.broken(rule, place_, text, seen);
    };
    Call* const cause = bench_.cause_of(payload);
    const bool is_passed_on = cause && &cause->payload == &payload;
    if (is_passed_on)
      cause->was_passed_on = true;
    else
      check_request(payload, broken);
    if (!cause) check_begin(at, broken);
    const std::size_t entry = bench_.begun_.size();
    bench_.begun_.push_back({now(), at, place_, text, ""});
    const bool is_counted = !is_passed_on && payload.has_mm() && payload.get_ref_count() > 0;
    if (is_counted) payload.acquire();
    const int references = payload.get_ref_count();
    under_way_.insert(&payload);
    target->b_transport(payload, delay);
    under_way_.erase(&payload);
    record.cover(TlmRule::payload);
    const bool is_released = is_counted && payload.get_ref_count() < references;
    if (is_released) broken(TlmRule::payload, "has released the payload while its access was under way");
    const Picoseconds end = now() + to_picoseconds(delay);
    const auto* const who = payload.get_extension<InitiatorExtension>();
    if (!cause && !(who && who->posted)) ends_[sc_core::sc_get_current_process_handle()] = end;
    // When an access for a caller ends depends on the order in which callers that run ahead reach a memory.
    bench_.begun_[entry].answer =
        payload.get_response_string() + (cause ? "" : fmt::format(", ends at {}", text_of(end)));
    if (is_counted && !is_released) payload.release();
  }

  template <class Broken>
  void check_begin(Picoseconds at, const Broken& broken) {
    bench_.record.cover(TlmRule::delay);
    std::erase_if(ends_, [](const auto& each) { return each.first.terminated(); });
    const auto end = ends_.find(sc_core::sc_get_current_process_handle());
    if (end != ends_.end() && at < end->second)
      broken(TlmRule::delay, fmt::format("begins at {}, before the end of the access before it at {}",
                                         text_of(at), text_of(end->second)));
  }

  template <class Broken>
  void check_request(const tlm::tlm_generic_payload& payload, const Broken& broken) {
    bench_.record.cover(TlmRule::status);
    if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
      broken(TlmRule::status,
             fmt::format("begins with the response status {} instead of TLM_INCOMPLETE_RESPONSE",
                         payload.get_response_string()));
    const bool moves_data = payload.is_read() || payload.is_write();
    if (moves_data && !payload.get_data_ptr()) broken(TlmRule::payload, "has no data pointer");
    if (moves_data && payload.get_data_length() == 0) broken(TlmRule::payload, "has a data length of 0");
    if (payload.get_streaming_width() == 0) broken(TlmRule::payload, "has a streaming width of 0");
    if (payload.get_byte_enable_ptr() && payload.get_byte_enable_length() == 0)
      broken(TlmRule::payload, "has byte enables of length 0");
    if (payload.is_dmi_allowed()) broken(TlmRule::payload, "begins with a set DMI hint");
    if (payload.has_mm() && payload.get_ref_count() == 0)
      broken(TlmRule::payload, "has a memory manager, but has not acquired the payload");
    if (under_way_.contains(&payload)) broken(TlmRule::payload, "uses a payload whose access is under way");
    if (sc_core::sc_get_current_process_handle().proc_kind() == sc_core::SC_METHOD_PROC_)
      broken(TlmRule::payload, "calls b_transport by a method process, in which no target can wait");
    const auto* const who = payload.get_extension<InitiatorExtension>();
    bench_.record.cover(TlmRule::master);
    const unsigned expected = bench_.placed_.masters.at(index_);
    // What it does for a caller may have the caller's identity, also in a process of its own.
    if (who && who->master != expected && !bench_.has_caller(who->master))
      broken(TlmRule::master,
             fmt::format("identifies itself as master {:#x} instead of {:#x}", who->master, expected));
  }

  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    if (under_way_.contains(&payload))
      bench_.record.broken(TlmRule::payload, place_, transaction_text(payload),
                           "uses the payload of an access that is under way for a debug access");
    return target->transport_dbg(payload);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    return target->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
    initiator->invalidate_direct_mem_ptr(first, last);
  }

  CheckBench& bench_;
  const std::size_t index_;
  const std::string place_;
  std::set<const tlm::tlm_generic_payload*> under_way_;
  std::map<sc_core::sc_process_handle, Picoseconds> ends_;  // of the last access of a process
};

// ---- the bench ----

// Software that switches off the node ends its run, not the bench.
class CheckBench::NoPower final : public PowerSequence {
  void power_lost() override {}
  void power_restored() override {}
  void warm_reset() override {}
  void power_off() override {}
};

CheckBench::CheckBench(const sc_core::sc_module_name& name, const CheckedNode& checked,
                       const std::string& instance, Picoseconds quantum, std::uint64_t seed,
                       TrialRecord& its_record)
    : sc_module(name),
      record(its_record),
      node_(checked.node),
      placed_(*node_.devices.device(instance)),
      rtl_options_{.traces = checked.folder ? *checked.folder / "traces" : std::filesystem::path()},
      no_power_(std::make_unique<NoPower>()),
      supply_("node.power_supply", {}, *no_power_, events_),
      devices_(
          node_.devices, node_.rtl,
          {.node = "node", .quantum = quantum, .seed = seed, .rtl_options = rtl_options_, .events = events_}),
      networks_(devices_),
      device_(*devices_.find(instance)) {
  devices_.for_each<PowerControl>(
      [this](PowerControl& control, const PlacedDevice&) { control.control(supply_); });
  const auto own = device_.initiators();
  const auto tapped = [&](tlm::tlm_initiator_socket<>& socket) -> tlm::tlm_initiator_socket<>& {
    const auto found = std::ranges::find(own, &socket);
    if (found == own.end()) return socket;
    Tap& tap = *taps_.emplace_back(std::make_unique<Tap>(sc_core::sc_gen_unique_name("tap"), *this,
                                                         static_cast<std::size_t>(found - own.begin())));
    socket.bind(tap.initiator);
    return tap.target;
  };
  devices_.connect(interconnect_, node_.map, tapped, {});
  interconnect_.on_start = [this] { before_run(); };
  observe_lines();
  devices_.power_up();
}

CheckBench::~CheckBench() = default;

BenchInterconnect::Target& CheckBench::socket(std::size_t target) {
  return interconnect_.target_at(placed_.place.ranges.at(target).first);
}

// The lines of the interrupt controller itself are those to the cores.
void CheckBench::observe_lines() {
  InterruptController* const controller = devices_.interrupt_controller();
  if (controller && placed_.shape.interrupt_controller)
    for (unsigned core = 0; core < node_.devices.cores(); ++core)
      wires_.push_back({fmt::format("interrupt line to core {}", core), &controller->irq(core)});
  const auto& numbers = placed_.place.interrupts;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] && controller)
      wires_.push_back({fmt::format("interrupt line {}", i), &controller->shared_line(*numbers[i])});
  for (std::size_t line = 0; line < wires_.size(); ++line) {
    sc_core::sc_spawn_options method;
    method.spawn_method();
    method.dont_initialize();
    method.set_sensitivity(&wires_[line].wire->value_changed_event());
    sc_core::sc_spawn(
        [this, line] {
          all_edges_.push_back({line, now(), level(line)});
        },
        sc_core::sc_gen_unique_name("line"), &method);
  }
}

std::vector<CheckBench::Edge> CheckBench::edges() const {
  std::vector<Edge> lasting;
  std::vector<bool> levels(lines(), false);
  for (std::size_t i = 0; i < all_edges_.size(); ++i) {
    const Edge& edge = all_edges_[i];
    bool is_last = true;  // of its line at this instant
    for (std::size_t j = i + 1; is_last && j < all_edges_.size() && all_edges_[j].at == edge.at; ++j)
      is_last = all_edges_[j].line != edge.line;
    if (!is_last || levels[edge.line] == edge.level) continue;
    levels[edge.line] = edge.level;
    lasting.push_back(edge);
  }
  return lasting;
}

void CheckBench::wait(Picoseconds time) const {
  if (time != Picoseconds()) sc_core::wait(to_sc_time(time));
  record.beat();
}

void CheckBench::run(const std::function<void()>& body) {
  bool has_finished = false;
  sc_core::sc_spawn_options thread;
  thread.set_stack_size(1 << 20);
  sc_core::sc_spawn([&] { body(), has_finished = true; }, caller_process, &thread);
  constexpr unsigned most_slices = 1000;  // without an access that begins or ends
  std::uint64_t beats = record.beats();
  for (unsigned slices = 0; !has_finished; ++slices) {
    sc_core::sc_start(1, sc_core::SC_MS);
    if (has_finished) break;
    if (sc_core::sc_get_status() & (sc_core::SC_STOPPED | sc_core::SC_END_OF_SIMULATION))
      return record.broken_now(TlmRule::status, "ended the simulation (sc_stop)");
    if (beats != record.beats()) beats = record.beats(), slices = 0;
    const bool is_starved = !sc_core::sc_pending_activity();
    if (is_starved || slices > most_slices)
      return record.broken_now(TlmRule::progress,
                               is_starved ? "has not returned, and no event is left at " + text_of(now())
                                          : "has not returned within a second of simulated time");
  }
  for (const auto& call : retired_)
    if (const std::string change = call->change(); !change.empty())
      record.broken(TlmRule::payload, call->place, call->text, change);
}

BenchAnswer CheckBench::call(const BenchAccess& access) {
  auto call = std::make_unique<Call>(access);
  call->place = access.place(placed_);
  call->text = access.text();
  record.begin(call->place, call->text);
  const Picoseconds earliest = now() + access.delay;
  sc_core::sc_time delay = to_sc_time(access.delay);
  under_way_.insert(call.get());
  std::string thrown;
  try {
    socket(access.target).socket->b_transport(call->payload, delay);
  } catch (const sc_core::sc_unwind_exception&) {
    throw;
  } catch (const std::exception& error) {
    thrown = fmt::format("threw: {}", error.what());
  } catch (...) {
    thrown = "threw an object that is no std::exception";
  }
  under_way_.erase(call.get());
  record.end();
  if (!thrown.empty()) record.broken(TlmRule::status, call->place, call->text, thrown);
  BenchAnswer answer{call->payload.get_response_status(), to_picoseconds(delay), call->data()};
  if (thrown.empty()) check(access, *call, answer, earliest);
  retire(std::move(call));
  return answer;
}

void CheckBench::check(const BenchAccess& access, Call& call, const BenchAnswer& answer,
                       Picoseconds earliest) {
  const auto broken = [&](TlmRule rule, const std::string& seen) {
    record.broken(rule, call.place, call.text, seen);
  };
  const tlm::tlm_generic_payload& payload = call.payload;
  const bool was_aborted = call.who.aborted;
  record.cover(TlmRule::delay);
  if (now() + answer.delay < earliest && !was_aborted)
    broken(TlmRule::delay, fmt::format("came back with a delay of {}, at {}, before {}",
                                       text_of(answer.delay), text_of(now()), text_of(earliest)));
  record.cover(TlmRule::status);
  if (answer.status == tlm::TLM_INCOMPLETE_RESPONSE)
    broken(TlmRule::status, "came back with the response status TLM_INCOMPLETE_RESPONSE");
  else if (!is_status(answer.status))
    broken(TlmRule::status, fmt::format("came back with the response status {}, which TLM-2.0 does not have",
                                        static_cast<int>(answer.status)));
  if (access.moves_data() && access.length() != 0 && !access.is_within(target(access.target).size)) {
    record.cover(TlmRule::range);
    if (answer.is_ok())
      broken(TlmRule::range, fmt::format("answered TLM_OK_RESPONSE, although the target has {:#x} bytes",
                                         target(access.target).size.count()));
  }
  if (access.streaming_width != 0 && access.streaming_width < access.length() && access.moves_data() &&
      !answer.is_ok())
    record.cover(TlmRule::streaming_width);

  record.cover(TlmRule::payload);
  if (!call.has_margins()) broken(TlmRule::payload, "wrote outside of the data");
  if (access.command != tlm::TLM_READ_COMMAND && answer.data != access.data)
    broken(TlmRule::payload, fmt::format("changed the data of a write to {}", hex_of(answer.data)));
  if (payload.get_command() != access.command ||
      (payload.get_address() != access.address && !call.was_passed_on) ||
      payload.get_data_length() != access.length() ||
      payload.get_streaming_width() != access.streaming_width ||
      payload.get_data_ptr() != (access.has_data ? call.begin_of_data() : nullptr) ||
      payload.get_byte_enable_ptr() != (access.enables ? call.enables.data() : nullptr))
    broken(TlmRule::payload, "changed an attribute of the payload that is its initiator's");
  if (access.enables && !access.enables->empty() && call.enables != *access.enables)
    broken(TlmRule::payload, "changed the byte enables");
  if (call.was_freed) broken(TlmRule::payload, "has released a payload that it had not acquired");
  if (access.has_other_extension && payload.get_extension<UnknownExtension>() != &call.other)
    broken(TlmRule::payload, "removed an extension of its initiator");

  record.cover(TlmRule::master);
  const auto* const who = payload.get_extension<InitiatorExtension>();
  if (who != (access.master ? &call.who : nullptr))
    broken(TlmRule::master, access.master ? "removed the extension that identifies its initiator"
                                          : "added an extension that identifies an initiator");
  else if (who && (who->master != *access.master || who->secure != access.is_secure))
    broken(TlmRule::master, fmt::format("changed the identity of its initiator to master {:#x}{}",
                                        who->master, who->secure ? ", secure" : ""));

  if (access.command == tlm::TLM_READ_COMMAND && access.enables && answer.is_ok()) {
    record.cover(TlmRule::byte_enables);
    for (unsigned i = 0; i < access.length(); ++i)
      if (!access.is_enabled(i) && answer.data[i] != access.data[i])
        return broken(
            TlmRule::byte_enables,
            fmt::format("wrote byte {} of the data, which is not enabled: {}", i, hex_of(answer.data)));
  }
}

CheckBench::Call* CheckBench::cause_of(const tlm::tlm_generic_payload& payload) const {
  const auto process = sc_core::sc_get_current_process_handle();
  const auto found = std::ranges::find_if(
      under_way_, [&](const Call* call) { return &call->payload == &payload || call->caller == process; });
  return found == under_way_.end() ? nullptr : *found;
}

bool CheckBench::has_caller(unsigned master) const {
  return std::ranges::any_of(under_way_, [&](const Call* call) { return call->who.master == master; });
}

void CheckBench::retire(std::unique_ptr<Call> call) {
  call->retire();
  retired_.push_back(std::move(call));
  if (retired_.size() <= kept_calls) return;
  const Call& oldest = *retired_.front();
  if (const std::string change = retired_.front()->change(); !change.empty())
    record.broken(TlmRule::payload, oldest.place, oldest.text, change);
  retired_.pop_front();
}

unsigned CheckBench::debug(BenchAccess& access) {
  const std::string place = access.place(placed_), text = "debug " + access.text();
  Call call(access);
  record.begin(place, text, TlmRule::debug);
  const Picoseconds before = now();
  const std::uint64_t delta = sc_core::sc_delta_count();
  const bool had_activity = sc_core::sc_pending_activity_at_current_time();
  const sc_core::sc_time next = sc_core::sc_time_to_pending_activity();
  const unsigned count = socket(access.target).socket->transport_dbg(call.payload);
  record.end();
  record.cover(TlmRule::debug);
  const auto broken = [&](const std::string& seen) { record.broken(TlmRule::debug, place, text, seen); };
  if (before != now() || delta != sc_core::sc_delta_count()) broken("took simulated time");
  if (had_activity != sc_core::sc_pending_activity_at_current_time() ||
      next != sc_core::sc_time_to_pending_activity())
    broken("notified an event");
  if (count > access.length()) broken(fmt::format("returned {}, more than the length", count));
  if (access.length() != 0 && access.address >= target(access.target).size.count() && count != 0)
    broken(fmt::format("returned {}, although the address is outside of the target", count));
  if (!call.has_margins()) broken("wrote outside of the data");
  access.data = call.data();
  return count;
}

std::optional<std::uint32_t> CheckBench::peek(std::size_t target, std::uint64_t offset) {
  BenchAccess access = BenchAccess::read(target, offset);
  if (debug(access) != 4) return std::nullopt;
  std::uint32_t word = 0;
  std::memcpy(&word, access.data.data(), 4);
  return word;
}

void CheckBench::reset(Reset kind) {
  for (Call* call : under_way_) call->who.aborted = true;
  for (const ResetPhase phase :
       {ResetPhase::masters, ResetPhase::interconnect, ResetPhase::memory, ResetPhase::targets})
    devices_.reset(phase, kind);
  supply_.reset(kind);
  for (const auto& tap : taps_) tap->forget_delays();
}

}  // namespace asterism
