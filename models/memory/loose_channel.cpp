#include "memory/loose_channel.h"

#include <algorithm>
#include <utility>

namespace asterism {

std::size_t LooseChannel::master(std::uint32_t id) {
  const auto found = std::ranges::find(masters_, id, &Master::id);
  const auto index = static_cast<std::size_t>(found - masters_.begin());
  if (found == masters_.end()) {
    masters_.push_back({.id = id, .asked = {}});
    for (Pass* pass : {&committed_, &speculative_, &lookahead_}) {
      pass->masters.emplace_back();
      pass->arrivals.emplace_back();
    }
  }
  return index;
}

// The time at which the master's next request comes; `never` if it has none, or waits for the end of an
// earlier one.
void LooseChannel::find_arrival(Pass& pass, std::size_t m) const {
  const Progress& progress = pass.masters[m];
  Arrival& arrival = pass.arrivals[m];
  arrival = {};
  if (progress.next == masters_[m].end()) return;
  const Tick at = next_of(pass, m).request.at;
  if (at >= progress.answered && progress.in_flight > 0) return;
  const std::int64_t later = static_cast<std::int64_t>(at) + lateness(progress, at);
  arrival.since = static_cast<Tick>(std::max<std::int64_t>(later, 0));
  if (at >= progress.asked) arrival.since = std::max(arrival.since, progress.taken);
  arrival.at = arrival.since + progress.held;
}

// By how much later a request at `at` reaches the channel because earlier answers were too early. If the
// master did not wait for the latest of these answers, this is the lateness of its previous request.
std::int64_t LooseChannel::lateness(const Progress& progress, Tick at) {
  if (at < progress.answered) return progress.later;
  return static_cast<std::int64_t>(progress.ended) - static_cast<std::int64_t>(progress.answered);
}

// Performs the next event before `until`: a request comes, or a read ends. Returns false if there is none.
//
// A request that is earlier than one that the pass has already taken finds the banks in the state in which
// that one left them. Its master continues from there at its own pace, and never waits for requests that are
// later than its own.
bool LooseChannel::step(Pass& pass, Tick until) const {
  const auto next = std::ranges::min_element(pass.arrivals);
  const auto m = static_cast<std::size_t>(next - pass.arrivals.begin());
  Tick bound = until;
  if (next->at < until) {
    Progress& progress = pass.masters[m];
    if (progress.held == 0)
      progress.shift = next->at >= pass.last ? 0 : std::max(progress.shift, pass.last - next->at);
    bound = std::max(next->at + progress.shift, pass.last);
  }
  if (pass.channel.next_event() < bound) {
    if (const auto completion = pass.channel.advance(bound - 1)) {
      const auto found = std::ranges::find(pass.reads, completion->id, &Read::id);
      const Read read = std::exchange(*found, pass.reads.back());
      pass.reads.pop_back();
      if (completion->at > pass.last) pass.last = completion->at, pass.last_master = 0;
      pass.newest.reset();
      end(pass, read, completion->at);
      find_arrival(pass, read.master);
      return true;
    }
  }
  if (next->at >= until) return false;
  submit(pass, m, bound);
  find_arrival(pass, m);
  return true;
}

void LooseChannel::submit(Pass& pass, std::size_t m, Tick from) const {
  Progress& progress = pass.masters[m];
  const Asked& asked = next_of(pass, m);
  const Request& request = asked.request;
  if (!pass.channel.submit(from, pass.taken, request.location, request.is_write)) {
    progress.held += std::max(pass.channel.next_event(), from) + 1 - from;
    return;
  }
  progress.later = lateness(progress, request.at);
  progress.held = 0;
  progress.asked = request.at, progress.taken = from - progress.shift;
  pass.last = from, pass.last_master = m, pass.newest = m;
  ++progress.next, ++progress.in_flight;
  if (asked.answered != never) progress.answered = std::max(progress.answered, asked.answered);
  const Read read{pass.taken++, m, asked, progress.shift};
  if (request.is_write)
    end(pass, read, from);
  else
    pass.reads.push_back(read);
}

void LooseChannel::end(Pass& pass, const Read& read, Tick at) {
  Progress& progress = pass.masters[read.master];
  const Request& request = read.asked.request;
  const Tick end = at - read.shift;
  Tick answered = read.asked.answered;
  if (answered == never) {
    pass.answer = std::max(end, request.at);
    answered = seen_by_master(request, *pass.answer);
  }
  --progress.in_flight;
  progress.answered = std::max(progress.answered, answered);
  progress.ended = std::max(progress.ended, end);
}

void LooseChannel::commit(Tick until) {
  while (asked_ - committed_.taken > 0 &&
         step(committed_, asked_ - committed_.taken < max_pending ? until : never)) {
  }
  for (std::size_t m = 0; m < masters_.size(); ++m) {
    Master& master = masters_[m];
    for (; master.first < committed_.masters[m].next; ++master.first) master.asked.pop_front();
  }
}

Tick LooseChannel::access(Tick committed, const Request& request) {
  const std::size_t m = master(request.master);
  commit(committed);
  Master& asking = masters_[m];
  asking.asked.push_back({request});
  ++asked_;
  if (committed_.masters[m].next + 1 == asking.end()) find_arrival(committed_, m);
  const bool takes_at_once = has_lookahead_ && takes_next(lookahead_, m);
  if (takes_at_once) std::swap(speculative_, lookahead_);
  const bool takes = takes_at_once || takes_next(speculative_, m);
  is_replay_ = is_replay_ && is_in_order(speculative_, m, committed);
  if (!takes &&
      (asked_ - committed_.taken <= max_replayed || committed > replayed_at_ || is_behind(speculative_))) {
    if (!is_replay_) speculative_ = committed_;
    is_replay_ = true, replayed_at_ = committed;
  }
  speculative_.answer.reset();
  while (speculative_.masters[m].next < asking.end()) step(speculative_, never);
  has_lookahead_ = !speculative_.answer;  // a write has been answered by now
  if (has_lookahead_) {
    lookahead_ = speculative_;
    while (!lookahead_.answer) step(lookahead_, never);
    const Tick answered = seen_by_master(request, *lookahead_.answer);
    speculative_.reads.back().asked.answered = answered;
    speculative_.masters[m].answered = std::max(speculative_.masters[m].answered, answered);
  }
  const Tick answer = *(has_lookahead_ ? lookahead_ : speculative_).answer;
  asking.asked.back().answered = seen_by_master(request, answer);
  return answer;
}

bool LooseChannel::is_behind(const Pass& pass) const {
  for (std::size_t m = 0; m < masters_.size(); ++m)
    if (pass.masters[m].next < committed_.masters[m].next) return true;
  return false;
}

// Whether the latest request, which this master made, comes after all requests that the pass has taken.
bool LooseChannel::takes_next(Pass& pass, std::size_t m) const {
  if (is_behind(pass)) return false;
  if (pass.masters[m].next + 1 != masters_[m].end()) return true;  // after others of its master
  find_arrival(pass, m);
  const Tick at = pass.arrivals[m].at;
  return at > pass.last || (at == pass.last && m >= pass.last_master);
}

// Whether a replay would take the latest request where this pass takes it, because all requests that are not
// committed are of the master that made it: it is behind the one before, although its time may be earlier. A
// master that often goes back in its own time, and has therefore thousands of them, need not be replayed.
bool LooseChannel::is_in_order(Pass& pass, std::size_t m, Tick committed) const {
  for (std::size_t i = 0; i < masters_.size(); ++i)
    if (i != m && (!masters_[i].asked.empty() || committed_.masters[i].in_flight != 0)) return false;
  if (is_behind(pass)) return false;
  find_arrival(pass, m);
  const Tick at = pass.arrivals[m].at;
  if (at != never && at > pass.last) return at >= committed;
  return pass.last >= committed && (at == never || pass.newest == m);
}

void LooseChannel::reset(Tick now) {
  commit(never);
  while (committed_.channel.advance(now)) {
  }
  masters_.clear();
  committed_.masters.clear();
  committed_.arrivals.clear();
  committed_.reads.clear();
  committed_.channel.reset(now);
  committed_.last = now, committed_.last_master = 0, committed_.newest.reset();
  speculative_ = lookahead_ = committed_;
  has_lookahead_ = false, is_replay_ = true;
}

void LooseChannel::clear_counts() {
  committed_.channel.clear_counts();
  speculative_.channel.clear_counts();
}

DramCounts LooseChannel::counts(Tick now) const {
  Pass pass = committed_;
  while (pass.taken < asked_) step(pass, never);
  while (pass.channel.advance(now)) {
  }
  return pass.channel.counts(now);
}

}  // namespace asterism
