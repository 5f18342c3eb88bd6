// Chooses the place of a program's checkpoints, SSD or ramdisk, by a fixed rule or by the checkpoint location
// controller, and computes the costs; with failures also the share of the time that is work
// (models/resilience, with the faults of models/memory and the codes of models/ecc).
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "ecc/fault_coverage.h"
#include "memory/fault_arrivals.h"
#include "platform/study/checkpoint_medium.h"
#include "platform/study/study_kind.h"
#include "resilience/checkpointed_program.h"
#include "resilience/dram_checkpoints.h"
#include "resilience/long_duration.h"

namespace asterism {
namespace {

constexpr Seconds a_year(365 * 86'400.0);
constexpr std::size_t shown_decisions = 64;

// A machine of 10,000 of the thesis's servers, with 24 GiB each: 96 devices of 2 Gbit for data, and those for
// check symbols.
struct FailureKeys {
  LongDuration mttf = long_duration(40ull * 3600);
  double ends_memory = 0.364;
  std::uint32_t nodes = 10'000;
  Bytes memory = 24_GiB;
  Bytes device = 256_MiB;
  CheckpointCode ecc = CheckpointCode::strong;
  LongDuration scrub = long_duration(24ull * 3600);
  bool medium_keeps = true;
  LongDuration small_stays = long_duration(5ull * 365 * 86'400);
};
static_assert(member_count<FailureKeys>() == 9);
void describe(Fields& f, FailureKeys& c) {
  const LongDuration century = long_duration(100ull * 365 * 86'400);
  f("mttf", c.mttf,
    "The mean time between failures of the machine, without those of its memory. 40 h or less in section 2.1 "
    "of abeyratne2017.",
    within(LongDuration(1), century));
  f("ends_memory", c.ends_memory,
    "The share of them that ends the contents of a memory: 0.364 are the hard errors, facilities and unknown "
    "causes of dong2011's Table IV.",
    within(0.0, 1.0));
  f("nodes", c.nodes, "The number of nodes. The faults of the memory grow with it.", within(1, 100'000'000));
  f("memory", c.memory, "The memory of a node, in which checkpoints are, too.",
    within(1_B, Bytes(1'000'000ull * 1'000'000'000)));
  f("device", c.device,
    "The size of a DRAM device. Sixteen of eighteen hold data; each fails at the rates of models/memory.",
    within(1_B, Bytes(1'000'000'000'000)));
  f("ecc", c.ecc, "The code of the pages of a checkpoint in DRAM. All others are in normal mode.",
    one_of<CheckpointCode>());
  f("scrub", c.scrub,
    "The time between two visits of the patrol scrubber to a block; 0: it is off. It finds what no one "
    "reads.",
    at_most(century));
  f("medium_keeps", c.medium_keeps,
    "Whether an expander keeps its contents when those of the memory end, as one with a supply of its own "
    "does.");
  f("small_stays", c.small_stays,
    "How long a stuck fault that is corrected stays, until the device is replaced.", at_most(century));
}

// The keys have the symbols of abeyratne2017 section 4.3.3, if it defines any.
struct CheckpointLocationStudy {
  LocationPolicy policy = LocationPolicy::clc;
  std::uint64_t ratio_of = 10;
  bool le = true;
  bool ple = false;
  double bound = 0.1;
  std::uint64_t forced = 0;
  Bytes pbw_rating = Bytes(14'600ull * 1'000'000'000'000);
  Bytes pbw_used;
  LongDuration rated_life = long_duration(5ull * 365 * 86'400);
  std::optional<Bytes> tmpfs_size;
  Bytes ssd_capacity = Bytes(800'000'000'000);
  Bytes checkpoint = Bytes(100'000'000);
  std::uint32_t ranks = 8;
  std::uint64_t iterations = 100;
  LongDuration compute = long_duration(5);
  Bandwidth ssd = 250_MBps;
  std::optional<Bandwidth> ramdisk;
  std::optional<Bandwidth> ramdisk_writer;
  std::optional<std::uint32_t> ramdisk_writes;
  std::optional<CheckpointMedium> medium;
  double ssd_watts = 50;
  double ramdisk_watts = 79;
  std::optional<FailureKeys> failures;
};
static_assert(member_count<CheckpointLocationStudy>() == 23);
constexpr Bandwidth ramdisk_of_thesis = 6286_MBps;
void describe(Fields& f, CheckpointLocationStudy& c) {
  const Bytes most(1'000'000ull * 1'000'000'000'000);
  f("policy", c.policy, "What decides where a checkpoint goes.", one_of<LocationPolicy>());
  f.when("policy", c.policy, {LocationPolicy::ratio}, [&] {
    f("ratio_of", c.ratio_of, "One of so many checkpoints goes to the SSD. 10 is the 9:1 of the thesis.",
      within(1, 1'000'000));
  });
  f.when("policy", c.policy, {LocationPolicy::clc}, [&] {
    f("le", c.le,
      "Whether lifetime is estimated: a checkpoint goes to the ramdisk if the SSD would not last.");
    f("ple", c.ple,
      "Whether the loss of performance is estimated: a checkpoint goes to the ramdisk if checkpoints have "
      "taken too much time.");
    f("bound", c.bound, "The share of the time that checkpoints may take with ple.", within(0.0, 1.0));
    f("forced", c.forced,
      "Every how many checkpoints one goes to the SSD whatever the estimates say; 0 means none.",
      at_most(1'000'000'000));
  });
  f("pbw_rating", c.pbw_rating, "The number of bytes that can be written to the SSD before it is worn out.",
    within(Bytes(1'000'000'000), most));
  f("pbw_used", c.pbw_used, "The number of these bytes that were written before the program begins.",
    at_most(most));
  f("rated_life", c.rated_life, "How long the SSD is required to last.",
    within(long_duration(1), long_duration(3'153'600'000)));
  f("tmpfs_size", c.tmpfs_size,
    "The size of the ramdisk of the node. A checkpoint larger than a rank's part of it is left out; without "
    "this key there is no bound.",
    within(1_B, most));
  f("ssd_capacity", c.ssd_capacity,
    "The capacity of the SSD of the node. It holds one checkpoint of all ranks.", within(1_B, most));
  f("checkpoint", c.checkpoint, "The size of the checkpoint of a rank.", within(1_B, most));
  f("ranks", c.ranks, "The number of ranks of the node. They share the SSD and the memory.",
    within(1, 100'000));
  f("iterations", c.iterations, "The number of iterations. Each computes and takes a checkpoint.",
    within(1, 100'000'000));
  f("compute", c.compute, "How long an iteration computes.",
    within(LongDuration(1), long_duration(31'536'000)));
  f("ssd", c.ssd, "The bandwidth at which the node writes to its SSD.", within(Bandwidth(1), 1'000'000_GBps));
  f("ramdisk", c.ramdisk,
    "The bandwidth at which the node writes to its ramdisk. Without it and without medium, that of the "
    "thesis, 6286 MB/s.",
    within(Bandwidth(1), 1'000'000_GBps));
  f("ramdisk_writer", c.ramdisk_writer,
    "The bandwidth at which one rank writes to the ramdisk. So many ranks that this adds up to more share "
    "`ramdisk`; without this key one rank may take all of it.",
    within(Bandwidth(1), 1'000'000_GBps));
  f("ramdisk_writes", c.ramdisk_writes,
    "How often each byte is written to the ramdisk: once without this key. 2 stands for the parity of strong "
    "ECC at its worst.",
    within(1, 16));
  f("medium", c.medium,
    "What holds the checkpoints of `ramdisk` in place of DRAM of the node: its engine gives the bandwidths "
    "of writing and reading.");
  constexpr std::string_view rule = "is not given beside medium, whose engine measures the bandwidths";
  f.check(!c.medium || !c.ramdisk, "ramdisk", rule);
  f.check(!c.medium || !c.ramdisk_writer, "ramdisk_writer", rule);
  f.check(!c.medium || !c.ramdisk_writes, "ramdisk_writes", rule);
  f("ssd_watts", c.ssd_watts, "The power of the node while it writes to the SSD.", within(0.0, 1e9));
  f("ramdisk_watts", c.ramdisk_watts, "The power of the node while it writes to the ramdisk.",
    within(0.0, 1e9));
  f("failures", c.failures,
    "Failures of the machine, of which each node has such a program; without this key nothing fails.");
  f.check([&] { return c.pbw_used <= c.pbw_rating; }, "pbw_used", "is no more than pbw_rating");
}

FailureMode in_a_block(MemoryFaultKind kind) {
  switch (kind) {
    case MemoryFaultKind::bit:
    case MemoryFaultKind::column:
      return FailureMode::bit;
    case MemoryFaultKind::pin:
      return FailureMode::pin;
    case MemoryFaultKind::word:
      return FailureMode::word;
    case MemoryFaultKind::chip:
    case MemoryFaultKind::row:
      break;
  }
  return FailureMode::chip;
}

// The rates of the field study, by what normal mode does with a block.
DeviceFaults device_faults() {
  DeviceFaults faults;
  for (const FieldRate& field : field_rates()) {
    const Rate rate(field.tenths / (10 * 1e9 * 3600));
    const double wrong =
        1 - exact_coverage(EccProfile::thesis, CoverageCode::rs_36_32, in_a_block(field.kind)).corrected;
    const bool is_stuck = field.persistence == Persistence::stuck;
    if (field.kind == MemoryFaultKind::row) {
      faults.row += rate * wrong;
      if (is_stuck) faults.stuck_row += rate * wrong;
    } else {
      faults.wide += rate * wrong;
      if (is_stuck) faults.stuck_small += rate * (1 - wrong);
    }
  }
  return faults;
}

// `checkpoint`: of all ranks, in DRAM; 0 if none is. `medium`: nullptr if it is in the memory of the node.
DramCheckpointFailures failures_of(const FailureKeys& keys, Bytes checkpoint,
                                   const CheckpointMedium* medium) {
  const auto number = [](Bytes size) { return static_cast<double>(size.count()); };
  const double devices = keys.nodes * (number(keys.memory) / number(keys.device)) * block_chips / data_chips;
  // Flash has no DRAM that fails under a checkpoint, and keeps it.
  const bool is_flash = medium && medium->type == MediumType::cxl_ssd;
  std::optional<double> devices_of_medium;
  if (medium)
    devices_of_medium =
        is_flash ? 0 : keys.nodes * (number(checkpoint) / number(keys.device)) * block_chips / data_chips;
  return dram_checkpoint_failures({.devices = devices,
                                   .devices_of_rank = block_chips,
                                   .faults = device_faults(),
                                   .checkpoint_share = medium ? 0 : number(checkpoint) / number(keys.memory),
                                   .code = keys.ecc,
                                   .scrub = seconds(keys.scrub),
                                   .small_stays = seconds(keys.small_stays),
                                   .devices_of_medium = devices_of_medium,
                                   .medium_keeps = is_flash || keys.medium_keeps,
                                   .other = Rate(1 / seconds(keys.mttf).count()),
                                   .ends_memory = keys.ends_memory});
}

class CheckpointLocationPoint final : public StudyPointOf<CheckpointLocationStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    const CheckpointLocationStudy& c = config_;
    if (c.failures && !c.medium && c.checkpoint > Bytes(c.failures->memory.count() / c.ranks))
      throw StudyMistake("failures.memory", "a checkpoint of " + std::to_string(c.ranks) + " ranks, " +
                                                to_text(c.checkpoint) + " each, is larger than " +
                                                to_text(c.failures->memory));
    program_ = {c.iterations, seconds(c.compute), c.checkpoint, c.ranks};
    targets_ = {.ssd = c.ssd,
                .ramdisk = c.ramdisk.value_or(ramdisk_of_thesis),
                .ramdisk_writer = c.ramdisk_writer.value_or(Bandwidth(UINT64_MAX)),
                .ramdisk_writes = c.ramdisk_writes.value_or(1),
                .ssd_capacity = c.ssd_capacity,
                .ramdisk_capacity = c.tmpfs_size.value_or(Bytes(UINT64_MAX)),
                .ssd_watts = c.ssd_watts,
                .ramdisk_watts = c.ramdisk_watts};
    if (c.medium) {
      const MediumBandwidths rates = measured(*c.medium, library);
      targets_.ramdisk = rates.write;
      targets_.ramdisk_read = rates.read;
    }
    controller_ = {.lifetime_estimation = c.le,
                   .performance_estimation = c.ple,
                   .bound = c.bound,
                   .rating = c.pbw_rating,
                   .rated_life = seconds(c.rated_life),
                   .forced_every = c.forced};
    try {
      CheckpointedProgram first = program_;
      first.iterations = 1;
      run_checkpointed(first, targets_, c.policy, controller_, c.ratio_of, c.pbw_used);
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("checkpoint", error.what());
    }
  }

  std::vector<Cell> run(const std::stop_token&) override {
    std::array<std::uint64_t, enum_names(LocationReason{}).size()> reasons{};
    std::string schedule;
    const CheckpointedProgramRun r =
        run_checkpointed(program_, targets_, config_.policy, controller_, config_.ratio_of, config_.pbw_used,
                         [&](std::uint64_t, Seconds, const CheckpointDecision& d) {
                           ++reasons.at(static_cast<std::size_t>(d.reason));
                           if (schedule.size() < shown_decisions) schedule += letter_of(d.location);
                         });
    const auto iterations = static_cast<double>(config_.iterations);
    const std::uint64_t written = r.on_ssd + r.in_ramdisk;
    const auto reason = [&](LocationReason of) { return reasons.at(static_cast<std::size_t>(of)); };
    const std::array<Cell, 5> failed = with_failures(r);
    std::vector<Cell> cells = {r.slowdown, 100 * static_cast<double>(r.on_ssd) / iterations,
                               r.on_ssd,   r.in_ramdisk,
                               failed[0],  failed[1],
                               r.left_out};
    const auto more = [&](std::initializer_list<Cell> some) { cells.insert(cells.end(), some); };
    cells.push_back(finite(r.lifetime / a_year));
    cells.push_back(finite(r.time.count() / static_cast<double>(written)));
    more({100 * (r.checkpointing / r.time), r.time.count(), r.checkpointing.count(), r.joules / 1000});
    // The energy for the same number of checkpoints on the SSD, divided by the energy of this choice.
    const double all_on_ssd = static_cast<double>(written) * config_.ssd_watts *
                              (static_cast<double>(config_.checkpoint.count()) * config_.ranks /
                               static_cast<double>(config_.ssd.count()));
    cells.push_back(finite(all_on_ssd / r.joules));
    more({reason(LocationReason::lifetime), reason(LocationReason::performance), r.forced, schedule});
    cells.insert(cells.end(), failed.begin() + 2, failed.end());
    return cells;
  }

 private:
  // Work, lost, mean time between failures, both mean losses; empty without failures.
  std::array<Cell, 5> with_failures(const CheckpointedProgramRun& r) const {
    if (!config_.failures) return {};
    const bool is_in_dram = r.in_ramdisk != 0;
    const DramCheckpointFailures failures =
        failures_of(*config_.failures, is_in_dram ? program_.checkpoint * program_.ranks : Bytes(),
                    config_.medium && is_in_dram ? &*config_.medium : nullptr);
    return {100 * r.work_share(failures.readable, failures.lost),
            is_in_dram ? Cell(100 * (failures.lost / failures.all())) : Cell(),
            1 / failures.all().per_second(), r.lost_to_newest.count(), r.lost_to_ssd.count()};
  }
  static Cell finite(double value) {
    if (!std::isfinite(value)) return {};
    return value;
  }
  static char letter_of(CheckpointLocation location) {
    switch (location) {
      case CheckpointLocation::ssd:
        return 'S';
      case CheckpointLocation::ramdisk:
        return 'r';
      case CheckpointLocation::nowhere:
        break;
    }
    return '-';
  }

  CheckpointedProgram program_;
  CheckpointTargets targets_;
  CheckpointLocationConfig controller_;
};

const RegisteredStudy checkpoint_location_study{
    {.name = "checkpoint_location",
     .meaning =
         "Checkpoints on the SSD of a node or in its ramdisk: what decides, and what it costs in time and "
         "wear",
     .coordinates = {"policy"},
     .columns =
         {{"slowdown", "slowdown", "", "The run time over that without checkpoints"},
          {"ssd_percent", "on SSD", "%", "The share of the checkpoints that went to the SSD", 1},
          {"ssd", "", "", "Checkpoints written to the SSD"},
          {"ramdisk", "ramdisk", "", "Checkpoints written to the ramdisk"},
          {"work_percent", "work", "%",
           "The share of the time that is work, with failures: the first order, too high below 80", 2},
          {"lost_percent", "lost", "%",
           "The share of the failures after which the checkpoint in DRAM cannot be read; empty if none is "
           "there",
           2},
          {"left_out", "left out", "", "Checkpoints that were due in the ramdisk and too large for it"},
          {"lifetime_years", "lifetime", "y",
           "The time until the SSD has written its rating, at this rate; empty if nothing was written"},
          {"interval_s", "interval", "s", "The run time for each checkpoint that was written"},
          {"loss_percent", "loss", "%", "The share of the time that checkpoints take: T_slowdown at the end",
           1},
          {"time_s", "", "s", "The run time of the program"},
          {"checkpoint_s", "", "s", "T_chk: the part of it that checkpoints took"},
          {"energy_kj", "", "kJ", "The energy of the node while it writes checkpoints"},
          {"energy_saving", "saving", "",
           "The energy that as many checkpoints on the SSD would take, over that", 1},
          {"by_lifetime", "", "", "Checkpoints kept from the SSD because it would not last"},
          {"by_performance", "", "",
           "Checkpoints kept from the SSD because checkpoints had taken too much time"},
          {"forced", "", "", "Checkpoints that went to the SSD whatever the estimates said"},
          {"schedule", "", "", "The first 64 checkpoints: S on the SSD, r in the ramdisk, - left out"},
          {"mttf_s", "", "s", "The mean time between failures, those of memory among them"},
          {"loss_s", "", "s",
           "The mean loss by a failure after which the newest checkpoint can be read: repeated time and "
           "reading"},
          {"loss_to_ssd_s", "", "s", "The same if only the newest one on the SSD can be read"}},
     .x = "ssd_percent",
     .y = "slowdown",
     .bars = {"slowdown", "ssd_percent", "lifetime_years"},
     .make = make_study_point<CheckpointLocationPoint>}};

}  // namespace
}  // namespace asterism
