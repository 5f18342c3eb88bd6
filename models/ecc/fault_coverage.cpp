#include "ecc/fault_coverage.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "ecc/chipkill.h"
#include "ecc/page_codec.h"
#include "ecc/placement.h"
#include "ecc/reed_solomon.h"

namespace asterism {
namespace {

constexpr std::size_t page_blocks = 64;
using enum SymbolFix::Outcome;
using Row = std::array<std::uint8_t, 4>;  // syndromes of a codeword

// The errors of one trial: bits of two chips, as fault_pattern.h has them.
struct Trial {
  unsigned chips[2] = {0, 0};
  std::uint32_t errors[2] = {0, 0};

  MemoryBlock block() const {
    MemoryBlock pattern = chip_errors(chips[0], errors[0]);
    if (errors[1]) pattern ^= chip_errors(chips[1], errors[1]);
    return pattern;
  }
  // The number of wrong symbols in these bits.
  unsigned wrong_symbols(std::uint32_t bits) const {
    unsigned wrong = 0;
    for (const std::uint32_t of_chip : errors)
      for (std::uint32_t p = 0; p < chip_symbols; ++p) wrong += (of_chip & bits & 0xFFu << 8 * p) != 0;
    return wrong;
  }
};

class Trials {
 public:
  Trials(EccProfile profile, CoverageCode code, FailureMode failure, std::uint64_t seed)
      : profile_(profile), shapes_(shapes_of(failure)), layout_(layout_of(code)), random_(seed) {}

  Trial draw() {
    Trial trial;
    trial.chips[0] = chip();
    const auto first = static_cast<unsigned>(random_.next() >> 59);
    trial.errors[0] = draw_errors(profile_, fault_mask(shapes_.first, first), random_, layout_.symbol_bits);
    if (!shapes_.second) return trial;
    do trial.chips[1] = chip();
    while (trial.chips[1] == trial.chips[0]);
    auto second = static_cast<unsigned>(random_.next() >> 59);
    if (profile_ == EccProfile::thesis && is_local(shapes_.first) && is_local(*shapes_.second))
      second = first / layout_.codeword_bits * layout_.codeword_bits + second % layout_.codeword_bits;
    trial.errors[1] =
        draw_errors(profile_, fault_mask(*shapes_.second, second), random_, layout_.symbol_bits);
    return trial;
  }

 private:
  // Constant bounds spare divisions.
  unsigned chip() {
    return static_cast<unsigned>(layout_.chips == block_chips ? random_.below(block_chips)
                                                              : random_.below(Chipkill::chips));
  }

  EccProfile profile_;
  FailureShapes shapes_;
  CodeLayout layout_;
  Random random_;
};

void add(CoverageCounts& counts, bool silent, bool uncorrectable) {
  ++(silent ? counts.silent : uncorrectable ? counts.uncorrectable : counts.corrected);
}

// Processes blocks of the dual-mode code, a page at a time, with the bulk codec.
class DualModeTrials {
 public:
  DualModeTrials(EccProfile profile, CoverageCode code)
      : codec_(profile),
        code_(code),
        mode_(code == CoverageCode::rs_36_32 ? EccMode::normal : EccMode::strong),
        pages_(mode_) {}

  void run(Trials& trials, std::size_t blocks, CoverageCounts& counts) {
    for (std::size_t i = 0; i < blocks; ++i) {
      trials_[i] = trials.draw();
      std::memset(&data_[i * block_bytes], 0, block_bytes);
      std::memset(&parity_[i * block_beats], 0, block_beats);
      for (unsigned f = 0; f < 2; ++f) scatter(i, trials_[i].chips[f], trials_[i].errors[f]);
    }
    pages_.syndromes(data_, parity_, syndromes_);
    if (code_ == CoverageCode::rs_19_16) pages_.encode_third(data_, parity_, third_);
    for (std::size_t i = 0; i < blocks; ++i) classify(i, counts);
  }

 private:
  // Writes chip_errors() directly to the arrays.
  void scatter(std::size_t i, unsigned chip, std::uint32_t errors) {
    const bool is_data = chip < data_chips;
    std::uint8_t* byte = is_data ? &data_[i * block_bytes + chip / 2] : &parity_[i * block_beats];
    for (unsigned beat = 0; beat < block_beats; ++beat, byte += is_data ? 8 : 1)
      *byte ^= static_cast<std::uint8_t>((errors >> 4 * beat & 15) << 4 * (chip % 2));
  }

  // The syndromes of codeword w of block i. Third symbols have no errors, so that those computed from the
  // other symbols are the third syndrome.
  Row row(std::size_t i, std::size_t w) const {
    const std::uint8_t* of_block = &syndromes_[8 * i];
    if (mode_ == EccMode::normal)
      return {of_block[4 * w], of_block[4 * w + 1], of_block[4 * w + 2], of_block[4 * w + 3]};
    return {of_block[2 * w], of_block[2 * w + 1], third_[4 * i + w], 0};
  }

  void classify(std::size_t i, CoverageCounts& counts) {
    if (code_ == CoverageCode::rs_18_16) {
      const bool detected =
          std::any_of(&syndromes_[8 * i], &syndromes_[8 * i] + 8, [](auto byte) { return byte != 0; });
      return add(counts, !detected, detected);
    }
    const ReedSolomon& code = mode_ == EccMode::normal ? rs_36_32 : rs_19_16;
    const unsigned codewords = mode_ == EccMode::normal ? 2 : 4;
    const bool thesis = codec_.profile() == EccProfile::thesis;
    bool wrong = false, uncorrectable = false;
    for (unsigned w = 0; w < codewords; ++w) {
      const SymbolFix fix = code.decode(row(i, w), thesis ? Locations::any : Locations::of_code);
      uncorrectable |= fix.outcome == SymbolFix::Outcome::uncorrectable;
      // A correction is right if one symbol is wrong: nothing else within the distance of the code has its
      // syndromes.
      wrong |= fix.outcome == corrected && trials_[i].wrong_symbols(codeword_mask(codewords, w)) != 1;
    }
    if (uncorrectable && codec_.profile() == EccProfile::chip && mode_ == EccMode::normal)
      return classify_by_decoder(i, counts);
    add(counts, wrong && (thesis || !uncorrectable), uncorrectable);
  }
  void classify_by_decoder(std::size_t i, CoverageCounts& counts) const {
    MemoryBlock block = trials_[i].block();
    const bool refused = codec_.decode(mode_, block).outcome == DecodeResult::Outcome::uncorrectable;
    add(counts, !refused && block != MemoryBlock{}, refused);
  }

  DualModeCodec codec_;
  CoverageCode code_;
  EccMode mode_;
  PageCodec pages_;
  std::array<Trial, page_blocks> trials_;
  std::array<std::uint8_t, page_blocks * block_bytes> data_{};
  std::array<std::uint8_t, page_blocks * block_beats> parity_{}, syndromes_{};
  std::array<std::uint8_t, page_blocks * chip_symbols> third_{};
};

// The result of the decoder for each syndrome of a beat.
const std::vector<Chipkill::Fix::Outcome>& chipkill_outcomes() {
  static const std::vector<Chipkill::Fix::Outcome> outcomes = [] {
    std::vector<Chipkill::Fix::Outcome> of(0x10000);
    for (unsigned syndrome = 0; syndrome < of.size(); ++syndrome)
      of[syndrome] = chipkill_code.decode(static_cast<std::uint16_t>(syndrome)).outcome;
    return of;
  }();
  return outcomes;
}

void run_chipkill(EccProfile profile, Trials& trials, std::size_t blocks, CoverageCounts& counts) {
  const auto& outcomes = chipkill_outcomes();
  for (std::size_t i = 0; i < blocks; ++i) {
    const Trial trial = trials.draw();
    bool wrong = false, uncorrectable = false;
    for (unsigned beat = 0; beat < block_beats; ++beat) {
      const unsigned first = trial.errors[0] >> 4 * beat & 15, second = trial.errors[1] >> 4 * beat & 15;
      const bool refused =
          outcomes[chipkill_code.syndrome(trial.chips[0], first) ^
                   chipkill_code.syndrome(trial.chips[1], second)] == Chipkill::Fix::Outcome::uncorrectable;
      uncorrectable |= refused;
      wrong |= !refused && first != 0 && second != 0;
    }
    add(counts, wrong && (profile == EccProfile::thesis || !uncorrectable), uncorrectable);
  }
}

}  // namespace

FailureShapes shapes_of(FailureMode failure) {
  using enum FaultShape;
  switch (failure) {
    case FailureMode::bit:
      return {bit, {}};
    case FailureMode::pin:
      return {pin, {}};
    case FailureMode::word:
      return {word, {}};
    case FailureMode::chip:
      return {chip, {}};
    case FailureMode::bit_bit:
      return {bit, bit};
    case FailureMode::bit_pin:
      return {bit, pin};
    case FailureMode::bit_word:
      return {bit, word};
    case FailureMode::bit_chip:
      return {bit, chip};
    case FailureMode::pin_word:
      return {pin, word};
    case FailureMode::pin_pin:
      return {pin, pin};
    case FailureMode::pin_chip:
      return {pin, chip};
    case FailureMode::word_word:
      return {word, word};
    case FailureMode::word_chip:
      return {word, chip};
    case FailureMode::chip_chip:
      return {chip, chip};
  }
  throw std::logic_error("no such failure");
}

CoverageCounts measure_coverage(EccProfile profile, CoverageCode code, FailureMode failure,
                                std::uint64_t trials, std::uint64_t seed, const std::stop_token& stop) {
  const auto stream = static_cast<std::uint64_t>(code) * 64 + static_cast<std::uint64_t>(failure);
  Trials drawn(profile, code, failure, Random(seed).at(stream));
  CoverageCounts counts;
  std::optional<DualModeTrials> dual_mode;
  if (code != CoverageCode::chipkill) dual_mode.emplace(profile, code);
  for (std::uint64_t done = 0; done < trials && !stop.stop_requested(); done += page_blocks) {
    const auto blocks = static_cast<std::size_t>(std::min<std::uint64_t>(page_blocks, trials - done));
    if (dual_mode)
      dual_mode->run(drawn, blocks, counts);
    else
      run_chipkill(profile, drawn, blocks, counts);
  }
  return counts;
}

Interval confidence_interval(std::uint64_t successes, std::uint64_t trials) {
  if (trials == 0) return {};
  constexpr double z = 1.959963984540054;
  const auto n = static_cast<double>(trials);
  const double p = static_cast<double>(successes) / n;
  const double middle = p + z * z / (2 * n), scale = 1 + z * z / n;
  const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return {successes == 0 ? 0 : (middle - half) / scale, successes == trials ? 1 : (middle + half) / scale};
}

}  // namespace asterism
