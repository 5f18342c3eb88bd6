#include "tlm/memory_writes.h"

#include <algorithm>
#include <bit>

namespace asterism {

AddressRange MemoryWrite::range() const {
  const auto lowest = static_cast<std::uint64_t>(std::countr_zero(lines.lines));
  const auto highest = static_cast<std::uint64_t>(63 - std::countl_zero(lines.lines));
  return {lines.page + tracked_line * lowest, tracked_line * (highest - lowest + 1)};
}

// ---- trackers ----

void MemoryWrites::protect(WriteTracker& tracker, AddressRange range) {
  const auto at = std::ranges::find(trackers_, &tracker, &Protected::tracker);
  if (at == trackers_.end())
    trackers_.push_back({&tracker, range});
  else
    at->range = range;
  retry_.notify(sc_core::SC_ZERO_TIME);
  if (!stores_) return;
  AddressRange all{Address(0), Bytes(0)};  // from the first to the last page that anyone protects
  for (const Protected& each : trackers_) {
    if (each.range.size == Bytes(0)) continue;
    if (all.size == Bytes(0)) all = each.range;
    const Address first = std::min(all.first, each.range.first),
                  last = std::max(all.last(), each.range.last());
    all = {first, last - first + Bytes(1)};
  }
  stores_->ask_before_stores(all);
}

MemoryWrites::Answer MemoryWrites::can_track(const WriteTracker& by, std::span<const Address> pages,
                                             AddressRange copies_to) const {
  for (const Protected& other : trackers_) {
    if (other.tracker == &by) continue;
    const AddressRange taken = other.tracker->copies_to();
    const auto page = std::ranges::find_if(pages, [&](Address each) { return taken.contains(each); });
    if (page != pages.end()) return {false, static_cast<std::size_t>(page - pages.begin())};
    if (copies_to.size == Bytes(0) || other.range.size == Bytes(0)) continue;
    const Address first = std::max(copies_to.first, other.range.first),
                  last = std::min(copies_to.last(), other.range.last());
    for (Address at = first; at <= last; at = at + tracked_page)
      if (other.tracker->protects(at)) return {false, std::nullopt};
  }
  return {};
}

std::vector<PageLines> MemoryWrites::collect(AddressRange range, const WriteTracker& by) {
  if (!stores_ || range.size == Bytes(0)) return {};
  std::vector<PageLines> stored = stores_->collect(range);
  if (caches_) return {};
  for (const Protected& other : trackers_)
    if (other.tracker != &by)
      for (const PageLines& each : stored)
        if (other.range.contains(each.page)) other.tracker->written({each, 0});
  return stored;
}

MemoryWrites::Flush MemoryWrites::flush(const WriteTracker& by) {
  if (!caches_) return {};
  if (caches_->is_flushing()) return {.is_complete = false, .has_begun = false};
  Flush result;
  std::vector<Address> clean;
  for (const Address line : caches_->dirty()) {
    const PageLines lines = line_at(line);
    if (!caches_->is_waiting(line) && may_write(lines)) {
      clean.push_back(line);
      report({lines, 0});
    } else if (by.protects(lines.page)) {
      result.is_complete = false;
    }
  }
  result.has_begun = !clean.empty();
  caches_->flush(clean);
  return result;
}

void MemoryWrites::flushed() {
  for (const Protected& each : trackers_) each.tracker->flush_again();
}

void MemoryWrites::retry() {
  retry_.notify(sc_core::SC_ZERO_TIME);
  flushed();
}

// ---- writers ----

WriteTracker* MemoryWrites::blocking(Address page) const {
  for (const Protected& each : trackers_)
    if (each.range.contains(page) && !each.tracker->is_write_allowed(page)) return each.tracker;
  return nullptr;
}

bool MemoryWrites::is_allowed(Address page) const { return blocking(page) == nullptr; }

bool MemoryWrites::may_write(const PageLines& lines) {
  while (WriteTracker* const tracker = blocking(lines.page))
    if (!tracker->try_write(lines)) return false;
  return true;
}

bool MemoryWrites::wait_until_allowed(const PageLines& lines) {
  const std::uint64_t resets = resets_;
  while (resets == resets_) {
    if (may_write(lines)) return true;
    sc_core::wait(retry_);
  }
  return false;
}

void MemoryWrites::report(const MemoryWrite& write) {
  for (const Protected& each : trackers_)
    if (each.range.contains(write.lines.page)) each.tracker->written(write);
  for (WriteObserver* observer : observers_) observer->written(write);
}

bool MemoryWrites::is_store_allowed(Address page) const {
  if (!caches_) return is_allowed(page);
  return std::ranges::all_of(trackers_, [page](const Protected& each) {
    return !each.range.contains(page) || each.tracker->is_write_allowed(page) ||
           each.tracker->has_saved_contents(page);
  });
}

void MemoryWrites::before_store(const PageLines& lines) {
  if (!caches_) {
    wait_until_allowed(lines);
    return;
  }
  for (const Protected& each : trackers_)
    if (each.range.contains(lines.page) && !each.tracker->is_write_allowed(lines.page) &&
        !each.tracker->has_saved_contents(lines.page))
      each.tracker->save_contents(lines.page);
}

void MemoryWrites::store_begins(Picoseconds at, Address page, std::string_view core) {
  for (const Protected& each : trackers_)
    if (each.range.contains(page)) each.tracker->store_begins(at, page, core);
}

void MemoryWrites::reset() {
  ++resets_;
  retry_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace asterism
