#include "memory/error_log.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace asterism {

bool ErrorLog::add(const MemoryError& error) {
  ++(error.corrected ? corrected_ : uncorrectable_);
  const auto same = std::ranges::find_if(entries_, [&](const MemoryError& entry) {
    return entry.offset == error.offset && entry.corrected == error.corrected;
  });
  if (same != entries_.end()) {
    ++same->count;
    return false;
  }
  if (entries_.size() == capacity && (error.corrected || !displace_corrected())) {
    ++lost_;
    return false;
  }
  entries_.push_back(error);
  return true;
}

// Drops the newest corrected error, if there is one, to make space.
bool ErrorLog::displace_corrected() {
  const auto newest = std::find_if(entries_.rbegin(), entries_.rend(), std::mem_fn(&MemoryError::corrected));
  if (newest == entries_.rend()) return false;
  lost_ += newest->count;
  entries_.erase(std::next(newest).base());
  return true;
}

void ErrorLog::drop_oldest() {
  if (!entries_.empty()) entries_.pop_front();
}

void ErrorLog::reset(Reset kind) {
  if (kind != Reset::warm) *this = {};
}

}  // namespace asterism
