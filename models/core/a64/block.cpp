#include "core/a64/block.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/a64/cpu.h"
#include "core/a64/fusion.h"

namespace asterism::a64 {
namespace {

constexpr std::uint64_t line = 64;

// The operation behind the last instruction of a block that simply goes on.
const Operation* fall_through(Cpu& cpu, const Operation& op) { return cpu.follow_next(op); }
// And of a part of a block.
const Operation* end_of_part(Cpu& cpu, const Operation& op) {
  return cpu.leave(cpu.pc_of(op), cpu.block->count);
}

// Bit i: line i of the page that the block lies in.
std::uint64_t lines_of(const Block& block) {
  const std::uint64_t first = block.physical % Memory::page_size / line;
  const std::uint64_t last = (block.physical + 4 * block.count - 1) % Memory::page_size / line;
  return (~std::uint64_t{0} << first) & (~std::uint64_t{0} >> (63 - last));
}

std::uint32_t instruction_at(const std::uint8_t* code) {
  std::uint32_t word;
  std::memcpy(&word, code, sizeof word);
  return word;
}

}  // namespace

Block* BlockCache::find(std::uint64_t physical, std::uint64_t pc, Context context) const {
  const auto found = by_place_.find(physical);
  Block* block = found == by_place_.end() ? nullptr : found->second;
  while (block && (block->pc != pc || block->context != context.code())) block = block->same_place;
  return block;
}

Block* BlockCache::make(std::uint64_t physical, std::uint64_t pc, Context context, const std::uint8_t* code) {
  auto owned = std::make_unique<Block>();
  Block* block = owned.get();
  block->pc = pc;
  block->physical = physical;
  block->context = context.code();
  const std::uint64_t to_end_of_page = (Memory::page_size - physical % Memory::page_size) / 4;
  decode_into(*block, context, static_cast<unsigned>(std::min<std::uint64_t>(longest_block, to_end_of_page)),
              code);
  operations_ += block->storage.size();
  Block*& first = by_place_[physical];
  block->same_place = std::exchange(first, block);
  Page& page = pages_[physical & Memory::page_mask];
  page.lines |= lines_of(*block);
  page.blocks.push_back(std::move(owned));
  return block;
}

Block* BlockCache::make_part(std::uint64_t physical, std::uint64_t pc, Context context,
                             const std::uint8_t* code, unsigned count) {
  part_.pc = pc;
  part_.physical = physical;
  part_.context = context.code();
  part_.taken = part_.next = {};
  decode_into(part_, context, count, code);
  part_.storage[part_.count].run = step<end_of_part>;
  return &part_;
}

void BlockCache::decode_into(Block& block, Context context, unsigned limit, const std::uint8_t* code) {
  constants_.clear();
  wide_.clear();
  block.storage.clear();
  block.count = 0;
  bool ends = false;
  while (!ends && block.count < limit) {
    Decoding decoding(instruction_at(code + 4 * block.count), context, options_, constants_);
    decode(decoding);
    if (decoding.is_wide()) wide_.push_back(block.count);
    block.storage.push_back(decoding.op);
    ++block.count;
    ends = decoding.ends_block;
  }
  fuse(block.storage);
  block.storage.push_back({step<fall_through>});
  // The constants follow; what refers to them learns where.
  const std::size_t operations = block.storage.size();
  for (const std::size_t at : wide_) {
    Operation& op = block.storage[at];
    op.imm =
        static_cast<std::uint32_t>((operations - at) * sizeof(Operation) + op.imm * sizeof(std::uint64_t));
  }
  block.storage.resize(operations + (constants_.size() + 1) / 2);
  if (!constants_.empty())
    std::memcpy(static_cast<void*>(block.storage.data() + operations), constants_.data(),
                constants_.size() * 8);
}

bool BlockCache::drop(std::uint64_t first, std::uint64_t last) {
  const auto touches = [&](const std::unique_ptr<Block>& block) {
    return block->physical <= last && block->physical + 4 * block->count - 1 >= first;
  };
  bool any = false;
  for (auto page = pages_.begin(); page != pages_.end();) {
    auto& [base, content] = *page;
    if (base > last || base + Memory::page_size - 1 < first) {
      ++page;
      continue;
    }
    const auto gone = std::stable_partition(content.blocks.begin(), content.blocks.end(),
                                            [&](const auto& block) { return !touches(block); });
    for (auto block = gone; block != content.blocks.end(); ++block) {
      any = true;
      forget_place(block->get());
      operations_ -= (*block)->storage.size();
      dropped_.push_back(std::move(*block));
    }
    content.blocks.erase(gone, content.blocks.end());
    content.lines = 0;
    for (const auto& block : content.blocks) content.lines |= lines_of(*block);
    page = content.blocks.empty() ? pages_.erase(page) : std::next(page);
  }
  return any;
}

void BlockCache::forget_place(Block* block) {
  const auto found = by_place_.find(block->physical);
  Block** at = &found->second;
  while (*at != block) at = &(*at)->same_place;
  *at = block->same_place;
  if (!found->second) by_place_.erase(found);
}

std::uint64_t BlockCache::code_lines(std::uint64_t physical_page) const {
  const auto found = pages_.find(physical_page);
  return found == pages_.end() ? 0 : found->second.lines;
}

}  // namespace asterism::a64
