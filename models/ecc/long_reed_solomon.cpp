#include "ecc/long_reed_solomon.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace asterism {

LongReedSolomon::LongReedSolomon(const GaloisField& field, unsigned length, unsigned checks, unsigned stride)
    : field_(field), length_(length), checks_(checks), stride_(stride) {
  if (checks == 0 || checks >= length || length > field.order() || std::gcd(stride, field.order()) != 1)
    throw std::invalid_argument("a Reed-Solomon code of this length does not exist over its field");
}

// The parity symbols are erased ones of a word whose data are known.
void LongReedSolomon::encode(std::span<Symbol> codeword) const {
  std::vector<unsigned> parity(checks_);
  std::iota(parity.begin(), parity.end(), data());
  std::ranges::fill(codeword.last(checks_), Symbol{0});
  decode(codeword, {.erased = parity, .max_errors = 0});
}

std::vector<LongReedSolomon::Symbol> LongReedSolomon::syndromes(std::span<const Symbol> codeword) const {
  std::vector<Symbol> sums(checks_);
  for (unsigned i = 0; i < length_; ++i) {
    if (codeword[i] == 0) continue;
    std::uint32_t exponent = field_.log(codeword[i]);
    const auto step = static_cast<std::uint32_t>(std::uint64_t{stride_} * i % field_.order());
    for (Symbol& sum : sums) {
      sum ^= field_.power(exponent);
      exponent += step;
      if (exponent >= field_.order()) exponent -= field_.order();
    }
  }
  return sums;
}

std::vector<LongReedSolomon::Symbol> LongReedSolomon::parity_change(unsigned position, Symbol change) const {
  std::vector<Symbol> word(length_);
  word[position] = change;
  encode(word);
  return {word.end() - checks_, word.end()};
}

LongReedSolomon::Symbol LongReedSolomon::value(const Polynomial& polynomial, Symbol x) const {
  Symbol sum = 0;
  for (std::size_t i = polynomial.size(); i-- > 0;)
    sum = static_cast<Symbol>(field_.multiply(sum, x) ^ polynomial[i]);
  return sum;
}

// The polynomial whose roots are the inverses of the wrong positions' locators, by Berlekamp and Massey,
// which begins with the erasures'. `errors` is the number of wrong positions besides them.
LongReedSolomon::Polynomial LongReedSolomon::locator(std::span<const Symbol> syndromes,
                                                     std::span<const unsigned> erased,
                                                     unsigned& errors) const {
  Polynomial locator(checks_ + 1);
  locator[0] = 1;
  for (unsigned count = 0; count < erased.size(); ++count)
    for (unsigned i = count + 1; i > 0; --i)
      locator[i] ^= field_.multiply(locator[i - 1], locator_of(erased[count]));
  Polynomial previous = locator;
  const auto erasures = static_cast<unsigned>(erased.size());
  unsigned degree = erasures;
  for (unsigned k = erasures; k < checks_; ++k) {
    Symbol discrepancy = 0;
    for (unsigned i = 0; i <= std::min(degree, k); ++i)
      discrepancy ^= field_.multiply(locator[i], syndromes[k - i]);
    previous.insert(previous.begin(), 0);
    previous.pop_back();
    if (discrepancy == 0) continue;
    Polynomial next = locator;
    for (unsigned i = 0; i <= checks_; ++i) next[i] ^= field_.multiply(discrepancy, previous[i]);
    if (2 * degree <= k + erasures) {
      degree = k + 1 - degree + erasures;
      for (unsigned i = 0; i <= checks_; ++i) previous[i] = field_.divide(locator[i], discrepancy);
    }
    locator = std::move(next);
  }
  errors = degree - erasures;
  return locator;
}

// By Forney. Returns whether the word is a codeword now: the locator has as many roots as its degree.
bool LongReedSolomon::correct(std::span<Symbol> codeword, std::span<const Symbol> syndromes,
                              const Polynomial& locator) const {
  std::size_t degree = locator.size() - 1;
  while (degree > 0 && locator[degree] == 0) --degree;
  Polynomial evaluator(checks_), derivative(degree);
  for (unsigned j = 0; j < checks_; ++j)
    for (unsigned i = 0; i <= std::min<std::size_t>(j, degree); ++i)
      evaluator[j] ^= field_.multiply(locator[i], syndromes[j - i]);
  for (std::size_t i = 1; i <= degree; i += 2) derivative[i - 1] = locator[i];
  std::vector<std::pair<unsigned, Symbol>> changes;
  for (unsigned position = 0; position < length_ && changes.size() < degree; ++position) {
    const Symbol inverse = field_.divide(1, locator_of(position));
    if (value(locator, inverse) != 0) continue;
    const Symbol slope = value(derivative, inverse);
    if (slope == 0) return false;
    const Symbol numerator = field_.multiply(value(evaluator, inverse), locator_of(position));
    changes.emplace_back(position, field_.divide(numerator, slope));
  }
  if (changes.size() != degree) return false;
  for (const auto& [position, change] : changes) codeword[position] ^= change;
  return true;
}

LongReedSolomon::Outcome LongReedSolomon::decode(std::span<Symbol> codeword, const How& how) const {
  const std::vector<Symbol> received = syndromes(codeword);
  if (std::ranges::all_of(received, [](Symbol s) { return s == 0; })) return Outcome::clean;
  if (how.erased.size() > checks_) return Outcome::uncorrectable;
  unsigned errors = 0;
  const Polynomial places = locator(received, how.erased, errors);
  if (errors > how.max_errors || std::size_t{2} * errors + how.erased.size() > checks_)
    return Outcome::uncorrectable;
  return correct(codeword, received, places) ? Outcome::corrected : Outcome::uncorrectable;
}

}  // namespace asterism
