// Buddy checkpointing, blocking and semi-blocking: the best interval and what it costs (models/resilience).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "platform/study/study_kind.h"
#include "platform/study/study_units.h"
#include "resilience/buddy_storage.h"
#include "resilience/long_duration.h"
#include "resilience/semi_blocking.h"
#include "resilience/semi_blocking_monte_carlo.h"

namespace asterism {
namespace {

enum class StorageRule { given, in_memory, half_ssd, full_ssd, by_memory };
constexpr auto enum_names(StorageRule) {
  return std::to_array<EnumName<StorageRule>>(
      {{StorageRule::given, "given", "as delta, c, overlap and r say"},
       {StorageRule::in_memory, "in_memory", "all of them in memory"},
       {StorageRule::half_ssd, "half_ssd", "that of the buddy on the SSD"},
       {StorageRule::full_ssd, "full_ssd", "all of them on the SSD"},
       {StorageRule::by_memory, "by_memory",
        "half_ssd if m_a is at most a third of the memory, otherwise full_ssd"}});
}

// The symbols of ni2012 Table 3.1, in lower case.
struct SemiBlockingStudy {
  LongDuration overlap = LongDuration(9'600'000'000);
  LongDuration overhead = LongDuration(200'000'000);
  LongDuration delta = LongDuration(250'000'000);
  LongDuration c = LongDuration(6'500'000'000);
  std::optional<Bytes> checkpoint;
  std::optional<Bandwidth> rate;
  std::optional<LongDuration> r;
  LongDuration mttf = long_duration(300);
  LongDuration t_s = long_duration(86'400);
  std::optional<LongDuration> tau, tau_blocking;
  std::optional<LongDuration> opportunistic;
  std::optional<double> ratio;
  double pause = 0;
  StorageRule storage = StorageRule::given;
  Bytes m_a = Bytes(512'000'000);
  Bytes memory = Bytes(64'000'000'000), ssd = Bytes(120'000'000'000);
  Bandwidth ssd_read = 512_MBps, ssd_write = 200_MBps;
  std::uint32_t nodes = 32;
  BuddyPlacement buddies = BuddyPlacement::pairs;
  std::uint64_t failures = 0;
  std::uint64_t seed = 1;
  double shape = 1;
};
static_assert(member_count<SemiBlockingStudy>() == 25);
void describe(Fields& f, SemiBlockingStudy& c) {
  const auto time = within(LongDuration(), a_century), positive = within(a_nanosecond, a_century);
  f("overlap", c.overlap,
    "How long a global checkpoint takes beside the program: no less than c without delta. A longer one makes "
    "more failures roll back twice as far.",
    time);
  f("overhead", c.overhead, "The time that the program loses by a global checkpoint in each interval.", time);
  f("delta", c.delta, "The time that the program waits for the local checkpoint.", time);
  f("c", c.c, "The time that the program waits for a blocking checkpoint.", time);
  f("checkpoint", c.checkpoint,
    "What a node sends of a blocking checkpoint. With rate, it takes the place of c.",
    within(1_B, Bytes(1'000'000'000'000'000)));
  f("rate", c.rate, "The rate at which a node sends it.", within(Bandwidth(1), 1'000'000_GBps));
  f.check([&] { return c.checkpoint.has_value() == c.rate.has_value(); }, "rate", "comes with checkpoint");
  f("r", c.r, "The time of a restart. Without it, as long as c.", time);
  f("mttf", c.mttf, "The mean time to a failure of the machine.", positive);
  f("t_s", c.t_s, "The work of the run. An interval is no longer.", positive);
  f("tau", c.tau, "The time from one semi-blocking checkpoint to the next. Without it, the best one.",
    positive);
  f("tau_blocking", c.tau_blocking,
    "The time between two blocking checkpoints, without the checkpoint. Without it, the best one.", positive);
  f("opportunistic", c.opportunistic,
    "The overlap of a checkpoint that is sent when the program has nothing to send; overhead is then the "
    "cost of that. A shorter overlap takes the place of the program's messages and costs more. Without it, "
    "overhead is that of overlap.",
    positive);
  f("ratio", c.ratio,
    "The time that the program communicates over the time that it computes. With it, a thread of each node "
    "sends and receives both the program's messages and the copy, and the overlap follows from c, overhead "
    "and this; it takes the place of overlap.",
    within(0.0, 100.0));
  f("pause", c.pause, "The part of ratio in which the program has no messages for the thread.",
    within(0.0, 100.0));
  f.check([&] { return c.pause <= c.ratio.value_or(0); }, "pause", "is a part of ratio: at most as much");
  f.check([&] { return !c.ratio || !c.opportunistic; }, "ratio", "is not given with opportunistic");
  f("storage", c.storage, "Where a node keeps checkpoints. An SSD makes dumps and restarts longer.",
    one_of<StorageRule>());
  f.when("storage", c.storage,
         {StorageRule::in_memory, StorageRule::half_ssd, StorageRule::full_ssd, StorageRule::by_memory}, [&] {
           const auto size = within(1_B, Bytes(1'000'000'000'000'000));
           const auto bandwidth = within(Bandwidth(1), 1'000'000_GBps);
           f("m_a", c.m_a,
             "The part of a node's memory that the program uses, and the size of a checkpoint of it.", size);
           f("memory", c.memory, "The memory of a node.", size);
           f("ssd", c.ssd, "The SSD of a node.", size);
           f("ssd_read", c.ssd_read, "The bandwidth of reads of a node's SSD.", bandwidth);
           f("ssd_write", c.ssd_write, "The bandwidth of writes of a node's SSD.", bandwidth);
         });
  f("nodes", c.nodes,
    "The number of nodes. For the same mttf, a larger machine loses a node together with its buddy less "
    "often.",
    within(2, 100'000'000));
  f("buddies", c.buddies, "Which node has the checkpoint of which other node.", one_of<BuddyPlacement>());
  f("failures", c.failures,
    "The approximate number of failures of the Monte Carlo simulation of semi-blocking checkpoints; 0 leaves "
    "it out.",
    at_most(1'000'000'000));
  f("seed", c.seed, "The seed of the Monte Carlo simulation.");
  f("shape", c.shape,
    "The shape of the Weibull distribution of the times between failures, in the Monte Carlo simulation. "
    "Below 1, failures come in groups; 1, as in the model: independently of each other.",
    within(0.1, 10.0));
  f.check([&] { return c.ratio || c.overhead <= c.overlap; }, "overhead", "is no longer than overlap");
  f.check([&] { return c.buddies == BuddyPlacement::ring || c.nodes % 2 == 0; }, "nodes",
          "is even: buddies are pairs");
}

// The value, or an empty cell if it is infinite.
Cell finite(double value) {
  if (!std::isfinite(value)) return {};
  return value;
}

class SemiBlockingPoint final : public StudyPointOf<SemiBlockingStudy> {
 public:
  void prepare(const ConfigLibrary&) override {
    const SemiBlockingStudy& c = config_;
    const Seconds blocking =
        c.rate ? Seconds(static_cast<double>(c.checkpoint->count()) / static_cast<double>(c.rate->count()))
               : seconds(c.c);
    checkpoint_ = {
        seconds(c.overlap), seconds(c.overhead), seconds(c.delta), blocking, c.r ? seconds(*c.r) : blocking,
        seconds(c.mttf)};
    work_ = seconds(c.t_s);
    if (c.ratio) {
      try {
        checkpoint_.overlap =
            overlap_of_thread(checkpoint_.blocking, checkpoint_.overhead, thread_share(*c.ratio, c.pause));
      } catch (const std::invalid_argument& error) {
        throw StudyMistake("ratio", error.what());
      }
    }
    if (c.opportunistic) {
      try {
        checkpoint_.overhead = overhead_of_overlap(checkpoint_.overlap, seconds(*c.opportunistic),
                                                   checkpoint_.overhead, checkpoint_.blocking);
      } catch (const std::invalid_argument& error) {
        throw StudyMistake("opportunistic", error.what());
      }
    }
    try {
      check_buddy_checkpoint(checkpoint_);
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("overlap", fmt::format("{}; got {}, and c is {:.6g} s with a delta of {:.6g} s",
                                                error.what(), to_text(c.overlap),
                                                checkpoint_.blocking.count(), checkpoint_.local.count()));
    }
    if (c.storage != StorageRule::given) keep_checkpoints();
    try {
      if (c.tau) semi_blocking_time(checkpoint_, work_, seconds(*c.tau));
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("tau", fmt::format("{}; got {}", error.what(), to_text(*c.tau)));
    }
    try {
      if (c.tau_blocking) blocking_time(checkpoint_, work_, seconds(*c.tau_blocking));
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("tau_blocking", fmt::format("{}; got {}", error.what(), to_text(*c.tau_blocking)));
    }
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const BuddyOptimum semi = semi_blocking(), blocking = this->blocking();
    const bool gets_on = std::isfinite(semi.total.count());
    std::vector<Cell> cells = {checkpoint_.mttf.count(), checkpoint_.overlap.count(),
                               checkpoint_.overhead.count()};
    const auto more = [&](std::initializer_list<Cell> some) { cells.insert(cells.end(), some); };
    more({finite(100 * semi_blocking_benefit(semi, blocking))});
    add_total(cells, semi);
    add_total(cells, blocking);
    if (gets_on) {
      const SemiBlockingTime time = semi_blocking_time(checkpoint_, work_, semi.tau);
      more({time.local.count(), time.overhead.count(), time.rollback.count(), time.further_rollback.count()});
    } else {
      more({Cell(), Cell(), Cell(), Cell()});
    }
    if (gets_on && config_.failures > 0) {
      const BuddyMonteCarlo simulated =
          simulate_semi_blocking(checkpoint_, semi.tau, config_.failures, config_.seed, stop, config_.shape);
      more({100 * (simulated.stretch - 1), 100 * simulated.half_width_99, simulated.failures});
    } else {
      more({Cell(), Cell(), Cell()});
    }
    const Seconds lost = mean_time_to_lost_checkpoint(checkpoint_, config_.nodes, config_.buddies);
    more({finite(lost.count() / seconds_of_a_day), checkpoint_.restart.count()});
    const auto gigabytes = [](Bytes bytes) { return static_cast<double>(bytes.count()) / 1e9; };
    if (space_)
      more({gigabytes(space_->peak), gigabytes(space_->afterwards), gigabytes(space_->ssd_writes)});
    else
      more({Cell(), Cell(), Cell()});
    more({checkpoint_.blocking.count(), state(semi)});
    return cells;
  }

 private:
  void keep_checkpoints() {
    const SemiBlockingStudy& c = config_;
    const BuddyNode node = {c.m_a, c.memory, c.ssd, c.ssd_read, c.ssd_write};
    BuddyStorage storage = storage_by_memory(node);
    if (c.storage == StorageRule::in_memory) storage = BuddyStorage::in_memory;
    if (c.storage == StorageRule::half_ssd) storage = BuddyStorage::half_ssd;
    if (c.storage == StorageRule::full_ssd) storage = BuddyStorage::full_ssd;
    try {
      checkpoint_ = stored(checkpoint_, storage, node);
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("m_a", error.what());
    }
    space_ = buddy_space(storage, c.m_a);
  }

  BuddyOptimum semi_blocking() const {
    if (!config_.tau) return semi_blocking_optimum(checkpoint_, work_);
    const Seconds tau = seconds(*config_.tau);
    return {tau, semi_blocking_time(checkpoint_, work_, tau).total(), false};
  }
  BuddyOptimum blocking() const {
    if (!config_.tau_blocking) return blocking_optimum(checkpoint_, work_);
    const Seconds tau = seconds(*config_.tau_blocking);
    return {tau, blocking_time(checkpoint_, work_, tau), false};
  }

  std::string state(const BuddyOptimum& semi) const {
    if (std::isfinite(semi.total.count())) return semi.at_bound ? "at_bound" : "ok";
    const Seconds longest = std::min(checkpoint_.mttf, work_ + checkpoint_.overhead);
    return checkpoint_.overlap > longest || checkpoint_.overhead >= longest ? "no_interval" : "stuck";
  }

  // Adds the interval, the total time, and by how much it exceeds the work.
  void add_total(std::vector<Cell>& cells, const BuddyOptimum& run) const {
    cells.push_back(finite(run.tau > Seconds() ? run.tau.count() : INFINITY));
    cells.push_back(finite(run.total.count()));
    cells.push_back(finite(100 * (run.total / work_ - 1)));
  }

  BuddyCheckpoint checkpoint_;
  std::optional<BuddySpace> space_;
  Seconds work_;
};

const RegisteredStudy semi_blocking_study{
    {.name = "semi_blocking",
     .meaning =
         "Buddy checkpointing, blocking and beside the program: best intervals, and what failures cost",
     .coordinates = {},
     .columns = {{"mttf_s", "", "s", "The mean time to a failure of the machine"},
                 {"overlap_s", "", "s", "The time of a global checkpoint beside the program"},
                 {"overhead_s", "", "s", "The time that the program loses by it"},
                 {"benefit_percent", "benefit", "%",
                  "How much shorter the run is with semi-blocking than with blocking checkpoints"},
                 {"tau_s", "tau", "s", "The time from one semi-blocking checkpoint to the next"},
                 {"total_s", "", "s", "The run time with semi-blocking checkpoints"},
                 {"loss_percent", "semi", "%", "How much longer that is than the work"},
                 {"tau_blocking_s", "tau bl.", "s", "The time between two blocking checkpoints"},
                 {"total_blocking_s", "", "s", "The run time with blocking checkpoints"},
                 {"loss_blocking_percent", "blocking", "%", "How much longer that is than the work"},
                 {"local_s", "", "s", "The time for local checkpoints, semi-blocking"},
                 {"overheads_s", "", "s", "The time that the program loses by global checkpoints"},
                 {"rollback_s", "", "s", "The time for failures that the last checkpoint survives"},
                 {"further_rollback_s", "", "s",
                  "The time for failures that go back to the checkpoint before"},
                 {"played_percent", "played", "%",
                  "How much longer the semi-blocking run is than the work, by a Monte Carlo simulation"},
                 {"played_error", "+-", "%", "Half the width of its 99% confidence interval", 3},
                 {"played_failures", "", "", "Failures simulated"},
                 {"lost_checkpoint_days", "", "d",
                  "The mean time until a node and its buddy are lost together, to first order"},
                 {"r_s", "", "s", "The time of a restart"},
                 {"peak_memory_gb", "", "GB",
                  "The memory of a node with its program and checkpoints while the next ones are written"},
                 {"memory_gb", "", "GB", "The same when they are written"},
                 {"ssd_write_gb", "", "GB", "Data written to a node's SSD in an interval"},
                 {"dump_s", "", "s", "The time of a blocking checkpoint"},
                 {"state", "state", "",
                  "ok; at_bound: tau is as short as the overlap or as long as MTTF or the run allow; "
                  "no_interval: none is as long as the overlap; stuck: failures undo all work"}},
     .x = "mttf_s",
     .y = "benefit_percent",
     .x_key = "mttf",
     .bars = {"benefit_percent", "loss_percent", "loss_blocking_percent"},
     .intervals = {{.column = "played_percent", .half_of_99 = "played_error"}},
     .make = make_study_point<SemiBlockingPoint>}};

}  // namespace
}  // namespace asterism
