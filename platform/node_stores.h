// How a node's DIMM-SSD sees what the cores store (dimm_ssd/store_tracker.h): behind caches their write-backs, else the dirty
// lines of an engine that keeps them, else what has changed in memory.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "core/core_caches.h"
#include "core/core_cluster.h"
#include "dimm_ssd/dimm_ssd_module.h"
#include "memory/memory_controller.h"

namespace asterism {

class NodeStores final : public StoreTracker {
 public:
  // `caches`: nullptr for none. `dram`: the first address of memory.
  NodeStores(CoreCluster& cores, CoreCaches* caches, MemoryController& memory, Address dram,
             DimmSsdModule& dimm_ssd);

  bool watch(WriteGuard& guard, WriteGuard& keeper, AddressRange range,
             std::span<const Address> pages) override;
  void collect(AddressRange range, WriteObserver& observer) override;
  // An engine that tells its stores asks anew by itself.
  void ask_again(AddressRange range) override {
    if (!known_.empty() && range.size != Bytes(0)) memory_.ask_again(range);
  }
  bool tells_late() const override { return !caches_; }
  std::vector<Address> dirty() override { return caches_ ? caches_->dirty() : std::vector<Address>(); }
  void flush(const std::vector<Address>& lines) override {
    if (caches_) caches_->flush(lines);
  }
  bool is_flushing() const override { return caches_ && caches_->is_flushing(); }

 private:
  void compare(AddressRange range, WriteObserver& observer);
  std::span<const std::byte> contents(Address page) const;

  CoreCluster& cores_;
  CoreCaches* const caches_;
  MemoryController& memory_;
  const Address dram_;
  // Contents of watched pages when they were collected last, where no engine tells its stores.
  std::map<std::uint64_t, std::vector<std::byte>> known_;
};

}  // namespace asterism
