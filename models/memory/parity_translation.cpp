#include "memory/parity_translation.h"

namespace asterism {

ParityPlace parity_place(const DramGeometry& geometry, const BlockLocation& data) {
  // Of all blocks of a bank's rows in use, in their order: sixteen of them share one, whether or not sixteen divides a
  // row.
  const std::uint64_t ordinal = std::uint64_t{data.row} * geometry.columns + data.column;
  const std::uint64_t parity = ordinal / parity_slots;
  ParityPlace place{data, static_cast<unsigned>(ordinal % parity_slots)};
  place.block.rank = (data.rank + 1) % geometry.ranks;
  place.block.row = geometry.rows + static_cast<std::uint32_t>(parity / geometry.columns);
  place.block.column = static_cast<std::uint32_t>(parity % geometry.columns);
  return place;
}

}  // namespace asterism
