// One channel of a GPU's memory with its slice of the L2, its zone monitor, the queue of waiting writes, and
// its bandwidth. It moves the bytes of one access after the other.
//
// A line that the L2 evicts is checked by the monitor. If the line has to wait, it takes an entry in the
// queue; if the queue is full, the access that evicts the line is refused, and nothing changes except what
// the monitor has noted.
//
// Faults of the memory (sector_faults.h) are decoded where a sector is read from it: when the L2 misses it,
// for a read or a write of a kernel, whose new words depend on the old ones, and when a copy reads it. A
// sector that is uncorrectable makes its zone *contained*: it is dropped from the L2, and any later read of
// it is an error, too, until the zone is retired. Errors that the code has not seen are in the data from
// then on.
//
// With the code of REACH, sectors are chunks of 36 bytes, which move in transfers of 32, and 64 of them have
// the parity of 8 others, behind the sectors of the channel. A read of a chunk that is flagged reads its
// span. What is written to memory costs a read of the old chunks besides, and the parity of the span a read
// and a write; the controller holds the parity of the span that was written last (assumed), so that a stream
// pays for it once.
//
// Sectors (32 bytes) are the unit of transfer: those that a read misses, dirty sectors of an evicted line,
// and sectors of the zone table that the monitor fetches or writes back.
#pragma once

#include <algorithm>
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
#include "gpu/gpu_memory_fault.h"
#include "gpu/kernel_source.h"
#include "gpu/l2_slice.h"
#include "gpu/sector_faults.h"
#include "gpu/write_queue.h"
#include "zone_monitor/zone_monitor.h"

namespace asterism {

// A write that has to wait.
struct Stall {
  Picoseconds at;
  Zone zone;
  bool first;  // the first one for its zone; otherwise it is the first in the queue
};

// An uncorrectable error, or a read of a zone that has had one.
struct MemoryError {
  Picoseconds at;
  Zone zone;
  std::uint32_t offset;  // of the sector in its zone
  GpuReader by;
  bool first;  // the zone is contained from now on
};

class DeviceChannel {
 public:
  struct Counts {
    std::uint64_t hits = 0, misses = 0;  // of lines in the L2
    std::uint64_t sectors_read = 0, sectors_written = 0, table_sectors = 0;
    std::uint64_t waits = 0;  // writes that took an entry in the queue
    Picoseconds waited{};     // the total of their waiting times
    // Sectors with an error that were read; silent: the code has not seen it, or has corrected wrong bits.
    std::uint64_t corrected = 0, uncorrectable = 0, silent = 0;
    std::uint64_t rebuilt = 0;         // of those corrected: by the outer code of their span
    std::uint64_t code_transfers = 0;  // of 32 bytes, besides those of data
    // Of sectors: a zone has at most one uncorrectable one, unless the stack scrubs by itself.
    std::uint64_t zones_scrubbed = 0, scrub_corrected = 0, scrub_uncorrectable = 0;

    Counts& operator+=(const Counts& other);
  };
  // An access to consecutive sectors.
  struct Access {
    Picoseconds at;
    Picoseconds since;     // when it was first tried
    std::uint64_t sector;  // the first sector
    std::uint32_t sectors;
    bool write;
  };

  // Stalls that are the first of their zone or of the queue are appended to the existing stalls, and
  // uncorrectable errors to the existing errors.
  DeviceChannel(const GpuConfig& config, std::uint32_t number, DeviceMemory& memory,
                std::vector<Stall>& stalls, std::vector<MemoryError>& errors);

  ZoneMonitor& monitor() { return monitor_; }
  const ZoneMonitor& monitor() const { return monitor_; }
  const WriteQueue& queue() const { return queue_; }
  const Counts& counts() const { return counts_; }
  std::uint32_t zone_of(std::uint32_t line) const { return line >> zone_shift_; }

  // The time at which everything that was requested has been moved.
  Picoseconds busy_until() const { return busy_until_; }
  Picoseconds move(Picoseconds at, std::uint64_t sectors);
  // Moves sectors of the zone table.
  void move_table(Picoseconds at, std::uint32_t sectors) {
    counts_.table_sectors += sectors;
    move(at, sectors);
  }

  // Announces an access to these sectors.
  void prefetch(std::uint64_t sector, std::uint32_t sectors) const {
    l2_.prefetch(line_of(sector), line_of(sector + sectors - 1) - line_of(sector) + 1);
  }
  // An access by the kernel with this number, line by line. Returns how many of the sectors were accessed:
  // fewer than all if a line is refused. If the access uses the channel, `moved` is the time at which it has
  // been moved.
  std::uint32_t access(const Access& access, std::uint64_t kernel, Picoseconds& moved) {
    const std::uint64_t end = access.sector + access.sectors;
    L2Slice::Place place = l2_.place_of(line_of(access.sector));
    for (std::uint64_t sector = access.sector; sector < end; place = l2_.next(place)) {
      const std::uint64_t next = std::min((sector | (sectors_per_line - 1)) + 1, end);
      const auto mask = static_cast<std::uint8_t>((2u << (next - 1) % sectors_per_line) -
                                                  (1u << sector % sectors_per_line));
      if (!access_line(place, line_of(sector), mask, access, kernel, moved))
        return static_cast<std::uint32_t>(sector - access.sector);
      sector = next;
    }
    return access.sectors;
  }

  // Moves this many sectors of whole spans, with their code.
  Picoseconds move_copy(Picoseconds at, std::uint64_t sectors);

  // Writes all dirty lines to memory; only while no snapshot is open.
  void flush(Picoseconds at);
  // The zone is preserved: writes that wait for it proceed. `sectors` of the table are moved for it.
  void release(Picoseconds at, std::uint32_t zone);
  void release_all(Picoseconds at);

  // The contents as kernels see them, within one line.
  void read(std::uint64_t offset, std::span<std::byte> data) const;
  // A write by the host, into memory and the L2, without a check and without taking time.
  void write(std::uint64_t offset, std::span<const std::byte> data);
  // Invalidates all lines of a zone in the L2, dirty or not.
  void drop(std::uint32_t zone);

  // ---- copies of memory, without the L2 ----

  // Whether all these bytes are 0, as they were never written and have no fault.
  bool is_untouched(std::uint64_t offset, Bytes size) const;
  // Whole sectors, as the decoder delivers them. An uncorrectable one is appended to the errors.
  void copy_out(Picoseconds at, std::uint64_t offset, std::span<std::byte> data);
  void copy_in(std::uint64_t offset, std::span<const std::byte> data);

  // ---- faults; only if contents are kept ----

  void inject(GpuMemoryShape shape, std::uint64_t offset, unsigned bit, bool stuck);
  bool is_contained(std::uint32_t zone) const;
  // Reads the zone, and writes back what it corrects. The first uncorrectable sector is appended to the
  // errors and ends the scrub. Where the stack scrubs by itself, which takes no time, all of them stay as
  // they are and are counted in each pass; nothing counts as read, but what is written back with wrong bits
  // is silent.
  void scrub(Picoseconds at, std::uint32_t zone);
  // Spare memory replaces the zone, after its contents were copied into it as the decoder delivers them. If
  // one of its sectors is uncorrectable, the zone is contained instead, and the result is false.
  bool replace(Picoseconds at, std::uint32_t zone);
  // The same for a contained zone, whose contents are lost.
  void replace_lost(std::uint32_t zone);

  void reset(Reset kind);

 private:
  static std::uint32_t line_of(std::uint64_t sector) {
    return static_cast<std::uint32_t>(sector / sectors_per_line);
  }
  bool access_line(L2Slice::Place place, std::uint32_t line, std::uint8_t mask, const Access& access,
                   std::uint64_t kernel, Picoseconds& moved);
  bool write_back(std::size_t slot, std::uint32_t line, const Access& access, Picoseconds& moved);
  bool wait(std::size_t slot, std::uint32_t line, bool first, const Access& access);
  void store(std::uint32_t line, std::uint8_t sectors, std::span<const std::byte, 128> data);
  // The contents of a line below the L2: memory, overlaid by waiting writes.
  void below(std::uint32_t line, std::span<std::byte, 128> data) const;
  void change(std::size_t slot, std::uint32_t line, std::uint8_t sectors, std::uint64_t kernel);
  void leave_queue(Picoseconds at, const WaitingWrite& write);
  void load(std::size_t slot, std::uint32_t line, std::uint8_t sectors, Picoseconds at);
  SectorOutcome decode(Picoseconds at, std::uint64_t sector, std::span<std::byte> data);
  SectorOutcome rebuild(Picoseconds at, std::uint64_t sector, SectorBits& pattern);
  Picoseconds move_read(Picoseconds at, std::uint32_t line, std::uint8_t sectors);
  Picoseconds move_written(Picoseconds at, std::uint32_t line, std::uint8_t sectors);
  std::uint64_t transfers_of_spans(std::uint64_t sectors) const;
  std::uint64_t transfers_of_chunks(std::uint32_t line, std::uint8_t sectors) const;
  void write_corrected(Picoseconds at, std::uint64_t sector);
  bool take_over(std::uint64_t sector, std::span<std::byte> data);
  void contain(Picoseconds at, std::uint64_t sector, GpuReader by);

  static constexpr std::size_t times = 65;
  static constexpr std::uint64_t sectors_per_line = 4;

  std::uint32_t number_;
  AddressSwizzle swizzle_;
  DeviceMemory& memory_;
  std::vector<Stall>& stalls_;
  bool keeps_contents_;
  unsigned zone_shift_;
  std::uint64_t channel_sectors_;
  Bandwidth bandwidth_;
  std::array<Picoseconds, times> time_;  // the time to move that many sectors
  Picoseconds busy_until_{};
  L2Slice l2_;
  ZoneMonitor monitor_;
  WriteQueue queue_;
  Counts counts_;
  SectorCode code_;
  SectorFaults faults_;
  std::vector<std::uint32_t> contained_;  // zones, in order
  std::vector<MemoryError>& errors_;
  bool may_have_errors_ = false;  // a fault, or a contained zone
  bool has_spans_;                // the code of REACH
  bool scrubs_on_die_;
  Picoseconds decoder_;        // the time of a read in the decoder
  std::uint64_t parity_held_;  // the span whose parity the controller has
};

inline Picoseconds DeviceChannel::move(Picoseconds at, std::uint64_t sectors) {
  const Picoseconds start = busy_until_ < at ? at : busy_until_;
  busy_until_ =
      start + (sectors < times ? time_[sectors] : transfer_time(L2Slice::sector * sectors, bandwidth_));
  return busy_until_;
}

inline Picoseconds DeviceChannel::move_read(Picoseconds at, std::uint32_t line, std::uint8_t sectors) {
  std::uint64_t transfers = L2Slice::count(sectors);
  counts_.sectors_read += transfers;
  if (has_spans_) [[unlikely]] {
    const std::uint64_t of_chunks = transfers_of_chunks(line, sectors);
    counts_.code_transfers += of_chunks - transfers;
    transfers = of_chunks;
  }
  return move(at, transfers) + decoder_;
}

inline bool DeviceChannel::access_line(L2Slice::Place place, std::uint32_t line, std::uint8_t mask,
                                       const Access& access, std::uint64_t kernel, Picoseconds& moved) {
  std::size_t slot = l2_.find(place);
  if (slot == L2Slice::no_slot) {
    slot = l2_.victim(place);
    if (l2_.dirty(slot) != 0 && !write_back(slot, l2_.line_at(slot, place), access, moved)) return false;
    ++counts_.misses;
    l2_.replace(slot, place);
    if (keeps_contents_) below(line, l2_.data(slot));
  } else {
    ++counts_.hits;
  }
  if (may_have_errors_) [[unlikely]]
    load(slot, line, mask & ~l2_.valid(slot), access.at);
  if (access.write) {
    l2_.written(slot, mask);
    if (keeps_contents_) change(slot, line, mask, kernel);
  } else if (const std::uint8_t missing = mask & ~l2_.valid(slot); missing != 0) {
    l2_.fetched(slot, missing);
    moved = move_read(access.at, line, missing);
  }
  return true;
}

inline bool DeviceChannel::write_back(std::size_t slot, std::uint32_t line, const Access& access,
                                      Picoseconds& moved) {
  const std::uint32_t zone = zone_of(line);
  // A write that finds no free entry still notes its zone, so that the zone is reported.
  if (queue_.full() && monitor_.peek(zone) == ZoneMonitor::Answer::stall) [[unlikely]]
    return false;
  const ZoneMonitor::Check check = monitor_.write(zone);
  if (check.sectors != 0) {
    counts_.table_sectors += check.sectors;
    moved = move(access.at, check.sectors);
  }
  if (check.answer != ZoneMonitor::Answer::proceed) [[unlikely]]
    return wait(slot, line, check.answer == ZoneMonitor::Answer::first_stall, access);
  const std::uint8_t sectors = l2_.dirty(slot);
  moved = move_written(access.at, line, sectors);
  if (keeps_contents_) store(line, sectors, l2_.data(slot));
  return true;
}

}  // namespace asterism
