#include "core/a64/translator/region.h"

#include <algorithm>
#include <array>
#include <bit>

namespace asterism::a64 {
namespace {

// A register that is used once is as fast in memory.
constexpr unsigned least_uses = 2;

void choose_registers(Region& region, std::size_t host_registers) {
  std::array<unsigned, discarded> uses{};
  for (const RegionBlock& block : region.blocks)
    for (const PlainInstruction& instruction : block.instructions) {
      const std::uint64_t read = registers_read(instruction), written = registers_written(instruction);
      for (std::uint64_t left = read; left != 0; left &= left - 1) ++uses[std::countr_zero(left)];
      for (std::uint64_t left = written; left != 0; left &= left - 1) ++uses[std::countr_zero(left)];
      region.written |= written;
    }
  while (region.held.size() < host_registers) {
    const auto most = std::ranges::max_element(uses);
    if (*most < least_uses) break;
    region.held.push_back(static_cast<std::uint8_t>(most - uses.begin()));
    *most = 0;
  }
}

// Whether an instruction takes its condition from the host's flags, which the one before has set.
bool is_direct(const PlainInstruction& before, const PlainInstruction& reader) {
  constexpr unsigned hi = 8, ls = 9;
  if (!before.sets_flags || before.meaning >= Meaning::compare_if) return false;
  return before.meaning == Meaning::subtraction || (reader.condition != hi && reader.condition != ls);
}

// Flags are read from the state by a handler, at an exception, and behind the block.
void find_needed_flags(RegionBlock& block) {
  bool needed = true;
  for (std::size_t at = block.instructions.size(); at-- > 0;) {
    const PlainInstruction& instruction = block.instructions[at];
    if (instruction.sets_flags) {
      block.flags_needed |= std::uint64_t{needed} << at;
      needed = false;
    }
    const bool reads =
        instruction.reads_flags() && !(at > 0 && is_direct(block.instructions[at - 1], instruction));
    needed |= reads || instruction.may_need_handler();
  }
}

}  // namespace

void analyse(Region& region, std::size_t host_registers) {
  choose_registers(region, host_registers);
  for (RegionBlock& block : region.blocks) find_needed_flags(block);
}

}  // namespace asterism::a64
