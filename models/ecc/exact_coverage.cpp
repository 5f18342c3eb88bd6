// Coverage by counting. The errors that a fault can cause in a codeword form a space B over GF(2), spanned by
// the bits that it covers; the corrections of a symbol, or of a chip, form a space A of syndromes. The
// decoder takes an error in B for this correction if its syndrome is in A, so that the number of miscorrected
// errors is |A n B| - 1, by rank. Fewer symbols than the distance of the code, including that of the
// correction, are independent: A n B is then 0.
#include <array>
#include <bit>
#include <map>
#include <tuple>

#include "ecc/chipkill.h"
#include "ecc/fault_coverage.h"
#include "ecc/placement.h"
#include "ecc/reed_solomon.h"

namespace asterism {
namespace {

constexpr unsigned all_locations = 255;

class Space {
 public:
  // Adds a vector. Returns whether it was not yet in the space.
  bool add(std::uint32_t vector) {
    while (vector != 0) {
      std::uint32_t& row = rows_[static_cast<unsigned>(std::countl_zero(vector))];
      if (row == 0) {
        row = vector;
        return true;
      }
      vector ^= row;
    }
    return false;
  }

 private:
  std::array<std::uint32_t, 32> rows_{};  // by their highest bit
};

double power_of_two(unsigned exponent) { return static_cast<double>(std::uint64_t{1} << exponent); }

// The number of errors in a codeword by the decision of the decoder.
struct CodewordShares {
  double none = 0;                                             // no error
  double right = 0, wrong = 0;                                 // taken for one symbol
  std::array<double, block_chips> chip_right{}, chip_wrong{};  // those in that chip
  // Errors that only both symbols of a chip explain.
  std::array<double, block_chips> double_right{}, double_wrong{};
};

class Counter {
 public:
  Counter(EccProfile profile, CoverageCode code) : profile_(profile), code_(code), layout_(layout_of(code)) {}

  CoverageShares block(const PlacedFaults& faults) {
    if (profile_ == EccProfile::thesis) return thesis_block(faults);
    // Bits flip independently, but a fault flips at least one: the cases without a flip of the first, of the
    // second and of both are subtracted.
    CoverageShares sum;
    double possible = 1;
    for (unsigned off = 0; off < 4; ++off) {
      PlacedFaults some = faults;
      double share = 1;
      bool counts = true;
      for (unsigned f = 0; f < 2; ++f) {
        if (!(off >> f & 1)) continue;
        counts = counts && faults.masks[f] != 0;
        share /= -power_of_two(static_cast<unsigned>(std::popcount(faults.masks[f])));
        some.masks[f] = 0;
      }
      if (!counts) continue;
      const CoverageShares of_some = free_block(some);
      sum.corrected += share * of_some.corrected;
      sum.silent += share * of_some.silent;
    }
    for (const std::uint32_t mask : faults.masks)
      if (mask) possible *= 1 - 1 / power_of_two(static_cast<unsigned>(std::popcount(mask)));
    sum.corrected /= possible;
    sum.silent /= possible;
    sum.uncorrectable = 1 - sum.corrected - sum.silent;
    return sum;
  }

 private:
  using Key = std::tuple<unsigned, unsigned, std::uint32_t, std::uint32_t>;

  std::uint32_t column(unsigned position, unsigned bit) const {
    if (code_ == CoverageCode::chipkill) return chipkill_code.syndrome(position, 1u << bit);
    const ReedSolomon& code = code_ == CoverageCode::rs_36_32   ? rs_36_32
                              : code_ == CoverageCode::rs_18_16 ? rs_18_16
                                                                : rs_19_16;
    std::uint32_t syndrome = 0;
    for (unsigned row = 0; row < code.checks(); ++row)
      syndrome |=
          std::uint32_t{gf256::multiply(code.check(row, position), static_cast<std::uint8_t>(1u << bit))}
          << 8 * row;
    return syndrome;
  }

  PlacedFaults of_codeword(PlacedFaults faults, unsigned w) const {
    for (std::uint32_t& mask : faults.masks)
      mask = (mask & codeword_mask(layout_.codewords(), w)) >> layout_.codeword_bits * w;
    return faults;
  }
  std::uint32_t symbol_mask(std::uint32_t mask, unsigned s) const {
    return mask >> layout_.symbol_bits * s & ((1u << layout_.symbol_bits) - 1);
  }
  unsigned touched_symbols(const PlacedFaults& of_w) const {
    unsigned touched = 0;
    for (const std::uint32_t mask : of_w.masks)
      for (unsigned s = 0; s < layout_.chip_symbols_of_codeword(); ++s) touched += symbol_mask(mask, s) != 0;
    return touched;
  }
  // The space of errors of a codeword.
  Space errors(const PlacedFaults& faults) const {
    Space space;
    const unsigned per_chip = layout_.chip_symbols_of_codeword();
    for (unsigned f = 0; f < 2; ++f)
      for (unsigned s = 0; s < per_chip; ++s) {
        const std::uint32_t mask = symbol_mask(faults.masks[f], s);
        for (unsigned bit = 0; bit < layout_.symbol_bits; ++bit)
          if (mask >> bit & 1) space.add(column(per_chip * faults.chips[f] + s, bit));
      }
    return space;
  }
  // The number of errors in the space with the syndrome of an error at these positions, none of which is
  // touched.
  double taken_for(Space space, unsigned position, unsigned positions) const {
    unsigned common = 0;
    for (unsigned i = position; i < position + positions; ++i)
      for (unsigned bit = 0; bit < layout_.symbol_bits; ++bit) common += !space.add(column(i, bit));
    return power_of_two(common) - 1;
  }
  bool is_of(const PlacedFaults& faults, unsigned chip) const {
    return (faults.masks[0] && chip == faults.chips[0]) || (faults.masks[1] && chip == faults.chips[1]);
  }

  CoverageShares thesis_block(const PlacedFaults& faults) {
    double all_right = 1, none_wrong = 1;
    for (unsigned w = 0; w < layout_.codewords(); ++w) {
      const PlacedFaults of_w = of_codeword(faults, w);
      const unsigned touched = touched_symbols(of_w);
      if (touched > layout_.corrects) all_right = 0;
      if (layout_.corrects == 0 || touched + 1 < layout_.distance) continue;
      none_wrong *= 1 - thesis_wrong(of_w);
    }
    return {all_right, none_wrong - all_right, 1 - none_wrong};
  }
  // Every touched symbol is wrong. Errors that are taken for another one touch at least distance - 1 symbols,
  // and no more are touched: none of theirs is therefore 0.
  double thesis_wrong(const PlacedFaults& of_w) {
    const auto [known, is_new] =
        wrong_.try_emplace(Key{of_w.chips[0], of_w.chips[1], of_w.masks[0], of_w.masks[1]}, 0);
    if (!is_new) return known->second;
    const Space space = errors(of_w);
    double taken = 0, all = 1;
    const unsigned per_chip = layout_.chip_symbols_of_codeword();
    for (unsigned i = 0; i < (code_ == CoverageCode::chipkill ? Chipkill::chips : all_locations); ++i) {
      const bool own = is_of(of_w, i / per_chip) &&
                       symbol_mask(of_w.masks[i / per_chip == of_w.chips[0] ? 0 : 1], i % per_chip) != 0;
      if (!own) taken += taken_for(space, i, 1);
    }
    for (const std::uint32_t mask : of_w.masks)
      for (unsigned s = 0; s < per_chip; ++s)
        if (const auto bits = static_cast<unsigned>(std::popcount(symbol_mask(mask, s))); bits != 0)
          all *= power_of_two(bits) - 1;
    return known->second = taken / all;
  }

  // Each bit flips with probability 1/2, all bits independently; so codewords are independent.
  CoverageShares free_block(const PlacedFaults& faults) {
    double single = 1, single_right = 1;  // all codewords have at most one wrong symbol
    std::array<double, block_chips> same{}, same_right{}, same_single{}, same_single_right{};
    for (auto* shares : {&same, &same_right, &same_single, &same_single_right}) shares->fill(1);
    for (unsigned w = 0; w < layout_.codewords(); ++w) {
      const PlacedFaults placed = of_codeword(faults, w);
      if (placed.masks[0] == 0 && placed.masks[1] == 0) continue;  // none of it
      const CodewordShares& of_w = codeword(placed);
      single *= of_w.none + of_w.right + of_w.wrong;
      single_right *= of_w.none + of_w.right;
      for (unsigned c = 0; solves_chips() && c < block_chips; ++c) {
        const double right = of_w.none + of_w.chip_right[c];
        same_single_right[c] *= right;
        same_single[c] *= right + of_w.chip_wrong[c];
        same_right[c] *= right + of_w.double_right[c];
        same[c] *= right + of_w.chip_wrong[c] + of_w.double_right[c] + of_w.double_wrong[c];
      }
    }
    for (unsigned c = 0; solves_chips() && c < block_chips; ++c) {
      single += same[c] - same_single[c];
      single_right += same_right[c] - same_single_right[c];
    }
    return {single_right, 1 - single, single - single_right};
  }
  bool solves_chips() const { return profile_ == EccProfile::chip && code_ == CoverageCode::rs_36_32; }

  const CodewordShares& codeword(const PlacedFaults& of_w) {
    const unsigned touched = touched_symbols(of_w);
    const bool symbols = layout_.corrects != 0 && touched + 1 >= layout_.distance;
    const bool chips = solves_chips() && touched + 2 >= layout_.distance;
    if (!symbols && !chips) return simple_ = right_only(of_w);
    const Key key{of_w.chips[0], of_w.chips[1], of_w.masks[0], of_w.masks[1]};
    const auto known = shares_.find(key);
    if (known != shares_.end()) return known->second;
    CodewordShares& shares = shares_[key] = right_only(of_w);
    const Space space = errors(of_w);
    if (symbols) add_wrong_symbols(of_w, space, shares);
    if (chips) add_wrong_chips(of_w, space, shares);
    return shares;
  }
  static double patterns(const PlacedFaults& of_w) {
    return power_of_two(static_cast<unsigned>(std::popcount(of_w.masks[0]) + std::popcount(of_w.masks[1])));
  }
  CodewordShares right_only(const PlacedFaults& of_w) const {
    CodewordShares shares;
    const double all = patterns(of_w);
    shares.none = 1 / all;
    if (layout_.corrects != 0) add_right(of_w, all, shares);
    return shares;
  }
  void add_right(const PlacedFaults& of_w, double all, CodewordShares& shares) const {
    for (unsigned f = 0; f < 2; ++f) {
      double singles = 0;
      for (unsigned s = 0; s < layout_.chip_symbols_of_codeword(); ++s)
        singles += power_of_two(static_cast<unsigned>(std::popcount(symbol_mask(of_w.masks[f], s)))) - 1;
      shares.right += singles / all;
      if (!solves_chips()) continue;
      const double both = power_of_two(static_cast<unsigned>(std::popcount(of_w.masks[f]))) - 1;
      shares.chip_right[of_w.chips[f]] += singles / all;
      shares.double_right[of_w.chips[f]] += (both - singles) / all;
    }
  }
  void add_wrong_symbols(const PlacedFaults& of_w, const Space& space, CodewordShares& shares) const {
    const double all = patterns(of_w);
    const unsigned per_chip = layout_.chip_symbols_of_codeword();
    for (unsigned i = 0; i < per_chip * layout_.chips; ++i) {
      const unsigned c = i / per_chip;
      if (is_of(of_w, c) && symbol_mask(of_w.masks[c == of_w.chips[0] ? 0 : 1], i % per_chip) != 0) continue;
      const double taken = taken_for(space, i, 1) / all;
      shares.wrong += taken;
      if (solves_chips()) shares.chip_wrong[c] += taken;
    }
  }
  void add_wrong_chips(const PlacedFaults& of_w, const Space& space, CodewordShares& shares) const {
    const double all = patterns(of_w);
    for (unsigned c = 0; c < block_chips; ++c)
      if (!is_of(of_w, c)) shares.double_wrong[c] += taken_for(space, 2 * c, 2) / all - shares.chip_wrong[c];
  }

  EccProfile profile_;
  CoverageCode code_;
  CodeLayout layout_;
  CodewordShares simple_;
  std::map<Key, CodewordShares> shares_;
  std::map<Key, double> wrong_;
};

unsigned places(FaultShape shape) {
  return shape == FaultShape::bit ? 32 : shape == FaultShape::word ? 8 : shape == FaultShape::pin ? 4 : 1;
}
unsigned bit_of(FaultShape shape, unsigned place) { return shape == FaultShape::word ? 4 * place : place; }

}  // namespace

CoverageShares exact_coverage(EccProfile profile, CoverageCode code, const PlacedFaults& faults) {
  return Counter(profile, code).block(faults);
}

CoverageShares exact_coverage(EccProfile profile, CoverageCode code, FailureMode failure) {
  const FailureShapes shapes = shapes_of(failure);
  const CodeLayout layout = layout_of(code);
  const bool together =
      profile == EccProfile::thesis && shapes.second && is_local(shapes.first) && is_local(*shapes.second);
  Counter counter(profile, code);
  CoverageShares sum;
  double count = 0;
  const auto add = [&](const PlacedFaults& faults) {
    const CoverageShares shares = counter.block(faults);
    sum.corrected += shares.corrected;
    sum.uncorrectable += shares.uncorrectable;
    sum.silent += shares.silent;
    ++count;
  };
  for (unsigned chip = 0; chip < layout.chips; ++chip)
    for (unsigned place = 0; place < places(shapes.first); ++place) {
      const unsigned bit = bit_of(shapes.first, place);
      const std::uint32_t mask = fault_mask(shapes.first, bit);
      if (!shapes.second) add({{chip, 0}, {mask, 0}});
      for (unsigned other = 0; shapes.second && other < layout.chips; ++other)
        for (unsigned second = 0; other != chip && second < places(*shapes.second); ++second) {
          const unsigned second_bit = bit_of(*shapes.second, second);
          if (together && second_bit / layout.codeword_bits != bit / layout.codeword_bits) continue;
          add({{chip, other}, {mask, fault_mask(*shapes.second, second_bit)}});
        }
    }
  return {sum.corrected / count, sum.uncorrectable / count, sum.silent / count};
}

}  // namespace asterism
