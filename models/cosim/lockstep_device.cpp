#include "cosim/lockstep_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/engine.h"
#include "tlm/payload.h"
#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::uint32_t max_state_bits = 6;  // wider ports are not lists of states

std::size_t place_of(const std::vector<const Register*>& registers, const Register* wanted) {
  return static_cast<std::size_t>(std::ranges::find(registers, wanted) - registers.begin());
}

std::vector<std::string> names_of(const std::vector<const Register*>& registers) {
  std::vector<std::string> names;
  names.reserve(registers.size());
  for (const Register* reg : registers) names.push_back(reg->name());
  return names;
}

}  // namespace

LockstepDevice::LockstepDevice(const sc_core::sc_module_name& name, std::shared_ptr<const RtlLibrary> library,
                               const Settings& settings, const RtlOptions& options,
                               const RegisterBank& registers)
    : sc_module(name),
      registers_(registers),
      peer_(std::move(library), settings.instance, settings.bus, options),
      lockstep_(settings.instance, peer_, {.latency = settings.window, .interrupt = settings.window},
                settings.on_mismatch),
      alarm_("alarm", [this](Picoseconds now) {
        compare_due();
        lockstep_.catch_up(now);
        cover_present_states();
        rearm();
      }) {
  target.register_b_transport(this, &LockstepDevice::b_transport);
  target.register_transport_dbg(this, &LockstepDevice::transport_dbg);
  if (const auto file = peer_.bus().timeline().window_file())
    lockstep_.trace_to(file->string(), settings.bus.time.trace.window);
  lockstep_.on_mismatch = [this](const Lockstep::Mismatch& mismatch) {
    if (on_mismatch) on_mismatch(mismatch);
  };
  interrupts.init(peer_.bus().interrupt_lines(),
                  [](const char* line, std::size_t) { return new sc_core::sc_in<bool>(line); });
  cover_registers();
  cover_states(settings.states);

  sc_core::sc_spawn_options watching;
  watching.spawn_method();
  watching.dont_initialize();
  for (unsigned line = 0; line < interrupts.size(); ++line) watching.set_sensitivity(&interrupts[line]);
  if (interrupts.size() != 0)
    sc_core::sc_spawn([this] { watch_interrupts(); }, sc_core::sc_gen_unique_name("watch"), &watching);
  rearm();
}

void LockstepDevice::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const Picoseconds start = now() + to_picoseconds(delay);
  model->b_transport(payload, delay);
  payload.set_dmi_allowed(false);
  if (lockstep_.is_over()) return;
  note(payload, start, now() + to_picoseconds(delay));
  compare_due();
  rearm();
}

// An access that every target refuses never reaches a register.
void LockstepDevice::note(const tlm::tlm_generic_payload& payload, Picoseconds start, Picoseconds end) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  if (refusal_of(payload, registers_.size()) != tlm::TLM_OK_RESPONSE) return;
  for_each_word(
      payload, [&](std::uint64_t word, std::uint32_t value, std::uint32_t lanes, unsigned, unsigned) {
        const int first = std::countr_zero(lanes) / 8, last = 3 - std::countl_zero(lanes) / 8;
        Transaction transaction;
        transaction.at = start;
        transaction.kind = payload.is_write() ? Transaction::Kind::write : Transaction::Kind::read;
        transaction.address = word + static_cast<unsigned>(first);
        transaction.bytes = static_cast<std::uint32_t>(last - first + 1);
        for (int byte = first; byte <= last; ++byte)
          transaction.strobes |= (lanes >> 8 * byte & 1) << (byte - first);
        if (transaction.strobes == (1u << transaction.bytes) - 1) transaction.strobes = 0;
        Answer answer;
        answer.status = payload.is_response_ok() ? AnswerStatus::ok : AnswerStatus::error;
        answer.latency = end - start;
        LockstepBits& data = payload.is_write() ? transaction.data : answer.data;
        if (payload.is_write() || answer.status == AnswerStatus::ok) data[0] = value >> 8 * first;
        const auto place =
            std::ranges::upper_bound(done_, start, {}, [](const Done& d) { return d.transaction.at; });
        done_.insert(place, {transaction, answer});
      });
}

void LockstepDevice::compare_due() {
  for (; !done_.empty() && done_.front().transaction.at <= now(); done_.pop_front()) {
    lockstep_.compare(done_.front().transaction, done_.front().answer);
    count(done_.front().transaction);
  }
}

void LockstepDevice::rearm() {
  if (lockstep_.is_over()) return alarm_.arm(std::nullopt);
  auto next = earlier(peer_.bus().next_check(), lockstep_.overdue_from());
  if (!done_.empty()) next = earlier(next, done_.front().transaction.at);
  alarm_.arm(next);
}

void LockstepDevice::watch_interrupts() {
  std::uint32_t levels = 0;
  for (unsigned line = 0; line < interrupts.size(); ++line)
    levels |= std::uint32_t{interrupts[line].read()} << line;
  for (unsigned line = 0; line < interrupts.size(); ++line)
    if (((levels ^ levels_) >> line & 1) != 0) edges_->hit(2 * line + (levels >> line & 1 ? 0 : 1));
  levels_ = levels;
  compare_due();
  lockstep_.interrupts(now(), levels);
  cover_present_states();
  rearm();
}

void LockstepDevice::reset(Reset kind) {
  done_.clear();
  lockstep_.reset(kind, now());
  rearm();
}

void LockstepDevice::finish() {
  compare_due();
  lockstep_.catch_up(now());
}

// ---- coverage ----

void LockstepDevice::cover_registers() {
  for (const Register* reg : registers_.registers()) {
    if (reg->access() != Access::write_only) readable_.push_back(reg);
    if (reg->access() != Access::read_only) writable_.push_back(reg);
  }
  Coverage& coverage = lockstep_.coverage();
  read_ = &coverage.group("registers read", names_of(readable_));
  written_ = &coverage.group("registers written", names_of(writable_));
  std::vector<std::string> edges;
  for (unsigned line = 0; line < interrupts.size(); ++line)
    for (const char* how : {"rises", "falls"})
      edges.push_back(interrupts.size() == 1 ? how : fmt::format("{} {}", line, how));
  edges_ = &coverage.group("interrupt edges", std::move(edges));
  read_->need_each("never read");
  written_->need_each("never wrote");
  edges_->need_each("never had an interrupt that");
}

void LockstepDevice::cover_states(const std::vector<std::vector<std::string>>& names) {
  const std::vector<RtlPort> ports = peer_.bus().states();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    std::vector<std::string> values;
    if (i < names.size()) values = names[i];
    if (values.empty() && ports[i].width() > max_state_bits) continue;
    if (values.empty())
      for (unsigned value = 0; value < 1u << ports[i].width(); ++value)
        values.push_back(std::to_string(value));
    const std::string group = ports.size() == 1 ? "states" : fmt::format("states {}", i);
    states_.push_back({ports[i], &lockstep_.coverage().group(group, std::move(values))});
  }
}

void LockstepDevice::count(const Transaction& transaction) {
  if (const Register* reg = registers_.find(transaction.address & ~std::uint64_t{3}).reg) {
    const bool write = transaction.kind == Transaction::Kind::write;
    const auto& registers = write ? writable_ : readable_;
    const std::size_t place = place_of(registers, reg);
    if (place < registers.size()) (write ? written_ : read_)->hit(place);
  }
  cover_present_states();
}

// States in between that were not observed are not counted.
void LockstepDevice::cover_present_states() {
  for (const State& state : states_)
    if (state.port.get() < state.group->points()) state.group->hit(state.port.get());
}

}  // namespace asterism
