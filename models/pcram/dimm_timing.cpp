#include "pcram/dimm_timing.h"

#include <algorithm>

namespace asterism {
namespace {

constexpr Bytes line{64};

}  // namespace

// 18 chips with words of 576 cells: check bits leave 16/18 of the cells of a module for data.
DimmTiming::DimmTiming(const PcramPart& part, std::uint32_t modules, Bandwidth bus)
    : part_(part),
      modules_(modules),
      lines_per_module_(part.capacity * 16 / line),
      burst_(transfer_time(line, bus)),
      chips_(std::size_t{modules} * chips) {}

Bandwidth DimmTiming::bandwidth() const {
  return Bandwidth(scale((line * chips).count(), (1_s).count(), part_.set.count()));
}

PcramTiming::Write DimmTiming::write(Picoseconds now, std::uint64_t line, Pulses pulses, bool compared) {
  Chip& chip = chip_of(line);
  const Picoseconds arrives = std::max({now, bus_, chip.latches}) + burst_;
  bus_ = arrives;
  bus_time_ += burst_;
  const Picoseconds begin = std::max(arrives, chip.cells);
  chip.latches = begin;
  const Picoseconds from = compared ? begin + part_.read : begin;
  Picoseconds longest;
  if (pulses.reset) longest = part_.reset;
  if (pulses.set) longest = std::max(longest, part_.set);
  return {from, chip.cells = from + longest};
}

// The sense amplifiers hold the word until the bus takes it.
Picoseconds DimmTiming::read(Picoseconds now, std::uint64_t line) {
  Chip& chip = chip_of(line);
  const Picoseconds sensed = std::max(now, chip.cells) + part_.read;
  bus_ = std::max(sensed, bus_) + burst_;
  bus_time_ += burst_;
  return chip.cells = bus_;
}

void DimmTiming::reset() {
  std::ranges::fill(chips_, Chip{});
  bus_ = Picoseconds();
}

void DimmTiming::report(Statistics& statistics) const { statistics.add("bus", bus_time_); }

}  // namespace asterism
