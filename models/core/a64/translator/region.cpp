#include "core/a64/translator/region.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace asterism::a64 {
namespace {

// A register that is used once is as fast in memory.
constexpr unsigned least_uses = 2;

// The registers that are used most.
template <std::size_t registers>
struct Uses {
  std::array<unsigned, registers> of{};

  void add(std::uint64_t which) {
    for (; which != 0; which &= which - 1) ++of[std::countr_zero(which)];
  }
  std::vector<std::uint8_t> most(std::size_t count) {
    std::vector<std::uint8_t> chosen;
    while (chosen.size() < count) {
      const auto most = std::ranges::max_element(of);
      if (*most < least_uses) break;
      chosen.push_back(static_cast<std::uint8_t>(most - of.begin()));
      *most = 0;
    }
    return chosen;
  }
};

void choose_registers(Region& region, HostRegisters at_most) {
  Uses<discarded> general;
  Uses<32> vectors;
  for (const RegionBlock& block : region.blocks)
    for (const PlainInstruction& instruction : block.instructions) {
      general.add(registers_read(instruction));
      general.add(registers_written(instruction));
      vectors.add(vectors_read(instruction));
      vectors.add(vectors_written(instruction));
      region.written |= registers_written(instruction);
      region.written_vectors |= vectors_written(instruction);
    }
  region.held = general.most(at_most.general);
  region.held_vectors = vectors.most(at_most.vectors);
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

bool RegionBlock::is_worth_it() const {
  constexpr std::size_t of_others = 3;  // take as long as one way to handlers and back
  std::size_t others = 0, ways = 0;
  bool is_at_handler = false;
  for (const PlainInstruction& instruction : instructions) {
    const bool was_at_handler = std::exchange(is_at_handler, instruction.meaning == Meaning::by_handler);
    ways += is_at_handler && !was_at_handler ? 1 : 0;
    others += is_at_handler ? 0 : 1;
  }
  return others >= of_others * ways;
}

void analyse(Region& region, HostRegisters at_most) {
  choose_registers(region, at_most);
  for (RegionBlock& block : region.blocks) find_needed_flags(block);
}

}  // namespace asterism::a64
