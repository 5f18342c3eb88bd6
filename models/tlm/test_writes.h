// For tests: an observer of the writes to a memory, and a tracker of a range that allows none while it is
// closed.
#pragma once

#include <vector>

#include "tlm/memory_writes.h"
#include "tlm/time.h"

namespace asterism {

// Lists what others than cores write.
struct ForeignWrites final : WriteObserver {
  std::vector<AddressRange> ranges;
  explicit ForeignWrites(MemoryWrites& writes) { writes.add(*this); }
  void written(const MemoryWrite& write) override {
    if (!is_core(write.master)) ranges.push_back(write.range());
  }
};

struct TestTracker final : WriteTracker {
  static constexpr AddressRange everything{Address(0), Bytes(~std::uint64_t{0})};
  struct Blocked {
    PageLines lines;
    Picoseconds at;
    bool operator==(const Blocked&) const = default;
  };
  MemoryWrites& writes;
  bool closed = false;
  std::vector<Blocked> blocked;
  std::vector<PageLines> reported;
  unsigned flushes = 0;

  explicit TestTracker(MemoryWrites& of, AddressRange range = everything) : writes(of) {
    writes.protect(*this, range);
  }
  bool is_write_allowed(Address) const override { return !closed; }
  bool try_write(const PageLines& lines) override {
    if (closed) blocked.push_back({lines, now()});
    return !closed;
  }
  void written(const MemoryWrite& write) override { reported.push_back(write.lines); }
  void flush_again() override { ++flushes; }
  void open() {
    closed = false;
    writes.retry();
  }
};

}  // namespace asterism
