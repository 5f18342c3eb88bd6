#include "platform/node_stores.h"

namespace asterism {

NodeStores::NodeStores(CoreCluster& cores, CoreCaches* caches, MemoryController& memory,
                       DimmSsdModule& dimm_ssd)
    : cores_(cores), caches_(caches), memory_(memory) {
  dimm_ssd.see_stores(*this);
  if (caches) caches->flush_ended = [&dimm_ssd] { dimm_ssd.flushed(); };
}

bool NodeStores::watch(WriteGuard& guard, WriteGuard& keeper, AddressRange range) {
  const bool watches = range.size != Bytes(0);
  engine_tells_ = cores_.guard_writes(range, caches_ ? keeper : guard);
  if (caches_) caches_->guard(watches ? &guard : nullptr);
  memory_.guard(watches ? &guard : nullptr, !engine_tells_);
  return true;
}

void NodeStores::collect(AddressRange range, WriteObserver& observer) {
  struct Nobody final : WriteObserver {
    void written(Address, std::uint64_t) override {}
  } nobody;  // behind caches it is their write-backs that tell
  if (range.size != Bytes(0))
    cores_.collect_writes(range, caches_ ? static_cast<WriteObserver&>(nobody) : observer);
}

}  // namespace asterism
