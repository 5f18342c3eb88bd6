// Reports the cores' stores to the node's DIMM-SSD (dimm_ssd/store_tracker.h). With cache models these are
// the write-backs of the caches; without them, the dirty lines that the engine of the cores records.
#pragma once

#include <vector>

#include "core/core_caches.h"
#include "core/core_cluster.h"
#include "dimm_ssd/dimm_ssd_module.h"
#include "memory/memory_controller.h"

namespace asterism {

class NodeStoreTracker final : public StoreTracker {
 public:
  // `caches` is nullptr if the node has no cache models.
  NodeStoreTracker(CoreCluster& cores, CoreCaches* caches, MemoryController& memory, DimmSsdModule& dimm_ssd);

  void watch(WriteGuard& guard, WriteGuard& preimage_guard, AddressRange range) override;
  void collect(AddressRange range, WriteObserver& observer) override;
  bool reports_on_collect() const override { return !caches_; }
  std::vector<Address> dirty() override { return caches_ ? caches_->dirty() : std::vector<Address>(); }
  void flush(const std::vector<Address>& lines) override {
    if (caches_) caches_->flush(lines);
  }
  bool is_flushing() const override { return caches_ && caches_->is_flushing(); }

 private:
  CoreCluster& cores_;
  CoreCaches* const caches_;
  MemoryController& memory_;
};

}  // namespace asterism
