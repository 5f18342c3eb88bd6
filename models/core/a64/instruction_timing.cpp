#include "core/a64/instruction_timing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

#include "core/a64/decoder.h"

namespace asterism::a64 {
namespace {

using enum InstructionClass;

unsigned bits(std::uint32_t word, unsigned high, unsigned low) {
  return word >> low & ((2u << (high - low)) - 1);
}

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
  double update_latency;      // of the base register
};

// Those that share pipelines.
enum Pipelines { of_integers, of_memory_, of_vectors, of_branches, pipelines };
Pipelines pipelines_of(InstructionClass is) {
  if (is == load || is == store) return of_memory_;
  if (is == branch) return of_branches;
  return is >= fp_add && is <= vector ? of_vectors : of_integers;
}

// When registers are known in an execution of the block in which one register is known at 0, and all others
// do not matter; -1: they do not depend on it.
class Chain {
 public:
  explicit Chain(int start) {
    known_.fill(-1);
    known_[static_cast<std::size_t>(start)] = 0;
  }
  double known(int which) const { return known_[static_cast<std::size_t>(which)]; }
  void execute(const Instruction& each) {
    const double begin = latest(each.depends.from), base = latest(each.depends.base);
    set(each.depends.to, begin < 0 ? -1 : begin + each.latency);
    set(each.depends.base, base < 0 ? -1 : base + each.update_latency);
  }

 private:
  static void for_all(std::uint64_t which, auto f) {
    for (; which != 0; which &= which - 1) f(static_cast<std::size_t>(std::countr_zero(which)));
  }
  double latest(std::uint64_t of) const {
    double latest = -1;
    for_all(of, [&](std::size_t each) { latest = std::max(latest, known_[each]); });
    return latest;
  }
  void set(std::uint64_t which, double at) {
    for_all(which, [&](std::size_t each) { known_[each] = at; });
  }
  std::array<double, 64> known_;
};

// The longest chain from a register at the begin to the same register at the end.
double longest_recurrence(std::span<const Instruction> block) {
  double longest = 0;
  std::uint64_t written = 0, live_in = 0;
  for (const Instruction& each : block) {
    live_in |= each.depends.from & ~written;
    written |= each.depends.to;
  }
  for (std::uint64_t candidates = written & live_in; candidates != 0; candidates &= candidates - 1) {
    const int start = std::countr_zero(candidates);
    Chain chain(start);
    for (const Instruction& each : block) chain.execute(each);
    longest = std::max(longest, chain.known(start));
  }
  return longest;
}

double cycles(std::span<const Instruction> block, unsigned width) {
  std::array<double, pipelines> busy{};
  for (const Instruction& each : block) busy[pipelines_of(each.depends.is)] += each.occupancy;
  return std::max({static_cast<double>(block.size()) / width, *std::ranges::max_element(busy),
                   longest_recurrence(block)});
}

using Code = std::span<const std::uint32_t>;
constexpr std::size_t begin_of_line = instructions_of_line, end_of_line = 2 * instructions_of_line;

// Where basic blocks begin, with the end of the code.
std::vector<bool> begins_of_blocks(Code code) {
  std::vector<bool> begins(code.size() + 1);
  begins.front() = begins.back() = true;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (dependences(code[i]).is == branch) begins[i + 1] = true;
    if (const auto by = jump(code[i]))
      if (const std::int64_t to = static_cast<std::int64_t>(i) + *by; to >= 0 && to < std::ssize(code))
        begins[static_cast<std::size_t>(to)] = true;
  }
  return begins;
}

// Of a load with an immediate offset to a base register that it does not change: the offset in bytes.
std::optional<int> offset_of(std::uint32_t word) {
  constexpr Encoding scaled = encoding("size 111 V 01 opc imm12 Rn Rt"),
                     unscaled = encoding("size 111 V 00 opc 0 imm9 00 Rn Rt"),
                     pair = encoding("opc 101 V 010 L imm7 Rt2 Rn Rt");
  const auto is_signed = [](unsigned value, unsigned width) {
    return static_cast<int>(value) - ((value >> (width - 1) & 1) != 0 ? 1 << width : 0);
  };
  const bool is_vector = bits(word, 26, 26) == 1;
  if (scaled.matches(word)) {
    const unsigned size = is_vector && bits(word, 23, 23) == 1 ? 4 : bits(word, 31, 30);
    return static_cast<int>(bits(word, 21, 10) << size);
  }
  if (unscaled.matches(word)) return is_signed(bits(word, 20, 12), 9);
  if (pair.matches(word))
    return is_signed(bits(word, 21, 15), 7) *
           (1 << (is_vector ? 2 + bits(word, 31, 30) : 2 + bits(word, 31, 31)));
  return std::nullopt;
}

// The registers that depend on a load's data at the end of its basic block.
std::uint64_t depend_on(Code code, std::size_t load, std::size_t end) {
  const Dependences loaded = dependences(code[load]);
  std::uint64_t registers = loaded.to & ~loaded.base;
  for (std::size_t at = load + 1; at < end; ++at) {
    const Dependences later = dependences(code[at]);
    const bool depends = (registers & (later.is == InstructionClass::load ? later.address : later.from)) != 0;
    registers = depends ? registers | (later.to & ~later.base) : registers & ~(later.to & ~later.base);
  }
  return registers;
}

// Loads behind an access that have its base register.
void add_companions(Code code, std::size_t index, std::size_t end, AccessRegisters& access) {
  const auto offset = offset_of(code[index]);
  if (!offset) return;
  const std::uint64_t base = dependences(code[index]).address;
  std::uint64_t written = dependences(code[index]).to;
  for (std::size_t at = index + 1; at < end && (written & base) == 0; ++at) {
    const Dependences later = dependences(code[at]);
    const auto later_offset = offset_of(code[at]);
    if (later.is == load && later_offset && later.address == base && !access.companions.is_full())
      access.companions.add({static_cast<std::uint16_t>(at - index),
                             static_cast<std::int16_t>(*later_offset - *offset), depend_on(code, at, end)});
    written |= later.to;
  }
}

}  // namespace

LineTimes times_of_line(const CodeAroundLine& code, const CoreTiming& t) {
  const auto of = [&](const Dependences& d) {
    const auto timed = [&](const auto& c) {
      return Instruction{d, c.latency, 1 / c.per_cycle, t.integer.latency};
    };
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
      case InstructionClass::other:
        break;
    }
    return timed(t.other);
  };
  std::array<Instruction, std::tuple_size_v<CodeAroundLine>> instructions;
  std::ranges::transform(code, instructions.begin(),
                         [&](std::uint32_t word) { return of(dependences(word)); });
  const auto begins = begins_of_blocks(code);
  LineTimes times{};
  constexpr double unit = 1000, most = 65'535;
  std::size_t first = begin_of_line;
  while (!begins[first]) --first;
  for (std::size_t end = first; first < end_of_line; first = end) {
    do ++end;
    while (!begins[end]);
    const std::size_t count = end - first;
    const double all = std::round(unit * cycles(std::span(instructions).subspan(first, count), t.width));
    const auto whole = static_cast<std::uint64_t>(std::min(all, most * static_cast<double>(count)));
    for (std::size_t at = std::max(first, begin_of_line); at < std::min(end, end_of_line); ++at) {
      const std::size_t i = at - first;
      times[at - begin_of_line] =
          static_cast<std::uint16_t>(std::max<std::uint64_t>((i + 1) * whole / count - i * whole / count, 1));
    }
    const std::size_t last = end - 1;
    if (last < begin_of_line || last >= end_of_line || instructions[last].depends.is != branch ||
        !may_be_mispredicted(code[last]))
      continue;
    std::uint16_t& time = times[last - begin_of_line];
    time = static_cast<std::uint16_t>(
        std::min(time + std::round(unit * t.branch.mispredicted * t.branch.penalty), most));
  }
  return times;
}

AccessRegisters registers_of_access(const CodeAroundLine& code, const LineTimes& times, std::size_t of_line) {
  const std::size_t index = begin_of_line + of_line;
  const auto begins = begins_of_blocks(code);
  const Dependences access = dependences(code[index]);
  std::size_t end = index + 1;
  while (!begins[end]) ++end;
  AccessRegisters result{.loaded = access.is == load ? depend_on(code, index, end) : 0,
                         .of_address = access.address};
  for (std::size_t at = index; !begins[at];) {
    const Dependences earlier = dependences(code[--at]);
    ++result.before;
    const std::uint64_t written = earlier.to & ~earlier.base & result.of_address;
    if (written == 0) continue;
    result.of_address &= ~written;
    if (earlier.is == load) {
      if (const std::size_t before = index - at - 1; before < 32) result.of_loads |= 1u << before;
      result.of_address |= earlier.address;
    } else {
      result.of_address |= earlier.from;
    }
  }
  add_companions(code, index, end, result);
  const std::size_t first = std::max(index - result.before, begin_of_line) - begin_of_line;
  const auto time = std::span(times).subspan(first, std::min(end, end_of_line) - begin_of_line - first);
  result.pace = std::accumulate(time.begin(), time.end(), 0u) / static_cast<unsigned>(time.size());
  return result;
}

const AccessRegisters& TimedLine::registers_of_access(std::size_t index) {
  const auto found = std::ranges::find(registers_, index, &std::pair<std::size_t, AccessRegisters>::first);
  if (found != registers_.end()) return found->second;
  return registers_.emplace_back(index, a64::registers_of_access(code, times, index)).second;
}

std::shared_ptr<TimedLine> TimedLines::find(std::uint64_t number, const std::uint8_t* page,
                                            const CoreTiming& timing) {
  if (lines_.empty()) lines_.resize(capacity);
  constexpr std::uint64_t line_bytes = 4 * instructions_of_line, lines_of_page = 4096 / line_bytes;
  const std::uint64_t in_page = number % lines_of_page;
  const std::uint64_t first = in_page == 0 ? 0 : in_page - 1, last = std::min(in_page + 1, lines_of_page - 1);
  CodeAroundLine code;
  code.fill(no_code);
  std::memcpy(code.data() + (first + 1 - in_page) * instructions_of_line, page + first * line_bytes,
              (last + 1 - first) * line_bytes);
  std::shared_ptr<TimedLine>& line = lines_[number % capacity];
  if (!line || line->code != code) line = std::make_shared<TimedLine>(code, timing);
  return line;
}

}  // namespace asterism::a64
