// The write protection of a node's DIMM-SSD: it blocks stores to pages that are not copied yet, reports all
// others to the device, and saves the pre-image of a page where memory is ahead of what was reported to the
// device (store_tracker.h, caches).
//
// It protects against stores, or against the write-backs of caches. Behind caches, PreimageGuard additionally
// sees each page's first store, and saves what the page held before.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <systemc>
#include <vector>

#include "base/write_guard.h"
#include "dimm_ssd/dimm_ssd.h"
#include "dimm_ssd/store_tracker.h"

namespace asterism {

class WriteWatch final : public WriteGuard {
 public:
  // `changed` runs after each call of the device that can change its next event. `peek` reads a page in zero
  // time.
  WriteWatch(std::function<void()> changed, std::function<void(Address page, std::span<std::byte>)> peek)
      : changed_(std::move(changed)), peek_(std::move(peek)) {}
  // Must be called before anything else.
  void connect(DimmSsd& ssd) { ssd_ = &ssd; }

  StoreTracker* tracker = nullptr;  // nullptr: stores cannot be observed

  // WriteGuard
  bool is_protected(Address page) const override { return ssd_->tracking() && ssd_->tracks(page); }
  bool is_write_allowed(Address page) const override { return ssd_->is_write_allowed(page); }
  void block_write(Address page, std::uint64_t lines) override;
  void written(Address page, std::uint64_t lines) override;

  // DimmSsd::Memory
  bool watch(std::span<const Address> pages);
  void interval_ended();
  std::uint64_t written_lines(Address page);
  bool flush_writes(Picoseconds now);
  // Takes the contents that the page had when its interval ended; empty if memory still has them.
  std::vector<std::byte> take_preimage(Address page);

  bool reports_on_collect() const { return tracker && tracker->reports_on_collect(); }
  // Reports dirty lines now, if they are otherwise reported only on collect().
  void sample();
  void released() { released_.notify(sc_core::SC_ZERO_TIME); }
  void drop_preimages() { preimages_.clear(); }
  void reset();

 private:
  class PreimageGuard final : public WriteGuard {
   public:
    explicit PreimageGuard(WriteWatch& watch) : watch_(watch) {}
    bool is_protected(Address page) const override { return watch_.is_protected(page); }
    bool is_write_allowed(Address page) const override {
      return watch_.is_write_allowed(page) || watch_.preimages_.contains(page.value());
    }
    void block_write(Address page, std::uint64_t) override { watch_.save_preimage(page); }
    void written(Address, std::uint64_t) override {}

   private:
    WriteWatch& watch_;
  };
  void save_preimage(Address page);

  const std::function<void()> changed_;
  const std::function<void(Address, std::span<std::byte>)> peek_;
  DimmSsd* ssd_ = nullptr;
  PreimageGuard preimage_guard_{*this};
  AddressRange range_{Address(0), Bytes(0)};  // contains all protected pages
  std::map<std::uint64_t, std::vector<std::byte>> preimages_;
  bool has_flushed_ = false;  // since the end of this interval was requested
  sc_core::sc_event released_;
  std::uint64_t resets_ = 0;
};

}  // namespace asterism
