#include "core/misses_in_flight.h"

#include <algorithm>
#include <utility>

namespace asterism {

MissesInFlight::MissesInFlight(const MissTiming& timing, Picoseconds hit, const InstructionClock& units)
    : window_(timing.window),
      hit_(window_ == 0 ? Picoseconds(0) : hit),
      units_(units),
      buffers_(timing.buffers),
      store_buffer_(timing.stores) {}

std::optional<Picoseconds> MissesInFlight::begin(const Miss& miss, Picoseconds now) {
  begun_ = miss;
  begun_at_ = now;
  begun_later_.reset();
  if (miss.what == CacheAccess::fetch) return now;
  if (is_stored(miss) && waits_for(&Waiting::wants_store_place)) return begin_later(now);
  if (is_stored(miss) && store_buffer_.earliest() > now) {
    if (!store_buffer_.is_known(now)) return begin_later(now);
    now = store_buffer_.earliest();
    wait_at_once(now);
  }
  const Picoseconds address = address_known(miss);
  if (is_open(address) || !buffers_.is_known(now + hit_) || waits_for(&Waiting::wants_buffer))
    return begin_later(now);
  return std::max(std::max(now, address) + hit_, buffers_.earliest());
}

void MissesInFlight::end(Picoseconds at) {
  last_end_ = std::max(last_end_, at);
  if (begun_.what == CacheAccess::fetch) return wait_at_once(at);
  buffers_.take_earliest(at);
  if (is_stored(begun_))
    store_buffer_.take_earliest(at);
  else
    add_load(at);
}

void MissesInFlight::wait_at_once(Picoseconds until) { loads_.push_front({0, 0, until, begun_at_ - shift_}); }

// Loads of the same line hit in the L1 and are not seen here. They get their data with it.
void MissesInFlight::add_load(Picoseconds end) {
  const AccessRegisters& registers = begun_.registers;
  // Where the window ends for an earlier load, it is not before that.
  Picoseconds waits_at = begun_at_ - shift_ + units_.time(window_ * registers.pace);
  if (!loads_.empty()) waits_at = std::max(waits_at, loads_.back().waits_at);
  const auto add = [&](std::uint64_t count, std::uint64_t loaded) {
    loads_.push_back({count, loaded, end, waits_at});
    loaded_ |= loaded;
  };
  if (loads_.empty()) loaded_ = 0;
  add(begun_.count, registers.loaded);
  if (window_ == 0) return;
  for (const auto& [after, distance, loaded] : registers.companions) add(begun_.count + after, loaded);
}

// The latest load of a register counts. Loads that have ended may be here still, and do no harm.
template <class F>
void MissesInFlight::for_loads_of_address(const Miss& miss, F f) const {
  const AccessRegisters& registers = miss.registers;
  std::uint64_t wanted = registers.of_address & loaded_;
  if (wanted == 0 && registers.of_loads == 0) return;
  for (auto load = loads_.rbegin(); load != loads_.rend(); ++load) {
    const std::uint64_t before = miss.count - load->count;
    const bool is_in_block = before <= registers.before;
    const bool is_wanted = is_in_block
                               ? before > 0 && before <= 32 && (registers.of_loads >> (before - 1) & 1) != 0
                               : (load->loaded & wanted) != 0;
    if (!is_in_block) wanted &= ~load->loaded;
    if (is_wanted) f(load->end);
  }
}

Picoseconds MissesInFlight::address_known(const Miss& miss) const {
  Picoseconds known{};
  for_loads_of_address(miss, [&](Picoseconds end) { known = std::max(known, end); });
  return known;
}

// ---- open misses ----

bool MissesInFlight::waits_for(bool Waiting::*what) const {
  return !waiting_.empty() && std::ranges::any_of(waiting_, what);
}

std::nullopt_t MissesInFlight::begin_later(Picoseconds now) {
  begun_later_ = Waiting{.now = now};
  const bool has_place = !is_stored(begun_) || store_buffer_.earliest() <= now;
  begun_later_->wants_store_place =
      is_stored(begun_) && !(has_place && !waits_for(&Waiting::wants_store_place));
  for_loads_of_address(begun_, [&](Picoseconds end) {
    if (is_open(end))
      begun_later_->loads.push_back(end);
    else
      begun_later_->address = std::max(begun_later_->address, end);
  });
  return std::nullopt;
}

MissesInFlight::Id MissesInFlight::end_later() {
  const Id miss = next_++;
  const bool is_fetch = begun_.what == CacheAccess::fetch;
  open_.push_back({miss, is_fetch, is_stored(begun_)});
  const Picoseconds end = end_of(miss);
  if (is_fetch) {
    wait_at_once(end);
    return miss;
  }
  if (is_stored(begun_) && !(begun_later_ && begun_later_->wants_store_place))
    store_buffer_.take_earliest(end);
  if (!is_stored(begun_)) add_load(end);
  if (!begun_later_) {
    buffers_.take_earliest(end);
    return miss;
  }
  begun_later_->miss = miss;
  if (begun_later_->wants_store_place) wait_at_once(end);  // until it has a place
  waiting_.push_back(std::move(*begun_later_));
  begun_later_.reset();
  take_places({});
  return miss;
}

void MissesInFlight::end(Id miss, Picoseconds at) {
  const auto open = std::ranges::find(open_, miss, &Open::miss);
  const auto [id, is_fetch, is_stored] = *open;
  open_.erase(open);
  last_end_ = std::max(last_end_, at);
  const Picoseconds until_now = end_of(miss);
  if (is_fetch) return set_end(until_now, at);
  buffers_.end(until_now, at);
  if (is_stored) return store_buffer_.end(until_now, at);
  set_end(until_now, at);
  for (Waiting& each : waiting_)
    if (std::erase(each.loads, until_now) != 0) each.address = std::max(each.address, at);
}

void MissesInFlight::set_end(Picoseconds open, Picoseconds at) {
  for (Load& load : loads_)
    if (load.end == open) load.end = at;
}

// Places go to misses in the order of the program. `now`: no open miss ends before.
void MissesInFlight::take_places(Picoseconds now) {
  bool has_place = true, has_buffer = true;
  for (Waiting& each : waiting_) {
    if (each.wants_store_place && has_place && store_buffer_.is_known(std::max(now, each.now))) {
      each.wants_store_place = false;
      each.now = std::max(each.now, store_buffer_.earliest());
      set_end(end_of(each.miss), each.now);
      store_buffer_.take_earliest(end_of(each.miss));
    }
    has_place &= !each.wants_store_place;
    if (each.wants_buffer && has_buffer && buffers_.is_known(std::max(now, each.now + hit_))) {
      each.wants_buffer = false;
      each.buffer = buffers_.earliest();
      buffers_.take_earliest(end_of(each.miss));
    }
    has_buffer &= !each.wants_buffer;
  }
}

std::optional<MissesInFlight::Begun> MissesInFlight::next_begun(Picoseconds now) {
  take_places(now);
  const auto found = std::ranges::find_if(waiting_, [](const Waiting& each) {
    return !each.wants_store_place && !each.wants_buffer && each.loads.empty();
  });
  if (found == waiting_.end()) return std::nullopt;
  const Begun begun{found->miss, std::max(std::max(found->now, found->address) + hit_, found->buffer)};
  waiting_.erase(found);
  return begun;
}

std::optional<Picoseconds> MissesInFlight::next_event() const {
  Picoseconds next = first_open;
  if (waits_for(&Waiting::wants_buffer)) next = std::min(next, buffers_.earliest());
  if (waits_for(&Waiting::wants_store_place)) next = std::min(next, store_buffer_.earliest());
  return is_open(next) ? std::nullopt : std::optional(next);
}

// ---- the core ----

Picoseconds MissesInFlight::sum_of_waits(Picoseconds now) const {
  Picoseconds shift = shift_;
  for (const Load& load : loads_) {
    const Picoseconds at = load.waits_at + shift;
    if (at > now || is_open(load.end)) break;
    if (load.end <= at) continue;
    now += load.end - at;
    shift += load.end - at;
  }
  return now;
}

MissesInFlight::Passed MissesInFlight::pass(Picoseconds now) {
  while (!loads_.empty()) {
    const Load& load = loads_.front();
    const Picoseconds at = load.waits_at + shift_;
    if (at > now && load.end > now) break;
    if (is_open(load.end)) return {now, false};
    if (load.end > at) {
      now += load.end - at;
      shift_ += load.end - at;
    }
    loads_.pop_front();
  }
  return {now, true};
}

std::optional<Picoseconds> MissesInFlight::last_load_end() const {
  Picoseconds last{};
  for (const Load& load : loads_) last = std::max(last, load.end);
  return is_open(last) ? std::nullopt : std::optional(last);
}

std::optional<Picoseconds> MissesInFlight::last_end() const {
  return open_.empty() ? std::optional(last_end_) : std::nullopt;
}

void MissesInFlight::reset() {
  loads_.clear();
  buffers_.free_all();
  store_buffer_.free_all();
  shift_ = last_end_ = Picoseconds(0);
  open_.clear();
  waiting_.clear();
  begun_later_.reset();
}

// ---- places ----

// Most of the time, the new one is the latest.
void MissesInFlight::Places::take_earliest(Picoseconds until) {
  open_ += is_open(until);
  std::size_t at = first_;
  first_ = first_ + 1 == until_.size() ? 0 : first_ + 1;
  for (std::size_t left = until_.size() - 1; left > 0; --left) {
    const std::size_t before = at == 0 ? until_.size() - 1 : at - 1;
    if (until_[before] <= until) break;
    until_[at] = until_[before];
    at = before;
  }
  until_[at] = until;
}

void MissesInFlight::Places::end(Picoseconds open, Picoseconds until) {
  --open_;
  std::size_t place = 0;
  while (at(place) != open) ++place;
  for (; place > 0 && at(place - 1) > until; --place) at(place) = at(place - 1);
  at(place) = until;
}

void MissesInFlight::Places::free_all() {
  std::ranges::fill(until_, Picoseconds(0));
  open_ = 0;
}

}  // namespace asterism
