// Buddy checkpointing, blocking and semi-blocking: the best interval and what it costs (models/resilience).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "platform/study/study_kinds.h"
#include "resilience/buddy_storage.h"
#include "resilience/long_duration.h"
#include "resilience/semi_blocking.h"
#include "resilience/semi_blocking_monte_carlo.h"

namespace asterism {
namespace {

constexpr LongDuration a_nanosecond(1);
constexpr LongDuration a_century = long_duration(100ull * 365 * 86'400);
constexpr double seconds_of_a_day = 86'400;

enum class StorageRule { given, in_memory, half_ssd, full_ssd, by_memory };
constexpr auto enum_names(StorageRule) {
  return std::to_array<EnumName<StorageRule>>(
      {{StorageRule::given, "given", "wherever delta, c, overlap and r say"},
       {StorageRule::in_memory, "in_memory", "all of them in memory"},
       {StorageRule::half_ssd, "half_ssd", "the buddy's on the SSD"},
       {StorageRule::full_ssd, "full_ssd", "all on the SSD"},
       {StorageRule::by_memory, "by_memory",
        "half_ssd where m_a is at most a third of the memory, else full_ssd"}});
}

// The symbols of ni2012 Table 3.1, in lower case.
struct SemiBlockingStudy {
  LongDuration overlap = LongDuration(9'600'000'000);
  LongDuration overhead = LongDuration(200'000'000);
  LongDuration delta = LongDuration(250'000'000);
  LongDuration c = LongDuration(6'500'000'000);
  std::optional<LongDuration> r;
  LongDuration mttf = long_duration(300);
  LongDuration t_s = long_duration(86'400);
  std::optional<LongDuration> tau, tau_blocking;
  std::optional<LongDuration> opportunistic;
  StorageRule storage = StorageRule::given;
  Bytes m_a = Bytes(512'000'000);
  Bytes memory = Bytes(64'000'000'000), ssd = Bytes(120'000'000'000);
  Bandwidth ssd_read = 512_MBps, ssd_write = 200_MBps;
  std::uint32_t nodes = 32;
  BuddyPlacement buddies = BuddyPlacement::pairs;
  std::uint64_t failures = 0;
  std::uint64_t seed = 1;
};
static_assert(member_count<SemiBlockingStudy>() == 20);
void describe(Fields& f, SemiBlockingStudy& c) {
  const auto time = within(LongDuration(), a_century), positive = within(a_nanosecond, a_century);
  f("overlap", c.overlap,
    "A global checkpoint takes so long beside the program; a longer one sends more failures back twice as "
    "far",
    time);
  f("overhead", c.overhead, "The program is later by so much in each interval", time);
  f("delta", c.delta, "The program waits so long for the local checkpoint", time);
  f("c", c.c, "The program waits so long for a blocking checkpoint", time);
  f("r", c.r, "A restart; as long as c where absent", time);
  f("mttf", c.mttf, "Mean time to a failure of the machine", positive);
  f("t_s", c.t_s, "Work of the run; an interval is no longer", positive);
  f("tau", c.tau, "Semi-blocking, from one checkpoint to the next; the best one where absent", positive);
  f("tau_blocking", c.tau_blocking, "Blocking, the same without the checkpoint; the best one where absent",
    positive);
  f("opportunistic", c.opportunistic,
    "Overlap of a checkpoint that is sent when the program has nothing to send, where overhead is what that "
    "costs: a "
    "shorter overlap takes the program's turns and costs more; absent: overhead is that of overlap",
    positive);
  f("storage", c.storage, "Where a node keeps checkpoints: an SSD makes dumps and restarts longer",
    one_of<StorageRule>());
  f.when("storage", c.storage,
         {StorageRule::in_memory, StorageRule::half_ssd, StorageRule::full_ssd, StorageRule::by_memory}, [&] {
           const auto size = within(1_B, Bytes(1'000'000'000'000'000));
           const auto bandwidth = within(Bandwidth(1), 1'000'000_GBps);
           f("m_a", c.m_a, "What the program uses of a node's memory, and a checkpoint of it", size);
           f("memory", c.memory, "Of a node", size);
           f("ssd", c.ssd, "Of a node", size);
           f("ssd_read", c.ssd_read, "Of a node's SSD", bandwidth);
           f("ssd_write", c.ssd_write, "Of a node's SSD", bandwidth);
         });
  f("nodes", c.nodes, "Of the machine: more of them seldom lose a node and its buddy for the same mttf",
    within(2, 100'000'000));
  f("buddies", c.buddies, "Who has whose checkpoint", one_of<BuddyPlacement>());
  f("failures", c.failures, "Played through beside the model, semi-blocking; 0 leaves it out",
    at_most(1'000'000'000));
  f("seed", c.seed, "Of the failures that are played");
  f.check([&] { return c.overhead <= c.overlap; }, "overhead", "is no longer than overlap");
  f.check([&] { return c.buddies == BuddyPlacement::ring || c.nodes % 2 == 0; }, "nodes",
          "is even: buddies are pairs");
}

// Nothing for what has no end.
Cell finite(double value) {
  if (!std::isfinite(value)) return {};
  return value;
}

class Point final : public StudyPointOf<SemiBlockingStudy> {
 public:
  void prepare(const ConfigLibrary&) override {
    const SemiBlockingStudy& c = config_;
    checkpoint_ = {seconds(c.overlap), seconds(c.overhead),        seconds(c.delta),
                   seconds(c.c),       seconds(c.r.value_or(c.c)), seconds(c.mttf)};
    work_ = seconds(c.t_s);
    if (c.opportunistic) {
      try {
        checkpoint_.overhead = overhead_of_overlap(checkpoint_.overlap, seconds(*c.opportunistic),
                                                   checkpoint_.overhead, checkpoint_.blocking);
      } catch (const std::invalid_argument& error) {
        throw StudyMistake("opportunistic", error.what());
      }
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
      const BuddyMonteCarlo played =
          play_semi_blocking(checkpoint_, semi.tau, config_.failures, config_.seed, stop);
      more({100 * (played.stretch - 1), 100 * played.half_width_99, played.failures});
    } else {
      more({Cell(), Cell(), Cell()});
    }
    const Seconds lost = mean_time_to_lost_checkpoint(checkpoint_, config_.nodes, config_.buddies);
    more({finite(lost.count() / seconds_of_a_day), checkpoint_.restart.count()});
    const auto gigabytes = [](Bytes bytes) { return static_cast<double>(bytes.count()) / 1e9; };
    if (room_)
      more({gigabytes(room_->peak), gigabytes(room_->afterwards), gigabytes(room_->ssd_writes)});
    else
      more({Cell(), Cell(), Cell()});
    more({state(semi)});
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
    room_ = buddy_room(storage, c.m_a);
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

  // Interval, whole time, and by how much that is above the work.
  void add_total(std::vector<Cell>& cells, const BuddyOptimum& run) const {
    cells.push_back(finite(run.tau > Seconds() ? run.tau.count() : INFINITY));
    cells.push_back(finite(run.total.count()));
    cells.push_back(finite(100 * (run.total / work_ - 1)));
  }

  BuddyCheckpoint checkpoint_;
  std::optional<BuddyRoom> room_;
  Seconds work_;
};

}  // namespace

const StudyKind semi_blocking_study{
    .name = "semi_blocking",
    .meaning = "Buddy checkpointing, blocking and beside the program: best intervals, and what failures cost",
    .coordinates = {},
    .columns =
        {{"mttf_s", "", "s", "Mean time to a failure of the machine"},
         {"overlap_s", "", "s", "Of a global checkpoint with the program"},
         {"overhead_s", "", "s", "What the program loses by it"},
         {"benefit_percent", "benefit", "%", "By how much semi-blocking is shorter than blocking"},
         {"tau_s", "tau", "s", "From one semi-blocking checkpoint to the next"},
         {"total_s", "", "s", "The run with semi-blocking checkpoints"},
         {"loss_percent", "semi", "%", "By how much that is longer than the work"},
         {"tau_blocking_s", "tau bl.", "s", "Between two blocking checkpoints"},
         {"total_blocking_s", "", "s", "The run with blocking checkpoints"},
         {"loss_blocking_percent", "blocking", "%", "By how much that is longer than the work"},
         {"local_s", "", "s", "Waits for local checkpoints, semi-blocking"},
         {"overheads_s", "", "s", "What global checkpoints slow the program down"},
         {"rollback_s", "", "s", "Failures that the last checkpoint survives"},
         {"further_rollback_s", "", "s", "Failures that lead to the one before"},
         {"played_percent", "played", "%", "Semi-blocking, failures played through: longer than the work"},
         {"played_error", "+-", "%", "Half of its 99% interval", 3},
         {"played_failures", "", "", "That were played"},
         {"lost_checkpoint_days", "", "d",
          "Mean time until a node and its buddy are lost together; first order"},
         {"r_s", "", "s", "A restart"},
         {"peak_memory_gb", "", "GB",
          "Of a node with its program and checkpoints, while the next are written"},
         {"memory_gb", "", "GB", "The same when they are"},
         {"ssd_write_gb", "", "GB", "To a node's SSD in an interval"},
         {"state", "state", "",
          "ok; at_bound: tau as short as the overlap or as long as MTTF or the run allow; no_interval: none "
          "is as long as the overlap; stuck: failures undo all"}},
    .x = "mttf_s",
    .y = "benefit_percent",
    .x_key = "mttf",
    .bars = {"benefit_percent", "loss_percent", "loss_blocking_percent"},
    .make = make_study_point<Point>};

}  // namespace asterism
