#include "ecc/ddr5_codec.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/random.h"
#include "ecc/gf256.h"

namespace asterism {
namespace {

constexpr std::uint64_t low_bits(unsigned count) {
  return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// x * x in GF(2^64).
std::uint64_t times_x(std::uint64_t value) { return value << 1 ^ (value >> 63 ? 0x1B : 0); }

// Fewer bits have too few syndromes for all errors in two pins.
constexpr unsigned hash_bits_for_pins = 44;

using Factors = std::array<std::uint64_t, ddr5_chips>;

Factors chip_guard_factors(std::uint64_t seed) {
  Factors factors{};
  const Random random(seed);
  for (unsigned c = 0; c < ddr5_chips; ++c)
    if (c != 8) factors[c] = random.at(c);
  return factors;
}

// The hashes of the bits of a chip's word: g * x^bit.
std::array<std::uint64_t, 64> hashes(std::uint64_t factor, unsigned hash_bits) {
  std::array<std::uint64_t, 64> columns{};
  for (std::uint64_t& column : columns) {
    column = factor & low_bits(hash_bits);
    factor = times_x(factor);
  }
  return columns;
}

// Whether the hashes of a mask's bits are independent, so that no error in them has the hash 0.
bool independent(const std::array<std::uint64_t, 64>& columns, std::uint64_t mask) {
  BinarySpace space;
  for (unsigned bit = 0; bit < 64; ++bit)
    if (mask >> bit & 1 && !space.add({columns[bit], 0})) return false;
  return true;
}

// Whether no errors in a pin of each of two chips look like an error of a third chip.
bool tells_two_pins(const Factors& factors, unsigned hash_bits) {
  for (unsigned third = 0; third < ddr5_chips; ++third)
    for (unsigned a = 0; a < ddr5_chips; ++a)
      for (unsigned b = 0; b < a; ++b) {
        if (a == third || b == third) continue;
        const auto of_a = hashes(factors[a] ^ factors[third], hash_bits);
        const auto of_b = hashes(factors[b] ^ factors[third], hash_bits);
        for (unsigned pins = 0; pins < 16; ++pins) {
          BinarySpace space;
          for (unsigned beat = 0; beat < ddr5_beats; ++beat)
            if (!space.add({of_a[4 * beat + pins % 4], 0}) || !space.add({of_b[4 * beat + pins / 4], 0}))
              return false;
        }
      }
  return true;
}

// Whether the chips of all bounded errors can be distinguished, and the check bits follow from the rest.
bool suits_chip_guard(const Factors& factors, unsigned hash_bits) {
  if (!independent(hashes(factors[9], hash_bits), low_bits(hash_bits))) return false;
  const auto masks = bounded_masks();
  for (unsigned a = 0; a < ddr5_chips; ++a)
    for (unsigned b = 0; b < a; ++b) {
      const auto differences = hashes(factors[a] ^ factors[b], hash_bits);
      if (!std::ranges::all_of(masks, [&](std::uint64_t mask) { return independent(differences, mask); }))
        return false;
    }
  return hash_bits < hash_bits_for_pins || tells_two_pins(factors, hash_bits);
}

}  // namespace

std::vector<std::uint64_t> bounded_masks() {
  std::vector<std::uint64_t> masks = {low_bits(32), low_bits(32) << 32};
  for (unsigned a = 0; a < 4; ++a)
    for (unsigned b = 0; b < a; ++b) masks.push_back(pin_bits(a) | pin_bits(b));
  return masks;
}

Ddr5Codec::Ddr5Codec(Ddr5Code code, unsigned hash_bits) : code_(code), chips_(chips_of(code)) {
  switch (code) {
    case Ddr5Code::rs_10_8_chip:
      must_agree_ = true;
      [[fallthrough]];
    case Ddr5Code::rs_10_8:
      codeword_bits_ = 8;
      make_reed_solomon(2, false);
      break;
    case Ddr5Code::rs_40_32:
      must_agree_ = true;
      codeword_bits_ = 32;
      make_reed_solomon(8, true);
      break;
    case Ddr5Code::chip_guard:
      make_chip_guard(hash_bits);
      break;
    case Ddr5Code::rs_36_32_bounded:
      must_agree_ = true;
      [[fallthrough]];
    case Ddr5Code::rs_36_32:
      codeword_bits_ = 32;
      make_reed_solomon(4, true);
      break;
  }
  if (pairs_.empty()) {
    candidates_.reserve(parts_.size());
    for (const Part& part : parts_) candidates_.push_back(candidate({part}));
  } else {
    candidates_.reserve(pairs_.size());
    for (const auto& [a, b] : pairs_) candidates_.push_back(candidate({parts_[a], parts_[b]}));
  }
  if (code != Ddr5Code::chip_guard) hash_bits = codeword_bits_;
  checks_ = chips_ == 9 ? candidate({{8, low_bits(codeword_bits_)}})
                        : candidate({{8, low_bits(codeword_bits_)}, {9, low_bits(hash_bits)}});
}

void Ddr5Codec::make_reed_solomon(unsigned checks, bool symbol_per_pin) {
  const unsigned symbols = symbol_per_pin ? 4 : 1;  // of a chip in a codeword
  for (unsigned chip = 0; chip < chips_; ++chip)
    for (unsigned s = 0; s < symbols; ++s)
      for (unsigned bit = 0; bit < 8; ++bit) {
        BinaryVector& column = columns_[chip][symbol_per_pin ? 4 * bit + s : bit];
        for (unsigned row = 0; row < checks; ++row) {
          const std::uint64_t element =
              gf256::multiply(gf256::power((symbols * chip + s) * row), static_cast<std::uint8_t>(1u << bit));
          column.low |= element << 8 * row;
        }
      }
  const bool corrects_pins = symbol_per_pin && checks == 4;
  for (unsigned chip = 0; chip < chips_; ++chip) {
    if (!corrects_pins) parts_.push_back({chip, low_bits(codeword_bits_)});
    for (unsigned pin = 0; corrects_pins && pin < 4; ++pin)
      parts_.push_back({chip, pin_bits(pin) & low_bits(codeword_bits_)});
  }
  for (unsigned b = 0; corrects_pins && b < parts_.size(); ++b)
    for (unsigned a = 0; a < b; ++a)
      if (!must_agree_ || parts_[a].chip == parts_[b].chip) pairs_.emplace_back(a, b);
}

void Ddr5Codec::make_chip_guard(unsigned hash_bits) {
  if (hash_bits < 40 || hash_bits > 64)
    throw std::invalid_argument("the hash of chip_guard has from 40 to 64 bits, got " +
                                std::to_string(hash_bits));
  must_agree_ = true;
  std::uint64_t seed = 0;
  while (!suits_chip_guard(chip_guard_factors(seed), hash_bits)) ++seed;
  const Factors factors = chip_guard_factors(seed);
  for (unsigned chip = 0; chip < ddr5_chips; ++chip) {
    const auto hashed = hashes(factors[chip], hash_bits);
    for (unsigned bit = 0; bit < 64; ++bit) columns_[chip][bit] = {std::uint64_t{1} << bit, hashed[bit]};
    parts_.push_back({chip, ~std::uint64_t{0}});
  }
}

Ddr5Codec::Candidate Ddr5Codec::candidate(const std::vector<Part>& parts) const {
  Candidate made{{parts.front().chip, parts.back().chip}, {}};
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (unsigned bit = 0; bit < codeword_bits_; ++bit) {
      if (!(parts[i].mask >> bit & 1)) continue;
      Row row{columns_[parts[i].chip][bit], {0, 0}, 0};
      row.errors[parts[i].chip == parts.front().chip ? 0 : 1] = std::uint64_t{1} << bit;
      for (const Row& known : made.rows)
        if (row.syndrome.test(known.pivot)) {
          row.syndrome ^= known.syndrome;
          row.errors[0] ^= known.errors[0];
          row.errors[1] ^= known.errors[1];
        }
      if (row.syndrome.is_zero()) throw std::logic_error("errors that a code corrects have no syndrome");
      row.pivot = row.syndrome.highest();
      made.rows.insert(std::ranges::find_if(made.rows, [&](const Row& r) { return r.pivot < row.pivot; }),
                       row);
    }
  return made;
}

std::optional<Ddr5Codec::Fix> Ddr5Codec::explain(const Candidate& candidate, BinaryVector syndrome) {
  Fix fix{{candidate.chips[0], candidate.chips[1]}, {0, 0}};
  for (const Row& row : candidate.rows)
    if (syndrome.test(row.pivot)) {
      syndrome ^= row.syndrome;
      fix.errors[0] ^= row.errors[0];
      fix.errors[1] ^= row.errors[1];
    }
  if (!syndrome.is_zero()) return std::nullopt;
  // The same error of one chip, whatever candidate explains it.
  if (fix.chips[0] == fix.chips[1]) {
    fix.errors[0] ^= std::exchange(fix.errors[1], 0);
  } else if (fix.errors[0] == 0) {
    fix = {{fix.chips[1], fix.chips[1]}, {fix.errors[1], 0}};
  } else if (fix.errors[1] == 0) {
    fix.chips[1] = fix.chips[0];
  }
  return fix;
}

std::optional<Ddr5Codec::Fix> Ddr5Codec::fix(const BinaryVector& syndrome) const {
  std::optional<Fix> found;
  for (const Candidate& candidate : candidates_) {
    const auto fix = explain(candidate, syndrome);
    if (!fix || fix == found) continue;
    if (found) return std::nullopt;
    found = fix;
  }
  return found;
}

BinaryVector Ddr5Codec::syndrome(const Ddr5Block& block, unsigned codeword) const {
  BinaryVector sum;
  for (unsigned chip = 0; chip < chips_; ++chip) {
    std::uint64_t bits = block.chips[chip] >> codeword_bits_ * codeword & low_bits(codeword_bits_);
    for (; bits != 0; bits &= bits - 1) sum ^= columns_[chip][static_cast<unsigned>(std::countr_zero(bits))];
  }
  return sum;
}

void Ddr5Codec::encode(Ddr5Block& block) const {
  for (unsigned w = 0; w < codewords(); ++w) {
    const auto wrong = explain(checks_, syndrome(block, w));
    for (unsigned i = 0; i < 2; ++i) block.chips[wrong->chips[i]] ^= wrong->errors[i] << codeword_bits_ * w;
  }
}

Ddr5Result Ddr5Codec::decode(Ddr5Block& block) const {
  constexpr Ddr5Result uncorrectable{Ddr5Result::Outcome::uncorrectable, 0};
  Ddr5Result result;
  Ddr5Block errors;
  for (unsigned w = 0; w < codewords(); ++w) {
    const BinaryVector found = syndrome(block, w);
    if (found.is_zero()) continue;
    const auto fixed = fix(found);
    if (!fixed) return uncorrectable;
    result.outcome = Ddr5Result::Outcome::corrected;
    for (unsigned i = 0; i < 2; ++i) {
      if (fixed->errors[i] == 0) continue;
      errors.chips[fixed->chips[i]] |= fixed->errors[i] << codeword_bits_ * w;
      result.chips |= 1u << fixed->chips[i];
    }
  }
  if (must_agree_ && std::popcount(result.chips) > 1) return uncorrectable;
  block ^= errors;
  return result;
}

}  // namespace asterism
