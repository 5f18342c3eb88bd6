#include "gpu/sector_faults.h"

#include <algorithm>

#include "base/random.h"

namespace asterism {
namespace {

SectorFaultShape of_sector(GpuMemoryShape shape) {
  switch (shape) {
    case GpuMemoryShape::bit:
      return SectorFaultShape::bit;
    case GpuMemoryShape::word:
      return SectorFaultShape::word;
    case GpuMemoryShape::pin:
      return SectorFaultShape::pin;
    case GpuMemoryShape::sector:
    case GpuMemoryShape::row:
      break;
  }
  return SectorFaultShape::sector;
}

}  // namespace

bool SectorFaults::Placed::is_over() const {
  return !stuck && healed == (count == 32 ? ~0u : (1u << count) - 1);
}

void SectorFaults::inject(GpuMemoryShape shape, std::uint64_t sector, unsigned bit, bool stuck) {
  Placed placed{.shape = shape,
                .stuck = stuck || shape == GpuMemoryShape::pin,
                .first = sector,
                .count = 1,
                .covered = fault_bits(code_, of_sector(shape), bit),
                .seed = Random(seed_).at(injected_++)};
  if (shape == GpuMemoryShape::row) {
    placed.first = sector / row_sectors * row_sectors;
    placed.count = row_sectors;
  } else if (shape == GpuMemoryShape::pin) {
    placed.first = 0;
    placed.count = ~std::uint64_t{0};
  }
  faults_.push_back(placed);
}

bool SectorFaults::errors(std::uint64_t sector, SectorBits& pattern) const {
  bool any = false;
  for (const Placed& placed : faults_) {
    if (!placed.covers(sector)) continue;
    Random random(Random(placed.seed).at(sector));
    const SectorBits wrong = draw_sector_errors(placed.covered, random);
    for (std::size_t i = 0; i < wrong.size(); ++i) pattern[i] ^= wrong[i];
    any = true;
  }
  return any;
}

bool SectorFaults::touches(std::uint64_t first, std::uint64_t count) const {
  return std::ranges::any_of(faults_, [&](const Placed& placed) {
    return placed.first < first + count && first - std::min(first, placed.first) < placed.count;
  });
}

void SectorFaults::written(std::uint64_t first, std::uint64_t count) {
  if (faults_.empty()) return;
  for (Placed& placed : faults_)
    for (std::uint64_t i = 0; !placed.stuck && i < placed.count; ++i)
      if (placed.first + i >= first && placed.first + i - first < count) placed.healed |= 1u << i;
  std::erase_if(faults_, [](const Placed& placed) { return placed.is_over(); });
}

void SectorFaults::replaced(std::uint64_t first, std::uint64_t count) {
  std::erase_if(faults_, [&](const Placed& placed) {
    return placed.shape != GpuMemoryShape::pin && placed.first >= first && placed.first - first < count;
  });
}

void SectorFaults::reset(Reset kind) {
  if (kind == Reset::warm) return;
  std::erase_if(faults_, [](const Placed& placed) { return !placed.stuck; });
}

}  // namespace asterism
