// Faults of DRAM devices as an overlay on true data: host memory always holds what was written; where a fault lies, a
// block is read as that XOR an error pattern, which is the fault's and the block's for good (drawn from the seed).
//
//   kind     hits
//   bit      one bit of one block
//   column   the same bit of a block column of all rows of a bank
//   pin      one pin of a chip: one of its four bits in every beat, all blocks of the rank
//   word     the four bits of one beat of one block
//   row      the chip's part of all blocks of a row
//   chip     the chip's part of all blocks of the rank
//
// How the bits that a fault covers in one block err follows the profile (abeyratne2017 Table 4.4): thesis gives every
// symbol that it touches a non-zero error; strict and chip flip each bit with probability 1/2, at least one.
//
// A transient fault is an error in what the cells hold: a block that is written anew, whole or piece by piece, has it no
// more. A stuck one stays. reset: warm keeps everything; power_loss keeps the stuck ones; cold forgets all.
//
// Cells that are stuck already do not fail again: a fault that an older stuck one covers entirely (all its bits of all its
// blocks) counts as injected and changes nothing, and a stuck one takes the place of those that it covers. So however many
// strike, no more are kept than there is left to break.
//
// Which blocks a fault touches is arithmetic on the address mapping, and never a walk through the blocks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/reset.h"
#include "base/units.h"
#include "ecc/dual_mode_codec.h"
#include "memory/address_mapping.h"
#include "memory/block_set.h"

namespace asterism {

enum class MemoryFaultKind { bit = 1, pin, column, word, chip, row };
constexpr auto enum_names(MemoryFaultKind) {
  return std::to_array<EnumName<MemoryFaultKind>>(
      {{MemoryFaultKind::bit, "bit", "one bit of a block"},
       {MemoryFaultKind::pin, "pin", "one pin of a chip"},
       {MemoryFaultKind::column, "column", "one bit of a column of a bank"},
       {MemoryFaultKind::word, "word", "four bits of one beat of a block"},
       {MemoryFaultKind::chip, "chip", "a whole chip of a rank"},
       {MemoryFaultKind::row, "row", "a row of a chip"}});
}

enum class Persistence { transient, stuck };
constexpr auto enum_names(Persistence) {
  return std::to_array<EnumName<Persistence>>(
      {{Persistence::transient, "transient", "gone when the block is written again"},
       {Persistence::stuck, "stuck", "stays, through power losses too"}});
}

struct MemoryFault {
  MemoryFaultKind kind = MemoryFaultKind::bit;
  Persistence persistence = Persistence::transient;
  BlockLocation at;        // bank, row and column where the kind has them
  std::uint32_t chip = 0;  // 0..17
  // Of the chip's 32 bits of a block, 4 * beat + pin: bit and column take it whole, pin its pin, word its beat.
  std::uint32_t bit = 0;
};

// "" or words that follow "the fault": "lies in rank 3, of 2". Rows may be those of parity, too.
std::string fault_problem(const MemoryFault& fault, const DramGeometry& geometry, std::uint32_t rows);

class FaultOverlay {
 public:
  // `mapping` outlives this.
  FaultOverlay(EccProfile profile, const AddressMapping& mapping, std::uint64_t seed);

  // A fault without a problem. False: an older stuck one covers all of it, so that nothing changes.
  bool inject(const MemoryFault& fault);
  bool empty() const { return faults_.empty(); }
  std::size_t size() const { return faults_.size(); }
  std::uint64_t injected() const { return injected_; }

  // XORs the errors of a block into `pattern`; whether there are any. data and parity only.
  bool errors(const BlockLocation& block, MemoryBlock& pattern) const;
  bool touches(const BlockLocation& block) const;
  bool touches_stuck(const BlockLocation& block) const;  // a fault that writing does not heal
  // The first block of the memory from `block` on that a fault touches; the last one up to `block`. Parity blocks are
  // none of these.
  std::optional<std::uint64_t> next_touched(std::uint64_t block) const;
  std::optional<std::uint64_t> previous_touched(std::uint64_t block) const;

  // Bytes [first, first + count) of the block's data were written. Once all 64 were since a fault struck, its transient
  // errors are gone, parity's too. True: they are gone now.
  bool written(const BlockLocation& block, unsigned first, unsigned count);

  void reset(Reset kind);

 private:
  struct Placed {
    MemoryFault fault;
    std::uint64_t seed;  // of its errors
    // Transient: blocks that were written since, in whole and in part.
    BlockSet healed;
    BlockPieces pieces;
  };
  struct Part {  // of an address
    std::uint32_t BlockLocation::*member;
    std::uint32_t size;
    std::uint64_t stride;
  };
  enum class Direction { up, down };

  std::uint64_t number(const BlockLocation& block) const;
  std::uint64_t covered_blocks(const MemoryFault& fault) const;
  std::optional<std::uint64_t> covered(const MemoryFault& fault, std::uint64_t block,
                                       Direction direction) const;
  std::optional<std::uint64_t> touched(const Placed& placed, std::uint64_t block, Direction direction) const;

  EccProfile profile_;
  const AddressMapping& mapping_;
  std::array<Part, 5> parts_{};  // most significant first
  std::uint64_t seed_, injected_ = 0;
  std::vector<Placed> faults_;
};

}  // namespace asterism
