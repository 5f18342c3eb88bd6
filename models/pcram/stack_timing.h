// 3D-PCRAM: a PCRAM die on top of a DRAM die, mat on mat, joined by vias (dong2011 section 5.1, figure 11,
// Table VI).
//
// Each DRAM mat is copied to the PCRAM mat above it, all mats at once: the number of mats gives the
// bandwidth, and a complete copy takes the time of one mat, whatever the size. Consecutive pages of 4 KiB lie
// in consecutive mats (assumed), so that a few dirty pages are spread. A multiplexer writes the subarrays of
// a mat in rotation: a line arrives every 64 B / `mat`, and its pulses may take `subarrays` times as long.
// With 2 MB in 0.8 ms and four subarrays these are 25.6 ns and 102.4 ns. Table III's pulses of 106 ns are
// slightly too long for that: they would take 0.83 ms. The mat's bandwidth is taken as published.
//
// Layers: the number of copies of the DRAM that fit (dong2011 section 6.1 wants three). The layers follow one
// another, and those of a mat share its vias.
//
// If redundant bits are suppressed, the read before a write lengthens the slot of a subarray accordingly.
//
// Power: all active mats program a line every 25.6 ns. peak_power() is that of the maximum number of mats
// active at once, with half of the cells 1. 1000 mats of 2 MB: 700 W for 0.8 ms, 0.56 J.
#pragma once

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

#include "pcram/pcram_timing.h"

namespace asterism {

class StackTiming final : public PcramTiming {
 public:
  // `dram` is a whole number of banks.
  StackTiming(const PcramPart& part, Bytes dram, std::uint32_t layers);

  std::uint32_t mats() const { return static_cast<std::uint32_t>(mats_.size()); }
  std::uint64_t lines_per_layer() const { return lines_per_layer_; }
  std::uint32_t max_mats() const { return max_mats_; }  // active at once
  Microwatts peak_power() const { return power_of(max_mats_); }
  Microwatts power_of(std::uint32_t mats) const;

  std::uint64_t lines() const override { return lines_per_layer_ * layers_; }
  Bandwidth bandwidth() const override { return part_.mat * mats_.size(); }
  Write write(Picoseconds now, std::uint64_t line, Pulses pulses, bool compared) override;
  Picoseconds read(Picoseconds now, std::uint64_t line) override;
  std::uint32_t parallel_pages() const override { return 2 * mats(); }
  Picoseconds set() const override { return slot_; }
  Picoseconds reset_pulse() const override { return std::min(part_.reset, slot_); }
  Microwatts leakage() const override { return part_.leakage * banks_; }
  void reset() override;
  void report(Statistics& statistics) const override;

 private:
  using Work = std::pair<Picoseconds, std::uint32_t>;  // the known end of the work of a mat
  std::uint32_t mat_of(std::uint64_t line) const;
  void note(Picoseconds now, std::uint32_t mat, Picoseconds until);

  const PcramPart part_;
  const std::uint64_t banks_;
  const std::uint32_t layers_;
  const std::uint64_t lines_per_layer_;
  // Of a line, of the slot of a subarray, of a line that is read first.
  const Picoseconds line_time_, slot_, compared_;
  std::vector<Picoseconds> mats_;  // the times from which they are free
  std::vector<bool> at_work_;
  std::priority_queue<Work, std::vector<Work>, std::greater<>> working_;
  std::uint32_t max_mats_ = 0;
};

}  // namespace asterism
