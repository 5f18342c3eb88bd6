// All channels of a node's DRAM, for three kinds of access.
//
//   exact       requests wait in queues and are scheduled command by command (FR-FCFS); an engine
//               (base/engine.h)
//   loose       access() answers at once. It schedules the request in the same queues and banks among all
//               requests known by then, in whatever order masters that run ahead of each other issue them
//               (loose_channel.h)
//   contended   access() answers at once, much faster, with the time of the request by itself and what it is
//               expected to wait by the load of its channel and bank (contended_channel.h)
//
// A system is used in one way only between resets. reset: all banks are closed and the queues are empty.
// Statistics are kept; cold clears them, too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/reset.h"
#include "base/statistics.h"
#include "base/units.h"
#include "memory/address_mapping.h"
#include "memory/dram_config.h"
#include "memory/dram_curves.h"
#include "memory/dram_energy.h"
#include "memory/dram_part.h"

namespace asterism {

struct DramRequest {
  std::uint64_t id = 0;  // chosen by the caller
  BlockLocation location;
  bool is_write = false;
};

class DramSystem {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    // The last beat of a read has arrived at the controller at `at`. A write is complete when its queue has
    // accepted it, which is not reported.
    virtual void completed(std::uint64_t id, Picoseconds at) = 0;
  };

  // Uses as many rows as `size` needs. Throws std::invalid_argument with a message for the user if the part
  // has too few rows, or `size` is not a whole number of rows of all banks. With curves, access() is
  // contended, without them it is loose. A request is for a block, which is one burst of the part or two.
  DramSystem(const DramConfig& config, const DramPart& part, Bytes size,
             const std::optional<DramCurves>& curves = {}, Bytes block = 64_B);
  ~DramSystem();

  const AddressMapping& mapping() const;

  // Returns false if the queue is full. The caller then tries again after the next completion or
  // next_event().
  bool submit(Picoseconds now, const DramRequest& request);
  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now, Sink& sink);

  struct Request {
    Picoseconds at;
    std::uint32_t master = 0;
    BlockLocation location;
    bool is_write = false;
    bool is_posted = false;  // a write that the master does not wait for
  };
  // The time that the request takes: a read until its last beat has been transferred, a write until a queue
  // has accepted it. No request comes at a time before `now` any more.
  Picoseconds access(Picoseconds now, const Request& request);
  // The same for a single master.
  Picoseconds access(Picoseconds at, const BlockLocation& location, bool is_write) {
    return access(at, {.at = at, .location = location, .is_write = is_write});
  }

  // Counts since the beginning or the last cold reset, up to the time of the last call, or with the energy in
  // the background until another time: masters may be ahead of it. Times are whole clocks of the part.
  struct Summary {
    std::uint64_t reads = 0, writes = 0;      // taken
    std::uint64_t forwarded = 0, merged = 0;  // of these, handled by the write queue alone
    std::uint64_t refused = 0;                // a queue was full
    // By the state of the bank that a request found.
    std::uint64_t row_hits = 0, row_misses = 0, row_conflicts = 0;
    std::uint64_t activates = 0, auto_precharges = 0, refreshes = 0;
    std::uint64_t writes_stored = 0;
    // Latencies from arrival to the last beat.
    Picoseconds read_latency_sum, read_latency_max, write_latency_sum, write_latency_max;
    Picoseconds data_bus_busy;
    Picoseconds wait_sum;  // contended: of reads, beyond the time by themselves
    DramEnergy energy;
  };
  Summary summary(std::optional<Picoseconds> until = {}) const;
  // The summary of one of the controllers.
  Summary summary(std::uint32_t controller, std::optional<Picoseconds> until = {}) const;

  void reset(Reset kind);
  void report(Statistics& statistics, std::optional<Picoseconds> until = {}) const;

 private:
  struct Channels;
  Summary summary_of(std::uint32_t first_channel, std::uint32_t channels,
                     std::optional<Picoseconds> until) const;
  std::unique_ptr<Channels> channels_;
};

}  // namespace asterism
