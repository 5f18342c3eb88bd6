#include "core/misses_in_flight.h"

#include <algorithm>

namespace asterism {

MissesInFlight::MissesInFlight(const MissTiming& timing, Picoseconds hit)
    : window_(timing.window),
      hit_(window_ == 0 ? Picoseconds(0) : hit),
      buffers_(timing.buffers),
      store_buffer_(timing.stores) {}

Picoseconds MissesInFlight::begin(const Miss& miss, Picoseconds now) {
  begun_ = miss;
  buffer_ = stored_in_ = nullptr;
  if (miss.what == CacheAccess::fetch) return now;
  if (miss.what == CacheAccess::store && !store_buffer_.empty()) {
    stored_in_ = &*std::ranges::min_element(store_buffer_);
    if (*stored_in_ > now) now = waits_until_ = std::max(waits_until_, *stored_in_);
  }
  buffer_ = &*std::ranges::min_element(buffers_);
  return std::max(std::max(now, address_known(miss)) + hit_, *buffer_);
}

void MissesInFlight::end(Picoseconds at) {
  last_end_ = std::max(last_end_, at);
  if (buffer_) *buffer_ = at;
  if (stored_in_)
    *stored_in_ = at;
  else if (begun_.what == CacheAccess::fetch)
    waits_until_ = std::max(waits_until_, at);
  else
    add_load(at);
}

// Loads of the same line hit in the L1 and are not seen here. They get their data with it.
void MissesInFlight::add_load(Picoseconds end) {
  const AccessRegisters& registers = begun_.registers;
  loads_.push_back({begun_.count, registers.loaded, end});
  if (window_ == 0) return;
  for (const auto& [after, distance, loaded] : registers.companions)
    loads_.push_back({begun_.count + after, loaded, end});
}

// The latest load of a register counts. Loads that have ended may be here still, and do no harm.
Picoseconds MissesInFlight::address_known(const Miss& miss) const {
  Picoseconds known{};
  const AccessRegisters& registers = miss.registers;
  std::uint64_t wanted = registers.of_address;
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

std::uint64_t MissesInFlight::waits_behind() const {
  if (waits_until_ > Picoseconds(0)) return 0;
  return loads_.empty() ? never : loads_.front().count + window_;
}

Picoseconds MissesInFlight::waits_until(std::uint64_t count, Picoseconds now) {
  now = std::max(now, std::exchange(waits_until_, Picoseconds(0)));
  while (!loads_.empty() && count >= loads_.front().count + window_) {
    now = std::max(now, loads_.front().end);
    loads_.pop_front();
  }
  while (!loads_.empty() && loads_.front().end <= now) loads_.pop_front();
  return now;
}

Picoseconds MissesInFlight::last_load_end() const {
  Picoseconds last{};
  for (const Load& load : loads_) last = std::max(last, load.end);
  return last;
}

void MissesInFlight::reset() {
  loads_.clear();
  std::ranges::fill(buffers_, Picoseconds(0));
  std::ranges::fill(store_buffer_, Picoseconds(0));
  buffer_ = stored_in_ = nullptr;
  waits_until_ = last_end_ = Picoseconds(0);
}

}  // namespace asterism
