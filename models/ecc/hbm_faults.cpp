#include "ecc/hbm_faults.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/random.h"
#include "ecc/sector_coverage.h"

namespace asterism {
namespace {

void flip_chunk(TwoLevelSpan& span, unsigned chunk, const SectorBits& errors) {
  constexpr std::uint64_t bits = std::uint64_t{8} * TwoLevelSpan::chunk_bytes;
  for (std::uint64_t bit = 0; bit < bits; ++bit)
    if ((errors[bit / 8] >> bit % 8 & 1) != 0) span.flip(chunk * bits + bit);
}

// A span of zeros is one that was written: the codes are linear.
CoverageCounts measure_span_coverage(const HbmProtection& protection, const FaultMode& mode,
                                     std::uint64_t trials, std::uint64_t seed, const std::stop_token& stop) {
  Random random(seed);
  CoverageCounts counts;
  TwoLevelSpan span(protection.span);
  const unsigned covered = covered_chunks(protection, mode.extent);
  const std::uint64_t bits = std::uint64_t{8} * sector_bytes(SectorCode::reach);
  std::vector<std::pair<unsigned, SectorBits>> errors;
  errors.reserve(covered);
  for (std::uint64_t trial = 0; trial < trials && !stop.stop_requested(); ++trial) {
    const auto read = static_cast<unsigned>(random.below(span.data_chunks()));
    const auto place = static_cast<unsigned>(random.below(bits));
    const SectorBits bits_of_fault = fault_bits(SectorCode::reach, sector_shape(mode.covers), place);
    errors.clear();
    for (unsigned chunk = covered == 1 ? read : read % protection.span_dies;
         chunk < span.chunks() && errors.size() < covered; chunk += protection.span_dies)
      errors.emplace_back(chunk, draw_sector_errors(bits_of_fault, random));
    for (const auto& [chunk, wrong] : errors) flip_chunk(span, chunk, wrong);
    TwoLevelSpan::Chunk data{};
    const TwoLevelSpan::Outcome outcome = span.read(read, data);
    const bool right = std::ranges::all_of(data, [](std::uint8_t byte) { return byte == 0; });
    if (outcome == TwoLevelSpan::Outcome::uncorrectable)
      ++counts.uncorrectable;
    else
      ++(right ? counts.corrected : counts.silent);
    for (const auto& [chunk, wrong] : errors) flip_chunk(span, chunk, wrong);
  }
  return counts;
}

}  // namespace

unsigned covered_chunks(const HbmProtection& protection, FaultExtent extent) {
  if (extent == FaultExtent::block || extent == FaultExtent::column) return 1;
  const unsigned chunks = protection.span.data_chunks + protection.span.parity_chunks;
  return (chunks + protection.span_dies - 1) / protection.span_dies;
}

CoverageCounts measure_hbm_coverage(const HbmProtection& protection, const FaultMode& mode,
                                    std::uint64_t trials, std::uint64_t seed, const std::stop_token& stop) {
  return protection.code == SectorCode::reach
             ? measure_span_coverage(protection, mode, trials, seed, stop)
             : measure_sector_coverage(protection.code, sector_shape(mode.covers), trials, seed, stop);
}

CoverageCounts HbmCoverage::of(const FaultMode& mode, const std::stop_token& stop) {
  const std::pair shape(mode.covers, covered_chunks(protection_, mode.extent));
  if (const auto known = known_.find(shape); known != known_.end()) return known->second;
  const CoverageCounts counts = measure_hbm_coverage(protection_, mode, trials_, seed_, stop);
  if (counts.trials() == trials_) known_.emplace(shape, counts);
  return counts;
}

std::optional<HbmFaultsLeft> hbm_faults_left(const FaultRates& rates, const HbmProtection& protection,
                                             std::uint64_t trials, std::uint64_t seed,
                                             const std::stop_token& stop) {
  HbmFaultsLeft left;
  HbmCoverage coverage(protection, trials, seed);
  for (const FaultMode& mode : rates.modes) {
    const CoverageCounts counts = coverage.of(mode, stop);
    if (counts.trials() < trials) return std::nullopt;
    const double fit_of_trial = mode.fit() / static_cast<double>(counts.trials());
    left.uncorrectable_fit += fit_of_trial * static_cast<double>(counts.uncorrectable);
    left.silent_fit += fit_of_trial * static_cast<double>(counts.silent);
    left.uncorrectable_high_fit +=
        mode.fit() * confidence_interval(counts.uncorrectable, counts.trials()).high;
    left.silent_high_fit += mode.fit() * confidence_interval(counts.silent, counts.trials()).high;
  }
  return left;
}

}  // namespace asterism
