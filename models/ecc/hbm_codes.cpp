#include "ecc/hbm_codes.h"

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "ecc/sector_code.h"

namespace asterism {
namespace {

double to_power(double x, unsigned exponent) {
  double power = 1;
  for (; exponent != 0; exponent /= 2, x *= x)
    if (exponent % 2 != 0) power *= x;
  return power;
}

double choose(unsigned n, unsigned k) {
  double ways = 1;
  for (unsigned i = 0; i < k; ++i) ways = ways * (n - i) / (i + 1);
  return k > n ? 0 : ways;
}

// Whether any of `bits` is wrong: exact for the smallest shares, too.
double any_of(unsigned bits, double share) {
  double sum = 0, none_before = 1;
  for (unsigned i = 0; i < bits; ++i, none_before *= 1 - share) sum += share * none_before;
  return sum;
}

// The probabilities of 0, 1, ..., n successes.
std::vector<double> binomial(unsigned n, double p) {
  std::vector<double> shares(n + 1);
  for (unsigned k = 0; k <= n; ++k) shares[k] = choose(n, k) * to_power(p, k) * to_power(1 - p, n - k);
  return shares;
}
double at_least(const std::vector<double>& shares, unsigned first) {
  double sum = 0;
  for (std::size_t k = shares.size(); k-- > first;) sum += shares[k];
  return sum;
}

constexpr unsigned die_symbols = 19, die_checks = 2, symbol_bits = 16, byte_bits = 8;
constexpr unsigned chunk_checks = TwoLevelSpan::chunk_bytes - TwoLevelSpan::chunk_data;
constexpr double byte_order = 255, symbol_order = 65535;

// Of a code that corrects a few symbols of a short word.
struct ShortFailures {
  double flagged = 0, silent = 0;
};
ShortFailures short_failures(unsigned length, unsigned checks, double order, unsigned corrects,
                             double wrong) {
  const std::vector<double> shares = binomial(length, wrong);
  ShortFailures failures{at_least(shares, corrects + 1), 0};
  for (unsigned count = corrects + 1; count <= length; ++count)
    failures.silent += shares[count] * miscorrected_share(length, checks, order, corrects, count);
  failures.flagged -= failures.silent;
  return failures;
}

unsigned span_symbols(const HbmCodeConfig& config) {
  return TwoLevelSpan::chunk_bytes * (config.span.data_chunks + config.span.parity_chunks) / 2;
}
unsigned span_checks(const HbmCodeConfig& config) {
  return span_symbols(config) - TwoLevelSpan::chunk_data * config.span.data_chunks / 2;
}

// A product of many factors, none of them negative, which may be far outside of the range of a double.
class Product {
 public:
  void multiply(double factor) {
    factor_ *= factor;
    if (factor_ == 0) return;
    for (; factor_ < 1 / step; factor_ *= step) --steps_;
    for (; factor_ > step; factor_ /= step) ++steps_;
  }
  double value() const {
    double value = factor_;
    for (int i = steps_; i < 0 && value > 0; ++i) value /= step;
    for (int i = 0; i < steps_; ++i) value *= step;
    return value;
  }

 private:
  static constexpr double step = 0x1p256;
  double factor_ = 1;
  int steps_ = 0;  // the product is factor_ * step^steps_
};

// The probability of exactly k of n.
double exactly(unsigned n, unsigned k, double p) {
  Product share;
  for (unsigned i = 0; i < k; ++i) share.multiply(static_cast<double>(n - i) / (i + 1) * p);
  for (unsigned i = k; i < n; ++i) share.multiply(1 - p);
  return share.value();
}

// The probability of more than so many of n, for any n. The terms are summed of the tail that is on the far
// side of the most probable count, so that they decline from the first one on.
double more_than(unsigned n, unsigned count, double p) {
  if (count >= n || p <= 0) return 0;
  if (p >= 1) return 1;
  double sum = 0;
  if (p * (n + 1.0) > count + 1.0) {
    double term = exactly(n, count, p);
    for (unsigned k = count; term > 0; --k) {
      sum += term;
      term *= static_cast<double>(k) / (n - k + 1) * (1 - p) / p;
    }
    return std::max(1 - sum, 0.0);
  }
  double term = exactly(n, count + 1, p);
  for (unsigned k = count + 1; k <= n && term > 0; ++k) {
    sum += term;
    term *= static_cast<double>(n - k) / (k + 1) * p / (1 - p);
  }
  return sum;
}

}  // namespace

// Words of weight w within distance s <= corrects of a codeword of weight u: i of its symbols became 0, j
// others changed, and k symbols outside of it are wrong.
double miscorrected_share(unsigned length, unsigned checks, double order, unsigned corrects, unsigned wrong) {
  const unsigned distance = checks + 1;
  double taken = 0;
  for (unsigned weight = distance; weight <= std::min(length, wrong + corrects); ++weight) {
    double codewords = 0;
    for (unsigned j = 0; j <= weight - distance; ++j)
      codewords +=
          (j % 2 == 0 ? 1 : -1) * choose(weight, j) * (to_power(order + 1, weight - distance + 1 - j) - 1);
    codewords *= choose(length, weight);
    for (unsigned i = 0; i <= corrects && i <= weight; ++i) {
      if (wrong + i < weight) continue;
      const unsigned k = wrong + i - weight;
      for (unsigned j = 0; i + j + k <= corrects && j <= weight - i; ++j)
        taken += codewords * choose(weight, i) * choose(weight - i, j) * to_power(order - 1, j) *
                 choose(length - weight, k) * to_power(order, k);
    }
  }
  return taken / (choose(length, wrong) * to_power(order, wrong));
}

HbmFailures hbm_failures(const HbmCodeConfig& config, double bit_errors) {
  HbmFailures failures;
  switch (config.code) {
    case HbmCode::on_die: {
      const ShortFailures of_word =
          short_failures(die_symbols, die_checks, symbol_order, 1, any_of(symbol_bits, bit_errors));
      failures = {of_word.flagged, of_word.silent, 0};
      break;
    }
    case HbmCode::long_rs:
      failures.uncorrectable =
          more_than(span_symbols(config), span_checks(config) / 2, any_of(symbol_bits, bit_errors));
      break;
    case HbmCode::reach: {
      const ShortFailures of_chunk =
          short_failures(TwoLevelSpan::chunk_bytes, chunk_checks, byte_order, config.span.inner_corrects,
                         any_of(byte_bits, bit_errors));
      const unsigned others = config.span.data_chunks + config.span.parity_chunks - 1;
      failures.flagged = of_chunk.flagged;
      failures.silent = of_chunk.silent;
      failures.uncorrectable =
          of_chunk.flagged * more_than(others, config.span.parity_chunks - 1, of_chunk.flagged);
      break;
    }
  }
  return failures;
}

double tolerated_bit_errors(const HbmCodeConfig& config, double failures) {
  const auto holds = [&](double bit_errors) {
    const HbmFailures of = hbm_failures(config, bit_errors);
    return of.uncorrectable + of.silent <= failures;
  };
  double low = 1e-18;
  if (!holds(low)) return 0;
  while (low < 0.25 && holds(2 * low)) low *= 2;
  double high = std::min(2 * low, 0.5);  // a bit of noise alone is wrong half of the time
  for (unsigned i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

double hbm_throughput(const HbmCodeConfig& config, const HbmAccesses& accesses, double bit_errors) {
  if (config.code == HbmCode::on_die) return 1;
  const unsigned data = config.span.data_chunks, all = data + config.span.parity_chunks;
  const auto whole = static_cast<double>(TwoLevelSpan::transfers_of(0, all));
  const double flagged = hbm_failures(config, bit_errors).flagged;
  double sequential = whole / data, random_read = whole;
  // The parity of the long code is the last part of the span.
  double random_write = whole + 1 + 2.0 * span_checks(config) / TwoLevelSpan::transfer_bytes;
  if (config.code == HbmCode::reach) {
    double one = 0;
    for (unsigned chunk = 0; chunk < data; ++chunk) one += TwoLevelSpan::transfers_of(chunk, 1);
    one /= data;
    const auto parity = static_cast<double>(TwoLevelSpan::transfers_of(data, config.span.parity_chunks));
    if (config.parity_reads == ParityReads::on_failure)
      sequential = (TwoLevelSpan::transfers_of(0, data) + any_of(data, flagged) * parity) / data;
    random_read = one + flagged * (whole - one);
    random_write = random_read + parity + one + parity;
  }
  const double rest = 1 - accesses.random_reads - accesses.random_writes;
  return 1 /
         (rest * sequential + accesses.random_reads * random_read + accesses.random_writes * random_write);
}

// ---- by encoding and decoding ----

namespace {

// Calls flip(bit) for each wrong one of these bits.
template <class Flip>
void draw_wrong_bits(double share, std::uint64_t bits, Random& random, Flip flip) {
  if (share < Geometric::least) return;
  const Geometric gap(share);
  for (std::uint64_t bit = gap.draw(random); bit < bits; bit += 1 + gap.draw(random)) flip(bit);
}

class HbmTrial {
 public:
  HbmTrial(const HbmCodeConfig& config, double bit_errors, std::uint64_t seed)
      : config_(config),
        bit_errors_(bit_errors),
        random_(seed),
        long_(GaloisField::of_symbols(), span_symbols(config), span_checks(config)) {}

  void run(HbmTrials& counts) {
    ++counts.trials;
    switch (config_.code) {
      case HbmCode::on_die:
        return on_die(counts);
      case HbmCode::long_rs:
        return long_rs(counts);
      case HbmCode::reach:
        return reach(counts);
    }
  }

 private:
  void on_die(HbmTrials& counts) {
    SectorBits sector{};
    for (unsigned i = 0; i < sector_data; ++i) sector[i] = static_cast<std::uint8_t>(random_.next());
    encode_sector(SectorCode::symbol, sector);
    const SectorBits right = sector;
    draw_wrong_bits(bit_errors_, std::uint64_t{8} * sector_bytes(SectorCode::symbol), random_,
                    [&](std::uint64_t bit) { sector[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8); });
    const SectorOutcome outcome = decode_sector(SectorCode::symbol, sector);
    count(counts, outcome == SectorOutcome::uncorrectable,
          std::equal(sector.begin(), sector.begin() + sector_data, right.begin()));
  }
  void long_rs(HbmTrials& counts) {
    std::vector<LongReedSolomon::Symbol> word(long_.length());
    for (auto& symbol : word) symbol = static_cast<LongReedSolomon::Symbol>(random_.next());
    long_.encode(word);
    const auto right = word;
    draw_wrong_bits(
        bit_errors_, std::uint64_t{symbol_bits} * long_.length(), random_, [&](std::uint64_t bit) {
          word[bit / symbol_bits] ^= static_cast<LongReedSolomon::Symbol>(1u << bit % symbol_bits);
        });
    const auto outcome = long_.decode(word, {});
    count(counts, outcome == LongReedSolomon::Outcome::uncorrectable, word == right);
  }
  void reach(HbmTrials& counts) {
    TwoLevelSpan span(config_.span);
    std::vector<TwoLevelSpan::Chunk> data(span.data_chunks());
    for (TwoLevelSpan::Chunk& chunk : data)
      for (std::uint8_t& byte : chunk) byte = static_cast<std::uint8_t>(random_.next());
    span.write(data);
    draw_wrong_bits(bit_errors_, span.bits(), random_, [&](std::uint64_t bit) { span.flip(bit); });
    const auto chunk = static_cast<unsigned>(random_.below(span.data_chunks()));
    TwoLevelSpan::Chunk got{};
    const TwoLevelSpan::Outcome outcome = span.read(chunk, got);
    if (outcome == TwoLevelSpan::Outcome::rebuilt) ++counts.rebuilt;
    count(counts, outcome == TwoLevelSpan::Outcome::uncorrectable, got == data[chunk]);
  }
  static void count(HbmTrials& counts, bool is_uncorrectable, bool is_right) {
    ++(is_uncorrectable ? counts.uncorrectable : is_right ? counts.correct : counts.silent);
  }

  HbmCodeConfig config_;
  double bit_errors_;
  Random random_;
  LongReedSolomon long_;
};

}  // namespace

HbmTrials try_hbm_code(const HbmCodeConfig& config, double bit_errors, std::uint64_t trials,
                       std::uint64_t seed, const std::stop_token& stop) {
  HbmTrials counts;
  HbmTrial trial(config, bit_errors, seed);
  while (counts.trials < trials && !stop.stop_requested()) trial.run(counts);
  return counts;
}

}  // namespace asterism
