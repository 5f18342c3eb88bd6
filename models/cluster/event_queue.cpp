#include "cluster/event_queue.h"

#include <algorithm>
#include <stdexcept>

namespace asterism {

void EventQueue::at(Picoseconds when, Action action) {
  if (when < now_) throw std::logic_error("an event is scheduled in the past");
  heap_.push_back({when, order_++, std::move(action)});
  std::push_heap(heap_.begin(), heap_.end());
}

std::optional<Picoseconds> EventQueue::next() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().at;
}

void EventQueue::advance(Picoseconds until) {
  while (!heap_.empty() && heap_.front().at <= until) {
    std::pop_heap(heap_.begin(), heap_.end());
    Event event = std::move(heap_.back());
    heap_.pop_back();
    now_ = event.at;
    ++events_;
    event.action();
  }
  now_ = std::max(now_, until);
}

bool EventQueue::step() {
  const auto at = next();
  if (at) advance(*at);
  return at.has_value();
}

}  // namespace asterism
