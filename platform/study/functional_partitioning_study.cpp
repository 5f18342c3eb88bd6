// A checkpoint into a store that the nodes build from their own devices, with cores set aside for it, and the
// closed forms of li2010 (models/resilience).
#include <fmt/format.h>

#include <optional>

#include "platform/study/study_kind.h"
#include "platform/study/study_units.h"
#include "resilience/aggregate_store.h"
#include "resilience/functional_partitioning.h"
#include "resilience/long_duration.h"

namespace asterism {
namespace {

// The symbols of li2010 in lower case: FP(X, Y).
struct FunctionalPartitioningStudy {
  AggregateStore store;
  std::optional<Bytes> node_checkpoint;
  LongDuration every = long_duration(3000);
  LongDuration life = long_duration(5ull * 365 * 86'400);
  double erase_cycles = 1e5;
  std::optional<LongDuration> t_c;
  std::optional<Bytes> d;
};
static_assert(member_count<FunctionalPartitioningStudy>() == 7);
void describe(Fields& f, FunctionalPartitioningStudy& c) {
  const auto size = within(1_B, Bytes(1'000'000'000'000'000));
  describe(f, c.store);
  f("node_checkpoint", c.node_checkpoint,
    "The size of a checkpoint of a node, for the number of nodes that may share an SSD. Without it, that is "
    "left out.",
    size);
  f("every", c.every, "The time from one checkpoint to the next.",
    within(long_duration(1), long_duration(31'536'000)));
  f("life", c.life, "How long that SSD is required to last.",
    within(long_duration(1), long_duration(3'153'600'000)));
  f("erase_cycles", c.erase_cycles, "The number of erases that its blocks endure.", within(1.0, 1e12));
  f("t_c", c.t_c, "The time that a run of Figure 4 computes. Without it, that run is left out.",
    at_most(long_duration(31'536'000)));
  f("d", c.d, "The data that a run of Figure 4 writes from each node.", size);
  f.check([&] { return c.t_c.has_value() == c.d.has_value(); }, "t_c", "stands beside a value of d");
}

class FunctionalPartitioningPoint final : public StudyPointOf<FunctionalPartitioningStudy> {
 public:
  void prepare(const ConfigLibrary&) override {
    const FunctionalPartitioningStudy& c = config_;
    const AggregateStore& store = c.store;
    try {
      check_aggregate_store(store);
    } catch (const std::invalid_argument& error) {
      throw mistake(error.what());
    }
    if (static_cast<double>(store.checkpoints) * static_cast<double>(store.clients) *
            static_cast<double>(store.checkpoint.count()) / static_cast<double>(store.chunk.count()) >
        1e8)
      throw StudyMistake(
          "checkpoint",
          fmt::format("{} clients' checkpoints of {} in chunks of {} are more than 100,000,000 chunks",
                      store.clients, to_text(store.checkpoint), to_text(store.chunk)),
          {"chunk", "clients", "checkpoints"});
    try {
      if (c.node_checkpoint) nodes_by_lifetime(shared(), *c.node_checkpoint);
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("node_checkpoint", error.what());
    }
  }

  std::vector<Cell> run(const std::stop_token&) override {
    const FunctionalPartitioningStudy& c = config_;
    const AggregateStore& store = c.store;
    const StoreResult r = checkpoint_into(store);
    std::vector<Cell> cells = {
        r.bytes_per_second / 1e6, r.last_bytes_per_second / 1e6, r.time.count(), megabytes(r.written),
        megabytes(r.remote),      megabytes(r.drained),          r.duplicates,   r.waits,
        r.paused.count()};
    const auto more = [&](std::initializer_list<Cell> some) { cells.insert(cells.end(), some); };
    const double duplicates = store.duplicates.value_or(0), nodes = store.nodes / 1e6;
    more({nodes * rate_of_one_core(store.hash, store.ssd, duplicates),
          nodes * rate_of_two_cores(store.hash, store.ssd, duplicates)});
    if (c.node_checkpoint)
      more(
          {nodes_by_lifetime(shared(), *c.node_checkpoint), nodes_by_capacity(shared(), *c.node_checkpoint)});
    else
      more({Cell(), Cell()});
    if (c.t_c) {
      const PartitionedRun timed{seconds(*c.t_c), *c.d};
      more({run_time(timed, store.disk).count(), run_time(timed, store.ssd).count()});
    } else {
      more({Cell(), Cell()});
    }
    return cells;
  }

 private:
  static double megabytes(Bytes size) { return static_cast<double>(size.count()) / 1e6; }

  SharedSsd shared() const {
    return {.capacity = config_.store.benefactor_capacity(),
            .erase_cycles = config_.erase_cycles,
            .life_days = seconds(config_.life).count() / seconds_of_a_day,
            .checkpoints_a_day = seconds_of_a_day / seconds(config_.every).count()};
  }

  // The reason why the store refuses a combination of keys that are valid separately.
  StudyMistake mistake(const std::string& problem) const {
    const AggregateStore& s = config_.store;
    if (s.clients > std::uint64_t{s.nodes} * (s.cores - s.fp_cores))
      return {"clients", problem, {"nodes", "x", "y"}};
    if (s.fp_cores == 0) return {"x", problem, {"store"}};
    if (!s.drain && s.drain_every > 0) return {"drain_every", problem, {"drain"}};
    if (s.chunk > s.benefactor_capacity()) return {"capacity", problem, {"chunk", "store"}};
    return {"checkpoint", problem, {"capacity", "clients", "benefactors", "drain"}};
  }
};

const RegisteredStudy functional_partitioning_study{
    {.name = "functional_partitioning",
     .meaning = "Checkpoints into the SSDs, memories or disks of all nodes, with cores set aside for it",
     .coordinates = {"store", "clients"},
     .columns = {{"rate_mbps", "rate", "MB/s",
                  "The bandwidth of the checkpoints until their last clients are done, without the pauses",
                  1},
                 {"last_rate_mbps", "last", "MB/s", "The bandwidth of the last checkpoint", 1},
                 {"time_s", "time", "s", "The time of the checkpoints, without the pauses"},
                 {"written_mb", "written", "MB", "Data written to benefactors, without duplicates", 0},
                 {"remote_mb", "remote", "MB", "The part of it written to benefactors of other nodes", 0},
                 {"drained_mb", "drained", "MB", "Data moved from benefactors to disks by then", 0},
                 {"duplicates_found", "", "", "Chunks that were not written"},
                 {"waits", "waits", "", "Chunks that waited for space"},
                 {"pause_s", "", "s", "The longest pause, which contention for memory makes longer", 3},
                 {"one_core_mbps", "", "MB/s",
                  "The bandwidth of all nodes with x = 1 in closed form: hash, then store on an SSD"},
                 {"two_cores_mbps", "", "MB/s", "The same with x = 2: hash beside store"},
                 {"nodes_by_lifetime", "", "",
                  "C1: the number of nodes that may share an SSD for it to last"},
                 {"nodes_by_capacity", "", "",
                  "C2: the number of nodes that may share an SSD that holds a checkpoint of each"},
                 {"disk_run_s", "", "s", "Figure 4: the time of the run if it writes to disk"},
                 {"ssd_run_s", "", "s", "Figure 4: the time of the run if it writes to an SSD"}},
     .x = "clients",
     .y = "rate_mbps",
     .x_key = "clients",
     .bars = {"rate_mbps", "written_mb"},
     .make = make_study_point<FunctionalPartitioningPoint>}};

}  // namespace
}  // namespace asterism
