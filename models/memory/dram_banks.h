// The banks and the bus of a channel for requests that come one after the other: each is done as soon as its
// bank and the bus allow, and nothing is reordered. A value: a copy goes on from where the original is
// (loose_channel.h). Times are clocks of the part.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/address_mapping.h"
#include "memory/dram_config.h"
#include "memory/dram_part.h"
#include "memory/dram_timing.h"

namespace asterism {

// Of a channel, since the beginning.
struct DramCounts {
  std::uint64_t reads = 0, writes = 0;      // taken
  std::uint64_t forwarded = 0, merged = 0;  // of these: answered from, and replaced in, the write queue
  std::uint64_t refused = 0;                // a queue was full
  std::uint64_t row_hits = 0, row_misses = 0,
                row_conflicts = 0;  // by the first command that a request needed
  std::uint64_t read_clocks = 0, write_clocks = 0, longest_read = 0,
                longest_write = 0;  // arrival to the last beat
  std::uint64_t data_clocks = 0;    // of the bus
  std::array<std::uint64_t, dram_commands> commands{};
  std::uint64_t open_clocks = 0;  // of ranks with a row open

  void count_burst(bool is_write, Tick clocks, Tick waited);
  DramCounts& operator+=(const DramCounts& other);
};

class DramBanks {
 public:
  DramBanks(const DramConfig& config, const DramPart& part);

  // A request that comes at `begin`: when its last beat has been moved.
  Tick access(Tick begin, const BlockLocation& at, bool is_write);

  // All banks closed; counts stay.
  void reset(Tick now);
  void clear_counts() { counts_ = {}; }
  // What happened up to `now`.
  DramCounts counts(Tick now) const;

 private:
  static constexpr std::uint32_t closed = ~std::uint32_t{0};
  struct Rank {
    Tick refresh_due = ~Tick{0};
    Tick open_since = 0;
    std::uint32_t open_banks = 0;
  };

  std::uint32_t& open_row(std::uint32_t rank, std::uint32_t bank) {
    return open_rows_[rank * banks_per_rank_ + bank];
  }
  void note(DramCommand command, std::uint32_t rank, std::uint32_t bank, Tick at);
  void close(std::uint32_t rank, std::uint32_t bank, Tick at);
  void close_all(std::uint32_t rank);
  void refresh(std::uint32_t rank);
  void skip_refreshes(Tick now);
  Tick move(const BlockLocation& location, bool is_write, Tick begin, Tick at);

  std::uint32_t banks_per_rank_;
  bool closes_, refresh_;
  Tick read_latency_, write_latency_, burst_, refresh_interval_;
  DramTimingState timing_;
  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> open_rows_;
  DramCounts counts_;
};

}  // namespace asterism
