#include "core/a64/speculation.h"

#include <algorithm>
#include <utility>

#include "core/a64/cpu.h"
#include "core/a64/speculative_cores.h"

namespace asterism::a64 {
namespace {

constexpr std::uint64_t min_useful = 100;  // instructions that are worth an offer
constexpr unsigned max_skipped = 64;       // offers

}  // namespace

SavedCore SavedCore::of(const Cpu& cpu) {
  return {cpu, cpu.stack, cpu.budget, cpu.executed_time, cpu.attend_at};
}

void SavedCore::restore(Cpu& cpu) const {
  static_cast<State&>(cpu) = state;
  cpu.memory.use_level(cpu.level);
  cpu.stack = stack;
  cpu.budget = budget;
  cpu.executed_time = executed_time;
  cpu.attend_at = attend_at;
}

void Speculation::offer(std::uint64_t until) {
  const std::uint64_t count = cpu_.instructions();
  cores_.ownership().count_quantum(until - count);
  const unsigned thread = cores_.thread_of(cpu_.core);
  if (thread == 0 || until < count + min_useful || !cpu_.may_speculate()) return;
  if (offers_to_skip_ > 0) return void(--offers_to_skip_);
  began_ = count;
  began_time_ = cpu_.time();
  until_ = until;
  is_outstanding_ = true;
  cores_.count_outstanding(1);
  is_quiescent_ = has_executed_ = false;
  cores_.threads().offer(*this, thread);
}

void Speculation::quiesce() {
  if (!is_outstanding_ || is_quiescent_) return;
  has_executed_ = cores_.threads().finish(*this);
  is_quiescent_ = true;
}

bool Speculation::finish() {
  if (!is_outstanding_) return false;
  quiesce();
  is_outstanding_ = false;
  cores_.count_outstanding(-1);
  cores_.counts.speculations += has_executed_ ? 1 : 0;
  return std::exchange(has_executed_, false);
}

void Speculation::commit() {
  if (!finish()) return;
  cores_.counts.instructions += cpu_.instructions() - began_;
  throttle(cpu_.instructions() - began_ >= min_useful);
}

void Speculation::roll_back() {
  if (!finish()) return;
  ++cores_.counts.rollbacks;
  throttle(false);
  cpu_.memory.roll_back();
  cpu_.drop_speculatively_decoded();
  saved_.restore(cpu_);
  cpu_.new_epoch();
}

// Exponential backoff: the longer a core's speculations are useless, the fewer it offers.
void Speculation::throttle(bool was_useful) {
  backoff_ = was_useful ? 0 : std::min(2 * backoff_ + 1, max_skipped);
  offers_to_skip_ = backoff_ / 2;
}

void Speculation::run() {
  saved_ = SavedCore::of(cpu_);
  cpu_.memory.begin_speculation();
  cpu_.run_speculatively(until_);
  cpu_.memory.end_speculation();
}

}  // namespace asterism::a64
