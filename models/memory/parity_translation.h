// The ECC address translation unit: where the third parity symbols of a strong block lie (abeyratne2017 section 4.4.3,
// after Virtual ECC).
//
// The symbols of 16 blocks of a row, 4 bytes each, fill one block of a parity row, which lies in the next rank of the same
// channel, in the same bank, above the rows in use: a row needs a sixteenth of a parity row. So one dead rank never takes
// data and all their parity, and no block is lost for parity while everything is in normal mode but those rows.
#pragma once

#include "memory/address_mapping.h"

namespace asterism {

struct ParityPlace {
  BlockLocation block;
  unsigned slot;  // 0..15: 4 bytes each
};

constexpr unsigned parity_slots = 16;

// Rows above those in use that a bank needs for parity.
constexpr std::uint32_t parity_rows(const DramGeometry& geometry) {
  return (geometry.rows + parity_slots - 1) / parity_slots;
}
constexpr bool leaves_parity_rows(const DramGeometry& geometry, std::uint32_t part_rows) {
  return geometry.rows + parity_rows(geometry) <= part_rows;
}
// The most rows in use that leave those.
constexpr std::uint32_t rows_beside_parity(std::uint32_t part_rows) {
  return static_cast<std::uint32_t>(std::uint64_t{part_rows} * parity_slots / (parity_slots + 1));
}
// Of a block in use; needs at least two ranks.
ParityPlace parity_place(const DramGeometry& geometry, const BlockLocation& data);

}  // namespace asterism
