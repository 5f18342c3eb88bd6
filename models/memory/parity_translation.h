// The ECC address translation unit: gives the place of the third parity symbols of a strong block
// (abeyratne2017 section 4.4.3, after Virtual ECC).
//
// The symbols of 16 blocks of a row, 4 bytes each, fill one block of a parity row. This lies in the next rank
// of the same channel, in the same bank, above the rows in use: a row needs a sixteenth of a parity row. One
// dead rank therefore never takes data together with all their parity. In normal mode only these rows are
// taken by parity.
#pragma once

#include "memory/address_mapping.h"

namespace asterism {

struct ParityPlace {
  BlockLocation block;
  unsigned slot;  // 0..15: 4 bytes each
};

constexpr unsigned parity_slots = 16;

// The number of rows above those in use that a bank needs for parity.
constexpr std::uint32_t parity_rows(const DramGeometry& geometry) {
  return (geometry.rows + parity_slots - 1) / parity_slots;
}
constexpr bool leaves_parity_rows(const DramGeometry& geometry, std::uint32_t part_rows) {
  return geometry.rows + parity_rows(geometry) <= part_rows;
}
// The maximum number of rows in use that leaves enough rows for parity.
constexpr std::uint32_t rows_beside_parity(std::uint32_t part_rows) {
  return static_cast<std::uint32_t>(std::uint64_t{part_rows} * parity_slots / (parity_slots + 1));
}
// The place for a block in use; there must be at least two ranks.
ParityPlace parity_place(const DramGeometry& geometry, const BlockLocation& data);

}  // namespace asterism
