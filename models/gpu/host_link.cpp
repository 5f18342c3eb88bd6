#include "gpu/host_link.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/engine.h"
#include "base/fields.h"

namespace asterism {

namespace {
constexpr std::uint64_t second = 1'000'000'000'000;
}

static_assert(member_count<HostLinkConfig>() == 5);
void describe(Fields& f, HostLinkConfig& c) {
  f("lanes", c.lanes,
    "The number of lanes of the processor, which its GPUs share. There are at most as many GPUs.",
    within(1, 1024));
  f("gpu_lanes", c.gpu_lanes,
    "The number of lanes of each GPU, which bound its bandwidth while the others are idle.", within(1, 1024));
  f("lane", c.lane, "The bandwidth of a lane.", within(1_MBps, 1000_GBps));
  f("overhead", c.overhead, "The fixed time of a transfer. A longer one makes small transfers slower.",
    at_most(1_s));
  f("round_trip", c.round_trip,
    "The time of a signal to the driver and the answer. A longer one delays hints.", at_most(1_s));
}

HostLink::HostLink(const HostLinkConfig& config, std::uint32_t gpus) : config_(config), transfers_(gpus) {
  if (config.lanes == 0 || config.gpu_lanes == 0 || config.lane.count() == 0)
    throw std::invalid_argument(
        "a host link needs lanes of the processor and of each GPU, and a bandwidth per lane");
}

Bandwidth HostLink::share(const HostLinkConfig& config, std::uint32_t active) {
  return std::min(config.lane * config.gpu_lanes, config.lane * config.lanes / std::max(active, 1u));
}

Bandwidth HostLink::effective(const HostLinkConfig& config, std::uint32_t active, Bytes size) {
  const Picoseconds time = config.overhead + transfer_time(size, share(config, active));
  return Bandwidth(scale(size.count(), second, time.count()));
}

Bandwidth HostLink::rate() const { return share(config_, moving_ + others_); }

void HostLink::record_in(ActivityLog& activity, const std::string& device) {
  activity_ = &activity;
  for (std::size_t gpu = 0; gpu < transfers_.size(); ++gpu)
    tracks_.push_back(activity.track(device + "." + std::to_string(gpu) + ".link"));
}

// A transfer that ends now.
void HostLink::record(std::uint32_t gpu) const {
  if (!activity_) return;
  const Transfer& transfer = transfers_[gpu];
  activity_->interval(tracks_[gpu], transfer.begun, now_, transfer.what, {{"bytes", transfer.size.count()}});
}

void HostLink::set_others(std::uint32_t gpus) { others_ = gpus; }

bool HostLink::busy(std::uint32_t gpu) const { return transfers_.at(gpu).busy; }

void HostLink::start(Picoseconds now, std::uint32_t gpu, Bytes size, Bytes piece, std::string_view what) {
  if (busy(gpu)) throw std::logic_error("a transfer is started on a link that is busy");
  work_until(now);
  const Work all = Work{size.count()} * second, part = Work{std::min(size, piece).count()} * second;
  transfers_[gpu] = {.busy = true,
                     .from = now + config_.overhead,
                     .left = all,
                     .piece = part,
                     .reported_at = all - part,
                     .what = what,
                     .begun = now,
                     .size = size};
  change();
}

void HostLink::hold(Picoseconds now, std::uint32_t gpu) {
  work_until(now);
  Transfer& transfer = transfers_.at(gpu);
  if (std::exchange(transfer.moves, false)) --moving_;
  transfer.held = transfer.busy;
}

void HostLink::resume(Picoseconds now, std::uint32_t gpu) {
  work_until(now);
  transfers_.at(gpu).held = false;
  change();
}

void HostLink::cancel(Picoseconds now, std::uint32_t gpu) {
  work_until(now);
  if (transfers_.at(gpu).moves) --moving_;
  transfers_[gpu] = {};
  std::erase(moved_, gpu);
}

std::optional<Picoseconds> HostLink::next_event() const {
  if (!moved_.empty()) return now_;
  return next_change();
}

std::optional<Picoseconds> HostLink::next_change() const {
  std::optional<Picoseconds> next;
  const Work rate_now = rate().count();
  for (const Transfer& transfer : transfers_)
    if (transfer.busy && !transfer.held) {
      const Work due = transfer.left - transfer.reported_at;
      const auto left = static_cast<std::uint64_t>((due + rate_now - 1) / rate_now);
      next = earlier(next, transfer.moves ? now_ + Picoseconds(left) : transfer.from);
    }
  return next;
}

// A transfer whose overhead is over begins to move bytes; one that has moved all its bytes ends.
void HostLink::change() {
  for (std::uint32_t gpu = 0; gpu < transfers_.size(); ++gpu) {
    Transfer& transfer = transfers_[gpu];
    if (transfer.busy && !transfer.held && !transfer.moves && transfer.from <= now_) {
      transfer.moves = true;
      ++moving_;
    }
    if (!transfer.moves || transfer.left > transfer.reported_at) continue;
    moved_.push_back(gpu);
    transfer.reported_at -= std::min(transfer.reported_at, transfer.piece);
    if (transfer.left != 0) continue;
    record(gpu);
    transfer = {};
    --moving_;
  }
}

// From one change of the shares to the next one.
void HostLink::work_until(Picoseconds now) {
  while (now_ < now) {
    const Picoseconds until = std::min(now, next_change().value_or(now));
    const Work moved = Work{rate().count()} * (until - now_).count();
    now_ = until;
    for (Transfer& transfer : transfers_)
      if (transfer.moves) transfer.left -= std::min(moved, transfer.left);
    change();
  }
}

const std::vector<std::uint32_t>& HostLink::advance_to(Picoseconds now) {
  work_until(now);
  reported_.clear();
  std::swap(reported_, moved_);
  return reported_;
}

void HostLink::reset(Reset) {
  std::ranges::fill(transfers_, Transfer{});
  moving_ = 0;
  moved_.clear();
}

}  // namespace asterism
