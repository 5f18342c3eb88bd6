#include "core/a64/block.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "core/a64/cpu.h"
#include "core/a64/fusion.h"
#include "core/a64/instruction_timing.h"
#include "core/a64/translator/translator.h"

namespace asterism::a64 {
namespace {

// The operation behind the last instruction of a block that does not end with a branch.
const Operation* fall_through(Cpu& cpu, const Operation& op) { return cpu.follow_next(op); }
// The same for a part of a block.
const Operation* end_of_part(Cpu& cpu, const Operation& op) {
  return cpu.leave(cpu.pc_of(op), cpu.block->count);
}

std::uint64_t count_lines(const Block& block) {
  return (block.physical % Memory::line / 4 + block.count + instructions_of_line - 1) / instructions_of_line;
}

// With two allocations, a node and a bucket of by_address_, and a pointer in a vector that has grown by
// doubling.
std::size_t bytes_of(const Block& block) {
  constexpr std::size_t allocation = 16, node = 64, pointers = 16;
  return sizeof(Block) + block.size * sizeof(Operation) + 2 * allocation + node + pointers +
         (block.entry_report ? sizeof(EntryReport) + allocation : 0) +
         (block.lines
              ? count_lines(block) * (sizeof(std::shared_ptr<TimedLine>) + sizeof(TimedLine) + allocation) +
                    allocation
              : 0);
}

// The kind of control flow of an instruction that ends a block, if it does not fault.
Flow flow_of(std::uint32_t word) {
  constexpr Encoding bl = encoding("1 00101 imm26"), blr = encoding("1101011 0001 11111 000000 Rn 00000"),
                     ret = encoding("1101011 0010 11111 000000 Rn 00000"),
                     eret = encoding("1101011 0100 11111 000000 11111 00000");
  if (bl.matches(word) || blr.matches(word)) return Flow::call;
  if (ret.matches(word)) return Flow::ret;
  return eret.matches(word) ? Flow::exception_return : Flow::jump;
}

// Bit i: the block depends on the code in line i of its page: it has instructions there, or its time depends
// on what is before or behind them.
std::uint64_t lines_of(const Block& block) {
  const std::uint64_t first = block.physical % Memory::page_size / Memory::line;
  const std::uint64_t last =
      (block.physical + std::uint64_t{4} * block.count - 1) % Memory::page_size / Memory::line;
  const std::uint64_t lines = (~std::uint64_t{0} << first) & (~std::uint64_t{0} >> (63 - last));
  return block.lines ? lines | lines << 1 | lines >> 1 : lines;
}

std::uint32_t instruction_at(const std::uint8_t* code) {
  std::uint32_t word;
  std::memcpy(&word, code, sizeof word);
  return word;
}

void hold_block(Block& block) {
  if (!block.held) block.held = std::exchange(block.storage[0].run, Cpu::fetch_line);
}
void release(Block& block) {
  if (block.held) block.storage[0].run = std::exchange(block.held, nullptr);
}

}  // namespace

// ---- the time of instructions ----

std::uint64_t Block::time_from(std::uint64_t index) const {
  if (!lines) return 0;
  const std::uint64_t begin = physical % Memory::line / 4, end = begin + count;
  std::uint64_t time = 0;
  for (std::uint64_t at = begin + index; at < end;) {
    const std::uint64_t line = at / instructions_of_line, first = line * instructions_of_line;
    const std::uint64_t next = std::min(end, first + instructions_of_line);
    time += lines[line]->time_before[next - first] - lines[line]->time_before[at - first];
    at = next;
  }
  return time;
}

const AccessRegisters& Block::registers_of_access(std::uint64_t index) const {
  static const AccessRegisters unknown;
  if (!lines) return unknown;
  const std::uint64_t at = physical % Memory::line / 4 + index;
  return lines[at / instructions_of_line]->registers_of_access(at % instructions_of_line);
}

// ---- blocks ----

Block* BlockCache::find(std::uint64_t physical, std::uint64_t pc, Context context) {
  const auto found = by_address_.find({physical, pc, context.code()});
  return found == by_address_.end() ? nullptr : found->second;
}

Block* BlockCache::make(const Place& place) {
  auto owned = std::make_unique<Block>();
  Block* block = owned.get();
  decode_into(*block, place, {max_block});
  if (translator_ && !place.context.interprets) count_again(*block);
  bytes_ += bytes_of(*block);
  by_address_[key_of(*block)] = block;
  Page& page = pages_[place.physical & Memory::page_mask];
  page.lines |= lines_of(*block);
  page.blocks.push_back(std::move(owned));
  if (place.is_monitored && has_instruction_cache_) add_to_line(*block);
  return block;
}

Block* BlockCache::make_part(const Place& place, PartLimit limit) {
  part_.taken = part_.next = {};
  decode_into(part_, place, limit);
  part_.storage[part_.count].run = step<end_of_part>;
  part_.held = nullptr;
  if (place.is_monitored && has_instruction_cache_ &&
      (checks_filter_ || !is_newest(place.physical / Memory::line)))
    hold_block(part_);
  return &part_;
}

void BlockCache::count_again(Block& block) {
  Handler& entry = entry_of(block);
  block.first = entry;
  entry = Cpu::count_execution;
  block.until_translation = options_.translation.after;
}

void BlockCache::decode_into(Block& block, const Place& place, PartLimit limit) {
  const Context context = place.context;
  const std::uint8_t* const code = place.code;
  block.pc = place.pc;
  block.physical = place.physical;
  block.context = context.code();
  const std::uint64_t unit = place.is_monitored && has_instruction_cache_ ? Memory::line : Memory::page_size;
  limit.count = std::min(limit.count, static_cast<unsigned>((unit - place.physical % unit) / 4));
  constants_.clear();
  wide_.clear();
  decoded_.clear();
  block.count = 0;
  bool ends = false, is_broken = false, is_broken_at_first = false;
  std::uint32_t last = 0;
  if (followed_ && followed_->instructions) limit.count = std::min(limit.count, 1u);
  while (!ends && block.count < limit.count) {
    const std::uint64_t pc = block.pc + std::uint64_t{4} * block.count;
    if (followed_ && block.count > 0 &&
        std::ranges::binary_search(followed_->boundaries,
                                   followed(pc, block.physical + std::uint64_t{4} * block.count)))
      break;
    if (has_breakpoints()) {
      if (const Handler meet = breakpoint_at(pc, block.count == 0, limit)) {
        is_broken_at_first = block.count == 0;
        decoded_.push_back({meet});
        ++block.count;
        is_broken = true;
        break;
      }
    }
    last = instruction_at(code + std::uint64_t{4} * block.count);
    Decoding decoding(last, context, options_, constants_);
    decode(decoding);
    if (decoding.is_wide()) wide_.push_back(block.count);
    decoded_.push_back(decoding.op);
    ++block.count;
    ends = decoding.ends_block;
  }
  last_word_ = last;
  block.lines.reset();
  if (options_.timing) add_lines(block, place);
  block.charge = Budget::charge(block.count, block.time_from(0));
  block.ends_at_breakpoint = is_broken;
  if (!translator_) fuse(decoded_);  // which is for what is executed often
  decoded_.push_back({step<fall_through>});
  // The constants follow; operations that use them get their offset.
  const std::size_t operations = decoded_.size();
  for (const std::size_t at : wide_) {
    Operation& op = decoded_[at];
    op.imm =
        static_cast<std::uint32_t>((operations - at) * sizeof(Operation) + op.imm * sizeof(std::uint64_t));
  }
  block.size = static_cast<std::uint16_t>(operations + (constants_.size() + 1) / 2);
  block.storage = std::make_unique<Operation[]>(block.size);
  std::ranges::copy(decoded_, block.storage.get());
  block.first = block.storage[0].run;
  block.entry_report.reset();
  if (followed_ && !is_broken_at_first) add_entry_report(block, instruction_at(code), ends ? last : 0);
  if (!constants_.empty())
    std::memcpy(static_cast<void*>(block.storage.get() + operations), constants_.data(),
                constants_.size() * 8);
}

void BlockCache::add_lines(Block& block, const Place& place) {
  const std::uint64_t begin = place.physical % Memory::line / 4, lines = count_lines(block);
  block.lines = std::make_unique<std::shared_ptr<TimedLine>[]>(lines);
  if (place.is_alone) {
    CodeAroundLine code;
    code.fill(no_code);
    code[instructions_of_line + begin] = instruction_at(place.code);
    block.lines[0] = std::make_shared<TimedLine>(code, *options_.timing);
    return;
  }
  const std::uint8_t* const page = place.code - place.physical % Memory::page_size;
  for (std::uint64_t line = 0; line < lines; ++line)
    block.lines[line] = timed_lines_.find(place.physical / Memory::line + line, page, *options_.timing);
}

Handler BlockCache::breakpoint_at(std::uint64_t pc, bool is_first, PartLimit limit) const {
  if (!(is_first && limit.passes_first) && std::ranges::binary_search(breakpoints_, pc))
    return step<Cpu::hit_breakpoint>;
  if (!(is_first && limit.passes_own) && std::ranges::binary_search(own_breakpoints_, pc))
    return step<Cpu::meet_own_breakpoint>;
  return nullptr;
}

void BlockCache::add_entry_report(Block& block, std::uint32_t first, std::uint32_t last) {
  Operation& entry = block.storage[0];
  block.entry_report = std::make_unique<EntryReport>(EntryReport{
      .run = entry.run, .word = first, .end = flow_of(last), .region = region_of(block.pc, block.physical)});
  entry.run = Cpu::report_entry;
}

std::size_t BlockCache::region_of(std::uint64_t pc, std::uint64_t physical) const {
  const std::vector<std::uint64_t>& boundaries = followed_->boundaries;
  return static_cast<std::size_t>(std::ranges::upper_bound(boundaries, followed(pc, physical)) -
                                  boundaries.begin());
}

bool BlockCache::drop(std::uint64_t first, std::uint64_t last) {
  if (options_.timing) {  // an instruction's time depends on its line and those beside it in its page
    first &= ~(Memory::line - 1);
    last |= Memory::line - 1;
    if (first % Memory::page_size != 0) first -= Memory::line;
    if ((last + 1) % Memory::page_size != 0) last += Memory::line;
  }
  const std::uint64_t first_page = first & Memory::page_mask, last_page = last & Memory::page_mask;
  if (first_page == last_page) return drop_in_page(first_page, first, last);
  bool any = false;
  for (auto page = pages_.begin(); page != pages_.end();) {
    const std::uint64_t base = page->first;
    ++page;  // the page may be erased
    if (first_page <= base && base <= last_page) any |= drop_in_page(base, first, last);
  }
  return any;
}

bool BlockCache::drop_in_page(std::uint64_t base, std::uint64_t first, std::uint64_t last) {
  const auto page = pages_.find(base);
  if (page == pages_.end()) return false;
  Page& content = page->second;
  const auto gone =
      std::stable_partition(content.blocks.begin(), content.blocks.end(), [&](const auto& block) {
        return block->physical > last || block->physical + std::uint64_t{4} * block->count - 1 < first;
      });
  const bool any = gone != content.blocks.end();
  content.lines = 0;
  for (auto block = content.blocks.begin(); block != gone; ++block) content.lines |= lines_of(**block);
  for (auto block = gone; block != content.blocks.end(); ++block) {
    if (translator_) translator_->drop(**block);
    by_address_.erase(key_of(**block));
    if (!lines_.empty()) remove_from_line(**block);
    bytes_ -= bytes_of(**block);
  }
  std::move(gone, content.blocks.end(), std::back_inserter(dropped_));
  content.blocks.erase(gone, content.blocks.end());
  if (content.blocks.empty()) pages_.erase(page);
  return any;
}

// ---- an instruction cache of the host ----

void BlockCache::add_to_line(Block& block) {
  Line& line = lines_[block.physical / Memory::line];
  block.same_line = std::exchange(line.first, &block);
  block.is_in_line = true;
  if (!line.is_newest || checks_filter_) hold_block(block);
}

void BlockCache::remove_from_line(Block& block) {
  const auto line = lines_.find(block.physical / Memory::line);
  if (line == lines_.end()) return;
  Block** at = &line->second.first;
  while (*at && *at != &block) at = &(*at)->same_line;
  if (*at) *at = block.same_line;
  if (!line->second.first && !line->second.is_newest) lines_.erase(line);
}

bool BlockCache::is_newest(std::uint64_t line) const {
  const auto found = lines_.find(line);
  return found != lines_.end() && found->second.is_newest;
}

void BlockCache::hold(std::uint64_t line) {
  const auto found = lines_.find(line);
  if (found == lines_.end() || !std::exchange(found->second.is_newest, false)) return;
  for (Block* block = found->second.first; block; block = block->same_line) hold_block(*block);
  if (!found->second.first) lines_.erase(found);
}

void BlockCache::fetched(std::uint64_t line, const LinePermission& permission) {
  if (!permission.loads) return;
  if (newest_.size() <= permission.set) newest_.resize(permission.set + 1, no_line);
  hold(std::exchange(newest_[permission.set], line));
  Line& now = lines_[line];
  now.is_newest = true;
  if (checks_filter_) return;
  for (Block* block = now.first; block; block = block->same_line) release(*block);
}

void BlockCache::forget_fetched(AddressRange range) {
  for (std::uint64_t& line : newest_)
    if (line != no_line && range.contains(Address(line * Memory::line))) hold(std::exchange(line, no_line));
}

std::uint64_t BlockCache::code_lines(std::uint64_t physical_page) const {
  const auto found = pages_.find(physical_page);
  return found == pages_.end() ? 0 : found->second.lines;
}

}  // namespace asterism::a64
