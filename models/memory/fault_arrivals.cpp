#include "memory/fault_arrivals.h"

#include <algorithm>
#include <limits>

#include "ecc/memory_block.h"

namespace asterism {
namespace {

using enum MemoryFaultKind;
using enum Persistence;
// configs/faults/jaguar_ddr2.json, in tenths of a FIT: a library has no files to read.
constexpr auto shares = std::to_array<FieldRate>({{bit, transient, 142},
                                                  {bit, stuck, 186},
                                                  {word, transient, 14},
                                                  {word, stuck, 3},
                                                  {column, transient, 14},
                                                  {column, stuck, 56},
                                                  {row, transient, 2},
                                                  {row, stuck, 82},
                                                  {chip, transient, 8 + 3},
                                                  {chip, stuck, 100 + 14},
                                                  {pin, transient, 9},
                                                  {pin, stuck, 28}});
constexpr unsigned all_shares() {
  unsigned sum = 0;
  for (const FieldRate& share : shares) sum += share.tenths;
  return sum;
}
static_assert(all_shares() == 661);

}  // namespace

std::span<const FieldRate> field_rates() { return shares; }

FaultArrivals::FaultArrivals(const EccConfig& config, const DramGeometry& geometry, std::uint32_t rows,
                             std::uint64_t seed)
    : geometry_(geometry),
      shape_(config.shape()),
      rows_(rows),
      seed_(seed),
      gaps_(gaps(config, geometry)),
      random_(seed) {
  reset(Reset::cold);
}

std::optional<FaultArrivals::Gaps> FaultArrivals::gaps(const EccConfig& config,
                                                       const DramGeometry& geometry) {
  constexpr double hour = 3.6e15;  // in ps
  const double devices = double(geometry.channels) * geometry.ranks * config.shape().chips;
  const double rate = static_cast<double>(config.fit_per_device) * devices *
                      static_cast<double>(config.fit_acceleration) / (1e9 * hour);
  for (const Picoseconds tick : {1_ps, 1_ns, 1_us, 1_ms}) {
    const double probability = rate * static_cast<double>(tick.count());
    if (probability >= Geometric::least) return Gaps{tick, Geometric(std::min(probability, 1.0))};
  }
  return std::nullopt;
}

void FaultArrivals::draw_next(Picoseconds from) {
  next_.reset();
  if (!gaps_) return;
  constexpr std::uint64_t end_of_time = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t ticks = gaps_->failures.draw(random_) + 1;
  if (ticks <= (end_of_time - from.count()) / gaps_->tick.count()) next_ = from + ticks * gaps_->tick;
}

MemoryFault FaultArrivals::draw_fault() {
  std::uint64_t drawn = random_.below(all_shares());
  const FieldRate* share = shares.begin();
  for (; drawn >= share->tenths; ++share) drawn -= share->tenths;
  const auto below = [this](std::uint32_t bound) { return static_cast<std::uint32_t>(random_.below(bound)); };
  MemoryFault fault{.kind = share->kind, .persistence = share->persistence, .at = {}};
  fault.at.channel = below(geometry_.channels);
  fault.at.rank = below(geometry_.ranks);
  fault.at.bank = below(geometry_.banks);
  fault.at.row = below(rows_);
  fault.at.column = below(geometry_.columns);
  fault.chip = below(shape_.chips);
  fault.bit = below(4 * shape_.beats);
  return fault;
}

void FaultArrivals::advance_to(Picoseconds now, Sink& sink) {
  while (next_ && *next_ <= now) {
    const Picoseconds at = *next_;
    const MemoryFault fault = draw_fault();
    draw_next(at);
    sink.arrived(at, fault);
  }
}

void FaultArrivals::reset(Reset kind) {
  if (kind != Reset::cold) return;
  random_ = Random(seed_);
  draw_next(Picoseconds(0));
}

}  // namespace asterism
