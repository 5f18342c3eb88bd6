#include "dimm_ssd/write_protection.h"

#include <algorithm>
#include <utility>

#include "tlm/time.h"

namespace asterism {

// ---- writes ----

bool WriteProtection::try_write(const PageLines& lines) {
  const bool is_ready = ssd_->write(now(), lines.page, lines.lines).ready;
  changed_();
  return is_ready;
}

void WriteProtection::written(const MemoryWrite& write) {
  if (!is_protected(write.lines.page)) return;
  ssd_->write(now(), write.lines.page, write.lines.lines);
  changed_();
}

void WriteProtection::save_contents(Address page) {
  std::vector<std::byte> contents(DimmSsd::memory_page.count());
  peek_(page, contents);
  preimages_.emplace(page.value(), std::move(contents));
}

void WriteProtection::released() {
  if (writes_) writes_->retry();
}

void WriteProtection::flush_again() {
  ssd_->flushed(now());
  changed_();
}

AddressRange WriteProtection::copies_to() const {
  return ssd_->tracking() ? ssd_->shadow() : AddressRange{Address(0), Bytes(0)};
}

std::vector<std::byte> WriteProtection::take_preimage(Address page) {
  auto kept = preimages_.extract(page.value());
  return kept ? std::move(kept.mapped()) : std::vector<std::byte>();
}

// ---- requests of the device ----

std::optional<DimmSsd::Conflict> WriteProtection::conflict(std::span<const Address> pages,
                                                           AddressRange shadow) const {
  if (!writes_) return std::nullopt;
  const MemoryWrites::Answer answer = writes_->can_track(*this, pages, shadow);
  if (answer.is_possible) return std::nullopt;
  return DimmSsd::Conflict{answer.page ? static_cast<std::uint32_t>(*answer.page) : DimmSsd::no_index};
}

bool WriteProtection::watch(std::span<const Address> pages) {
  preimages_.clear();
  if (!writes_) return false;
  range_ = {Address(0), Bytes(0)};
  if (!pages.empty()) {
    const auto [first, last] = std::ranges::minmax(pages);
    range_ = {first, last - first + DimmSsd::memory_page};
  }
  writes_->protect(*this, range_);
  writes_->collect(range_, *this);  // what was stored before does not count
  return true;
}

void WriteProtection::collect() {
  for (const auto& [page, lines] : writes_->collect(range_, *this)) ssd_->write(now(), page, lines);
}

// The pre-image of a page that may be written to belongs to an interval that was abandoned or is in flash.
void WriteProtection::interval_ended() {
  if (!writes_) return;
  collect();
  std::erase_if(preimages_, [&](const auto& kept) { return is_write_allowed(Address(kept.first)); });
}

std::uint64_t WriteProtection::written_lines(Address page) {
  if (!samples()) return 0;
  std::uint64_t all = 0;
  for (const PageLines& each : writes_->collect({page, DimmSsd::memory_page}, *this)) all |= each.lines;
  return all;
}

void WriteProtection::sample() {
  if (samples()) collect();
  changed_();
}

// Lines of pages that are not copied yet wait until they are. The others go to memory, and what cores have
// stored in the meantime belongs to the next interval.
bool WriteProtection::flush_writes() {
  if (!writes_) return true;
  const MemoryWrites::Flush flush = writes_->flush(*this);
  if (!flush.is_complete || (flush.has_begun && !std::exchange(has_flushed_, true))) return false;
  has_flushed_ = false;
  return true;
}

void WriteProtection::reset() {
  preimages_.clear();
  has_flushed_ = false;
  range_ = {Address(0), Bytes(0)};
  if (writes_) writes_->protect(*this, range_);
}

}  // namespace asterism
