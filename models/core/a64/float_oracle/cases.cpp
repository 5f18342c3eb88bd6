#include "core/a64/float_oracle/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "core/a64/soft_float.h"

namespace asterism::a64 {
namespace {

using Random = std::mt19937_64;

std::uint64_t below(Random& random, std::uint64_t limit) { return random() % limit; }
bool one_in(Random& random, unsigned n) { return below(random, n) == 0; }

// ---- words ----

bool name_has(const Row& row, std::string_view part) {
  return std::string_view(row.name).find(part) != std::string_view::npos;
}

std::uint32_t with_register(const Row& row, std::uint32_t word, unsigned low, std::uint32_t number) {
  const std::uint32_t field = 0x1fu << low;
  return row.encoding.mask & field ? word : (word & ~field) | number << low;
}

std::uint32_t random_word(Random& random, const Row& row) {
  std::uint32_t word = (static_cast<std::uint32_t>(random()) & ~row.encoding.mask) | row.encoding.value;
  const bool has_immediate = name_has(row, "immediate") || name_has(row, "fixed-point");
  if (!name_has(row, "FCCMP")) word = with_register(row, word, 0, 0);
  word = with_register(row, word, 5, 1);
  if (name_has(row, "by element, half"))
    word = (word & ~(0xfu << 16)) | 2u << 16;  // bit 20 belongs to the index
  else if (!has_immediate)
    word = with_register(row, word, 16, 2);
  if (word >> 24 == 0x1f) word = with_register(row, word, 10, 3);
  return word;
}

bool is_defined(const Row& row, std::uint32_t word) {
  static const Options options{.features = CoreFeatures::all()};
  std::vector<std::uint64_t> constants;
  Decoding decoding(word, {.el0 = false, .fp_enabled = true}, options, constants);
  return find_row(word, options) == &row && row.decode(decoding);
}

// ---- numbers ----

struct Format {
  unsigned fraction_bits, exponent_bits;
  unsigned bits() const { return 1 + exponent_bits + fraction_bits; }
  std::uint64_t fraction_mask() const { return (std::uint64_t{1} << fraction_bits) - 1; }
  int biased_maximum() const { return (1 << exponent_bits) - 1; }
  int bias() const { return biased_maximum() / 2; }
};
constexpr Format half_format{10, 5}, single_format{23, 8}, double_format{52, 11};

// A fraction of few bits, of a run of bits, a halfway pattern, or any other.
std::uint64_t random_fraction(Random& random, const Format& f) {
  const std::uint64_t bit = std::uint64_t{1} << below(random, f.fraction_bits);
  switch (below(random, 7)) {
    case 0:
      return 0;
    case 1:
      return bit;
    case 2:
      return bit - 1;
    case 3:
      return f.fraction_mask() - (bit - 1);
    case 4:
      return (bit | bit >> 1 | (std::uint64_t{1} << below(random, f.fraction_bits))) & f.fraction_mask();
    case 5:
      return (bit - 1) ^ (std::uint64_t{1} << below(random, f.fraction_bits));
    default:
      return random() & f.fraction_mask();
  }
}

// Exponents, without bias, of the operands of one case. They are chosen so that the operands of sums overlap,
// and so that products are near an end of the range.
using Exponents = std::array<int, 4>;
Exponents random_exponents(Random& random, const Format& f) {
  const auto anywhere = [&] {
    return static_cast<int>(below(random, static_cast<unsigned>(f.biased_maximum()))) - f.bias();
  };
  const auto about = [&](int center, unsigned distance) {
    return center + static_cast<int>(below(random, 2 * distance + 1)) - static_cast<int>(distance);
  };
  const int fraction = static_cast<int>(f.fraction_bits);
  const int goals[] = {0, 1 - f.bias(), -f.bias() - fraction, f.bias(), about(0, 70), anywhere()};
  const int goal = about(goals[below(random, std::size(goals))], 3);  // of the product, or quotient
  const int first = one_in(random, 2) ? anywhere() : about(0, 20);
  Exponents result{};
  result[1] = first;
  switch (below(random, 4)) {
    case 0:
      result[2] = goal - first;
      break;
    case 1:
      result[2] = first - goal;
      break;
    case 2:
      result[2] = about(first, f.fraction_bits + 3);
      break;
    default:
      result[2] = anywhere();
  }
  const int product = result[1] + result[2];
  result[3] =
      one_in(random, 3) ? anywhere() : about(product, one_in(random, 2) ? 2 : 2 * f.fraction_bits + 4);
  result[0] =
      one_in(random, 3) ? anywhere() : about(product, one_in(random, 2) ? 2 : 2 * f.fraction_bits + 4);
  return result;
}

std::uint64_t random_number(Random& random, const Format& f, int exponent) {
  const std::uint64_t sign = (random() & 1) << (f.bits() - 1);
  const std::uint64_t infinity = static_cast<std::uint64_t>(f.biased_maximum()) << f.fraction_bits;
  const std::uint64_t quiet = std::uint64_t{1} << (f.fraction_bits - 1);
  switch (below(random, 24)) {
    case 0:
      return sign;
    case 1:
      return sign | infinity;
    case 2:
      return sign | infinity | quiet | random_fraction(random, f);
    case 3:
      return sign | infinity | std::max<std::uint64_t>(random_fraction(random, f) & (quiet - 1), 1);
    case 4:
      return sign | random_fraction(random, f);  // a denormal
    case 5:
      return (random() >> (64 - f.bits()));
    default:
      const int biased = std::clamp(exponent + f.bias(), 0, f.biased_maximum() - 1);
      return sign | static_cast<std::uint64_t>(biased) << f.fraction_bits | random_fraction(random, f);
  }
}

// An integer of any length; powers of two, their neighbours and halfway patterns are frequent.
std::uint64_t random_integer(Random& random) {
  const std::uint64_t value = random() >> below(random, 64);
  const std::uint64_t bit = std::uint64_t{1} << below(random, 64);
  switch (below(random, 5)) {
    case 0:
      return bit + below(random, 3) - 1;
    case 1:
      return 0 - bit + below(random, 3) - 1;
    case 2:
      return value;
    case 3:
      return 0 - value;
    default:
      return (value & ~(bit - 1)) | (bit >> 1);
  }
}

std::uint64_t random_lanes(Random& random, const Format& f, int exponent) {
  std::uint64_t result = 0;
  for (unsigned at = 0; at < 64; at += f.bits()) result |= random_number(random, f, exponent) << at;
  return result;
}

// The format of random operands: mostly that of the instruction.
const Format& random_format(Random& random, const FloatInstruction& instruction) {
  if (one_in(random, 8)) return one_in(random, 2) ? single_format : double_format;
  const bool sz = instruction.word >> 22 & 1;
  const bool is_scalar_half = (instruction.word & 0x5ec0'0000) == 0x1ec0'0000;
  if (is_scalar_half || name_has(*instruction.row, "half")) return half_format;
  if (name_has(*instruction.row, "FCVTL")) return sz ? single_format : half_format;
  return sz ? double_format : single_format;
}

}  // namespace

std::vector<FloatInstruction> float_instructions(Random& random) {
  constexpr int samples = 96;  // of a row
  std::vector<FloatInstruction> result;
  std::set<std::uint32_t> seen;
  for (const auto rows : {floating_point_rows(), simd_floating_point_rows()})
    for (const Row& row : rows)
      for (int i = 0; i < samples; ++i) {
        const std::uint32_t word = random_word(random, row);
        // find_row() returns rows of the same table, so that they can be compared by address.
        if (is_defined(row, word) && seen.insert(word).second) result.push_back({word, &row});
      }
  return result;
}

FloatCase float_case(Random& random, const std::vector<FloatInstruction>& instructions) {
  FloatCase result;
  result.instruction = static_cast<std::uint32_t>(below(random, instructions.size()));
  if (one_in(random, 2)) {
    result.fpcr = static_cast<std::uint32_t>(random()) & fpcr_bit::writable;
  } else {
    result.fpcr = one_in(random, 2) ? fpcr_bit::dn : 0;  // where the host may compute
  }
  result.fpsr = one_in(random, 3) ? 0 : static_cast<std::uint32_t>(random()) & fpsr_bit::writable;
  result.nzcv = static_cast<std::uint32_t>(random()) & 0xf000'0000;
  for (std::uint64_t& x : result.x) x = random_integer(random);
  const Format& f = random_format(random, instructions[result.instruction]);
  const Exponents exponents = random_exponents(random, f);
  for (std::size_t i = 0; i < result.v.size(); ++i)
    for (std::uint64_t& part : result.v[i])
      part = one_in(random, 24) ? random_integer(random) : random_lanes(random, f, exponents[i]);
  if (one_in(random, 16)) result.v[2] = result.v[1];
  return result;
}

std::string describe(const FloatInstruction& instruction, const FloatCase& given) {
  std::string text =
      fmt::format("{} {:08x}: fpcr {:08x} fpsr {:08x} nzcv {:08x} x1 {:016x}", instruction.row->name,
                  instruction.word, given.fpcr, given.fpsr, given.nzcv, given.x[1]);
  for (std::size_t i = 0; i < given.v.size(); ++i)
    text += fmt::format("\n  v{} {:016x}'{:016x}", i, given.v[i][1], given.v[i][0]);
  return text;
}

std::string describe(const FloatOutcome& outcome) {
  return fmt::format("v0 {:016x}'{:016x} x0 {:016x} fpsr {:08x} nzcv {:08x}", outcome.v[1], outcome.v[0],
                     outcome.x, outcome.fpsr, outcome.nzcv);
}

}  // namespace asterism::a64
