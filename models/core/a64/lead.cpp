#include "core/a64/lead.h"

#include <algorithm>
#include <utility>

#include "core/a64/cpu.h"
#include "core/a64/turns.h"

namespace asterism::a64 {
namespace {

constexpr std::uint64_t shortest = 100;  // instructions that are worth an offer
constexpr unsigned max_skipped = 64;     // offers

}  // namespace

void Lead::offer(std::uint64_t until) {
  const std::uint64_t count = cpu_.instructions();
  turns_.count_turn(until - count);
  const unsigned thread = turns_.thread_of(cpu_.core);
  if (thread == 0 || until < count + shortest || !cpu_.may_lead()) return;
  if (to_skip_ > 0) return void(--to_skip_);
  began_ = count;
  until_ = until;
  is_outstanding_ = true;
  turns_.count_outstanding(1);
  is_settled_ = is_done_ = false;
  turns_.threads().offer(*this, thread);
}

void Lead::settle() {
  if (!is_outstanding_ || is_settled_) return;
  is_done_ = turns_.threads().settle(*this);
  is_settled_ = true;
}

bool Lead::end() {
  if (!is_outstanding_) return false;
  settle();
  is_outstanding_ = false;
  turns_.count_outstanding(-1);
  turns_.count.leads += is_done_ ? 1 : 0;
  return std::exchange(is_done_, false);
}

void Lead::take_up() {
  if (!end()) return;
  turns_.count.instructions += cpu_.instructions() - began_;
  judge(cpu_.instructions() - began_ >= shortest);
}

void Lead::take_back() {
  if (!end()) return;
  ++turns_.count.taken_back;
  judge(false);
  cpu_.memory.undo_lead();
  static_cast<State&>(cpu_) = state_;
  cpu_.memory.use_level(cpu_.level);
  cpu_.left = left_;
  cpu_.attend_at = attend_at_;
  cpu_.new_epoch();
}

// Cores whose leads come to nothing offer less and less often.
void Lead::judge(bool was_useful) {
  useless_ = was_useful ? 0 : std::min(2 * useless_ + 1, max_skipped);
  to_skip_ = useless_ / 2;
}

void Lead::run_ahead() {
  state_ = cpu_;
  left_ = cpu_.left;
  attend_at_ = cpu_.attend_at;
  cpu_.memory.begin_lead();
  cpu_.run_lead(until_);
  cpu_.memory.end_lead();
}

}  // namespace asterism::a64
