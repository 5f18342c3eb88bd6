// PCRAM that software reads and writes as memory, by bytes: cells (pcram_array.h) behind a controller with a
// buffer of lines.
//
// Write combining: the bytes that are stored to a line are collected in the buffer, so that the cells get one
// write for them. When three quarters of the buffer are in use, each further line makes the one that has not
// been stored to for the longest time leave. A line that is not complete is read from the cells first. A
// store waits only if there is no space: until the pulses of a line that leaves have begun. Reads see the
// buffer. The line that was read last stays in the controller, too: loads of its bytes, one after the other,
// read the cells once.
//
// Persistence: what has been stored survives a power failure. The buffer lies in the power-fail-safe domain
// of the machine: what is left of the energy of the power supply writes it to the cells, and ends the pulses
// that have begun (asynchronous DRAM refresh, ADR: Intel's platforms ask it of a controller of persistent
// memory, SNIA's NVM Programming Model calls it a persistence domain). In Linux, this is the memory
// controller that is flushed on loss of power (ND_REGION_PERSIST_MEMCTRL, include/linux/libnvdimm.h). The
// size of the buffer, 64 lines unless configured, is assumed, and that all of it is written in time.
// PcramReserve::none is a machine without the energy.
//
// Lines are lost that cannot be read, or that are worn and had to change: reading them is an error from then
// on, until all of a line has been written.
//
// Calls are in the order of time, except that reads may be ahead of what follows them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <vector>

#include "base/statistics.h"
#include "pcram/pcram_array.h"

namespace asterism {

class PcramMemory {
 public:
  static constexpr Bytes line = PcramArray::line;

  // The buffer is at least 4 lines.
  PcramMemory(PcramArray array, std::size_t buffer_lines)
      : array_(std::move(array)), buffer_lines_(buffer_lines) {}

  struct Read {
    Picoseconds end;
    bool is_lost = false;  // the data are wrong, and known to be
  };
  // Both lie within a line. A write returns when the store has ended for its master.
  Read read(Picoseconds now, Bytes offset, std::span<std::byte> data);
  Picoseconds write(Picoseconds now, Bytes offset, std::span<const std::byte> data);
  // Called for each line that has been lost by wear, with its offset.
  std::function<void(Bytes offset)> on_worn = [](Bytes) {};

  // The same in zero time and without wear, for debuggers.
  void peek(Bytes offset, std::span<std::byte> data) const;
  void poke(Bytes offset, std::span<const std::byte> data);

  // To be called before other requests as simulated time passes.
  void advance_to(Picoseconds now);
  void lose_power(Picoseconds now, bool has_reserve);

  const PcramArray& array() const { return array_; }
  void report(Statistics& statistics) const;

 private:
  struct Buffered {
    std::array<std::byte, 64> data{};
    std::uint64_t stored = 0;  // bit i: byte i has been
    std::uint64_t used = 0;    // counts stores
    bool is_whole() const { return stored == ~std::uint64_t{0}; }
  };
  using Buffer = std::map<std::uint64_t, Buffered>;  // by the number of the line

  static void overlay(const Buffered& from, unsigned first, std::span<std::byte> data);
  Buffered& space_for(std::uint64_t number, Picoseconds& now);
  Picoseconds write_back(Picoseconds now, Buffer::iterator which);
  void read_cells(Picoseconds now, std::uint64_t number);  // into last_read_

  PcramArray array_;
  const std::size_t buffer_lines_;
  Buffer buffer_;
  std::priority_queue<Picoseconds, std::vector<Picoseconds>, std::greater<>> leaving_;  // until then
  std::set<std::uint64_t> lost_;
  struct LastRead {
    std::uint64_t number;
    Picoseconds arrived;
    std::array<std::byte, 64> bytes;
    bool is_lost;
  };
  std::optional<LastRead> last_read_;  // as the cells have it
  struct Counts {
    std::uint64_t reads = 0, writes = 0, reads_from_buffer = 0, writes_combined = 0, lines_completed = 0;
    std::uint64_t lines_saved = 0, lines_dropped = 0, lost_reads = 0;
  } counts_;
  std::uint64_t uses_ = 0;
  Picoseconds waiting_;
};

}  // namespace asterism
