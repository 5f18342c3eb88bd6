#include "dimm_ssd/write_watch.h"

#include <algorithm>
#include <utility>

#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::uint64_t line_bits = 64;

// Discards what it observes.
struct NullObserver final : WriteObserver {
  void written(Address, std::uint64_t) override {}
};

Address page_of(Address line) { return Address(line.value() & ~(DimmSsd::memory_page.count() - 1)); }
std::uint64_t bit_of(Address line) {
  return std::uint64_t{1} << line.value() / DimmSsd::line.count() % line_bits;
}

}  // namespace

// ---- stores ----

void WriteWatch::block_write(Address page, std::uint64_t lines) {
  const std::uint64_t resets = resets_;
  while (resets == resets_ && is_protected(page) && !is_write_allowed(page)) {
    const Checkpointer::Answer answer = ssd_->write(now(), page, lines);
    changed_();
    if (answer.ready) {
      sc_core::wait(to_sc_time(answer.delay));
    } else {
      sc_core::wait(released_);
    }
  }
}

void WriteWatch::written(Address page, std::uint64_t lines) {
  ssd_->write(now(), page, lines);
  changed_();
}

void WriteWatch::save_preimage(Address page) {
  std::vector<std::byte> contents(DimmSsd::memory_page.count());
  peek_(page, contents);
  preimages_.emplace(page.value(), std::move(contents));
}

std::vector<std::byte> WriteWatch::take_preimage(Address page) {
  auto kept = preimages_.extract(page.value());
  return kept ? std::move(kept.mapped()) : std::vector<std::byte>();
}

// ---- requests of the device ----

bool WriteWatch::watch(std::span<const Address> pages) {
  preimages_.clear();
  released();
  if (!tracker) return false;
  range_ = {Address(0), Bytes(0)};
  if (!pages.empty()) {
    const auto [first, last] = std::ranges::minmax(pages);
    range_ = {first, last - first + DimmSsd::memory_page};
  }
  tracker->watch(*this, preimage_guard_, range_);
  NullObserver discard;
  tracker->collect(range_, discard);
  return true;
}

// The pre-image of a page that may be written to belongs to an interval that was abandoned or is in flash.
void WriteWatch::interval_ended() {
  if (!tracker) return;
  tracker->collect(range_, *this);
  std::erase_if(preimages_, [&](const auto& kept) { return is_write_allowed(Address(kept.first)); });
}

std::uint64_t WriteWatch::written_lines(Address page) {
  if (!tracker || !tracker->reports_on_collect()) return 0;
  struct Lines final : WriteObserver {
    std::uint64_t all = 0;
    void written(Address, std::uint64_t lines) override { all |= lines; }
  } lines;
  tracker->collect({page, DimmSsd::memory_page}, lines);
  return lines.all;
}

void WriteWatch::sample() {
  if (tracker && tracker->reports_on_collect()) tracker->collect(range_, *this);
}

// Lines of pages that are not copied yet wait until they are. The others go to memory, and what cores have
// stored in the meantime belongs to the next interval.
bool WriteWatch::flush_writes(Picoseconds now) {
  if (!tracker) return true;
  if (tracker->is_flushing()) return false;
  std::vector<Address> clean;
  bool all = true;
  for (const Address line : tracker->dirty()) {
    const bool ready = !is_protected(page_of(line)) || ssd_->write(now, page_of(line), bit_of(line)).ready;
    if (ready) clean.push_back(line);
    all = all && ready;
  }
  tracker->flush(clean);
  if (!all || (!clean.empty() && !std::exchange(has_flushed_, true))) return false;
  has_flushed_ = false;
  return true;
}

void WriteWatch::reset() {
  ++resets_;
  preimages_.clear();
  has_flushed_ = false;
  range_ = {Address(0), Bytes(0)};
  if (tracker) tracker->watch(*this, preimage_guard_, range_);
  released();
}

}  // namespace asterism
