// Faults of DRAM devices as an overlay on true data. Host memory always holds what was written. A block with
// a fault is read as that XOR an error pattern, which is fixed for each fault and block (drawn from the
// seed).
//
//   kind     covers
//   bit      one bit of one block
//   column   the same bit of a block column of all rows of a bank
//   pin      one pin of a chip: one of its four bits in every beat, in all blocks of the rank
//   word     the four bits of one beat of one block
//   row      the chip's part of all blocks of a row
//   chip     the chip's part of all blocks of the rank
//
// The profile determines which of the covered bits of a block are wrong (abeyratne2017 Table 4.4): thesis
// gives every covered symbol a non-zero error; strict and chip flip each bit with probability 1/2, and at
// least one. With a code of a DDR5 rank (ddr5_codec.h) a chip has 64 bits of a block instead of 32, and each
// covered one is wrong as with strict.
//
// A transient fault is an error in the contents of the cells: it ends for a block that is rewritten, whole or
// piece by piece. A stuck fault stays. reset: warm keeps all faults; power_loss keeps the stuck ones; cold
// removes all.
//
// Stuck cells do not fail again: a fault that an older stuck one covers entirely (all its bits of all its
// blocks) is counted as injected and changes nothing, and a stuck fault replaces those that it covers.
// However many faults are injected, the number kept is therefore bounded by what is left to break.
//
// The blocks that a fault touches are computed from the address mapping, never by a walk through the blocks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/reset.h"
#include "base/units.h"
#include "ecc/ddr5_block.h"
#include "ecc/dual_mode_codec.h"
#include "ecc/on_die_code.h"
#include "memory/address_mapping.h"
#include "memory/block_set.h"
#include "memory/ecc_config.h"

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
      {{Persistence::transient, "transient", "ends when the block is rewritten"},
       {Persistence::stuck, "stuck", "stays, also after a power loss"}});
}

// What on-die ECC did to the words that the chips deliver of a block.
struct OnDieCounts {
  unsigned corrected = 0;     // had wrong bits and have none
  unsigned miscorrected = 0;  // have a wrong bit that they did not have

  bool operator==(const OnDieCounts&) const = default;
};

// The words of 128 bits of a chip, in the order in which a scrubber on the die reads them: those of a row,
// row by row, bank by bank. A word is the chip's part of two blocks with successive columns.
struct DieWords {
  std::uint32_t banks, rows, of_row;

  std::uint64_t count() const { return std::uint64_t{banks} * rows * of_row; }
  BlockLocation first_block(std::uint64_t word) const {
    BlockLocation at;
    at.column = static_cast<std::uint32_t>(2 * (word % of_row));
    at.row = static_cast<std::uint32_t>(word / of_row % rows);
    at.bank = static_cast<std::uint32_t>(word / of_row / rows);
    return at;
  }
};

constexpr DieWords die_words(const DramGeometry& geometry, std::uint32_t part_rows) {
  return {geometry.banks, part_rows, (geometry.columns + 1) / 2};
}

// The chips of a rank, a bit for each, of which a word has wrong bits that on-die ECC corrects, or others.
struct DieWordErrors {
  std::uint32_t channel = 0, rank = 0;
  std::uint32_t corrected = 0, left = 0;

  bool operator==(const DieWordErrors&) const = default;
};

struct MemoryFault {
  MemoryFaultKind kind = MemoryFaultKind::bit;
  Persistence persistence = Persistence::transient;
  BlockLocation at;        // bank, row and column where the kind has them
  std::uint32_t chip = 0;  // 0..17, or 0..9 of a DDR5 rank
  // One of the chip's 32 bits of a block, or 64: 4 * beat + pin. The kinds bit and column use both, pin uses
  // its pin, and word its beat.
  std::uint32_t bit = 0;
};

// "", or a message that continues "the fault": "lies in rank 3, of 2". Rows may also be those of parity.
std::string fault_problem(const MemoryFault& fault, const DramGeometry& geometry, std::uint32_t rows,
                          const BlockShape& shape = {});

class FaultOverlay {
 public:
  // `mapping` must outlive this. A bank has so many rows, of which those of the mapping and for their parity
  // may be used.
  FaultOverlay(EccProfile profile, const AddressMapping& mapping, std::uint64_t seed,
               std::uint32_t part_rows = ~0u);

  // Injects a fault without a problem. Returns false if an older stuck fault covers all of it, so that
  // nothing changes.
  bool inject(const MemoryFault& fault);
  bool empty() const { return faults_.empty(); }
  std::size_t size() const { return faults_.size(); }
  std::uint64_t injected() const { return injected_; }

  // XORs the errors of a block into the data and parity of `pattern`. Returns whether there are any.
  bool errors(const BlockLocation& block, MemoryBlock& pattern) const;
  // The same for a rank of DDR5. With on-die ECC each chip corrects its own word first, or miscorrects it
  // (on_die_code.h). The other half of the word, of the next column, has errors only of the same faults of
  // the whole chip.
  OnDieCounts errors(const BlockLocation& block, Ddr5Block& pattern, bool on_die = false) const;
  // The chips whose part of a block has wrong bits that on-die ECC corrects, or others.
  DieWordErrors die_errors(const BlockLocation& block) const;
  // A scrub on the die rewrites the part of these chips, which ends their transient errors.
  void rewritten_on_die(const BlockLocation& block, std::uint32_t chips);
  // The first word from `from` on that a fault touches, in any rank. Its errors may have ended since.
  std::optional<std::uint64_t> next_die_word(const DieWords& words, std::uint64_t from) const;
  bool touches(const BlockLocation& block) const;
  bool touches_stuck(const BlockLocation& block) const;  // by a fault that writing does not heal
  // The first block of the memory from `block` on that a fault touches, and the last one up to `block`.
  // Parity blocks are not included.
  std::optional<std::uint64_t> next_touched(std::uint64_t block) const;
  std::optional<std::uint64_t> previous_touched(std::uint64_t block) const;

  // Bytes [first, first + count) of the block's data were written. When all 64 bytes have been written since
  // a fault was injected, its transient errors end, also those in parity. Returns true if they end now.
  bool written(const BlockLocation& block, unsigned first, unsigned count);

  void reset(Reset kind);

 private:
  struct Placed {
    MemoryFault fault;
    std::uint64_t seed;  // of its error patterns
    // Of a transient fault: the blocks that have been written since, completely and partly.
    BlockSet healed;
    BlockPieces pieces;
  };
  struct Part {  // a part of an address
    std::uint32_t BlockLocation::*member;
    std::uint32_t size;
    std::uint64_t stride;
  };
  enum class Direction { up, down };

  std::array<OnDieWord, ddr5_chips> die_words(const BlockLocation& block) const;
  void erase_healed();
  std::uint64_t number(const BlockLocation& block) const;
  std::uint64_t covered_blocks(const MemoryFault& fault) const;
  std::optional<std::uint64_t> covered(const MemoryFault& fault, std::uint64_t block,
                                       Direction direction) const;
  std::optional<std::uint64_t> touched(const Placed& placed, std::uint64_t block, Direction direction) const;

  EccProfile profile_;
  const AddressMapping& mapping_;
  std::array<Part, 5> parts_{};  // most significant first
  std::uint64_t seed_, injected_ = 0;
  std::uint32_t rows_;  // that may be used: of faults in all rows only these are known
  std::vector<Placed> faults_;
};

}  // namespace asterism
