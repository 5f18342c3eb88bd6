// What a Unicorn instance sees at its addresses: host memory where the platform granted it, callbacks
// elsewhere.
//
// Both are mapped on first touch. Direct memory comes in pieces of at most 16 MiB, because Unicorn's unmap
// visits every page (130 ns each) and a withdrawn grant must take effect at once; everything else in windows
// of 64 KiB or, beside direct memory, of a page. A wild pointer may touch many: the oldest windows go.
#pragma once

#include <unicorn/unicorn.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/units.h"

namespace asterism {

class UnicornMemory {
 public:
  class Bus {
   public:
    virtual ~Bus() = default;
    virtual std::uint64_t bus_load(std::uint64_t address, unsigned size) = 0;
    virtual void bus_store(std::uint64_t address, unsigned size, std::uint64_t value) = 0;
  };

  UnicornMemory(uc_engine* uc, Bus& bus) : uc_(uc), bus_(bus) {}

  void add_direct(AddressRange range, std::uint8_t* host, bool is_shown = false);
  // Takes effect at once.
  void remove_direct(AddressRange range);

  // Maps the direct memory around an address; false when there is none or it is mapped already.
  bool map_direct_at(std::uint64_t address);
  // Maps callbacks around an address that has no mapping.
  void map_bus_at(std::uint64_t address);

  // Whether an address is direct memory that was added as shown.
  bool is_shown(std::uint64_t address) const {
    const Direct* grant = direct_at(address);
    return grant && grant->is_shown;
  }

  // Whether an address has a mapping of either kind.
  bool is_mapped(std::uint64_t address) const;

  // Windows that direct memory has replaced go; not from within a bus callback.
  bool has_stale_windows() const { return stale_windows_; }
  void drop_stale_windows();

  // Unicorn forgets its translations of code in a range.
  void drop_code(AddressRange range);
  // Unicorn forgets its translations of addresses.
  void flush_tlb();

  // The host's bytes of mapped direct memory, to the end of its piece; nullptr elsewhere.
  const std::uint8_t* mapped_host(std::uint64_t address) const;

  static constexpr std::uint64_t page = 4096;

 private:
  struct Direct {
    AddressRange range;
    std::uint8_t* host;
    bool is_shown;
    bool operator==(const Direct&) const = default;
  };
  struct Window {
    UnicornMemory* memory;
    std::uint64_t base, size;
  };
  static std::uint64_t on_load(uc_engine*, std::uint64_t offset, unsigned size, void* window);
  static void on_store(uc_engine*, std::uint64_t offset, unsigned size, std::uint64_t value, void* window);

  const Direct* direct_at(std::uint64_t address) const;
  void drop_windows(AddressRange range);

  uc_engine* uc_;
  Bus& bus_;
  std::vector<Direct> granted_;                  // whole pages, disjoint
  std::vector<Direct> mapped_;                   // pieces of granted_ that Unicorn knows
  std::deque<std::unique_ptr<Window>> windows_;  // oldest first
  bool stale_windows_ = false;
};

}  // namespace asterism
