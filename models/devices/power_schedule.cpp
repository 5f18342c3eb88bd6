#include "devices/power_schedule.h"

#include <algorithm>

namespace asterism {
namespace {

bool is_earlier(const PowerLoss& a, const PowerLoss& b) { return a.at < b.at; }

}  // namespace

PowerSchedule::PowerSchedule(std::vector<PowerLoss> losses) : given_(std::move(losses)) {
  std::stable_sort(given_.begin(), given_.end(), is_earlier);
  losses_ = given_;
}

void PowerSchedule::add(PowerLoss loss) {
  const auto first = losses_.begin() + static_cast<std::ptrdiff_t>(next_);
  losses_.insert(std::upper_bound(first, losses_.end(), loss, is_earlier), loss);
}

std::optional<Picoseconds> PowerSchedule::next_event() const {
  return earlier(restore_at_, next_ < losses_.size() ? std::optional(losses_[next_].at) : std::nullopt);
}

void PowerSchedule::advance_to(Picoseconds now, Sink& sink) {
  for (auto due = next_event(); due && *due <= now; due = next_event()) {
    if (restore_at_ == due) {
      restore_at_.reset();
      sink.restored(*due);
      continue;
    }
    const PowerLoss loss = losses_[next_++];
    if (restore_at_) {
      sink.ignored(loss.at);
      continue;
    }
    restore_at_ = loss.at + loss.restore_after;
    sink.lost(loss.at, loss.restore_after);
  }
}

void PowerSchedule::reset(Reset kind) {
  if (kind != Reset::cold) return;
  losses_ = given_;
  next_ = 0;
  restore_at_.reset();
}

}  // namespace asterism
