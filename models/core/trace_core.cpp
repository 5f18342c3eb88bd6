#include "core/trace_core.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/fields.h"

namespace asterism {
namespace {

// Of an instruction in a burst.
double miss_probability(const TraceCoreConfig& config, const Workload& workload) {
  if (workload.l1_mpki == 0) return 1;
  const double p = static_cast<double>(workload.l1_mpki) / (1000.0 * workload.cores) / config.burst_share;
  if (p > 1)
    throw std::invalid_argument("bursts of a share of " + std::to_string(config.burst_share) +
                                " cannot hold all misses of the workload");
  return p;
}

// The mean time between bursts is to the mean burst as the instructions outside of bursts are to the others.
double pause_end_probability(const TraceCoreConfig& config) {
  return 1 / (1 + config.burst_length * (1 - config.burst_share) / config.burst_share);
}

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

}  // namespace

static_assert(member_count<TraceCoreConfig>() == 6);
void describe(Fields& f, TraceCoreConfig& c) {
  f("clock", c.clock, "The clock of every core. A faster one makes more requests in the same time.",
    within(1_MHz, 10_GHz));
  f("cpi", c.cpi,
    "The cycles per instruction without stalls, in steps of 0.001. A lower one puts more load on the fabric.",
    within(0.001, 1000.0));
  f("window", c.window,
    "The number of instructions, from the oldest outstanding miss on, that may execute. A core with 1 stalls "
    "on every "
    "miss; a larger window hides more of the fabric's latency.",
    within(1, 4096));
  f("outstanding", c.outstanding,
    "The number of misses that a core may have outstanding. A smaller one throttles it earlier.",
    within(1, 1024));
  f("burst_share", c.burst_share,
    "The share of the instructions that are in bursts, which have all misses. With 1 there are no bursts: "
    "each instruction misses with the same probability.",
    within(0.001, 1.0));
  f("burst_length", c.burst_length, "The mean number of instructions of a burst.", within(1, 1'000'000));
}

TraceCore::TraceCore(const TraceCoreConfig& config, const Workload& workload, std::uint64_t instructions,
                     std::uint64_t seed)
    : clock_(config.clock, millicycles(config.cpi)),
      config_(config),
      instructions_(instructions),
      seed_(seed),
      l1_mpki_(workload.l1_mpki),
      l2_mpki_(workload.l2_mpki),
      gap_(miss_probability(config, workload)),
      length_(1.0 / config.burst_length),
      pause_(pause_end_probability(config)),
      random_(seed) {
  reset(Reset::cold);
}

void TraceCore::reset(Reset) {
  random_ = Random(seed_);
  position_ = next_number_ = l2_misses_ = 0;
  since_ = stalled_ = 0_ps;
  outstanding_.clear();
  not_returned_ = 0;
  finished_.reset();
  burst_left_ = 0;
  if (config_.burst_share < 1 && static_cast<double>(random_.next() >> 11) * 0x1p-53 < config_.burst_share)
    begin_burst();
  draw_next_miss(0);
}

std::optional<Picoseconds> TraceCore::next_event() const {
  if (finished_) return std::nullopt;
  const std::uint64_t to = limit();
  const bool fresh = position_ == 0 && next_number_ == 0;  // the very first instruction may miss
  if (to == position_ && !fresh) return std::nullopt;
  return since_ + clock_.time(to - position_);
}

void TraceCore::advance_to(Picoseconds now, Sink& sink) {
  for (auto event = next_event(); event && *event <= now; event = next_event()) {
    position_ = limit();
    since_ = *event;
    at_limit(sink);
  }
}

void TraceCore::returned(std::uint64_t number, Picoseconds now, Sink& sink) {
  const std::uint64_t oldest = next_number_ - outstanding_.size();
  if (number < oldest || number >= next_number_ || outstanding_[number - oldest].returned)
    throw std::logic_error("the miss that returned is not outstanding");
  const bool was_stalled = limit() == position_;
  outstanding_[number - oldest].returned = true;
  --not_returned_;
  while (!outstanding_.empty() && outstanding_.front().returned) outstanding_.pop_front();
  if (!was_stalled) return;
  stalled_ += now - since_;
  since_ = now;
  at_limit(sink);
}

std::uint64_t TraceCore::limit() const {
  const std::uint64_t stop = std::min(next_miss_, instructions_);
  return outstanding_.empty() ? stop : std::min(stop, outstanding_.front().instruction + config_.window);
}

void TraceCore::draw_next_miss(std::uint64_t from) {
  if (l1_mpki_ == 0) {
    next_miss_ = never;
    return;
  }
  std::uint64_t gap = gap_.draw(random_);
  if (config_.burst_share < 1) {
    while (gap >= burst_left_) {
      gap -= burst_left_;
      from += burst_left_ + pause_.draw(random_);
      begin_burst();
    }
    burst_left_ -= gap + 1;
  }
  next_miss_ = from + gap;
}

void TraceCore::at_limit(Sink& sink) {
  if (position_ == instructions_) {
    if (outstanding_.empty()) finished_ = since_;
    return;
  }
  const bool in_window =
      outstanding_.empty() || position_ < outstanding_.front().instruction + config_.window;
  if (position_ != next_miss_ || !in_window || not_returned_ == config_.outstanding) return;
  const bool in_l2 = random_.below(l1_mpki_) >= l2_mpki_;
  const Miss miss{next_number_++, random_.next(), in_l2};
  l2_misses_ += !in_l2;
  outstanding_.push_back({position_, false});
  ++not_returned_;
  draw_next_miss(position_ + 1);
  sink.missed(since_, miss);
}

}  // namespace asterism
