// One channel of a GPU's memory with what stands at it: its slice of the L2, its zone monitor, the queue of
// writes that wait, and its bandwidth. It moves bytes one access after the other.
//
// A line that the L2 displaces is checked by the monitor. Where it has to wait it takes a place in the queue;
// where there is none, the access that displaces it is refused, and nothing is changed but what the monitor
// noted.
//
// Sectors (32 bytes) are what is moved at least: what a read misses, dirty sectors of a displaced line, and
// those of the zone table that the monitor fetches or writes back.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/reset.h"
#include "base/units.h"
#include "gpu/device_memory.h"
#include "gpu/gpu_config.h"
#include "gpu/kernel_source.h"
#include "gpu/l2_slice.h"
#include "gpu/write_queue.h"
#include "zone_monitor/zone_monitor.h"

namespace asterism {

// A write that has to wait.
struct Stall {
  Picoseconds at;
  Zone zone;
  bool first;  // for its zone; else it is the first in the queue
};

class DeviceChannel {
 public:
  struct Counts {
    std::uint64_t hits = 0, misses = 0;  // of lines in the L2
    std::uint64_t sectors_read = 0, sectors_written = 0, table_sectors = 0;
    std::uint64_t waits = 0;  // writes that took a place in the queue
    Picoseconds waited{};     // they, together

    Counts& operator+=(const Counts& other);
  };
  // Of sectors of one line.
  struct Access {
    Picoseconds at;
    Picoseconds since;  // when it was first tried
    std::uint32_t line;
    std::uint8_t sectors;  // mask
    bool write;
  };

  // Those of a zone or of the queue that are the first go behind the stalls that are there.
  DeviceChannel(const GpuConfig& config, std::uint32_t number, DeviceMemory& memory,
                std::vector<Stall>& stalls);

  ZoneMonitor& monitor() { return monitor_; }
  const ZoneMonitor& monitor() const { return monitor_; }
  const WriteQueue& queue() const { return queue_; }
  const Counts& counts() const { return counts_; }
  std::uint32_t zone_of(std::uint32_t line) const { return line >> zone_shift_; }

  // When it has moved all that it was given.
  Picoseconds busy_until() const { return busy_until_; }
  Picoseconds move(Picoseconds at, std::uint64_t sectors);
  // Of the zone table.
  void move_table(Picoseconds at, std::uint32_t sectors) {
    counts_.table_sectors += sectors;
    move(at, sectors);
  }

  // An access to this line is going to come.
  void prefetch(std::uint32_t line) const { l2_.prefetch(line); }
  // By a kernel of this number; false: refused. When the access takes the channel, `moved` is when that has
  // done it.
  bool access(const Access& access, std::uint64_t kernel, Picoseconds& moved) {
    std::size_t slot = l2_.find(access.line);
    if (slot == L2Slice::no_slot) {
      slot = l2_.victim(access.line);
      if (l2_.dirty(slot) != 0 && !write_back(slot, access, moved)) return false;
      ++counts_.misses;
      l2_.replace(slot, access.line);
      if (keeps_contents_) below(access.line, l2_.data(slot));
    } else {
      ++counts_.hits;
    }
    const std::uint8_t missing = access.sectors & ~l2_.valid(slot);
    if (access.write) {
      l2_.written(slot, access.sectors);
      if (keeps_contents_) change(slot, access, kernel);
    } else if (missing != 0) {
      l2_.fetched(slot, missing);
      const unsigned sectors = L2Slice::count(missing);
      counts_.sectors_read += sectors;
      moved = move(access.at, sectors);
    }
    return true;
  }

  // Writes all dirty lines to memory; only while no snapshot is open.
  void flush(Picoseconds at);
  // Its zone is preserved: what waits for it goes ahead. `sectors` of the table are moved for it.
  void release(Picoseconds at, std::uint32_t zone);
  void release_all(Picoseconds at);

  // As kernels see it, within one line.
  void read(std::uint64_t offset, std::span<std::byte> data) const;
  // By the host: into memory and the L2, without a check or time.
  void write(std::uint64_t offset, std::span<const std::byte> data);
  // The L2 loses a zone, dirty or not.
  void drop(std::uint32_t zone);

  void reset(Reset kind);

 private:
  bool write_back(std::size_t slot, const Access& access, Picoseconds& moved);
  void write_sectors(std::uint32_t line, std::uint8_t sectors, std::span<const std::byte, 128> data);
  // A line under the L2: memory, and over it what waits.
  void below(std::uint32_t line, std::span<std::byte, 128> data) const;
  void change(std::size_t slot, const Access& access, std::uint64_t kernel);
  void leave_queue(Picoseconds at, const WaitingWrite& write);

  static constexpr std::size_t times = 65;

  std::uint32_t number_;
  AddressSwizzle swizzle_;
  DeviceMemory& memory_;
  std::vector<Stall>& stalls_;
  bool keeps_contents_;
  unsigned zone_shift_;
  Bandwidth bandwidth_;
  std::array<Picoseconds, times> time_;  // of so many sectors
  Picoseconds busy_until_{};
  L2Slice l2_;
  ZoneMonitor monitor_;
  WriteQueue queue_;
  Counts counts_;
};

inline Picoseconds DeviceChannel::move(Picoseconds at, std::uint64_t sectors) {
  const Picoseconds start = busy_until_ < at ? at : busy_until_;
  busy_until_ =
      start + (sectors < times ? time_[sectors] : transfer_time(L2Slice::sector * sectors, bandwidth_));
  return busy_until_;
}

}  // namespace asterism
