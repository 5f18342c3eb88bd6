// The decoding of failures of one or two chips by the memory's codes (models/ecc/fault_coverage.h): Table 4.4
// of abeyratne2017.
#include <array>
#include <cstddef>
#include <span>

#include "ecc/fault_coverage.h"
#include "memory/ecc_memory.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

struct EccStudy {
  EccProfile profile = EccProfile::thesis;
  FailureMode failure = FailureMode::chip_chip;
  CoverageCode code = CoverageCode::rs_36_32;
  std::uint64_t trials = 1'000'000;
  std::uint64_t seed = 1;
};
static_assert(member_count<EccStudy>() == 5);
void describe(Fields& f, EccStudy& c) {
  f("profile", c.profile, "How errors are drawn, and how far the decoder goes.", one_of<EccProfile>());
  f("failure", c.failure, "What fails, in one chip or in two.", one_of<FailureMode>());
  f("code", c.code, "The code that protects the block.", one_of<CoverageCode>());
  f("trials", c.trials,
    "The number of blocks drawn. Ten times as many make the confidence interval a third as wide.",
    within(1, 100'000'000'000));
  f("seed", c.seed, "The seed of the random numbers. Another one shows how much of the result is chance.");
}

// The values of Table 4.4. They are in configs/published as well, where each has its class and its
// expression, but not its failure and its code; a test keeps the two equal.
CoverageShares published(FailureMode failure, CoverageCode code) {
  const bool single = !shapes_of(failure).second;
  if (code == CoverageCode::rs_18_16) return {0, 1, 0};
  if (code != CoverageCode::rs_36_32) return single ? CoverageShares{1, 0, 0} : CoverageShares{0, 1, 0};
  switch (failure) {
    case FailureMode::bit:
    case FailureMode::word:
      return {1, 0, 0};
    case FailureMode::pin_pin:
      return {0, 1 - 1e-6, 1e-6};
    case FailureMode::pin_chip:
    case FailureMode::chip_chip:
      return {0, 1 - 31e-6, 31e-6};
    default:
      return {0, 1, 0};
  }
}

// The time that the decoder of a memory (models/memory/ecc_memory.h) takes with a code, for a block without
// errors and for one that it corrects. The time of RS(19,16) does not include that of RS(18,16), which
// decodes first.
struct DecoderTimes {
  Cell clean, corrected;
};
DecoderTimes decoder_times(CoverageCode code) {
  if (code == CoverageCode::chipkill) return {};
  constexpr DramGeometry geometry{.channels = 1, .ranks = 2, .banks = 8, .rows = 16, .columns = 128};
  constexpr std::uint32_t part_rows = 2 * geometry.rows;
  const AddressMapping mapping("RoRaBaCoCh", geometry);
  Dram cells(geometry.size(), 1);
  EccConfig config;
  config.mode = code == CoverageCode::rs_36_32 ? EccMode::normal : EccMode::strong;
  config.demand_scrub = false;
  EccMemory memory(config, cells, mapping, part_rows, 1);
  std::array<std::byte, block_bytes> data;
  const auto read = [&] { return memory.read(0_ps, Bytes(0), data).decoding; };
  const auto cell = [](Picoseconds time) { return Cell(static_cast<double>(time.count()) / 1000); };

  const Picoseconds clean = read();
  memory.inject(
      0_ps, {.kind = MemoryFaultKind::bit, .persistence = Persistence::stuck, .at = {}, .chip = 3, .bit = 9});
  read();  // fetches the third symbols
  const Picoseconds corrected = read();
  if (code == CoverageCode::rs_36_32) return {cell(clean), cell(corrected)};
  if (code == CoverageCode::rs_18_16) return {cell(clean), {}};
  return {{}, cell(corrected - clean)};
}

class EccPoint final : public StudyPointOf<EccStudy> {
 public:
  std::vector<Cell> run(const std::stop_token& stop) override {
    const CoverageCounts counts =
        measure_coverage(config_.profile, config_.code, config_.failure, config_.trials, config_.seed, stop);
    const std::uint64_t trials = counts.trials();
    if (trials == 0) return empty_row("ecc");
    const CoverageShares exact = exact_coverage(config_.profile, config_.code, config_.failure);
    const CoverageShares paper = published(config_.failure, config_.code);
    const auto share = [trials](std::uint64_t count) {
      return static_cast<double>(count) / static_cast<double>(trials);
    };
    const Interval dce = confidence_interval(counts.corrected, trials);
    const Interval due = confidence_interval(counts.uncorrectable, trials);
    const Interval sdc = confidence_interval(counts.silent, trials);
    const DecoderTimes times = decoder_times(config_.code);
    return {100 * share(counts.corrected),
            100 * share(counts.uncorrectable),
            1e6 * share(counts.silent),
            1e6 * sdc.low,
            1e6 * sdc.high,
            1e6 * exact.silent,
            1e6 * paper.silent,
            100 * dce.low,
            100 * dce.high,
            100 * exact.corrected,
            100 * paper.corrected,
            100 * due.low,
            100 * due.high,
            100 * exact.uncorrectable,
            100 * paper.uncorrectable,
            counts.corrected,
            counts.uncorrectable,
            counts.silent,
            times.clean,
            times.corrected};
  }
};

const RegisteredStudy ecc_study{
    {.name = "ecc",
     .meaning = "How the codes of the memory decode failures of one or two chips: measured, exact, published",
     .coordinates = {"failure", "code"},
     .columns = {{"dce_percent", "DCE", "%", "Blocks whose errors are corrected", 2},
                 {"due_percent", "DUE", "%", "Blocks that are detected as wrong", 4},
                 {"sdc_ppm", "SDC", "ppm", "Blocks that are wrong without being detected, in a million", 2},
                 {"sdc_low_ppm", "from", "ppm", "95% confidence interval of sdc_ppm (Wilson)", 2},
                 {"sdc_high_ppm", "to", "ppm", "95% confidence interval of sdc_ppm (Wilson)", 2},
                 {"exact_sdc_ppm", "exact", "ppm", "The value that sdc_ppm converges to, by counting", 2},
                 {"published_sdc_ppm", "paper", "ppm", "Table 4.4 of abeyratne2017", 0},
                 {"dce_low_percent", "", "%", "95% confidence interval of dce_percent"},
                 {"dce_high_percent", "", "%", "95% confidence interval of dce_percent"},
                 {"exact_dce_percent", "", "%", "The value that dce_percent converges to, by counting"},
                 {"published_dce_percent", "", "%", "Table 4.4 of abeyratne2017"},
                 {"due_low_percent", "", "%", "95% confidence interval of due_percent"},
                 {"due_high_percent", "", "%", "95% confidence interval of due_percent"},
                 {"exact_due_percent", "", "%", "The value that due_percent converges to, by counting"},
                 {"published_due_percent", "", "%", "Table 4.4 of abeyratne2017"},
                 {"corrected", "", "", "Blocks of dce_percent"},
                 {"uncorrectable", "", "", "Blocks of due_percent"},
                 {"silent", "", "", "Blocks of sdc_ppm"},
                 {"decode_clean_ns", "", "ns", "The time of the decoder of a memory if it finds no error"},
                 {"decode_corrected_ns", "", "ns", "The time of the decoder of a memory if it corrects"}},
     .x = "",
     .y = "",
     .bars = {"sdc_ppm"},
     .logarithmic = {"sdc_ppm"},
     .intervals = {{"sdc_ppm", "sdc_low_ppm", "sdc_high_ppm"},
                   {"dce_percent", "dce_low_percent", "dce_high_percent"},
                   {"due_percent", "due_low_percent", "due_high_percent"}},
     .signs = {{"sdc_ppm", "published_sdc_ppm", "exact_sdc_ppm"}},
     .make = make_study_point<EccPoint>}};

}  // namespace
}  // namespace asterism
