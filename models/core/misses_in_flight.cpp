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

Picoseconds MissesInFlight::begin(const Miss& miss, Picoseconds now) {
  begun_ = miss;
  begun_at_ = now;
  if (miss.what == CacheAccess::fetch) return now;
  if (is_stored(miss) && store_buffer_.earliest() > now) {
    now = store_buffer_.earliest();
    wait_at_once(now);
  }
  return std::max(std::max(now, address_known(miss)) + hit_, buffers_.earliest());
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
Picoseconds MissesInFlight::address_known(const Miss& miss) const {
  Picoseconds known{};
  const AccessRegisters& registers = miss.registers;
  std::uint64_t wanted = registers.of_address & loaded_;
  if (wanted == 0 && registers.of_loads == 0) return known;
  for (auto load = loads_.rbegin(); load != loads_.rend(); ++load) {
    const std::uint64_t before = miss.count - load->count;
    const bool is_in_block = before <= registers.before;
    const bool is_wanted = is_in_block ? before > 0 && (registers.of_loads >> (before - 1) & 1) != 0
                                       : (load->loaded & wanted) != 0;
    if (!is_in_block) wanted &= ~load->loaded;
    if (is_wanted) known = std::max(known, load->end);
  }
  return known;
}

Picoseconds MissesInFlight::sum_of_waits(Picoseconds now) const {
  Picoseconds shift = shift_;
  for (const Load& load : loads_) {
    const Picoseconds at = load.waits_at + shift;
    if (at > now) break;
    if (load.end <= at) continue;
    now += load.end - at;
    shift += load.end - at;
  }
  return now;
}

Picoseconds MissesInFlight::pass(Picoseconds now) {
  while (!loads_.empty()) {
    const Load& load = loads_.front();
    const Picoseconds at = load.waits_at + shift_;
    if (at > now && load.end > now) break;
    if (load.end > at) {
      now += load.end - at;
      shift_ += load.end - at;
    }
    loads_.pop_front();
  }
  return now;
}

Picoseconds MissesInFlight::last_load_end() const {
  Picoseconds last{};
  for (const Load& load : loads_) last = std::max(last, load.end);
  return last;
}

void MissesInFlight::reset() {
  loads_.clear();
  buffers_.free_all();
  store_buffer_.free_all();
  shift_ = last_end_ = Picoseconds(0);
}

// Most of the time, the new one is the latest.
void MissesInFlight::Places::take_earliest(Picoseconds until) {
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

void MissesInFlight::Places::free_all() { std::ranges::fill(until_, Picoseconds(0)); }

}  // namespace asterism
