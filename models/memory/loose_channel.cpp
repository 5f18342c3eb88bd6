#include "memory/loose_channel.h"

#include <algorithm>

namespace asterism {

std::size_t LooseChannel::master(std::uint32_t id) {
  const auto found = std::ranges::find(masters_, id, &Master::id);
  const auto index = static_cast<std::size_t>(found - masters_.begin());
  if (found == masters_.end()) {
    masters_.push_back({id, {}});
    settled_.masters.emplace_back();
    current_.masters.emplace_back();
  }
  return index;
}

// A request that was made before the answer to one before was there is not later by what that one waits more.
std::int64_t LooseChannel::lateness(const Progress& progress, const Asked& asked) {
  if (asked.request.at < progress.answered) return progress.later;
  return static_cast<std::int64_t>(progress.ended) - static_cast<std::int64_t>(progress.answered);
}

Tick LooseChannel::arrival(const Progress& progress, const Asked& asked) {
  const std::int64_t at = static_cast<std::int64_t>(asked.request.at) + lateness(progress, asked);
  return static_cast<Tick>(std::max<std::int64_t>(at, 0));
}

std::size_t LooseChannel::first(const Pass& pass) const {
  std::size_t first = masters_.size();
  Tick earliest = 0;
  for (std::size_t m = 0; m < masters_.size(); ++m) {
    const Progress& progress = pass.masters[m];
    if (progress.next == masters_[m].asked.size()) continue;
    const Tick at = arrival(progress, masters_[m].asked[progress.next]);
    if (first == masters_.size() || at < earliest) first = m, earliest = at;
  }
  return first;
}

// When it ends. A master that goes back in its own time, or behind what was settled before its time, finds
// the banks as the latest request left them, and goes on from there at its own pace: it never waits for what
// is later than itself.
Tick LooseChannel::go_through(Pass& pass, std::size_t m) const {
  Progress& progress = pass.masters[m];
  const Asked& asked = masters_[m].asked[progress.next++];
  const Request& request = asked.request;
  const Tick at = arrival(progress, asked);
  progress.later = lateness(progress, asked);
  if (at >= pass.last) {
    progress.shift = 0;
  } else if (at + progress.shift < pass.last) {
    progress.shift = pass.last - at;
  }
  const Tick from = at + progress.shift;
  const Tick end = pass.banks.access(from, request.location, request.is_write) - progress.shift;
  pass.last = from, pass.last_master = m;
  if (!request.is_posted) {
    progress.answered =
        std::max(progress.answered, asked.answered == 0 ? answer(end, asked) : asked.answered);
    progress.ended = std::max(progress.ended, end);
  }
  return end;
}

void LooseChannel::settle(Tick until) {
  while (pending_ > 0) {
    const std::size_t m = first(settled_);
    const Progress& progress = settled_.masters[m];
    if (arrival(progress, masters_[m].asked[progress.next]) >= until && pending_ < max_pending) break;
    go_through(settled_, m);
    --pending_;
  }
}

void LooseChannel::forget_settled() {
  for (std::size_t m = 0; m < masters_.size(); ++m) {
    std::size_t& next = settled_.masters[m].next;
    if (next == 0) continue;
    masters_[m].asked.erase(masters_[m].asked.begin(),
                            masters_[m].asked.begin() + static_cast<std::ptrdiff_t>(next));
    current_.masters[m].next -= next;
    next = 0;
  }
}

Tick LooseChannel::access(Tick settled, const Request& request) {
  const std::size_t m = master(request.master);
  settle(settled);
  const auto is_behind = [&](std::size_t each) {
    return current_.masters[each].next < settled_.masters[each].next;
  };
  bool restart = false;
  for (std::size_t each = 0; each < masters_.size(); ++each) restart |= is_behind(each);
  if (restart) current_ = settled_;
  forget_settled();
  Master& asking = masters_[m];
  asking.asked.push_back({request});
  ++pending_;
  const Progress& progress = current_.masters[m];
  if (progress.next + 1 == asking.asked.size()) {
    const Tick at = arrival(progress, asking.asked.back());
    if (at < current_.last || (at == current_.last && m < current_.last_master)) current_ = settled_;
  }
  Tick end = 0;
  while (progress.next < asking.asked.size()) end = go_through(current_, first(current_));
  return asking.asked.back().answered = answer(end, asking.asked.back());
}

void LooseChannel::reset(Tick now) {
  settle(~Tick{0});
  forget_settled();
  settled_.banks.reset(now);
  std::ranges::fill(settled_.masters, Progress{});
  settled_.last = now, settled_.last_master = 0;
  current_ = settled_;
}

void LooseChannel::clear_counts() {
  settled_.banks.clear_counts();
  current_.banks.clear_counts();
}

DramCounts LooseChannel::counts(Tick now) const {
  Pass pass = settled_;
  for (std::size_t m = first(pass); m < masters_.size(); m = first(pass)) go_through(pass, m);
  return pass.banks.counts(now);
}

}  // namespace asterism
