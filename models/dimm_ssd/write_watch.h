// What stands between the stores of a node and its DIMM-SSD: holds those to pages that are not copied yet, tells the others to
// the device, and keeps what a page held where memory is ahead of what the device has been told (store_tracker.h, caches).
//
// It is the guard of stores, or of the write-backs of caches; keeper() is the guard of stores behind caches.
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
  // `changed` runs after each call of the device that can change its next event, `peek` reads a page without time.
  WriteWatch(std::function<void()> changed, std::function<void(Address page, std::span<std::byte>)> peek)
      : changed_(std::move(changed)), peek_(std::move(peek)) {}
  // Before anything else.
  void connect(DimmSsd& ssd) { ssd_ = &ssd; }

  StoreTracker* tracker = nullptr;  // none: stores are not seen

  // WriteGuard
  bool watches(Address page) const override { return ssd_->tracking() && ssd_->tracks(page); }
  bool admits(Address page) const override { return ssd_->admits(page); }
  void hold(Address page, std::uint64_t lines) override;
  void written(Address page, std::uint64_t lines) override;

  // DimmSsd::Memory
  bool watch(std::span<const Address> pages);
  void interval_ended();
  std::uint64_t written_lines(Address page);
  bool settle(Picoseconds now);
  // What the page held when its interval ended, where memory may be ahead; empty: memory has it. It is kept no longer.
  std::vector<std::byte> take_kept(Address page);

  bool tells_late() const { return tracker && tracker->tells_late(); }
  // Dirty lines are told now, where they are told late.
  void sample();
  void released() { released_.notify(sc_core::SC_ZERO_TIME); }
  void given_up() { kept_.clear(); }
  void reset();

 private:
  class Keeper final : public WriteGuard {
   public:
    explicit Keeper(WriteWatch& watch) : watch_(watch) {}
    bool watches(Address page) const override { return watch_.watches(page); }
    bool admits(Address page) const override {
      return watch_.admits(page) || watch_.kept_.contains(page.value());
    }
    void hold(Address page, std::uint64_t) override { watch_.keep(page); }
    void written(Address, std::uint64_t) override {}

   private:
    WriteWatch& watch_;
  };
  void keep(Address page);

  const std::function<void()> changed_;
  const std::function<void(Address, std::span<std::byte>)> peek_;
  DimmSsd* ssd_ = nullptr;
  Keeper keeper_{*this};
  AddressRange range_{Address(0), Bytes(0)};  // with all pages that are watched
  std::map<std::uint64_t, std::vector<std::byte>> kept_;
  bool has_flushed_ = false;  // since this interval's end was asked for
  sc_core::sc_event released_;
  std::uint64_t resets_ = 0;
};

}  // namespace asterism
