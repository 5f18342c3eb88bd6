#include "ecc/ddr5_coverage.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>

namespace asterism {
namespace {

constexpr std::uint64_t half_of_burst = 0xFFFF'FFFF;

// What a chip delivers of a fault.
std::uint64_t delivered_errors(Ddr5Fault fault, bool on_die, Random& random) {
  const auto masks = places(fault);
  const std::uint64_t mask = masks[random.below(masks.size())];
  if (!on_die) return draw_wrong_bits(mask, random);
  OnDieWord word = draw_wrong_word(mask, random);
  on_die_code.decode(word);
  return word.delivered;
}

double two_to(unsigned exponent) {
  return exponent < 64 ? static_cast<double>(std::uint64_t{1} << exponent) : 0x1p64 * two_to(exponent - 64);
}

// Faults at some bits of two chips; a mask of 0 means no fault.
struct ChipFaults {
  std::array<unsigned, 2> chips = {0, 1};
  std::array<std::uint64_t, 2> masks = {0, 0};
};

// The shares of the errors of one codeword.
struct CodewordErrors {
  double none = 0;         // no error
  double no_syndrome = 0;  // including none
  double right = 0;        // corrected, and the correction is the error
  double delivered = 0;    // corrected, right or wrong
  double refused = 0;
  std::array<double, ddr5_chips> chip_right{}, chip_delivered{};  // of these, those in one chip
};

class Ddr5Counter {
 public:
  explicit Ddr5Counter(const Ddr5Codec& codec) : codec_(codec) {
    const auto& parts = codec.parts();
    part_spaces_.reserve(parts.size());
    for (const Ddr5Codec::Part& part : parts) part_spaces_.push_back(syndromes(part));
    for (const auto& [a, b] : codec.pairs()) {
      BinarySpace both = part_spaces_[a];
      for (const BinaryVector& vector : part_spaces_[b].basis()) both.add(vector);
      pair_spaces_.push_back(both);
    }
    if (codec.pairs().empty())
      for (unsigned i = 0; i < parts.size(); ++i) add_overlaps(i, 1u << i, part_spaces_[i]);
  }

  // Uncorrectable and silent errors; `corrected` is not set.
  CoverageShares block(const ChipFaults& faults) {
    // Bits flip independently, but a fault flips at least one: the cases without a flip of the first, of the
    // second and of both are subtracted.
    CoverageShares sum;
    double possible = 1;
    for (unsigned off = 0; off < 4; ++off) {
      ChipFaults some = faults;
      double share = 1;
      bool counts = true;
      for (unsigned f = 0; f < 2; ++f) {
        if (!(off >> f & 1)) continue;
        counts = counts && faults.masks[f] != 0;
        share /= -two_to(static_cast<unsigned>(std::popcount(faults.masks[f])));
        some.masks[f] = 0;
      }
      if (!counts) continue;
      const CoverageShares of_some = free_block(some);
      sum.uncorrectable += share * of_some.uncorrectable;
      sum.silent += share * of_some.silent;
    }
    for (const std::uint64_t mask : faults.masks)
      if (mask) possible *= 1 - 1 / two_to(static_cast<unsigned>(std::popcount(mask)));
    sum.uncorrectable /= possible;
    sum.silent /= possible;
    return sum;
  }

 private:
  using Key = std::tuple<unsigned, unsigned, std::uint64_t, std::uint64_t>;
  // Errors that all these parts explain.
  struct Overlap {
    unsigned parts;
    BinarySpace syndromes;
  };

  BinarySpace syndromes(const Ddr5Codec::Part& part) const {
    BinarySpace space;
    for (std::uint64_t bits = part.mask; bits != 0; bits &= bits - 1)
      space.add(codec_.column(part.chip, static_cast<unsigned>(std::countr_zero(bits))));
    return space;
  }
  void add_overlaps(unsigned last, unsigned parts, const BinarySpace& space) {
    if (space.dimension() == 0) return;
    overlaps_.push_back({parts, space});
    for (unsigned i = last + 1; i < part_spaces_.size(); ++i)
      add_overlaps(i, parts | 1u << i, intersection(space, part_spaces_[i]));
  }

  // Each bit flips with probability 1/2, all bits independently; so codewords are independent.
  CoverageShares free_block(const ChipFaults& faults) {
    double right = 1, delivered = 1, none = 1, no_syndrome = 1, refused = 0;
    unsigned codewords = 0;
    std::array<double, ddr5_chips> chip_right, chip_delivered;
    chip_right.fill(1);
    chip_delivered.fill(1);
    for (unsigned w = 0; w < codec_.codewords(); ++w) {
      ChipFaults of_w = faults;
      for (std::uint64_t& mask : of_w.masks) {
        mask >>= codec_.codeword_bits() * w;
        if (codec_.codeword_bits() < 64) mask &= (std::uint64_t{1} << codec_.codeword_bits()) - 1;
      }
      if (of_w.masks[0] == 0 && of_w.masks[1] == 0) continue;
      ++codewords;
      const CodewordErrors& errors = codeword(of_w);
      refused = errors.refused;
      none *= errors.none;
      no_syndrome *= errors.no_syndrome;
      right *= errors.none + errors.right;
      delivered *= errors.no_syndrome + errors.delivered;
      for (unsigned c = 0; c < ddr5_chips; ++c) {
        chip_right[c] *= errors.none + errors.chip_right[c];
        chip_delivered[c] *= errors.no_syndrome + errors.chip_delivered[c];
      }
    }
    if (codec_.must_agree()) {
      // Blocks without any correction are in the product of each chip.
      right = none;
      delivered = no_syndrome;
      for (unsigned c = 0; c < ddr5_chips; ++c) {
        right += chip_right[c] - none;
        delivered += chip_delivered[c] - no_syndrome;
      }
    }
    return {right, codewords == 1 ? refused : 1 - delivered, delivered - right};
  }

  const CodewordErrors& codeword(const ChipFaults& faults) {
    const auto [known, is_new] = known_.try_emplace(
        Key{faults.chips[0], faults.chips[1], faults.masks[0], faults.masks[1]}, CodewordErrors{});
    CodewordErrors& errors = known->second;
    if (!is_new) return errors;
    const std::vector<BinaryVector> vectors = errors_of(faults, {});
    const auto bits = static_cast<unsigned>(vectors.size());
    const double all = two_to(bits), without_syndrome = in_space(vectors, BinarySpace());
    errors.none = 1 / all;
    errors.no_syndrome = without_syndrome / all;
    const auto add = [&](unsigned chip, unsigned other, double delivered, double right) {
      errors.delivered += delivered / all;
      errors.right += right / all;
      if (chip != other) return;
      errors.chip_delivered[chip] += delivered / all;
      errors.chip_right[chip] += right / all;
    };
    const auto& parts = codec_.parts();
    double ambiguous = 0;
    if (codec_.pairs().empty()) {
      ambiguous = count_single_parts(faults, vectors, without_syndrome, add);
    } else {
      std::vector<double> in_part(parts.size()), wrong_bits(parts.size());
      for (unsigned i = 0; i < parts.size(); ++i) {
        in_part[i] = in_space(vectors, part_spaces_[i]) - without_syndrome;
        wrong_bits[i] = two_to(static_cast<unsigned>(errors_of(faults, parts[i]).size())) - 1;
        add(parts[i].chip, parts[i].chip, in_part[i], wrong_bits[i]);
      }
      for (unsigned p = 0; p < pair_spaces_.size(); ++p) {
        const auto [a, b] = codec_.pairs()[p];
        const double both = in_space(vectors, pair_spaces_[p]) - without_syndrome - in_part[a] - in_part[b];
        add(parts[a].chip, parts[b].chip, both, wrong_bits[a] * wrong_bits[b]);
      }
    }
    // Errors of one part are refused only if another part explains them, too; the difference would be lost
    // in rounding.
    const bool is_of_one_part = std::ranges::any_of(
        parts, [&](const Ddr5Codec::Part& part) { return errors_of(faults, part).size() == bits; });
    errors.refused = is_of_one_part ? ambiguous / all : 1 - errors.no_syndrome - errors.delivered;
    return errors;
  }

  // Returns the number of errors that several parts explain, which are refused.
  template <class Add>
  double count_single_parts(const ChipFaults& faults, const std::vector<BinaryVector>& vectors,
                            double without_syndrome, const Add& add) const {
    const auto& parts = codec_.parts();
    std::vector<double> in_overlap;
    in_overlap.reserve(overlaps_.size());
    double ambiguous = 0;
    for (const Overlap& overlap : overlaps_) {
      in_overlap.push_back(in_space(vectors, overlap.syndromes) - without_syndrome);
      const int size = std::popcount(overlap.parts);
      ambiguous += (size % 2 ? -1 : 1) * (size - 1) * in_overlap.back();
    }
    for (unsigned i = 0; i < parts.size(); ++i) {
      const std::vector<BinaryVector> own = errors_of(faults, parts[i]);
      double delivered = 0, right = 0;
      for (std::size_t o = 0; o < overlaps_.size(); ++o) {
        if (!(overlaps_[o].parts >> i & 1)) continue;
        const double sign = std::popcount(overlaps_[o].parts) % 2 ? 1 : -1;
        delivered += sign * in_overlap[o];
        right += sign * (in_space(own, overlaps_[o].syndromes) - 1);
      }
      add(parts[i].chip, parts[i].chip, delivered, right);
    }
    return ambiguous;
  }

  // The syndromes of the bits that may be wrong, all or those of a part.
  std::vector<BinaryVector> errors_of(const ChipFaults& faults,
                                      const std::optional<Ddr5Codec::Part>& part) const {
    std::vector<BinaryVector> vectors;
    for (unsigned f = 0; f < 2; ++f) {
      std::uint64_t bits = faults.masks[f];
      if (part) bits &= faults.chips[f] == part->chip ? part->mask : 0;
      for (; bits != 0; bits &= bits - 1)
        vectors.push_back(codec_.column(faults.chips[f], static_cast<unsigned>(std::countr_zero(bits))));
    }
    return vectors;
  }
  // The number of errors whose syndrome is in the space.
  static double in_space(const std::vector<BinaryVector>& vectors, const BinarySpace& space) {
    BinarySpace beyond;  // reduced by the space
    unsigned independent = 0;
    for (const BinaryVector& vector : vectors) {
      BinaryVector rest = vector;
      // Reducing by one may bring back what the other removes.
      for (BinaryVector before; !(before == rest);) {
        before = rest;
        rest = beyond.reduced(space.reduced(rest));
      }
      independent += beyond.add(rest);
    }
    return two_to(static_cast<unsigned>(vectors.size()) - independent);
  }

  const Ddr5Codec& codec_;
  std::vector<BinarySpace> part_spaces_, pair_spaces_;
  std::vector<Overlap> overlaps_;
  std::map<Key, CodewordErrors> known_;
};

}  // namespace

OnDieWord draw_wrong_word(std::uint64_t mask, Random& random) {
  OnDieWord word{draw_wrong_bits(mask, random), 0, 0};
  if (~mask == 0) {
    word.other = random.next();
    word.check = static_cast<std::uint8_t>(random.next());
  }
  return word;
}

std::vector<std::uint64_t> places(Ddr5Fault fault) {
  std::vector<std::uint64_t> masks;
  switch (fault) {
    case Ddr5Fault::bit:
      for (unsigned bit = 0; bit < 64; ++bit) masks.push_back(std::uint64_t{1} << bit);
      break;
    case Ddr5Fault::beat:
      for (unsigned beat = 0; beat < ddr5_beats; ++beat) masks.push_back(std::uint64_t{15} << 4 * beat);
      break;
    case Ddr5Fault::pin:
      for (unsigned pin = 0; pin < 4; ++pin) masks.push_back(pin_bits(pin));
      break;
    case Ddr5Fault::two_pins:
      for (unsigned a = 0; a < 4; ++a)
        for (unsigned b = 0; b < a; ++b) masks.push_back(pin_bits(a) | pin_bits(b));
      break;
    case Ddr5Fault::half_burst:
      masks = {half_of_burst, half_of_burst << 32};
      break;
    case Ddr5Fault::chip:
      masks = {~std::uint64_t{0}};
      break;
  }
  return masks;
}

CoverageCounts measure_coverage(const Ddr5Codec& codec, const Ddr5Failure& failure, bool on_die,
                                std::uint64_t trials, std::uint64_t seed, const std::stop_token& stop) {
  CoverageCounts counts;
  Random random(seed);
  for (std::uint64_t i = 0; i < trials && !stop.stop_requested(); ++i) {
    Ddr5Block block;  // the error pattern
    const auto first = static_cast<unsigned>(random.below(codec.chips()));
    block.chips[first] = delivered_errors(failure.first, on_die, random);
    if (failure.second) {
      auto second = static_cast<unsigned>(random.below(codec.chips() - 1));
      second += second >= first;
      block.chips[second] = delivered_errors(*failure.second, on_die, random);
    }
    const Ddr5Result result = codec.decode(block);
    if (result.outcome == Ddr5Result::Outcome::uncorrectable)
      ++counts.uncorrectable;
    else if (block == Ddr5Block())
      ++counts.corrected;
    else
      ++counts.silent;
  }
  return counts;
}

CoverageShares exact_coverage(const Ddr5Codec& codec, const Ddr5Failure& failure) {
  Ddr5Counter counter(codec);
  const auto first = places(failure.first);
  const auto second = failure.second ? places(*failure.second) : std::vector<std::uint64_t>{0};
  CoverageShares sum;
  double cases = 0;
  for (unsigned a = 0; a < codec.chips(); ++a)
    for (unsigned b = 0; b < codec.chips(); ++b) {
      if (a == b || (!failure.second && b != (a + 1) % codec.chips())) continue;
      for (const std::uint64_t of_first : first)
        for (const std::uint64_t of_second : second) {
          const CoverageShares shares = counter.block({{a, b}, {of_first, of_second}});
          sum.uncorrectable += shares.uncorrectable;
          sum.silent += shares.silent;
          ++cases;
        }
    }
  sum.uncorrectable /= cases;
  sum.silent /= cases;
  sum.corrected = std::max(0.0, 1 - sum.uncorrectable - sum.silent);
  return sum;
}

}  // namespace asterism
