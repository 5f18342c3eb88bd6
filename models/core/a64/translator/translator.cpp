#include "core/a64/translator/translator.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "core/a64/branch_operations.h"
#include "core/a64/cpu.h"

namespace asterism::a64 {
namespace {

constexpr std::size_t at_once = 16;
constexpr std::size_t most_code_of_region = 64 << 10, most_blocks = 16;

const Operation* next(Cpu& cpu, const Operation& op) { return cpu.follow_next(op); }

template <class Whole, class Part>
std::int32_t distance(const Whole& whole, const Part& part) {
  return static_cast<std::int32_t>(reinterpret_cast<const char*>(&part) -
                                   reinterpret_cast<const char*>(&whole));
}

CpuLayout layout_of(const Cpu& cpu) {
  const Block block;
  const Link link;
  return {.x = distance(cpu, cpu.x),
          .v = distance(cpu, cpu.v),
          .negative = distance(cpu, cpu.flags.negative),
          .zero_if = distance(cpu, cpu.flags.zero_if),
          .c = distance(cpu, cpu.flags.c),
          .overflow = distance(cpu, cpu.flags.v),
          .fpcr = distance(cpu, cpu.fpcr),
          .fpsr = distance(cpu, cpu.fpsr),
          .block = distance(cpu, cpu.block),
          .epoch = distance(cpu, cpu.epoch),
          .jumps = distance(cpu, cpu.jumps),
          .budget = distance(cpu, cpu.budget),
          .tlb = distance(cpu, cpu.memory.entries_in_use()),
          .pages = distance(cpu, cpu.memory.pages_in_use()),
          .recent = distance(cpu, cpu.memory.recent),
          .lines = distance(cpu, cpu.memory.lines_in_use()),
          .line_offset_mask = distance(cpu, cpu.memory.line_offset_mask()),
          .charge = distance(block, block.charge),
          .storage = distance(block, block.storage),
          .pc = distance(block, block.pc),
          .context = distance(block, block.context),
          .count = distance(block, block.count),
          .taken = distance(block, block.taken),
          .next = distance(block, block.next),
          .link_block = distance(link, link.block),
          .link_epoch = distance(link, link.epoch)};
}

}  // namespace

std::unique_ptr<Translator> Translator::make(Cpu& cpu) {
  std::unique_ptr<Translator> made(new Translator(cpu));
  // An attempt shows whether code may be executed.
  if (!made->emitter_ || !made->code_.begin(1) || !made->code_.finish()) return nullptr;
  return made;
}

Translator::Translator(Cpu& cpu)
    : cpu_(cpu),
      code_(cpu.options.translation.code_bytes),
      emitter_(make_emitter(
          layout_of(cpu), {.taken = step<taken>, .next = step<next>, .overdrawn = &Cpu::overdrawn_operation},
          cpu.options.timing != nullptr)) {}
Translator::~Translator() = default;

RegionBlock Translator::read(Block& block, const std::uint8_t* page) {
  const std::uint8_t* const code = page + block.physical % Memory::page_size;
  RegionBlock result{&block, {}};
  for (std::uint32_t i = 0; i < block.count; ++i) {
    std::uint32_t word;
    std::memcpy(&word, code + std::uint64_t{4} * i, sizeof word);
    PlainInstruction instruction = read_instruction(word, block.pc + std::uint64_t{4} * i);
    const bool lowers_stack =
        !cpu_.options.rules.stacks.empty() && registers_written(instruction) >> stack_pointer & 1;
    const bool needs_fp = instruction.is_vector && !Context::of_code(block.context).fp_enabled;
    if (lowers_stack || needs_fp || (i + 1 == block.count && block.ends_at_breakpoint)) instruction = {};
    result.instructions.push_back(instruction);
    result.handlers.push_back(block.storage[i].run);
  }
  result.handlers[0] = block.first;
  return result;
}

// The number of the block at an address in the region, to which it is added if it may be; otherwise `none`.
int Translator::find(Region& region, std::size_t most, std::uint64_t pc, const std::uint8_t* page) {
  const Block& first = *region.blocks.front().block;
  if (pc / Memory::page_size != first.pc / Memory::page_size) return RegionBlock::none;
  for (std::size_t i = 0; i < region.blocks.size(); ++i)
    if (region.blocks[i].block->pc == pc) return static_cast<int>(i);
  if (region.blocks.size() == most) return RegionBlock::none;
  const std::uint64_t physical = (first.physical & Memory::page_mask) + pc % Memory::page_size;
  Block* const found = cpu_.blocks.find(physical, pc, Context::of_code(first.context));
  if (!found || found->region) return RegionBlock::none;
  RegionBlock block = read(*found, page);
  if (!block.is_worth_it()) return RegionBlock::none;
  region.blocks.push_back(std::move(block));
  return static_cast<int>(region.blocks.size()) - 1;
}

void Translator::want(Block& block) {
  const bool is_wanted = std::ranges::find(wanted_, &block) != wanted_.end();
  if (!is_wanted) wanted_.push_back(&block);
  if (!is_wanted && wanted_.size() < at_once && cpu_.options.translation.after > 1) return;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  for (Block* each : wanted_) {
    if (each->region) continue;  // that of another one
    cpu_.blocks.entry_of(*each) = each->first;
    translate(*each);
  }
  wanted_.clear();
  if (!code_.finish()) remove_all();
  counts_.nanoseconds += static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - begin).count());
}

void Translator::translate(Block& first) {
  for (std::size_t most = most_blocks; most > 0; most /= 2) {
    auto region = region_at(first, most);
    if (!region) return;
    if (!make_code(*region)) continue;
    counts_.blocks += region->blocks.size();
    for (const RegionBlock& block : region->blocks) counts_.instructions += block.instructions.size();
    counts_.code_bytes += region->bytes;
    install(*region);
    regions_.push_back(std::move(region));
    return;
  }
}

std::unique_ptr<Region> Translator::region_at(Block& first, std::size_t most) {
  const auto direct = cpu_.memory.direct(first.physical);
  if (!direct) return nullptr;
  const std::uint8_t* const page = direct->host - first.physical % Memory::page_size;
  auto region = std::make_unique<Region>();
  region->blocks.push_back(read(first, page));
  if (!region->blocks.front().is_worth_it()) return nullptr;
  // Entries that are reported are no jumps in a region.
  const bool is_alone = first.entry_report != nullptr;
  for (std::size_t at = 0; at < region->blocks.size() && !is_alone; ++at) {
    const PlainInstruction last = region->blocks[at].instructions.back();
    const Block& block = *region->blocks[at].block;
    const std::uint64_t behind = block.pc + std::uint64_t{4} * block.count;
    const int taken =
        last.has_distance() ? find(*region, most, behind - 4 + last.constant, page) : RegionBlock::none;
    const int next = last.may_go_on() ? find(*region, most, behind, page) : RegionBlock::none;
    region->blocks[at].taken = taken;
    region->blocks[at].next = next;
  }
  region->has_line_filter = cpu_.memory.has_caches() && !cpu_.memory.checks_filter();
  analyse(*region, emitter_->host_registers());
  return region;
}

bool Translator::make_code(Region& region) {
  std::uint8_t* to = code_.begin(most_code_of_region);
  if (!to) {
    remove_all();
    to = code_.begin(most_code_of_region);
    if (!to) return false;
  }
  if (!emitter_->emit(region, to, most_code_of_region)) return false;
  code_.written(region.bytes);
  return true;
}

void Translator::install(Region& region) {
  for (RegionBlock& each : region.blocks) {
    each.block->region = &region;
    cpu_.blocks.entry_of(*each.block) = each.entry;
    for (std::size_t i = 1; i < each.continuations.size(); ++i)
      if (each.continuations[i]) each.block->storage[i].run = each.continuations[i];
    each.instructions = {};
    each.continuations = {};
  }
}

void Translator::remove(Region& region) {
  for (RegionBlock& each : region.blocks) {
    each.block->region = nullptr;
    cpu_.blocks.entry_of(*each.block) = each.block->first;
    for (std::size_t i = 1; i < each.block->count; ++i) each.block->storage[i].run = each.handlers[i];
    cpu_.blocks.count_again(*each.block);
  }
}

void Translator::remove_all() {
  for (const auto& region : regions_) remove(*region);
  regions_.clear();
  code_.clear();
}

void Translator::drop(Block& block) {
  std::erase(wanted_, &block);
  if (!block.region) return;
  const auto found = std::ranges::find(regions_, block.region, &std::unique_ptr<Region>::get);
  remove(**found);
  std::swap(*found, regions_.back());
  regions_.pop_back();
}

}  // namespace asterism::a64
