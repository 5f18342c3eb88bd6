#include "platform/node_stores.h"

#include <algorithm>

namespace asterism {
namespace {

constexpr std::size_t line = DimmSsd::line.count();

struct Nobody final : WriteObserver {
  void written(Address, std::uint64_t) override {}
};

// Bit i: line i differs.
std::uint64_t differing_lines(std::span<const std::byte> a, std::span<const std::byte> b) {
  std::uint64_t lines = 0;
  for (std::size_t at = 0; at < a.size(); at += line)
    if (!std::ranges::equal(a.subspan(at, line), b.subspan(at, line))) lines |= std::uint64_t{1} << at / line;
  return lines;
}

}  // namespace

NodeStores::NodeStores(CoreCluster& cores, CoreCaches* caches, MemoryController& memory, Address dram,
                       DimmSsdModule& dimm_ssd)
    : cores_(cores), caches_(caches), memory_(memory), dram_(dram) {
  dimm_ssd.see_stores(*this);
  if (caches) caches->flush_ended = [&dimm_ssd] { dimm_ssd.flushed(); };
}

bool NodeStores::watch(WriteGuard& guard, WriteGuard& keeper, AddressRange range,
                       std::span<const Address> pages) {
  const bool engine_tells = cores_.guard_writes(range, caches_ ? keeper : guard);
  if (caches_) caches_->guard(pages.empty() ? nullptr : &guard);
  memory_.guard(pages.empty() ? nullptr : &guard, !engine_tells);
  known_.clear();
  if (engine_tells) return true;
  for (const Address page : pages) {
    const auto now = contents(page);
    known_.emplace(page.value(), std::vector(now.begin(), now.end()));
  }
  return true;
}

void NodeStores::collect(AddressRange range, WriteObserver& observer) {
  Nobody nobody;  // behind caches it is their write-backs that tell
  if (range.size == Bytes(0)) return;
  cores_.collect_writes(range, caches_ ? static_cast<WriteObserver&>(nobody) : observer);
  if (!known_.empty()) compare(range, observer);
}

void NodeStores::compare(AddressRange range, WriteObserver& observer) {
  const auto end = known_.upper_bound(range.last().value());
  for (auto page = known_.lower_bound(range.first.value()); page != end; ++page) {
    const auto now = contents(Address(page->first));
    const std::uint64_t lines = differing_lines(now, page->second);
    if (lines == 0) continue;
    std::ranges::copy(now, page->second.begin());
    observer.written(Address(page->first), lines);
  }
}

std::span<const std::byte> NodeStores::contents(Address page) const {
  return memory_.written(page - dram_, DimmSsd::memory_page);
}

}  // namespace asterism
