// A region: blocks of one page that are translated together. Jumps between them stay in the host's code, and
// some of the guest's registers are in registers of the host everywhere in it.
//
// Within a page, a jump from one block to another stays right as long as the blocks exist, whatever happens
// to the translation of addresses: the page was found when the region was entered.
#pragma once

#include <cstdint>
#include <vector>

#include "core/a64/block.h"
#include "core/a64/translator/instruction.h"

namespace asterism::a64 {

struct RegionBlock {
  Block* block;
  std::vector<PlainInstruction> instructions;
  static constexpr int none = -1;
  int taken = none, next = none;  // the block behind each exit, if it is in the region

  // The handlers of the operations without translation; one more for the end of the block.
  std::vector<Handler> handlers{};
  // Bit i: instruction i sets flags that something may read from the state.
  std::uint64_t flags_needed = 0;

  // What was made: where the block is entered, with all registers in the state; and the same for the
  // instructions behind those that a handler may have executed, otherwise nullptr.
  Handler entry = nullptr;
  std::vector<Handler> continuations{};

  // Whether translated code would save more than it takes to go to handlers and back.
  bool is_worth_it() const;
};

struct Region {
  std::vector<RegionBlock> blocks;
  bool has_line_filter = false;  // accesses go to the lines of data caches, instead of pages
  // The guest's registers that have registers of the host, and which registers are written, a bit each; the
  // same of SIMD and floating point.
  std::vector<std::uint8_t> held, held_vectors;
  std::uint64_t written = 0;
  std::uint32_t written_vectors = 0;
  std::size_t bytes = 0;  // of code
};

struct HostRegisters {
  std::size_t general, vectors;
};

// Chooses the registers, at most so many, and finds the flags that are needed.
void analyse(Region& region, HostRegisters at_most);

}  // namespace asterism::a64
