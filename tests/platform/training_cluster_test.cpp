// Training on several nodes that hold each other's state: whatever is lost and whenever, the loss of every
// step has the bits of an undisturbed run, which are those of one node with as many GPUs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/platform/command.h"
#include "tests/platform/training_oracle.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

using Time = std::uint64_t;  // ps

std::string fault_at(Time at, const std::string& kind, unsigned node, const std::string& more = "") {
  return fmt::format(R"({{"at":"{}ps","kind":"{}","node":{}{}}})", at, kind, node, more);
}

struct TrainingClusterTest : CommandTest {
  static constexpr const char* small = "steps=10 samples=2 hidden=32 accesses=100";
  static constexpr unsigned step_of_loss = 7;

  std::string train(const std::string& faults = "", const Arguments& more = {}) {
    Arguments all{"run",
                  "training_cluster",
                  fmt::format("args={}", small),
                  "faults=[" + faults + "]",
                  "expect={}",
                  "--out",
                  "run"};
    all.insert(all.end(), more.begin(), more.end());
    const Ended ended = asterism(all);
    EXPECT_EQ(ended.status, 0) << faults << ended.out << ended.err;
    return ended.out;
  }
  std::string result_of(unsigned node) const {
    return contents(fmt::format("run/files/node{}/result.txt", node));
  }
  // When GPU 0 of node 0 begins to read its state in this step, in an undisturbed run.
  Time begin_of(unsigned step) const {
    std::vector<Time> times;
    for (const auto& event : events())
      if (event["kind"] == "gpu_snapshot_begin" && event["source"] == "node0.gpu.0")
        times.push_back(event["time_ps"]);
    return times.at(step);
  }
};

TEST_F(TrainingClusterTest, NodesHaveTheLossesOfOneNodeWithAllGpus) {
  ASSERT_EQ(asterism({"run", "training_node", fmt::format("args={}", small), "faults=[]", "field_faults=null",
                      "expect={}", "--out", "one"})
                .status,
            0);
  const std::string expected = contents("one/files/result.txt");
  EXPECT_THAT(expected, testing::StartsWith(losses_on_the_host(10, 4, 2, 32)));
  train();
  for (const unsigned node : {0u, 1u}) EXPECT_EQ(result_of(node), expected);
  train("", {"cluster.nodes=4", "cluster.firmware_nodes=4", "node.gpu.count=1"});
  for (const unsigned node : {0u, 1u, 2u, 3u}) EXPECT_EQ(result_of(node), expected);
}

// While states are read, weights are sent, kernels run, and new states are written.
TEST_F(TrainingClusterTest, ANodeIsLostInAnyPartOfAStep) {
  train();
  const std::string expected = result_of(0);
  const Time begin = begin_of(step_of_loss), end = begin_of(step_of_loss + 1);
  for (const Time at : {begin + 1'000'000, begin + 60'000'000, (begin + end) / 2, end - 1'000'000}) {
    const std::string out = train(fault_at(at, "node_loss", 1));
    for (const unsigned node : {0u, 2u}) EXPECT_EQ(result_of(node), expected) << at << out;
    EXPECT_THAT(out, AllOf(ContainsRegex("rank 1 resumes from step [67], from another node's copy"),
                           ContainsRegex("rank 0 resumes from step [67], from its own copy"),
                           HasSubstr("1 of 1 spare used"), HasSubstr("2 recoveries")));
  }
}

TEST_F(TrainingClusterTest, ANodeThatLosesItsPowerGetsItsStateBackFromTheOther) {
  train();
  const std::string expected = result_of(0);
  const std::string out =
      train(fault_at(begin_of(step_of_loss) + 100'000'000, "power_loss", 0, R"(,"restore_after":"50us")"),
            {"cluster.detection=100us", "cluster.firmware_spares=0"});
  for (const unsigned node : {0u, 1u}) EXPECT_EQ(result_of(node), expected) << out;
  EXPECT_THAT(out, HasSubstr("rank 0 resumes from step 7, from another node's copy"));
}

// Each rank's state is on it and on the next one: two neighbours of four have both copies of one.
TEST_F(TrainingClusterTest, TwoLostNodesLeaveACopyUnlessTheyAreNeighbours) {
  const Arguments four{"cluster.nodes=4", "cluster.firmware_nodes=4", "cluster.firmware_spares=2",
                       "node.gpu.count=1"};
  train("", four);
  const std::string expected = result_of(0);
  const Time at = begin_of(step_of_loss) + 100'000'000;
  const std::string apart = train(fault_at(at, "node_loss", 1) + "," + fault_at(at, "node_loss", 3), four);
  EXPECT_THAT(apart, HasSubstr("rank 1 resumes from step 7, from another node's copy"));
  EXPECT_EQ(result_of(0), expected);
  const std::string neighbours =
      train(fault_at(at, "node_loss", 1) + "," + fault_at(at, "node_loss", 2), four);
  EXPECT_THAT(neighbours, HasSubstr("rank 1 resumes from step 0, the beginning"));
  EXPECT_EQ(result_of(0), expected);
}

TEST_F(TrainingClusterTest, AGpuGetsItsStateFromItsNode) {
  train();
  const std::string expected = result_of(0);
  const Time begin = begin_of(step_of_loss);
  const std::string row = R"(,"gpu":1,"shape":"row","address":"0x0","persistence":"stuck")";
  for (const auto& [faults, what] :
       {std::pair{fault_at(begin + 100'000'000, "gpu_loss", 1, R"(,"gpu":0)"), "GPU 0 is lost"},
        std::pair{fault_at(begin + 1'000'000, "gpu_loss", 1, R"(,"gpu":1)"), "GPU 1 is lost"},
        std::pair{fault_at(begin - 1, "gpu_memory", 0, row), "GPU 1 has an error in its memory"}}) {
    const std::string out = train(faults);
    for (const unsigned node : {0u, 1u}) EXPECT_EQ(result_of(node), expected) << out;
    EXPECT_THAT(out, AllOf(HasSubstr(fmt::format("step 7: {}:\n", what)),
                           HasSubstr("training:   its state is written again\n"), HasSubstr("1 recovery"),
                           HasSubstr("0 of 1 spare used")));
  }
}

// Nothing reports a failed row without a code, and its zone is not retired.
TEST_F(TrainingClusterTest, AMemoryThatIsWrongEachTimeEndsTheRun) {
  train();
  const std::string row = R"(,"gpu":1,"shape":"row","address":"0x0","persistence":"stuck")";
  const Ended ended = asterism({"run", "training_cluster", fmt::format("args={}", small),
                                "faults=[" + fault_at(begin_of(step_of_loss) - 1, "gpu_memory", 0, row) + "]",
                                "expect={}", "node.gpu.ecc=none", "until=40ms", "--out", "run"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("GPU 1 holds another state than was written"),
                               HasSubstr("8 mends were in vain")));
}

TEST_F(TrainingClusterTest, AStepDoesNotWaitForACheckpointThatIsSentBesideIt) {
  EXPECT_THAT(train(), ContainsRegex("waits of 0 us for checkpoints"));
  const std::string expected = result_of(0);
  const std::string out = train("", {fmt::format("args={} protocol=blocking", small)});
  EXPECT_THAT(out, ContainsRegex("waits of [1-9][0-9]+ us for checkpoints"));
  EXPECT_EQ(result_of(0), expected);
}

}  // namespace
}  // namespace asterism
