// Decoded blocks: sequences of instructions that end with a possible change of control flow, at the end of a
// page, or after max_block instructions. A block is what the translator translates (translator/).
//
// Blocks are kept by physical address, so that they survive changes of the translation. A lookup by virtual
// address uses a small cache first. That cache, and the links from a block to the next one, are valid only
// within an epoch. Everything that may change what a virtual address refers to (a TLB invalidation, a change
// of the translation regime, changed code) begins a new epoch. Address spaces have epochs of their own, so
// that a link stays valid while others are in use.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/a64/budget.h"
#include "core/a64/decoder.h"
#include "core/a64/instruction_timing.h"
#include "core/flow_observer.h"
#include "core/line_filter.h"

namespace asterism::a64 {

inline constexpr unsigned max_block = 64;  // instructions

struct Block;
struct Region;
class Translator;

// The block that was executed last time after one of the two exits of a block.
struct Link {
  Block* block = nullptr;
  std::uint64_t epoch = 0;
};

// For a block whose entry is reported to an observer: Cpu::report_entry is executed before its first
// operation.
struct EntryReport {
  Handler run = nullptr;   // of the first operation
  std::uint32_t word = 0;  // its instruction
  Flow end = Flow::jump;   // what the last instruction does, if the whole block is executed
  std::size_t region = 0;  // FlowQuestion::boundaries
};

using TimedLinePointers = std::unique_ptr<std::shared_ptr<TimedLine>[]>;

struct Block {
  // What is needed to enter the block and to leave it comes first, in as few lines of the host's caches as
  // possible.
  std::int64_t charge = 0;                 // of all instructions (Budget)
  std::unique_ptr<Operation[]> storage{};  // the operations, one that enters the next block, constants
  Link taken{}, next{};
  std::uint64_t pc = 0;                         // virtual address of the first instruction
  std::uint32_t count = 0;                      // instructions
  std::uint8_t context = 0;                     // Context::code()
  std::uint16_t size = 0;                       // of `storage`
  std::uint64_t physical = 0;                   // address of the first instruction
  std::unique_ptr<EntryReport> entry_report{};  // nullptr: its entry is not reported
  // With an instruction cache: the next block of its line; and if this line has to be fetched before the
  // block is executed, the handler that Cpu::fetch_line replaces.
  Block* same_line = nullptr;
  Handler held = nullptr;

  // With a timing: all lines that it has instructions in.
  TimedLinePointers lines{};

  // With a translator: how often the block is still interpreted, the first operation's handler without the
  // one that counts, and where its code belongs.
  std::uint32_t until_translation = 0;
  Handler first = nullptr;
  Region* region = nullptr;
  bool ends_at_breakpoint = false;
  bool is_in_line = false;  // of an instruction cache

  const Operation* operations() const { return storage.get(); }
  // Of the instructions from one on, in thousandths of a cycle.
  std::uint64_t time_from(std::uint64_t index) const;
  const AccessRegisters& registers_of_access(std::uint64_t index) const;
};

// The limits of a part of a block: its number of instructions, and whether the first one ignores a breakpoint
// of the debugger, or of the guest.
struct PartLimit {
  unsigned count;
  bool passes_first = false, passes_own = false;
};

class BlockCache {
 public:
  explicit BlockCache(const Options& options) : options_(options) {}

  Block* find(std::uint64_t physical, std::uint64_t pc, Context context);
  // Where a block begins.
  struct Place {
    std::uint64_t physical, pc;
    Context context;
    const std::uint8_t* code;
    bool is_monitored = false;  // whether the instruction cache may hold it
    bool is_alone = false;      // the word only; the rest of its line is not there
  };
  // Decodes the words from a place on, at most to the end of their page.
  Block* make(const Place& place);
  // Makes a block that is not kept, of `limit.count` instructions, after which it exits. Valid until the next
  // call.
  Block* make_part(const Place& place, PartLimit limit);
  bool is_part(const Block* block) const { return block == &part_; }
  std::uint32_t last_word_of_part() const { return last_word_; }

  // ---- a translator (translator/translator.h) ----

  // From now on Cpu::count_execution is executed before each block.
  void use_translator(Translator& translator) { translator_ = &translator; }
  // Where the handler is that a block begins with, behind those that report it and that fetch its line.
  static Handler& entry_of(Block& block) {
    return block.entry_report ? block.entry_report->run : block.held ? block.held : block.storage[0].run;
  }
  void count_again(Block& block);

  // The virtual addresses, ascending, of instructions that Cpu::hit_breakpoint replaces. Does not change
  // blocks that are already kept.
  void set_breakpoints(std::vector<std::uint64_t> addresses) { breakpoints_ = std::move(addresses); }

  // The same with Cpu::meet_own_breakpoint, for breakpoints of the guest. False: they have not changed.
  bool set_own_breakpoints(const std::vector<std::uint64_t>& addresses) {
    return std::exchange(own_breakpoints_, addresses) != addresses;
  }

  bool has_breakpoints() const { return !breakpoints_.empty() || !own_breakpoints_.empty(); }

  // Makes blocks end before a boundary, or after every instruction, and report their entries; nullopt ends
  // that. Does not change blocks that are already kept.
  void follow(std::optional<FlowQuestion> question) { followed_ = std::move(question); }
  // The region of an instruction.
  std::size_t region_of(std::uint64_t pc, std::uint64_t physical) const;

  // Drops the blocks that overlap a range of physical addresses, with a timing also those whose times depend
  // on the code there; false if there were none. They stay allocated until collect(), because one of them may
  // be in execution.
  bool drop(std::uint64_t first, std::uint64_t last);
  void collect() {
    if (dropped_.empty()) return;
    dropped_.clear();
    dropped_.shrink_to_fit();
  }

  // ---- an instruction cache of the host ----
  //
  // A block of monitored memory lies in one line. While the line is the last one used of its set, the block
  // has no cost.

  // Before the first block is made. With `checks`, Cpu::fetch_line is executed before every block.
  void use_instruction_cache(bool checks) {
    has_instruction_cache_ = true;
    checks_filter_ = checks;
  }
  bool is_newest(std::uint64_t line) const;
  // The line (its physical address / 64) was fetched, and is the last one used of its set.
  void fetched(std::uint64_t line, const LinePermission& permission);
  // Lines are not that any more.
  void forget_fetched(AddressRange range);

  // The 64-byte lines of a page from which kept blocks were decoded, a bit each.
  std::uint64_t code_lines(std::uint64_t physical_page) const;
  // The memory of all kept blocks, including their share of the tables here and the allocator's overhead.
  std::size_t bytes() const { return bytes_; }

 private:
  void decode_into(Block& block, const Place& place, PartLimit limit);
  void add_lines(Block& block, const Place& place);
  // The handler of the breakpoint that replaces an instruction; nullptr: none.
  Handler breakpoint_at(std::uint64_t pc, bool is_first, PartLimit limit) const;
  // The address of an instruction that FlowQuestion::boundaries are compared with.
  std::uint64_t followed(std::uint64_t pc, std::uint64_t physical) const {
    return followed_->are_physical ? physical : pc;
  }
  void add_entry_report(Block& block, std::uint32_t first, std::uint32_t last);
  bool drop_in_page(std::uint64_t base, std::uint64_t first, std::uint64_t last);
  void add_to_line(Block& block);
  void remove_from_line(Block& block);
  void hold(std::uint64_t line);

  const Options& options_;
  Translator* translator_ = nullptr;
  TimedLines timed_lines_;
  // A process that executes the same page as another one does so at another pc.
  struct Key {
    std::uint64_t physical, pc;
    std::uint8_t context;
    bool operator==(const Key&) const = default;
  };
  struct HashOfKey {
    std::size_t operator()(const Key& key) const {
      constexpr std::uint64_t odd = 0x9e37'79b9'7f4a'7c15;
      return (key.physical + key.context + (key.pc ^ key.pc >> 32) * odd) >> 2;
    }
  };
  static Key key_of(const Block& block) { return {block.physical, block.pc, block.context}; }
  std::unordered_map<Key, Block*, HashOfKey> by_address_;
  struct Page {
    std::uint64_t lines = 0;
    std::vector<std::unique_ptr<Block>> blocks;
  };
  std::unordered_map<std::uint64_t, Page> pages_;
  std::vector<std::unique_ptr<Block>> dropped_;
  Block part_;
  bool has_instruction_cache_ = false, checks_filter_ = false;
  struct Line {
    Block* first = nullptr;
    bool is_newest = false;
  };
  std::unordered_map<std::uint64_t, Line> lines_;
  static constexpr std::uint64_t no_line = ~std::uint64_t{0};
  std::vector<std::uint64_t> newest_;  // by set of the instruction cache
  std::uint32_t last_word_ = 0;        // decoded
  std::vector<std::uint64_t> breakpoints_, own_breakpoints_;
  std::optional<FlowQuestion> followed_;
  std::size_t bytes_ = 0;
  // Of the block that is being decoded: its operations, its wide constants, and the operations that have one.
  std::vector<Operation> decoded_;
  std::vector<std::uint64_t> constants_;
  std::vector<std::size_t> wide_;
};

}  // namespace asterism::a64
