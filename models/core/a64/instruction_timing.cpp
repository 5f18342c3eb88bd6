#include "core/a64/instruction_timing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace asterism::a64 {
namespace {

using enum InstructionClass;

constexpr std::uint64_t flags = std::uint64_t{1} << 31;

constexpr unsigned bits(std::uint32_t word, unsigned high, unsigned low) {
  return word >> low & ((2u << (high - low)) - 1);
}
// A general register at a field; 31 is none.
constexpr std::uint64_t x(std::uint32_t word, unsigned low) {
  const unsigned number = bits(word, low + 4, low);
  return number == 31 ? 0 : std::uint64_t{1} << number;
}
constexpr std::uint64_t v(std::uint32_t word, unsigned low) {
  return std::uint64_t{1} << (32 + bits(word, low + 4, low));
}

constexpr unsigned rd = 0, rn = 5, ra = 10, rm = 16;

// ---- the groups of the encoding (Arm ARM C4.1) ----

Dependences of_immediate(std::uint32_t word) {
  const unsigned op = bits(word, 25, 23);
  Dependences d{integer, x(word, rn), x(word, rd)};
  if (op <= 1) d.from = 0;                                          // ADR, ADRP
  if (op == 5) d.from = bits(word, 30, 29) == 3 ? x(word, rd) : 0;  // MOVN, MOVZ, MOVK
  if (op == 6 && bits(word, 30, 29) == 1) d.from |= x(word, rd);    // BFM
  if (op == 7) d.from |= x(word, rm);                               // EXTR
  const bool sets_flags = op == 2 || op == 3 ? bits(word, 29, 29) == 1 : op == 4 && bits(word, 30, 29) == 3;
  if (sets_flags) d.to |= flags;
  return d;
}

Dependences of_registers(std::uint32_t word) {
  Dependences d{integer, x(word, rn) | x(word, rm), x(word, rd)};
  const bool is_two_or_one_source = bits(word, 28, 21) == 0xd6;
  if (bits(word, 28, 24) == 0x1b) {  // three sources
    d.is = multiply;
    d.from |= x(word, ra);
  } else if (is_two_or_one_source) {
    if (bits(word, 30, 30) == 1)
      d.from = x(word, rn);  // one source
    else if (bits(word, 15, 11) == 1)
      d.is = divide;
  } else if (bits(word, 28, 21) == 0xd2) {  // conditional compare
    d.from |= flags;
    d.to = flags;
    if (bits(word, 11, 11) == 1) d.from &= ~x(word, rm) | x(word, rn);
  } else if (bits(word, 28, 21) == 0xd4) {  // conditional select
    d.from |= flags;
  } else if (bits(word, 28, 21) == 0xd0) {  // with carry
    d.from |= flags;
    if (bits(word, 29, 29) == 1) d.to |= flags;
  } else if (bits(word, 28, 24) == 0x0a ? bits(word, 30, 29) == 3 : bits(word, 29, 29) == 1) {
    d.to |= flags;
  }
  return d;
}

Dependences of_branch(std::uint32_t word) {
  Dependences d{branch, 0, 0};
  if (bits(word, 31, 25) == 0x2a)
    d.from = flags;  // B.cond
  else if (bits(word, 30, 26) == 5)
    d.to = bits(word, 31, 31) ? x(30, 0) : 0;  // B, BL
  else if (bits(word, 30, 25) == 0x1a || bits(word, 30, 25) == 0x1b)
    d.from = x(word, 0);  // CBZ, TBZ
  else if (bits(word, 31, 25) == 0x6b)
    d.from = x(word, rn);  // BR, BLR, RET
  else
    d.is = InstructionClass::system;
  return d;
}

Dependences of_memory(std::uint32_t word) {
  const bool is_vector = bits(word, 26, 26) == 1;
  const auto data = [&](unsigned low) { return is_vector ? v(word, low) : x(word, low); };
  const unsigned group = bits(word, 29, 28);
  const bool is_exclusive = group == 0 && !is_vector;
  const bool is_literal = group == 1 && bits(word, 24, 24) == 0;
  const bool is_pair = group == 2;
  const bool is_register_offset =
      group == 3 && bits(word, 24, 24) == 0 && bits(word, 21, 21) == 1 && bits(word, 11, 10) == 2;
  const bool is_atomic =
      group == 3 && bits(word, 24, 24) == 0 && bits(word, 21, 21) == 1 && bits(word, 11, 10) == 0;
  bool is_load = bits(word, 22, 22) == 1;
  if (group == 3) is_load = bits(word, 23, 22) != 0 && !(is_vector && bits(word, 23, 22) == 2);
  if (is_literal || is_atomic) is_load = true;
  Dependences d{is_load ? load : store, is_literal ? 0 : x(word, rn), 0};
  (is_load ? d.to : d.from) |= data(rd);
  if (is_pair) (is_load ? d.to : d.from) |= data(10);
  if (is_register_offset) d.from |= x(word, rm);
  if (is_atomic) d.from |= x(word, rm);
  if (is_exclusive && !is_load) d.to |= x(word, rm);
  return d;
}

// Scalar and vector floating point; everything else is a vector operation.
InstructionClass fp_class(std::uint32_t word) {
  const bool is_scalar = bits(word, 28, 28) == 1 && bits(word, 30, 30) == 0;
  if (is_scalar && bits(word, 28, 24) == 0x1f) return fp_fused;
  if (is_scalar && bits(word, 28, 24) == 0x1e && bits(word, 21, 21) == 1) {
    if (bits(word, 11, 10) == 2) {  // two sources
      const unsigned op = bits(word, 15, 12);
      return op == 0 || op == 8 ? fp_multiply : op == 1 ? fp_divide : fp_add;
    }
    if (bits(word, 14, 10) == 0x10) return bits(word, 20, 15) == 3 ? fp_divide : fp_add;  // one source
    if (bits(word, 11, 10) != 0 || bits(word, 13, 10) == 8) return fp_add;                // compare, select
    return bits(word, 15, 10) == 0 ? fp_add : vector;  // conversions; immediates
  }
  const bool is_three_same = bits(word, 28, 24) == 0x0e && bits(word, 21, 21) == 1 && bits(word, 10, 10) == 1;
  if (is_three_same && bits(word, 15, 14) == 3) {
    const unsigned op = bits(word, 15, 11);
    const bool is_unsigned = bits(word, 29, 29) == 1;
    if (op == 0x19) return fp_fused;
    if (op == 0x1b) return fp_multiply;
    if (op == 0x1f && is_unsigned) return fp_divide;
    return fp_add;
  }
  return vector;
}

Dependences of_vector(std::uint32_t word) {
  Dependences d{fp_class(word), v(word, rn) | v(word, rm), v(word, rd)};
  const bool is_scalar_fp = bits(word, 31, 24) == 0x1e || bits(word, 31, 24) == 0x9e;
  if (bits(word, 31, 24) == 0x1f)
    d.from |= v(word, ra);
  else if (d.is == fp_fused)
    d.from |= v(word, rd);
  if (is_scalar_fp && bits(word, 21, 21) == 1 && bits(word, 15, 10) == 0) {  // with a general register
    const unsigned op = bits(word, 18, 16);
    const bool from_general = op == 2 || op == 3 || op == 7;
    d.from = from_general ? x(word, rn) : v(word, rn);
    d.to = from_general ? v(word, rd) : x(word, rd);
  } else if (is_scalar_fp && bits(word, 13, 10) == 8 && bits(word, 21, 21) == 1) {
    d.to = flags;  // comparisons
  } else if (is_scalar_fp && bits(word, 14, 10) == 0x10) {
    d.from = v(word, rn);
  }
  return d;
}

// ---- basic blocks ----

std::optional<std::int64_t> jump(std::uint32_t word) {  // in instructions
  const auto signed_field = [&](unsigned high, unsigned low) {
    const unsigned width = high - low + 1;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(bits(word, high, low)) << (64 - width)) >>
           (64 - width);
  };
  if (bits(word, 30, 26) == 5) return signed_field(25, 0);                                   // B, BL
  if (bits(word, 31, 25) == 0x2a || bits(word, 30, 25) == 0x1a) return signed_field(23, 5);  // B.cond, CBZ
  if (bits(word, 30, 25) == 0x1b) return signed_field(18, 5);                                // TBZ
  return std::nullopt;
}

bool may_be_mispredicted(std::uint32_t word) {
  const bool is_unconditional = bits(word, 30, 26) == 5;
  const bool is_return = (word & 0xffff'fc1f) == 0xd65f'0000;
  return !is_unconditional && !is_return;
}

struct Instruction {
  Dependences depends;
  double latency, occupancy;  // cycles
};

// Those that share pipelines.
enum Pipelines { of_integers, of_memory_, of_vectors, of_branches, pipelines };
Pipelines pipelines_of(InstructionClass is) {
  if (is == load || is == store) return of_memory_;
  if (is == branch) return of_branches;
  return is >= fp_add && is <= vector ? of_vectors : of_integers;
}

// The longest chain from a register at the begin to the same register at the end.
double longest_recurrence(std::span<const Instruction> block) {
  double longest = 0;
  std::uint64_t written = 0, live_in = 0;
  for (const Instruction& each : block) {
    live_in |= each.depends.from & ~written;
    written |= each.depends.to;
  }
  for (std::uint64_t candidates = written & live_in; candidates != 0; candidates &= candidates - 1) {
    const std::uint64_t start = candidates & -candidates;
    std::array<double, 64> depth;
    depth.fill(-1);
    depth[static_cast<std::size_t>(std::countr_zero(start))] = 0;
    std::uint64_t reached = start;
    for (const Instruction& each : block) {
      double deepest = -1;
      for (std::uint64_t from = each.depends.from & reached; from != 0; from &= from - 1)
        deepest = std::max(deepest, depth[static_cast<std::size_t>(std::countr_zero(from))]);
      reached &= ~each.depends.to;
      if (deepest < 0) continue;
      reached |= each.depends.to;
      for (std::uint64_t to = each.depends.to; to != 0; to &= to - 1)
        depth[static_cast<std::size_t>(std::countr_zero(to))] = deepest + each.latency;
    }
    if (reached & start)
      longest = std::max(longest, depth[static_cast<std::size_t>(std::countr_zero(start))]);
  }
  return longest;
}

double cycles(std::span<const Instruction> block, unsigned width) {
  std::array<double, pipelines> busy{};
  for (const Instruction& each : block) busy[pipelines_of(each.depends.is)] += each.occupancy;
  return std::max({static_cast<double>(block.size()) / width, *std::ranges::max_element(busy),
                   longest_recurrence(block)});
}

}  // namespace

Dependences dependences(std::uint32_t word) {
  const unsigned group = bits(word, 28, 25);
  if ((group & 0b1110) == 0b1000) return of_immediate(word);
  if ((group & 0b1110) == 0b1010) return of_branch(word);
  if ((group & 0b0101) == 0b0100) return of_memory(word);
  if ((group & 0b0111) == 0b0101) return of_registers(word);
  if ((group & 0b0111) == 0b0111) return of_vector(word);
  return {};
}

LineTimes times_of_line(std::span<const std::uint32_t, instructions_of_line> code, const CoreTiming& t) {
  const auto of = [&](const Dependences& d) {
    const auto timed = [&](const auto& c) { return Instruction{d, c.latency, 1 / c.per_cycle}; };
    switch (d.is) {
      case integer:
        return timed(t.integer);
      case multiply:
        return timed(t.multiply);
      case divide:
        return timed(t.divide);
      case load:
        return timed(t.load);
      case store:
        return timed(t.store);
      case fp_add:
        return timed(t.fp_add);
      case fp_multiply:
        return timed(t.fp_multiply);
      case fp_fused:
        return timed(t.fp_fused);
      case fp_divide:
        return timed(t.fp_divide);
      case vector:
        return timed(t.vector);
      case branch:
        return timed(t.branch);
      case InstructionClass::system:
        break;
    }
    return timed(t.system);
  };
  std::array<Instruction, instructions_of_line> instructions;
  std::array<bool, instructions_of_line + 1> begins{};
  begins[0] = begins[instructions_of_line] = true;
  for (std::size_t i = 0; i < code.size(); ++i) {
    instructions[i] = of(dependences(code[i]));
    if (instructions[i].depends.is == branch) begins[i + 1] = true;
    if (const auto by = jump(code[i]))
      if (const std::int64_t to = static_cast<std::int64_t>(i) + *by;
          to >= 0 && to < static_cast<std::int64_t>(instructions_of_line))
        begins[static_cast<std::size_t>(to)] = true;
  }
  LineTimes times{};
  constexpr double unit = 1000, most = 65'535;
  for (std::size_t first = 0; first < code.size();) {
    std::size_t end = first + 1;
    while (!begins[end]) ++end;
    const std::size_t count = end - first;
    const double all = std::round(unit * cycles(std::span(instructions).subspan(first, count), t.width));
    const auto whole = static_cast<std::uint64_t>(std::min(all, most * static_cast<double>(count)));
    for (std::size_t i = 0; i < count; ++i)
      times[first + i] =
          static_cast<std::uint16_t>(std::max<std::uint64_t>((i + 1) * whole / count - i * whole / count, 1));
    if (instructions[end - 1].depends.is == branch && may_be_mispredicted(code[end - 1]))
      times[end - 1] = static_cast<std::uint16_t>(
          std::min(times[end - 1] + std::round(unit * t.branch.mispredicted * t.branch.penalty), most));
    first = end;
  }
  return times;
}

}  // namespace asterism::a64
