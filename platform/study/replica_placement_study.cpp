// How probable it is that every node's state is left when several nodes of a training run are lost at once
// (models/resilience).
#include "platform/study/study_kind.h"
#include "resilience/replica_placement.h"
#include "resilience/training_mistake.h"

namespace asterism {
namespace {

struct ReplicaPlacementStudy {
  std::uint32_t nodes = 16, group = 2;
  ReplicaPlacement placement = ReplicaPlacement::mixed;
  std::optional<std::uint32_t> parity = std::nullopt;
  std::uint32_t lost = 2;
};
static_assert(member_count<ReplicaPlacementStudy>() == 5);
void describe(Fields& f, ReplicaPlacementStudy& c) {
  f("nodes", c.nodes,
    "The number of nodes. The more there are, the less often those that are lost hold the same state.",
    within(2, 1'000'000));
  f("group", c.group, "The number of copies of each node's state, or of nodes that share an erasure code.",
    within(1, max_group_size));
  f("placement", c.placement, "Which nodes hold the copies of a node.", one_of<ReplicaPlacement>());
  f("parity", c.parity,
    "The losses that the erasure code of a group restores. Without it, a group has copies, of which one is "
    "enough.",
    within(1, max_group_size - 1));
  f("lost", c.lost, "The number of nodes that are lost at once.", within(0, max_lost_at_once));
}

class ReplicaPlacementPoint final : public StudyPointOf<ReplicaPlacementStudy> {
 public:
  void prepare(const ConfigLibrary&) override { probability_ = probability(); }
  std::vector<Cell> run(const std::stop_token&) override {
    return {100 * probability_, 100 * (1 - probability_), std::uint64_t{nodes_in_ring(placement())}};
  }

 private:
  CopyPlacement placement() const {
    const ReplicaPlacementStudy& c = config_;
    return {.placement = c.placement,
            .nodes = c.nodes,
            .size = c.group,
            .tolerated = c.parity.value_or(c.group - 1)};
  }
  double probability() const {
    try {
      return survival_probability(placement(), config_.lost);
    } catch (const TrainingMistake& error) {
      const std::string& member = error.member();
      if (member == "size") throw StudyMistake("group", error.what());
      if (member == "tolerated") throw StudyMistake("parity", error.what(), {"group", "placement"});
      throw StudyMistake(member, error.what(), {"group", "placement", "nodes"});
    }
  }

  double probability_ = 0;
};

const RegisteredStudy replica_placement_study{
    {.name = "replica_placement",
     .meaning =
         "How probable it is that copies in the memory of other nodes survive when several nodes are lost",
     .coordinates = {"nodes", "lost"},
     .columns = {{"survives_percent", "survives", "%",
                  "The share of sets of lost nodes that leave every state", 3, 9},
                 {"lost_percent", "lost", "%", "The share that loses the state of a node", 3, 9},
                 {"ring_nodes", "in a ring", "",
                  "Nodes whose copies are on the nodes that follow; with placement=mixed, those that remain "
                  "of whole groups, and one group"}},
     .x = "lost",
     .y = "survives_percent",
     .x_key = "lost",
     .other_x = "nodes",
     .bars = {"survives_percent"},
     .make = make_study_point<ReplicaPlacementPoint>}};

}  // namespace
}  // namespace asterism
