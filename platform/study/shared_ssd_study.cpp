// How many nodes may share an SSD for their checkpoints: li2010 Eq. 1 and Table I (models/resilience).
#include <algorithm>

#include "platform/study/study_kind.h"
#include "platform/study/study_units.h"
#include "resilience/functional_partitioning.h"
#include "resilience/long_duration.h"

namespace asterism {
namespace {

struct SharedSsdStudy {
  Bytes node_checkpoint = Bytes(2'880'000'000);  // GTC of li2010 Table I
  Bytes capacity = Bytes(32'000'000'000);
  double erase_cycles = 1e5;
  LongDuration life = long_duration(5ull * 365 * 86'400);
  LongDuration every = long_duration(3000);
};
static_assert(member_count<SharedSsdStudy>() == 5);
void describe(Fields& f, SharedSsdStudy& c) {
  const auto size = within(1_B, Bytes(1'000'000'000'000'000));
  f("node_checkpoint", c.node_checkpoint,
    "The size of a checkpoint of a node. Larger ones leave the SSD to fewer nodes.", size);
  f("capacity", c.capacity, "The capacity of the SSD.", size);
  f("erase_cycles", c.erase_cycles,
    "The number of erases that its blocks endure. Wear is spread over all of them.", within(1.0, 1e12));
  f("life", c.life, "How long the SSD is required to last.",
    within(long_duration(1), long_duration(3'153'600'000)));
  f("every", c.every, "The time from one checkpoint to the next.",
    within(long_duration(1), long_duration(31'536'000)));
}

class SharedSsdPoint final : public StudyPointOf<SharedSsdStudy> {
 public:
  void prepare(const ConfigLibrary&) override {
    try {
      nodes_by_lifetime(shared(), config_.node_checkpoint);
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("node_checkpoint", error.what(), {"erase_cycles", "life", "every", "capacity"});
    }
  }

  std::vector<Cell> run(const std::stop_token&) override {
    const std::uint64_t lifetime = nodes_by_lifetime(shared(), config_.node_checkpoint),
                        capacity = nodes_by_capacity(shared(), config_.node_checkpoint);
    const auto megabytes = static_cast<double>(config_.node_checkpoint.count()) / 1e6;
    return {megabytes, lifetime, capacity, std::min(lifetime, capacity),
            megabytes / 1e3 * shared().checkpoints_a_day};
  }

 private:
  SharedSsd shared() const {
    return {.capacity = config_.capacity,
            .erase_cycles = config_.erase_cycles,
            .life_days = seconds(config_.life).count() / seconds_of_a_day,
            .checkpoints_a_day = seconds_of_a_day / seconds(config_.every).count()};
  }
};

const RegisteredStudy shared_ssd_study{
    {.name = "shared_ssd",
     .meaning = "How many nodes may share an SSD for their checkpoints: li2010 Eq. 1 and Table I",
     .coordinates = {"node_checkpoint", "capacity"},
     .columns = {{"node_checkpoint_mb", "", "MB", "The size of a checkpoint of a node"},
                 {"nodes_by_lifetime", "C1", "",
                  "The number of nodes with which it lasts: capacity erase_cycles / (life written)"},
                 {"nodes_by_capacity", "C2", "",
                  "The number of nodes of each of which it holds a checkpoint"},
                 {"nodes", "nodes", "", "The number of nodes that may share it: the smaller of the two"},
                 {"written_gb_per_day", "a day", "GB", "Data that each node writes in a day", 1}},
     .x = "node_checkpoint_mb",
     .y = "nodes",
     .x_key = "node_checkpoint",
     .bars = {"nodes_by_lifetime", "nodes_by_capacity"},
     .make = make_study_point<SharedSsdPoint>}};

}  // namespace
}  // namespace asterism
