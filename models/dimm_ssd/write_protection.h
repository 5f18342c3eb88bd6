// The DIMM-SSD among those that observe the writes to the node's memory (tlm/memory_writes.h). Writes to
// pages that are not copied yet wait, and all others are reported to the device. Where memory is ahead of
// what is reported, behind models of caches, it saves the pre-image of a page at the first store to it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "dimm_ssd/dimm_ssd.h"
#include "tlm/memory_writes.h"

namespace asterism {

class WriteProtection final : public WriteTracker {
 public:
  // `changed` runs after each call of the device that can change its next event. `peek` reads a page in zero
  // time.
  WriteProtection(std::function<void()> changed, std::function<void(Address page, std::span<std::byte>)> peek)
      : changed_(std::move(changed)), peek_(std::move(peek)) {}
  // Must be called before anything else.
  void connect(DimmSsd& ssd) { ssd_ = &ssd; }
  // The memory whose writes are observed; without it none are.
  void connect(MemoryWrites& writes) { writes_ = &writes; }

  // WriteTracker
  bool is_write_allowed(Address page) const override {
    return !is_protected(page) || ssd_->is_write_allowed(page);
  }
  bool try_write(const PageLines& lines) override;
  void written(const MemoryWrite& write) override;
  void save_contents(Address page) override;
  void store_begins(Picoseconds at, Address page, std::string_view core) override {
    ssd_->store_begins(at, page, core);
  }
  bool has_saved_contents(Address page) const override { return preimages_.contains(page.value()); }
  void flush_again() override;
  bool protects(Address page) const override { return is_protected(page); }
  AddressRange copies_to() const override;

  // DimmSsd::Memory
  std::optional<DimmSsd::Conflict> conflict(std::span<const Address> pages, AddressRange shadow) const;
  bool watch(std::span<const Address> pages);
  void interval_ended();
  std::uint64_t written_lines(Address page);
  bool flush_writes();
  // Takes the contents that the page had when its interval ended; empty if memory still has them.
  std::vector<std::byte> take_preimage(Address page);

  // Whether stores are otherwise reported only at the end of an interval.
  bool samples() const { return writes_ && writes_->are_stores_collected(); }
  // Reports them now.
  void sample();
  // A write that was held may be tried again.
  void released();
  void drop_preimages() { preimages_.clear(); }
  void reset();

 private:
  bool is_protected(Address page) const { return ssd_->tracking() && ssd_->tracks(page); }
  void collect();

  const std::function<void()> changed_;
  const std::function<void(Address, std::span<std::byte>)> peek_;
  DimmSsd* ssd_ = nullptr;
  MemoryWrites* writes_ = nullptr;
  AddressRange range_{Address(0), Bytes(0)};  // contains all protected pages
  std::map<std::uint64_t, std::vector<std::byte>> preimages_;
  bool has_flushed_ = false;  // since the end of this interval was requested
};

}  // namespace asterism
