#include "memory/error_log.h"

namespace asterism {

void ErrorLog::add(const MemoryError& error) {
  ++(error.corrected ? corrected_ : uncorrectable_);
  if (entries_.size() == capacity) {
    ++lost_;
    return;
  }
  entries_.push_back(error);
}

void ErrorLog::drop_oldest() {
  if (!entries_.empty()) entries_.pop_front();
}

void ErrorLog::reset(Reset kind) {
  if (kind != Reset::warm) *this = {};
}

}  // namespace asterism
