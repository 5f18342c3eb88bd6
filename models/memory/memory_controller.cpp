#include "memory/memory_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "base/engine.h"
#include "tlm/initiator_extension.h"
#include "tlm/log.h"
#include "tlm/payload.h"
#include "tlm/time.h"

namespace asterism {
namespace {

constexpr Bytes page_size = tracked_page;

std::span<std::byte> bytes_at(unsigned char* data, std::size_t count) {
  return {reinterpret_cast<std::byte*>(data), count};
}

}  // namespace

// The part of a payload that lies in one page, from its byte `first` on.
struct MemoryController::Part {
  Part(const tlm::tlm_generic_payload& payload, unsigned first, Address base)
      : bytes{base + Bytes(payload.get_address() + first), Bytes(payload.get_data_length() - first)},
        lines(first_page_lines(bytes)) {
    bytes.size = std::min(bytes.size, lines.page + page_size - bytes.first);
  }
  AddressRange bytes;  // physical
  PageLines lines;
};

// A request for which a caller waits, for a place in a queue and then in it. It ends with the caller, whose
// thread may be killed.
struct MemoryController::Waiting {
  Waiting(MemoryController& controller, const DramRequest& made, unsigned by)
      : owner(controller), request(made), master(by) {}
  ~Waiting() {
    owner.waiting_.erase(request.id);
    std::erase(owner.full_, this);
  }
  Waiting(const Waiting&) = delete;
  // Each channel has a queue of reads and one of writes.
  std::size_t queue() const { return 2 * std::size_t{request.location.channel} + request.is_write; }

  MemoryController& owner;
  const DramRequest request;
  const unsigned master;
  bool is_open = true, dropped = false;
  Picoseconds ended;
  sc_core::sc_event changed;
};

MemoryController::MemoryController(const sc_core::sc_module_name& name, const Settings& settings,
                                   unsigned port_count, EventLog& events)
    : sc_module(name),
      target("target", registers),
      config_(settings.config),
      base_(settings.base),
      has_faults_(suits_code(settings.config.ecc, settings.part)),
      dram_(config_.size, settings.seed),
      timing_(config_.dram, settings.part, config_.size,
              config_.fidelity == MemoryFidelity::contended ? settings.curves : std::nullopt),
      ecc_(config_.ecc, dram_, timing_.mapping(), settings.part.rows(), settings.seed),
      scrubber_(ecc_, config_.ecc.patrol_interval),
      on_die_scrubber_(ecc_, config_.ecc.on_die_scrub),
      arrivals_(config_.ecc, timing_.mapping().geometry(), settings.part.rows(), settings.seed),
      faults_(settings.faults),
      events_(events),
      timing_alarm_("timing", [this](Picoseconds now) { advance_timing(now); }),
      alarm_("faults", [this](Picoseconds now) { handle_alarm(now); }),
      turns_(2 * std::size_t{timing_.mapping().geometry().channels}) {
  ports.init(port_count);
  for (Port& port : ports) {
    port.register_b_transport(this, &MemoryController::b_transport);
    port.register_transport_dbg(this, &MemoryController::transport_dbg);
    port.register_get_direct_mem_ptr(this, &MemoryController::get_direct_mem_ptr);
  }
  std::ranges::stable_sort(faults_, {}, &TimedMemoryFault::at);
  ecc_.direct_changed = [this](AddressRange offsets) { withdraw(offsets); };
  ecc_.on_error = [this](const MemoryError& error, bool is_new) { report_error(error, is_new); };
  connect_registers();
  rearm();
}

// --- Accesses

void MemoryController::notify_before_access(const tlm::tlm_generic_payload& payload) const {
  if (before_access)
    before_access({Address(payload.get_address()), Bytes(payload.get_data_length())}, payload.is_write());
}

void MemoryController::notify_before_any_access() const {
  if (before_access) before_access({Address(0), dram_.size()}, true);
}

void MemoryController::copy(tlm::tlm_generic_payload& payload) {
  auto* cells = reinterpret_cast<unsigned char*>(dram_.data()) + payload.get_address();
  unsigned char* data = payload.get_data_ptr();
  for (unsigned i = 0; i < payload.get_data_length(); ++i) {
    if (!byte_enabled(payload, i)) continue;
    if (payload.is_read()) data[i] = cells[i];
    if (payload.is_write()) cells[i] = data[i];
  }
}

// Accesses bytes [first, first + count) of the payload's data, which lie in one block.
BlockAccess MemoryController::contents(tlm::tlm_generic_payload& payload, unsigned first, unsigned count,
                                       Picoseconds at) {
  const Bytes offset(payload.get_address() + first);
  if (is_monitored(payload)) return ecc_.observe(at, offset, count, payload.is_write());
  unsigned char* data = payload.get_data_ptr() + first;
  if (!payload.get_byte_enable_ptr())
    return payload.is_read() ? ecc_.read(at, offset, bytes_at(data, count))
                             : ecc_.write(at, offset, bytes_at(data, count));
  std::vector<std::byte> block(count);
  BlockAccess access;
  if (payload.is_read()) access = ecc_.read(at, offset, block);
  for (unsigned i = 0; i < count;) {
    unsigned end = i;
    while (end < count && byte_enabled(payload, first + end)) ++end;
    if (end > i && payload.is_read()) std::memcpy(data + i, block.data() + i, end - i);
    if (end > i && payload.is_write())
      access = ecc_.write(at, offset + Bytes(i), bytes_at(data + i, end - i));
    i = end + 1;
  }
  return access;
}

// Called before a part of a payload is written. Returns the time at which it may be written, or nullopt if it
// must not be, because a reset came first.
std::optional<Picoseconds> MemoryController::wait_for_permission(const tlm::tlm_generic_payload& payload,
                                                                 const Part& part, Picoseconds at) {
  if (!payload.is_write() || all_writes_->is_allowed(part.lines.page)) return at;
  const std::uint64_t resets = resets_;
  if (at > now()) sc_core::wait(to_sc_time(at - now()));
  if (resets != resets_ || !all_writes_->wait_until_allowed(part.lines) || is_aborted(payload))
    return std::nullopt;
  return std::max(at, now());
}

// Asks for permission for the part that begins at the byte `first`, and reports it: once per page, as long as
// nothing else has run in between.
std::optional<Picoseconds> MemoryController::enter(const tlm::tlm_generic_payload& payload, unsigned first,
                                                   Picoseconds at, std::optional<Entered>& last) {
  const Part part(payload, first, base_);
  if (last == Entered{part.lines.page, sc_core::sc_delta_count()}) return at;
  const auto from = wait_for_permission(payload, part, at);
  if (from) report_access(payload, part);
  last = {part.lines.page, sc_core::sc_delta_count()};
  return from;
}

// Called at the instant of the access, just before a part of a payload is read or written.
void MemoryController::report_access(const tlm::tlm_generic_payload& payload, const Part& part) {
  notify_before_access(payload);
  if (payload.is_write()) all_writes_->report({part.lines, master_of(payload)});
}

void MemoryController::count(bool is_write, unsigned bytes) {
  ++(is_write ? writes_ : reads_);
  (is_write ? bytes_written_ : bytes_read_) += bytes;
}

void MemoryController::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  if (!accept(payload, dram_.size())) return;
  const bool exact = config_.fidelity == MemoryFidelity::exact;
  if (exact) sc_core::wait(std::exchange(delay, sc_core::SC_ZERO_TIME));
  if (!powered_ || is_aborted(payload)) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  if (!is_on_die(payload)) count(payload.is_write(), payload.get_data_length());

  Picoseconds start = now() + to_picoseconds(delay);
  auto* who = payload.get_extension<InitiatorExtension>();
  const bool is_write = payload.is_write();
  const Request request{master_of(payload), is_write, who && who->posted};
  const std::uint64_t resets = resets_;
  bool poisoned = false, dropped = false;
  std::optional<Entered> entered;
  const Picoseconds latency = is_on_die(payload) ? 0_ps : config_.latency;
  Picoseconds ended = start + latency;
  for (unsigned first = 0; first < payload.get_data_length() && !dropped;) {
    const Bytes offset(payload.get_address() + first);
    const unsigned count =
        std::min<unsigned>(payload.get_data_length() - first, block_bytes - offset.count() % block_bytes);
    const BlockLocation block = timing_.mapping().locate(offset / Bytes(block_bytes));
    if (!is_monitored(payload)) {
      const auto from = enter(payload, first, start, entered);
      if (!from) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
      start = *from;
    }
    const BlockAccess access = contents(payload, first, count, start);
    poisoned |= access.poisoned;
    Picoseconds end = start;
    if (!is_on_die(payload))
      end = exact ? exact_time(start, request, block, access) : loose_time(start, request, block, access);
    dropped = resets != resets_ || is_aborted(payload);  // while it waited in the queues
    ended = std::max(ended, end + latency);
    first += count;
  }
  delay = ended > now() ? to_sc_time(ended - now()) : sc_core::SC_ZERO_TIME;
  if (poisoned && who) who->poison = true;
  payload.set_dmi_allowed(is_from_core(payload) && !poisoned &&
                          ecc_.direct(Bytes(payload.get_address())) != DirectAccess::refused);
  payload.set_response_status(dropped || (poisoned && !who) ? tlm::TLM_GENERIC_ERROR_RESPONSE
                                                            : tlm::TLM_OK_RESPONSE);
}

// In memory without faults, which monitored accesses leave as it is.
Picoseconds MemoryController::access(const Access& access, Picoseconds at) {
  if (!powered_) return at;
  constexpr unsigned line = 64;
  count(access.is_write, line);
  const Bytes offset(access.address.value());
  const BlockLocation block = timing_.mapping().locate(offset / Bytes(block_bytes));
  if (const auto decoding = ecc_.observe_sound(offset, access.is_write))
    return at + config_.latency + *decoding +
           timing_.access(now(), {at, access.master, block, access.is_write, access.is_posted});
  return loose_time(at, {access.master, access.is_write, access.is_posted}, block,
                    ecc_.observe(at, offset, line, access.is_write)) +
         config_.latency;
}

unsigned MemoryController::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!accept(payload, dram_.size())) return 0;
  std::vector<Part> parts;
  for (unsigned first = 0; payload.is_write() && first < payload.get_data_length();) {
    const Part& part = parts.emplace_back(payload, first, base_);
    if (!all_writes_->is_allowed(part.lines.page)) return 0;
    first += static_cast<unsigned>(part.bytes.size.count());
  }
  if (parts.empty()) notify_before_access(payload);
  for (const Part& part : parts) report_access(payload, part);
  copy(payload);
  return payload.get_data_length();
}

bool MemoryController::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  const Bytes page(payload.get_address() - payload.get_address() % page_size.count());
  dmi.set_start_address(page.count());
  dmi.set_end_address((page + page_size).count() - 1);
  if (page >= dram_.size() || !is_from_core(payload)) return false;
  const DirectAccess direct = ecc_.direct(page);
  const bool must_monitor =
      direct == DirectAccess::monitored || config_.fidelity == MemoryFidelity::exact || has_hook_;
  auto* who = payload.get_extension<InitiatorExtension>();
  if (direct == DirectAccess::refused) who->poison = true;
  if (direct == DirectAccess::refused) return false;
  const AddressRange range = ecc_.uniform_range(page);
  dmi.set_start_address(range.first.value());
  dmi.set_end_address(range.last().value());
  dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(dram_.data()) + range.first.value());
  dmi.set_read_latency(to_sc_time(config_.latency));
  dmi.set_write_latency(to_sc_time(config_.latency));
  dmi.allow_read_write();
  if (must_monitor) who->monitored = true;
  who->timed = must_monitor ? nullptr : this;
  return true;
}

void MemoryController::withdraw(AddressRange offsets) {
  const AddressRange all{Address(0), dram_.size()};
  const AddressRange range = offsets.size == Bytes(0) ? all : offsets;
  for (Port& port : ports) port->invalidate_direct_mem_ptr(range.first.value(), range.last().value());
}

void MemoryController::load(Bytes offset, std::span<const std::byte> contents) {
  notify_before_any_access();
  while (!contents.empty()) {
    const std::size_t count =
        std::min<std::size_t>(contents.size(), block_bytes - offset.count() % block_bytes);
    ecc_.write(now(), offset, contents.first(count));
    offset += Bytes(count);
    contents = contents.subspan(count);
  }
}

// --- Time

// The end of an access that comes at `start`. Requests come in any order of time, but none before now().
Picoseconds MemoryController::loose_time(Picoseconds start, const Request& request,
                                         const BlockLocation& block, const BlockAccess& access) {
  const auto time = [&](Picoseconds at, const BlockLocation& location, bool is_write, bool is_posted) {
    return timing_.access(now(), {at, request.master, location, is_write, is_posted});
  };
  Picoseconds end = start + time(start, block, request.is_write, request.is_posted);
  for (const ExtraAccess& extra : access.extra) {
    const Picoseconds latency = time(end, extra.block, extra.is_write, extra.is_write);
    if (!extra.is_write) end += latency;  // a write is not waited for
  }
  return end + access.decoding;
}

Picoseconds MemoryController::exact_time(Picoseconds start, const Request& request,
                                         const BlockLocation& block, const BlockAccess& access) {
  Picoseconds end = exact_access(start, request.master, block, request.is_write);
  for (const ExtraAccess& extra : access.extra) {
    const Picoseconds ended = exact_access(end, request.master, extra.block, extra.is_write);
    if (!extra.is_write) end = ended;
  }
  return end + access.decoding;
}

Picoseconds MemoryController::exact_access(Picoseconds start, unsigned master, const BlockLocation& block,
                                           bool is_write) {
  Waiting waiting(*this, {next_id_++, block, is_write}, master);
  timing_now_ = std::max(timing_now_, start);
  full_.push_back(&waiting);
  give_places();
  timing_alarm_.arm(timing_.next_event());
  while (waiting.is_open && !waiting.dropped) sc_core::wait(waiting.changed);
  return waiting.dropped ? start : std::max(start, waiting.ended);
}

// Hands the free places of the queues to the requests that wait for them. Masters take turns for those of a
// queue, in the order of their numbers, so that one with many requests does not keep the others out of it.
void MemoryController::give_places() {
  if (full_.empty()) return;
  const auto next_of = [this](std::size_t queue) {
    Waiting* next = nullptr;
    const auto turn = [&](const Waiting& waiting) { return waiting.master - turns_[queue] - 1; };
    for (Waiting* waiting : full_)
      if (waiting->queue() == queue && (next == nullptr || turn(*waiting) < turn(*next))) next = waiting;
    return next;
  };
  for (std::size_t queue = 0; queue < turns_.size(); ++queue)
    for (Waiting* next = next_of(queue); next != nullptr; next = next_of(queue)) {
      if (!timing_.submit(timing_now_, next->request)) break;
      turns_[queue] = next->master;
      std::erase(full_, next);
      next->ended = timing_now_;
      if (!next->request.is_write) {
        waiting_[next->request.id] = next;
        continue;
      }
      next->is_open = false;
      next->changed.notify(sc_core::SC_ZERO_TIME);
    }
}

void MemoryController::completed(std::uint64_t id, Picoseconds at) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return;
  Waiting& waiting = *found->second;
  waiting.is_open = false;
  waiting.ended = at;
  waiting.changed.notify(at > now() ? to_sc_time(at - now()) : sc_core::SC_ZERO_TIME);
}

void MemoryController::advance_timing(Picoseconds to) {
  timing_now_ = std::max(timing_now_, to);
  timing_.advance_to(timing_now_, *this);
  give_places();
  timing_alarm_.arm(timing_.next_event());
}

// --- Faults, the scrubber, the log

void MemoryController::inject(const MemoryFault& fault) {
  notify_before_any_access();
  ecc_.inject(now(), fault);
  events_.record(now(), name(), "memory_fault",
                 {{"fault", std::string(to_text(fault.kind))},
                  {"persistence", std::string(to_text(fault.persistence))},
                  {"channel", std::uint64_t{fault.at.channel}},
                  {"rank", std::uint64_t{fault.at.rank}},
                  {"chip", std::uint64_t{fault.chip}}});
  rearm();
}

void MemoryController::inject(const TimedMemoryFault& fault) {
  const auto left = faults_.begin() + static_cast<std::ptrdiff_t>(next_fault_);
  faults_.insert(std::ranges::upper_bound(left, faults_.end(), fault.at, {}, &TimedMemoryFault::at), fault);
  rearm();
}

// Of the errors with an entry of their own in the error log, all uncorrectable ones and the first corrected
// one are logged and recorded.
void MemoryController::report_error(const MemoryError& error, bool is_new) {
  if (is_new && (!error.corrected || ecc_.log().corrected() == 1)) {
    const Address address = base_ + error.offset;
    log(name()).warn("{} error in the block at {:#x}", error.corrected ? "corrected" : "uncorrectable",
                     address.value());
    events_.record(now(), name(), error.corrected ? "corrected_error" : "uncorrectable_error",
                   {{"address", address.value()},
                    {"rank", std::uint64_t{error.block.rank}},
                    {"mode", std::string(to_text(error.mode))}});
  }
  const MemoryRegisters::InterruptStatus& status = registers.interrupt_status;
  registers.interrupt_status.set(status.value() |
                                 (error.corrected ? status.corrected : status.uncorrectable).mask());
  update_interrupt();
  (error.corrected ? corrected_ : uncorrectable_).add(base_ + error.offset);
  if (!on_error.empty()) call_observers(error);
}

void MemoryController::call_observers(const MemoryError& error) const {
  const auto word = [](const auto* bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  };
  const auto is_wrong = [&](std::size_t beat) {
    return word(&error.errors.data[8 * beat]) != 0 || error.errors.parity[beat] != 0;
  };
  std::size_t beat = 0;
  while (beat < block_beats && !is_wrong(beat)) ++beat;
  if (beat == block_beats) beat = 0;  // the error is in other chips, or was there before a conversion
  const std::uint64_t wrong = word(&error.errors.data[8 * beat]);
  const FoundError found{.offset = error.offset + Bytes(8 * beat),
                         .is_corrected = error.corrected,
                         .received = word(dram_.data() + error.offset.count() + 8 * beat) ^ wrong,
                         .wrong = wrong,
                         .wrong_in_code = error.errors.parity[beat]};
  for (const auto& observe : on_error) observe(found);
}

void MemoryController::rearm() {
  std::optional<Picoseconds> next = earlier(scrubber_.next_event(), arrivals_.next_event());
  next = earlier(next, on_die_scrubber_.next_event());
  if (next_fault_ < faults_.size()) next = earlier(next, faults_[next_fault_].at);
  alarm_.arm(next);
}

void MemoryController::handle_alarm(Picoseconds now) {
  for (; next_fault_ < faults_.size() && faults_[next_fault_].at <= now; ++next_fault_)
    inject(faults_[next_fault_].fault);
  struct InjectSink final : FaultArrivals::Sink {
    MemoryController& controller;
    explicit InjectSink(MemoryController& c) : controller(c) {}
    void arrived(Picoseconds, const MemoryFault& fault) override { controller.inject(fault); }
  } sink(*this);
  arrivals_.advance_to(now, sink);
  if (powered_) scrubber_.advance_to(now);
  on_die_scrubber_.advance_to(now);
  rearm();
}

void MemoryController::attach_hook(CodecHook* hook) {
  ecc_.attach_hook(hook);
  has_hook_ = hook != nullptr;
}

void MemoryController::attach_hook(RankCodecHook* hook) {
  ecc_.attach_hook(hook);
  has_hook_ = hook != nullptr;
}

// --- Registers

void MemoryController::connect_registers() {
  MemoryRegisters& r = registers;
  const DramGeometry& geometry = timing_.mapping().geometry();
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  const auto high = [](std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); };
  const std::uint64_t rank =
      timing_.mapping().rank_is_contiguous() ? dram_.size().count() / geometry.ranks : 0;
  r.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  r.config.set(r.config.mode.bits(config_.ecc.mode) | r.config.profile.bits(config_.ecc.profile) |
               r.config.ranges.bits(EccRanges::capacity) | r.config.ranks.bits(geometry.ranks));
  r.rank_size_low.set(low(rank));
  r.rank_size_high.set(high(rank));
  r.range_select.on_write([this](std::uint32_t) { show_range(); });
  r.range_control.on_write(
      [this](std::uint32_t value) { set_range(registers.range_control.mode.get(value)); });
  r.corrected.computed([this, low] { return low(ecc_.log().corrected()); });
  r.uncorrectable.computed([this, low] { return low(ecc_.log().uncorrectable()); });
  r.log_pop.on_write([this](std::uint32_t) { ecc_.log().drop_oldest(); });
  const auto entry = [this](Register& of, auto value) {
    of.computed([this, value]() -> std::uint32_t {
      const MemoryError* oldest = ecc_.log().oldest();
      return oldest ? value(*oldest) : 0;
    });
  };
  const auto codeword = [](const MemoryError& error) {
    unsigned word = 0;
    while (word < 3 && std::ranges::count(error.result.syndromes[word], 0) == 4) ++word;
    return word;
  };
  entry(r.log_status, [this, codeword](const MemoryError& error) {
    const std::uint64_t lost = std::min<std::uint64_t>(ecc_.log().lost(), 0xffff);
    const MemoryRegisters::LogStatus& status = registers.log_status;
    return status.valid.bits(true) | status.uncorrectable.bits(!error.corrected) |
           status.source.bits(error.source) | status.strong.bits(error.mode == EccMode::strong) |
           status.codeword.bits(codeword(error)) | status.lost.bits(static_cast<std::uint32_t>(lost));
  });
  entry(r.log_address_low, [this, low](const MemoryError& e) { return low((base_ + e.offset).value()); });
  entry(r.log_address_high, [this, high](const MemoryError& e) { return high((base_ + e.offset).value()); });
  entry(r.log_place, [this](const MemoryError& error) {
    const MemoryRegisters::LogPlace& place = registers.log_place;
    const std::uint32_t chip = error.result.chips
                                   ? static_cast<std::uint32_t>(std::countr_zero(error.result.chips))
                                   : MemoryRegisters::LogPlace::unknown_chip;
    return place.chip.bits(chip) | place.bank.bits(error.block.bank) | place.rank.bits(error.block.rank) |
           place.channel.bits(error.block.channel);
  });
  entry(r.log_syndrome, [codeword](const MemoryError& error) {
    std::uint32_t syndrome = 0;
    for (unsigned i = 0; i < 4; ++i)
      syndrome |= std::uint32_t{error.result.syndromes[codeword(error)][i]} << 8 * i;
    return syndrome;
  });
  r.interrupt_status.on_write([this](std::uint32_t) { update_interrupt(); });
  r.interrupt_enable.on_write([this](std::uint32_t) { update_interrupt(); });
  r.scrub_interval.set(low(scrubber_.interval() / 1_ns));
  r.scrub_interval.on_write([this](std::uint32_t nanoseconds) { scrub_every(nanoseconds * 1_ns); });
  r.scrubbed.computed([this, low] { return low(scrubber_.passes(now())); });
  r.ecs_passes.computed([this, low] { return low(on_die_scrubber_.passes(now())); });
  r.ecs_errors.computed([this] { return on_die_result().errors; });
  r.ecs_row_errors.computed([this] { return on_die_result().row_errors; });
  r.ecs_row.computed([this] {
    const OnDieScrubResult result = on_die_result();
    return registers.ecs_row.row.bits(result.row) | registers.ecs_row.bank.bits(result.bank);
  });
}

OnDieScrubResult MemoryController::on_die_result() const {
  const MemoryRegisters::EcsSelect& select = registers.ecs_select;
  const std::uint32_t selected = select.value(), chip = select.chip.get(selected);
  const BlockLocation of_rank{.channel = select.channel.get(selected), .rank = select.rank.get(selected)};
  const DramGeometry& geometry = timing_.mapping().geometry();
  if (of_rank.channel >= geometry.channels || of_rank.rank >= geometry.ranks || chip >= ddr5_chips) return {};
  return on_die_scrubber_.result(now(), of_rank, chip);
}

void MemoryController::show_range() {
  const std::uint32_t index = registers.range_select.value();
  const auto range = index < EccRanges::capacity ? ecc_.ranges()[index] : std::nullopt;
  const std::uint64_t first = range ? (base_ + Bytes(range->offsets.first.value())).value() : 0;
  const std::uint64_t size = range ? range->offsets.size.count() : 0;
  registers.range_first_low.set(static_cast<std::uint32_t>(first));
  registers.range_first_high.set(static_cast<std::uint32_t>(first >> 32));
  registers.range_size_low.set(static_cast<std::uint32_t>(size));
  registers.range_size_high.set(static_cast<std::uint32_t>(size >> 32));
  registers.range_control.set(registers.range_control.mode.bits(range ? range->mode : EccMode::none));
}

void MemoryController::set_range(EccMode mode) {
  notify_before_any_access();
  const std::uint32_t index = registers.range_select.value();
  const auto wide = [](const Register& low, const Register& high) {
    return std::uint64_t{high.value()} << 32 | low.value();
  };
  const Address first(wide(registers.range_first_low, registers.range_first_high));
  const Bytes size(wide(registers.range_size_low, registers.range_size_high));
  RangeProblem problem = RangeProblem::outside;
  if (index < EccRanges::capacity && mode == EccMode::none) {
    problem = ecc_.set_range(now(), index, std::nullopt);
  } else if (index < EccRanges::capacity && first >= base_) {
    const AddressRange offsets{Address((first - base_).count()), size};
    problem = ecc_.set_range(now(), index, EccRange{offsets, mode});
  }
  if (problem != RangeProblem::none) {
    const bool is_of_rank = mode == EccMode::strong && problem == RangeProblem::reserved_mode;
    registers.warn(fmt::format("guest set range {} to {:#x}, {} bytes: {}{}", index, first.value(),
                               size.count(), to_text(problem),
                               is_of_rank ? "; with ecc_rank_code there is no strong mode" : ""));
  }
  registers.range_status.set(registers.range_status.problem.bits(problem));
  show_range();
  rearm();
}

void MemoryController::scrub_every(Picoseconds interval) {
  scrubber_.set_interval(now(), interval);
  registers.scrub_interval.set(static_cast<std::uint32_t>(interval / 1_ns));
  rearm();
}

void MemoryController::update_interrupt() {
  interrupt.write((registers.interrupt_status.value() & registers.interrupt_enable.value()) != 0);
}

// --- The rest

void MemoryController::reset(Reset kind) {
  ++resets_;
  all_writes_->reset();
  notify_before_any_access();
  dram_.reset(kind);
  timing_.reset(kind);
  ecc_.reset(kind);
  scrubber_.reset(kind);
  on_die_scrubber_.reset(kind);
  arrivals_.reset(kind);
  if (kind == Reset::power_loss) powered_ = false;
  for (auto& [id, waiting] : waiting_) {
    waiting->dropped = true;
    waiting->changed.notify(sc_core::SC_ZERO_TIME);
  }
  for (Waiting* waiting : std::exchange(full_, {})) {
    waiting->dropped = true;
    waiting->changed.notify(sc_core::SC_ZERO_TIME);
  }
  if (kind == Reset::cold) next_fault_ = 0;
  if (kind == Reset::cold && powered_) on_die_scrubber_.start(now());
  for (Register* each : std::initializer_list<Register*>{&registers.interrupt_enable,
                                                         &registers.interrupt_status, &registers.range_select,
                                                         &registers.range_status, &registers.ecs_select})
    each->reset();
  show_range();
  update_interrupt();
  timing_alarm_.arm(timing_.next_event());
  scrub_every(powered_ ? config_.ecc.patrol_interval : Picoseconds(0));
}

void MemoryController::power_up() {
  powered_ = true;
  on_die_scrubber_.start(now());
  scrub_every(config_.ecc.patrol_interval);
}

void MemoryController::report(Statistics& statistics) const {
  statistics.add("reads", reads_);
  statistics.add("writes", writes_);
  statistics.add("read", Bytes(bytes_read_));
  statistics.add("written", Bytes(bytes_written_));
  timing_.report(statistics.group("dram"), now());
  ecc_.report(statistics.group("ecc"));
}

void MemoryController::count_pages() {
  for (PageCounter* counter : {&corrected_, &uncorrectable_}) counter->start({base_, dram_.size()});
}

void MemoryController::report_pages(PageMap& map, const std::string& name) const {
  map.areas.push_back({.name = name, .first = base_, .units = dram_.size() / 4_KiB});
  PageMap::Area& area = map.areas.back();
  PageMap::Counts& written = area.of("written");
  for (const Bytes offset : dram_.written_pages()) written.add(offset / 4_KiB, 1);
  corrected_.report(map, "corrected");
  uncorrectable_.report(map, "uncorrectable");
  PageMap::Counts& faulty = area.of("faulty");
  for (auto block = ecc_.next_touched(0); block;) {
    const std::uint64_t page = Bytes(*block * block_bytes) / 4_KiB;
    faulty.add(page, ecc_.direct(page * 4_KiB) == DirectAccess::refused ? 2 : 1);
    block = ecc_.next_touched((page + 1) * (4096 / block_bytes));
  }
}

std::string MemoryController::summary() const {
  const std::uint64_t faults = ecc_.faults().injected();
  if (faults == 0) return "";
  const std::string on_die = ecc_.on_die_summary();
  return fmt::format("{} fault{}, {} error{} corrected, {} uncorrectable, {} silent{}{}", faults,
                     faults == 1 ? "" : "s", ecc_.log().corrected(), ecc_.log().corrected() == 1 ? "" : "s",
                     ecc_.log().uncorrectable(), ecc_.silent(), on_die.empty() ? "" : ", ", on_die);
}

FaultOutcome MemoryController::inject(const FaultRequest& request, Bytes offset) {
  if (!has_faults_) return FaultOutcome::no_such_place;
  try {
    inject({.kind = static_cast<MemoryFaultKind>(request.kind),
            .persistence = request.stuck ? Persistence::stuck : Persistence::transient,
            .at = locate(offset),
            .chip = request.chip,
            .bit = request.bit});
    return FaultOutcome::none;
  } catch (const std::invalid_argument&) {
    return FaultOutcome::no_such_place;
  }
}

}  // namespace asterism
