// A checkpoint into a store that the nodes build from their own devices, with cores set aside for it, and the
// closed forms of li2010 (models/resilience).
#include <fmt/format.h>

#include <optional>

#include "platform/study/study_kinds.h"
#include "resilience/aggregate_store.h"
#include "resilience/functional_partitioning.h"
#include "resilience/long_duration.h"

namespace asterism {
namespace {

constexpr double seconds_of_a_day = 86'400;

// The symbols of li2010 in lower case: FP(X, Y).
struct FunctionalPartitioningStudy {
  StoreKind store = StoreKind::ssd;
  std::uint32_t x = 1, y = 8;
  std::uint32_t nodes = 20;
  std::uint32_t clients = 120;
  std::uint32_t benefactors = 20;
  Bytes checkpoint = Bytes(250'000'000);
  Bytes chunk = Bytes(1'000'000);
  std::uint32_t buffers = 3;
  std::optional<Bytes> capacity;
  std::optional<double> duplicates;
  bool drain = true;
  double drain_from = 1;
  Bandwidth copy = 205_MBps, hash = 258_MBps, ssd = 175_MBps, hdd = 85_MBps, nic = 5'000_MBps;
  std::optional<Bytes> node_checkpoint;
  LongDuration every = long_duration(3000);
  LongDuration life = long_duration(5ull * 365 * 86'400);
  double erase_cycles = 1e5;
  std::optional<LongDuration> t_c;
  std::optional<Bytes> d;
};
static_assert(member_count<FunctionalPartitioningStudy>() == 24);
void describe(Fields& f, FunctionalPartitioningStudy& c) {
  const Bytes most(1'000'000'000'000'000);
  const auto size = within(1_B, most);
  const auto bandwidth = within(Bandwidth(1), 1'000'000_GBps);
  f("store", c.store, "What checkpoints go to", one_of<StoreKind>());
  f("x", c.x,
    "FP cores of a node: 1 hashes and stores in turn, more of them hash while one stores, 0 leave each node "
    "its disk",
    at_most(1023));
  f("y", c.y, "Cores of a node; x of them do not compute", within(1, 1024));
  f("nodes", c.nodes, "Each has an SSD, a disk and a NIC", within(1, 100'000));
  f("clients", c.clients, "Processes that compute and write, dealt out to the nodes in turn",
    within(1, 1'000'000));
  f("benefactors", c.benefactors, "Those that store, dealt out alike", within(1, 100'000));
  f("checkpoint", c.checkpoint, "Of a client", size);
  f("chunk", c.chunk, "Pieces in which it is written", size);
  f("buffers", c.buffers, "Chunks of a client under way: fewer of them let servers wait", within(1, 4096));
  f("capacity", c.capacity, "Of a benefactor; 32 GB of an SSD, 1 GB of memory where absent", size);
  f("duplicates", c.duplicates, "Share of chunks that are found to be there; absent, none are looked for",
    within(0.0, 1.0));
  f("drain", c.drain,
    "Benefactors move chunks to their nodes' disks; without it all of the checkpoint has room");
  f("drain_from", c.drain_from, "From when a benefactor is so full", within(0.0, 1.0));
  f("copy", c.copy, "Of a node's processes into the store, and into a benefactor's memory", bandwidth);
  f("hash", c.hash, "Of a core that looks for duplicates", bandwidth);
  f("ssd", c.ssd, "Of a node", bandwidth);
  f("hdd", c.hdd, "Of a node", bandwidth);
  f("nic", c.nic, "Of a node", bandwidth);
  f("node_checkpoint", c.node_checkpoint, "Of a node, for how many nodes may share an SSD; absent: not asked",
    size);
  f("every", c.every, "One of them is taken", within(long_duration(1), long_duration(31'536'000)));
  f("life", c.life, "How long that SSD is to last", within(long_duration(1), long_duration(3'153'600'000)));
  f("erase_cycles", c.erase_cycles, "That its blocks stand", within(1.0, 1e12));
  f("t_c", c.t_c, "Of Figure 4: how long a run computes; absent: not asked",
    at_most(long_duration(31'536'000)));
  f("d", c.d, "Of Figure 4: what the run writes from each node", size);
  f.check([&] { return c.x < c.y; }, "x", "leaves a core to compute: is below y");
  f.check([&] { return c.t_c.has_value() == c.d.has_value(); }, "t_c", "stands beside a value of d");
}

class Point final : public StudyPointOf<FunctionalPartitioningStudy> {
 public:
  void prepare(const ConfigLibrary&) override {
    const FunctionalPartitioningStudy& c = config_;
    const std::uint64_t gigabytes = c.store == StoreKind::memory ? 1 : 32;
    capacity_ = c.capacity.value_or(Bytes(gigabytes * 1'000'000'000));
    store_ = {.kind = c.store,
              .nodes = c.nodes,
              .cores = c.y,
              .fp_cores = c.x,
              .clients = c.clients,
              .benefactors = c.benefactors,
              .checkpoint = c.checkpoint,
              .chunk = c.chunk,
              .buffers = c.buffers,
              .capacity = capacity_,
              .deduplicate = c.duplicates.has_value(),
              .duplicates = c.duplicates.value_or(0),
              .drain = c.drain,
              .drain_from = c.drain_from,
              .copy = c.copy,
              .hash = c.hash,
              .ssd = c.ssd,
              .disk = c.hdd,
              .nic = c.nic};
    try {
      check_aggregate_store(store_);
    } catch (const std::invalid_argument& error) {
      throw mistake(error.what());
    }
    if (static_cast<double>(c.clients) * static_cast<double>(c.checkpoint.count()) /
            static_cast<double>(c.chunk.count()) >
        1e8)
      throw StudyMistake(
          "checkpoint",
          fmt::format("{} clients' checkpoints of {} in chunks of {} are more than 100,000,000 chunks",
                      c.clients, to_text(c.checkpoint), to_text(c.chunk)),
          {"chunk", "clients"});
    try {
      if (c.node_checkpoint) nodes_by_lifetime(shared(), *c.node_checkpoint);
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("node_checkpoint", error.what());
    }
  }

  std::vector<Cell> run(const std::stop_token&) override {
    const FunctionalPartitioningStudy& c = config_;
    const StoreResult r = checkpoint_into(store_);
    std::vector<Cell> cells = {r.bytes_per_second / 1e6,
                               r.time.count(),
                               megabytes(r.written),
                               megabytes(r.remote),
                               megabytes(r.drained),
                               r.duplicates,
                               r.waits};
    const auto more = [&](std::initializer_list<Cell> some) { cells.insert(cells.end(), some); };
    const double duplicates = c.duplicates.value_or(0), nodes = c.nodes / 1e6;
    more({nodes * rate_of_one_core(c.hash, c.ssd, duplicates),
          nodes * rate_of_two_cores(c.hash, c.ssd, duplicates)});
    if (c.node_checkpoint)
      more(
          {nodes_by_lifetime(shared(), *c.node_checkpoint), nodes_by_capacity(shared(), *c.node_checkpoint)});
    else
      more({Cell(), Cell()});
    if (c.t_c) {
      const PartitionedRun timed{seconds(*c.t_c), *c.d};
      more({run_time(timed, c.hdd).count(), run_time(timed, c.ssd).count()});
    } else {
      more({Cell(), Cell()});
    }
    return cells;
  }

 private:
  static double megabytes(Bytes size) { return static_cast<double>(size.count()) / 1e6; }

  SharedSsd shared() const {
    return {.capacity = capacity_,
            .erase_cycles = config_.erase_cycles,
            .life_days = seconds(config_.life).count() / seconds_of_a_day,
            .checkpoints_a_day = seconds_of_a_day / seconds(config_.every).count()};
  }

  // What the store refuses although every key alone is good.
  StudyMistake mistake(const std::string& problem) const {
    const FunctionalPartitioningStudy& c = config_;
    if (c.clients > std::uint64_t{c.nodes} * (c.y - c.x)) return {"clients", problem, {"nodes", "x", "y"}};
    if (c.x == 0) return {"x", problem, {"store"}};
    if (c.chunk > capacity_) return {"capacity", problem, {"chunk", "store"}};
    return {"checkpoint", problem, {"capacity", "clients", "benefactors", "drain"}};
  }

  AggregateStore store_;
  Bytes capacity_;
};

}  // namespace

const StudyKind functional_partitioning_study{
    .name = "functional_partitioning",
    .meaning = "A checkpoint into the SSDs, memories or disks of all nodes, with cores set aside for it",
    .coordinates = {"store", "clients"},
    .columns = {{"rate_mbps", "rate", "MB/s", "Of the checkpoint, until its last client is done", 1},
                {"time_s", "time", "s", "That it takes"},
                {"written_mb", "written", "MB", "To benefactors: without duplicates", 0},
                {"remote_mb", "remote", "MB", "Of that, to those of other nodes", 0},
                {"drained_mb", "drained", "MB", "From benefactors to disks, by then", 0},
                {"duplicates_found", "", "", "Chunks that were not written"},
                {"waits", "waits", "", "Chunks that waited for room"},
                {"one_core_mbps", "", "MB/s",
                 "Of all nodes with x = 1, as a closed form: hash, then store on an SSD"},
                {"two_cores_mbps", "", "MB/s", "The same with x = 2: hash beside store"},
                {"nodes_by_lifetime", "", "", "C1: so many nodes may share an SSD that lasts"},
                {"nodes_by_capacity", "", "", "C2: so many may share one that holds a checkpoint of each"},
                {"disk_run_s", "", "s", "Of Figure 4: the run when it writes to disk"},
                {"ssd_run_s", "", "s", "Of Figure 4: the run when it writes to an SSD"}},
    .x = "clients",
    .y = "rate_mbps",
    .x_key = "clients",
    .bars = {"rate_mbps", "written_mb"},
    .make = make_study_point<Point>};

}  // namespace asterism
