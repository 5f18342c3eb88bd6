// Faults of one channel of a GPU's memory as an overlay on true data (models/memory/fault_overlay.h does the
// same for the node's DRAM): a sector with a fault is read as what was written XOR an error pattern, which is
// fixed for each fault and sector.
//
//   shape    covers, of a channel
//   bit      one bit of one sector of 32 bytes
//   word     16 bits of one sector
//   sector   a sector
//   row      a row of 1 KiB, which is 32 sectors (JESD235: a page of a pseudo-channel)
//   pin      one data pin, in all sectors of the channel
//
// A transient fault ends for a sector that is rewritten; a stuck one stays. A pin is always stuck.
//
// reset: warm keeps all faults; power_loss and cold keep the stuck ones.
#pragma once

#include <cstdint>
#include <vector>

#include "base/enum_names.h"
#include "base/reset.h"
#include "ecc/sector_code.h"

namespace asterism {

enum class GpuMemoryShape : std::uint8_t { bit, word, sector, row, pin };
constexpr auto enum_names(GpuMemoryShape) {
  return std::to_array<EnumName<GpuMemoryShape>>(
      {{GpuMemoryShape::bit, "bit", "One bit of a sector of 32 bytes."},
       {GpuMemoryShape::word, "word", "16 bits of a sector, which are in one sub-wordline."},
       {GpuMemoryShape::sector, "sector", "A sector of 32 bytes."},
       {GpuMemoryShape::row, "row", "A row of a channel: 1 KiB."},
       {GpuMemoryShape::pin, "pin", "One data pin of a channel, in all its sectors. It is always stuck."}});
}

class SectorFaults {
 public:
  static constexpr unsigned row_sectors = 32;

  SectorFaults(SectorCode code, std::uint64_t seed) : code_(code), seed_(seed) {}

  bool empty() const { return faults_.empty(); }
  // `sector` is any one that the fault covers, and `bit` one of its bits, where the shape has them.
  void inject(GpuMemoryShape shape, std::uint64_t sector, unsigned bit, bool stuck);

  // XORs the errors of a sector into the pattern. Returns whether there are any.
  bool errors(std::uint64_t sector, SectorBits& pattern) const;
  bool touches(std::uint64_t first, std::uint64_t count) const;

  // These sectors were written, as a whole.
  void written(std::uint64_t first, std::uint64_t count);
  // Other cells hold these sectors from now on. Pins are not cells.
  void replaced(std::uint64_t first, std::uint64_t count);

  void reset(Reset kind);

 private:
  struct Placed {
    GpuMemoryShape shape;
    bool stuck;
    std::uint64_t first, count;  // sectors
    SectorBits covered;
    std::uint64_t seed;
    std::uint32_t healed = 0;  // of a transient fault: those of its sectors, at most 32, that were written

    bool covers(std::uint64_t sector) const {
      return sector >= first && sector - first < count && (stuck || (healed >> (sector - first) & 1) == 0);
    }
    bool is_over() const;
  };

  SectorCode code_;
  std::uint64_t seed_, injected_ = 0;
  std::vector<Placed> faults_;
};

}  // namespace asterism
