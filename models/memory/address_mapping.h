// The place of a block of memory (channel, rank, bank, row, column), and the block at such a place.
//
// A mapping is named from the most to the least significant part of an address: RoRaBaCoCh interleaves
// channels block by block, then columns. Bank includes the bank group (bank % groups is the group), so that
// with Ba on the right of Co successive blocks come from different groups. Sizes need not be powers of two:
// each part is the remainder of a division. With Ra in front a rank is one range of addresses, and can be
// taken out of use as such.
//
// With a hash, channel and bank also depend on the parts above them: to the channel is added the sum of the
// digits of all other parts, in the base of the number of channels, and to the bank that of the row. Masters
// that go through memory at a fixed distance from each other then do not meet in each channel and bank.
// Source: for numbers that are powers of two, nearly what interconnects and controllers do, which XOR the
// bits of an address in groups (Zhang, Zhu and Zhang, A Permutation-based Page Interleaving Scheme, MICRO
// 2000).
//
// Only as many rows are used as the size of the memory needs. The parity rows of strong ECC lie above them
// (parity_translation.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.h"

namespace asterism {

struct BlockLocation {
  std::uint32_t channel = 0;  // among all controllers: controller * channels per controller + channel
  std::uint32_t rank = 0;     // of all pseudo-channels: rank % pseudo-channels is the pseudo-channel
  std::uint32_t bank = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;  // in blocks

  bool operator==(const BlockLocation&) const = default;
  auto operator<=>(const BlockLocation&) const = default;
};

struct DramGeometry {
  std::uint32_t channels = 1;   // of all controllers
  std::uint32_t ranks = 1;      // of a channel, in all of its pseudo-channels
  std::uint32_t banks = 8;      // of a rank
  std::uint32_t rows = 1;       // of a bank, in use
  std::uint32_t columns = 128;  // blocks of a row
  Bytes block = 64_B;

  std::uint64_t blocks() const { return std::uint64_t{channels} * ranks * banks * rows * columns; }
  Bytes size() const { return block * blocks(); }
  bool operator==(const DramGeometry&) const = default;
};

// Describes to a user what is wrong with an order; "" if nothing is.
std::string mapping_problem(std::string_view order);

class AddressMapping {
 public:
  // `order` is a permutation of Ro, Ra, Ba, Co and Ch. Throws std::invalid_argument with a message for the
  // user.
  AddressMapping(std::string_view order, const DramGeometry& geometry, bool hash = false);

  const DramGeometry& geometry() const { return geometry_; }
  // `block` is the number of a block in the memory, below geometry().blocks().
  BlockLocation locate(std::uint64_t block) const;
  std::uint64_t block_at(const BlockLocation& location) const;
  bool rank_is_contiguous() const;

 private:
  enum Part { row, rank, bank, column, channel, parts };
  std::uint32_t bank_shift(std::uint32_t row) const;
  std::uint32_t channel_shift(std::uint32_t row, std::uint32_t rank, std::uint32_t bank,
                              std::uint32_t column) const;

  DramGeometry geometry_;
  bool hash_;
  std::array<Part, parts> order_{};           // least significant first
  std::array<std::uint32_t, parts> sizes_{};  // by Part
  // If all sizes are powers of two, where the digits are, so that no division is needed; by Part.
  bool has_bits_ = true;
  std::array<unsigned, parts> shift_{};
};

}  // namespace asterism
