#include "devices/power_schedule.h"

#include <algorithm>

namespace asterism {
namespace {

bool is_earlier(const PowerLoss& a, const PowerLoss& b) { return a.at < b.at; }

}  // namespace

PowerSchedule::PowerSchedule(std::vector<PowerLoss> cuts) : given_(std::move(cuts)) {
  std::stable_sort(given_.begin(), given_.end(), is_earlier);
  cuts_ = given_;
}

void PowerSchedule::add(PowerLoss cut) {
  const auto first = cuts_.begin() + static_cast<std::ptrdiff_t>(next_);
  cuts_.insert(std::upper_bound(first, cuts_.end(), cut, is_earlier), cut);
}

std::optional<Picoseconds> PowerSchedule::next_event() const {
  return earlier(restore_at_, next_ < cuts_.size() ? std::optional(cuts_[next_].at) : std::nullopt);
}

void PowerSchedule::advance_to(Picoseconds now, Sink& sink) {
  for (auto due = next_event(); due && *due <= now; due = next_event()) {
    if (restore_at_ == due) {
      restore_at_.reset();
      sink.restored(*due);
      continue;
    }
    const PowerLoss cut = cuts_[next_++];
    if (restore_at_) {
      sink.ignored(cut.at);
      continue;
    }
    restore_at_ = cut.at + cut.restore_after;
    sink.lost(cut.at, cut.restore_after);
  }
}

void PowerSchedule::reset(Reset kind) {
  if (kind != Reset::cold) return;
  cuts_ = given_;
  next_ = 0;
  restore_at_.reset();
}

}  // namespace asterism
