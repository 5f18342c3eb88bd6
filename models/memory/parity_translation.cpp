#include "memory/parity_translation.h"

namespace asterism {

ParityPlace parity_place(const DramGeometry& geometry, const BlockLocation& data) {
  // The blocks of all rows in use of a bank are numbered in order: sixteen of them share a parity block, even
  // if sixteen does not divide a row.
  const std::uint64_t ordinal = std::uint64_t{data.row} * geometry.columns + data.column;
  const std::uint64_t parity = ordinal / parity_slots;
  ParityPlace place{data, static_cast<unsigned>(ordinal % parity_slots)};
  place.block.rank = (data.rank + 1) % geometry.ranks;
  place.block.row = geometry.rows + static_cast<std::uint32_t>(parity / geometry.columns);
  place.block.column = static_cast<std::uint32_t>(parity % geometry.columns);
  return place;
}

}  // namespace asterism
