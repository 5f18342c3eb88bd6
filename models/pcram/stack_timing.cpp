#include "pcram/stack_timing.h"

#include <algorithm>

#include "pcram/pcram_cells.h"

namespace asterism {
namespace {

constexpr Bytes line_size{64};

}  // namespace

StackTiming::StackTiming(const PcramPart& part, Bytes dram, std::uint32_t layers)
    : part_(part),
      banks_(dram / part.capacity),
      layers_(layers),
      lines_per_layer_(dram / line_size),
      line_time_(transfer_time(line_size, part.mat)),
      slot_(line_time_ * part.subarrays),
      compared_(Picoseconds((slot_ + part.read).count() / part.subarrays)),
      mats_(banks_ * part.mats),
      at_work_(mats_.size()) {}

Microwatts StackTiming::power_of(std::uint32_t mats) const {
  // pJ per ps are watts.
  return Microwatts(scale(part_.line_energy().count() * 1'000'000, mats, line_time_.count()));
}

std::uint32_t StackTiming::mat_of(std::uint64_t line) const {
  return static_cast<std::uint32_t>(line % lines_per_layer_ / PcramCells::lines_per_page % mats_.size());
}

void StackTiming::note(Picoseconds now, std::uint32_t mat, Picoseconds until) {
  while (!working_.empty() && working_.top().first <= now) {
    const std::uint32_t other = working_.top().second;
    working_.pop();
    if (mats_[other] > now)
      working_.emplace(mats_[other], other);
    else
      at_work_[other] = false;
  }
  if (at_work_[mat]) return;
  at_work_[mat] = true;
  working_.emplace(until, mat);
  max_mats_ = std::max(max_mats_, static_cast<std::uint32_t>(working_.size()));
}

PcramTiming::Write StackTiming::write(Picoseconds now, std::uint64_t line, Pulses pulses, bool compared) {
  const std::uint32_t mat = mat_of(line);
  const Picoseconds begin = std::max(now, mats_[mat]);
  const bool programs = pulses.set || pulses.reset;
  note(now, mat, begin + line_time_);
  mats_[mat] = begin + (compared ? compared_ : line_time_);
  const Picoseconds from = compared ? begin + part_.read : begin;
  return {from, programs ? from + slot_ : from};
}

Picoseconds StackTiming::read(Picoseconds now, std::uint64_t line) {
  Picoseconds& mat = mats_[mat_of(line)];
  mat = std::max(now, mat) + line_time_;
  return mat + part_.read;
}

void StackTiming::reset() {
  std::ranges::fill(mats_, Picoseconds());
  at_work_.assign(mats_.size(), false);
  working_ = {};
}

void StackTiming::report(Statistics& statistics) const {
  statistics.add("max_mats_at_once", max_mats_);
  statistics.add("peak_power_uw", peak_power().count());
}

}  // namespace asterism
