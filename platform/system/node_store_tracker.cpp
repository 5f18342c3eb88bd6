#include "platform/system/node_store_tracker.h"

namespace asterism {
namespace {

struct NullObserver final : WriteObserver {
  void written(Address, std::uint64_t) override {}
};

}  // namespace

NodeStoreTracker::NodeStoreTracker(CoreCluster& cores, CoreCaches* caches, MemoryController& memory,
                                   DimmSsdModule& dimm_ssd)
    : cores_(cores), caches_(caches), memory_(memory) {
  dimm_ssd.set_store_tracker(*this);
  if (caches) caches->flush_ended = [&dimm_ssd] { dimm_ssd.flushed(); };
}

void NodeStoreTracker::watch(WriteGuard& guard, WriteGuard& preimage_guard, AddressRange range) {
  WriteGuard* const asked = range.size == Bytes(0) ? nullptr : &guard;
  cores_.guard_writes(range, caches_ ? preimage_guard : guard);
  if (caches_) caches_->guard(asked);
  memory_.guard(asked);
}

void NodeStoreTracker::collect(AddressRange range, WriteObserver& observer) {
  NullObserver discard;  // with caches their write-backs report the stores
  if (range.size == Bytes(0)) return;
  cores_.collect_writes(range, caches_ ? static_cast<WriteObserver&>(discard) : observer);
}

}  // namespace asterism
