// Decoded blocks: runs of instructions that end where control may go elsewhere, at the end of a page, or after
// longest_block of them. A block is what a translator to host code would take as its unit.
//
// Blocks lie by physical address, so that they outlive changes of the translation; a lookup by virtual address goes
// through a small cache in front. Links from a block to the next, and that cache, hold only within an epoch: whatever
// may change where an address leads (a TLB invalidation, a change of the translation regime, changed code) begins a new one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/a64/decoder.h"
#include "core/flow_observer.h"

namespace asterism::a64 {

inline constexpr unsigned longest_block = 64;  // instructions

struct Block;

// Where control went last time from one of the two ends of a block.
struct Link {
  Block* block = nullptr;
  std::uint64_t epoch = 0;
};

// Of a block whose entry is told: before its first operation stands Cpu::tell_entry.
struct ToldEntry {
  Handler run = nullptr;   // of that operation
  std::uint32_t word = 0;  // and its instruction
  Flow end = Flow::jump;   // what the block's last instruction does when all of it is executed
  std::size_t region = 0;  // FlowQuestion::boundaries
};

struct Block {
  std::uint64_t pc = 0;        // virtual address of the first instruction
  std::uint64_t physical = 0;  // and its physical one
  std::uint32_t count = 0;     // instructions
  std::uint8_t context = 0;    // Context::code()
  std::uint16_t size = 0;      // of `storage`
  Link taken{}, next{};
  Block* same_place = nullptr;             // another one at this physical address (another pc or context)
  std::unique_ptr<Operation[]> storage{};  // operations, one that goes to the next block, constants
  std::unique_ptr<ToldEntry> told{};       // nullptr: its entry is not told

  const Operation* operations() const { return storage.get(); }
};

// How much of a block: so many instructions, the first of them also where a debugger's breakpoint stands, or
// one of the guest's.
struct PartLimit {
  unsigned count;
  bool passes_first = false, passes_own = false;
};

class BlockCache {
 public:
  // Of an engine, so that those of the largest platforms (552 cores) stay below 1 GiB together.
  static constexpr std::size_t max_bytes = 3 << 19;

  explicit BlockCache(const Options& options) : options_(options) {}

  Block* find(std::uint64_t physical, std::uint64_t pc, Context context) const;
  // Decodes from the words at `code`, at most to the end of their page.
  Block* make(std::uint64_t physical, std::uint64_t pc, Context context, const std::uint8_t* code);
  // A block that is not kept: as many instructions as the limit says, and then it leaves. Valid until the next one is made.
  Block* make_part(std::uint64_t physical, std::uint64_t pc, Context context, const std::uint8_t* code,
                   PartLimit limit);
  bool is_part(const Block* block) const { return block == &part_; }
  std::uint32_t last_word_of_part() const { return last_word_; }

  // Virtual addresses, ascending, of instructions in whose place Cpu::hit_breakpoint stands; blocks that are kept already are as
  // they were.
  void set_breakpoints(std::vector<std::uint64_t> addresses) { breakpoints_ = std::move(addresses); }

  // The same with Cpu::meet_own_breakpoint, for breakpoints that the guest has set. False: they were these.
  bool set_own_breakpoints(const std::vector<std::uint64_t>& addresses) {
    return std::exchange(own_breakpoints_, addresses) != addresses;
  }

  bool has_breakpoints() const { return !breakpoints_.empty() || !own_breakpoints_.empty(); }

  // Blocks end before a boundary, or after every instruction, and their entries are told; those that are kept already are as
  // they were. nullopt: no longer.
  void follow(std::optional<FlowQuestion> question) { followed_ = std::move(question); }
  std::size_t region_of(std::uint64_t pc) const;

  // Drops the blocks that touch a range of physical addresses; false when there was none. They stay allocated until
  // collect(), since one of them may be running.
  bool drop(std::uint64_t first, std::uint64_t last);
  void collect() {
    if (dropped_.empty()) return;
    dropped_.clear();
    dropped_.shrink_to_fit();
  }

  // 64-byte lines of a page from which a kept block was decoded.
  std::uint64_t code_lines(std::uint64_t physical_page) const;
  // What all kept blocks take, with their share of the tables here and of the allocator's.
  std::size_t bytes() const { return bytes_; }

 private:
  void decode_into(Block& block, Context context, PartLimit limit, const std::uint8_t* code);
  // What stands in the place of an instruction; nullptr: itself.
  Handler breakpoint_at(std::uint64_t pc, bool is_first, PartLimit limit) const;
  void tell_entry(Block& block, std::uint32_t first, std::uint32_t last);
  bool drop_in_page(std::uint64_t base, std::uint64_t first, std::uint64_t last);
  void forget_place(Block* block);

  const Options& options_;
  std::unordered_map<std::uint64_t, Block*> by_place_;  // physical address of the first instruction
  struct Page {
    std::uint64_t lines = 0;
    std::vector<std::unique_ptr<Block>> blocks;
  };
  std::unordered_map<std::uint64_t, Page> pages_;
  std::vector<std::unique_ptr<Block>> dropped_;
  Block part_;
  std::uint32_t last_word_ = 0;  // that was decoded
  std::vector<std::uint64_t> breakpoints_, own_breakpoints_;
  std::optional<FlowQuestion> followed_;
  std::size_t bytes_ = 0;
  // Of the block that is being decoded: its operations, its wide constants, and which operations have one.
  std::vector<Operation> decoded_;
  std::vector<std::uint64_t> constants_;
  std::vector<std::size_t> wide_;
};

}  // namespace asterism::a64
