#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "platform/study/study_kind.h"
#include "platform/study/study_report.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest cluster_scale(R"({"kind": "cluster_scale"})");

constexpr const char* costs =
    R"({"node": {"checkpoint_costs": {"state_bytes": 1000000000, "dump_ps": 2000000000000, "overlap_ps": 5000000000000,
        "overhead_ps": 1000000000000, "drain_bytes_per_second": 100000000, "restart_ps": 4000000000000}}})";

// A study of 100 iterations with a checkpoint every 20, with the costs of the file above.
std::vector<std::string> small(const std::vector<std::string>& more) {
  std::vector<std::string> given = {"nodes=8",       "network.nodes_per_switch=2",
                                    "spares=2",      "state=1GB",
                                    "dump=2s",       "overlap=5s",
                                    "overhead=1s",   "restart=4s",
                                    "work=100s",     "interval=20s",
                                    "drain=100MB/s", "runs=1"};
  given.insert(given.end(), more.begin(), more.end());
  return given;
}

// A file stats.json with this text, which exists as long as the object.
class Stats {
 public:
  explicit Stats(const std::string& text) : file_(text) {}
  std::string path() const { return file_.key().substr(std::string("trace=").size()); }
  std::string key() const { return "node_stats=" + path(); }

 private:
  TraceFile file_;
};
std::string without(const std::string& field) {
  auto whole = nlohmann::json::parse(costs);
  whole["node"]["checkpoint_costs"].erase(field);
  return whole.dump();
}

TEST(ClusterScaleStudyTest, ReportsTheOutcomeOfAPlacedFailure) {
  const Row row = cluster_scale.run(small({R"(placed=[{"at":"53s","kind":"node","node":5}])"}));
  EXPECT_NEAR(row.number("time_s"), 112 + 4 + 7, 1e-4);
  EXPECT_NEAR(row.number("efficiency_percent"), 100 / 1.23, 1e-4);
  EXPECT_NEAR(row.number("overlap_s"), 5, 1e-4);
  EXPECT_NEAR(row.number("overlaps_s"), 4 * 5, 1e-4);
  EXPECT_NEAR(row.number("dump_s"), 4 * 2, 1e-4);
  EXPECT_NEAR(row.number("overheads_s"), 4, 1e-4);
  EXPECT_NEAR(row.number("restart_s"), 4, 1e-4);
  EXPECT_NEAR(row.number("lost_work_s"), 7, 1e-4);
  EXPECT_EQ(row.count("node_failures"), 1u);
  EXPECT_EQ(row.count("failures"), 1u);
  EXPECT_EQ(row.count("buddy_recoveries"), 1u);
  EXPECT_EQ(row.count("checkpoints"), 4u);
  EXPECT_EQ(row.number("network_bytes"), 34e9);
  EXPECT_EQ(row.text("state"), "ok");
  EXPECT_TRUE(row.is_empty("predicted_percent"));
  EXPECT_TRUE(row.is_empty("efficiency_error"));
}

TEST(ClusterScaleStudyTest, ReportsCorruptionSlowNodesBurstsAndReplicas) {
  const Row wrong = cluster_scale.run(small({R"(placed=[{"at":"53s","kind":"corruption","node":5}])"}));
  EXPECT_EQ(wrong.count("wrong_results"), 1u);
  const Row found = cluster_scale.run(
      small({R"(placed=[{"at":"53s","kind":"corruption","node":5},{"at":"100s","kind":"slow","node":1}])",
             "failures.corruption.check_every=20s", "failures.corruption.check=1s",
             "failures.slow.slowdown=1", "failures.slow.found_after=10s", "network.replicas=4"}));
  EXPECT_EQ(found.count("wrong_results"), 0u);
  EXPECT_EQ(found.count("corruption_failures"), 1u);
  EXPECT_EQ(found.count("slow_failures"), 1u);
  EXPECT_NEAR(found.number("check_s"), 6, 1e-4);
  EXPECT_NEAR(found.number("slow_s"), 5, 1e-4);
  EXPECT_NEAR(found.number("corruption_lost_s"), 24, 1e-4);
  EXPECT_NEAR(found.number("node_overlap_s"), 3 * 5, 1e-4);
  EXPECT_EQ(cluster_scale.mistake({"network.replicas=3", "nodes=1000"}),
            "command line: error: network.replicas: more than 2 are on as many full switches: expected a "
            "multiple of 128 nodes, got 1000");
}

TEST(ClusterScaleStudyTest, TakesNodesCostsFromTheirStats) {
  const Stats stats(costs);
  const std::vector<std::string> others = {"nodes=8",      "network.nodes_per_switch=2",        "work=100s",
                                           "interval=20s", R"(placed=[{"at":"53s","node":5}])", "runs=1",
                                           stats.key()};
  EXPECT_NEAR(cluster_scale.run(others).number("time_s"), 123, 1e-4);
  auto overridden = others;
  overridden.insert(overridden.end(), {"dump=3s", "restart=14s"});
  EXPECT_NEAR(cluster_scale.run(overridden).number("time_s"), 123 + 4 * 1 + 10 - 2, 1e-4);
}

TEST(ClusterScaleStudyTest, NamesFileAndFieldOfStatsThatMissOne) {
  for (const auto& [field, key] :
       std::vector<std::pair<std::string, std::string>>{{"state_bytes", "state"},
                                                        {"dump_ps", "dump"},
                                                        {"overlap_ps", "overlap"},
                                                        {"overhead_ps", "overhead"},
                                                        {"restart_ps", "restart"},
                                                        {"drain_bytes_per_second", "drain"}}) {
    const Stats stats(without(field));
    const std::string above = field == "dump_ps" || field == "overhead_ps" ? "" : " above 0";
    EXPECT_EQ(cluster_scale.mistake({stats.key()}),
              "command line: error: node_stats: " + stats.path() + ": node.checkpoint_costs." + field +
                  ": expected a whole number" + above + ", it is missing; the key " + key + " gives it, too");
  }
  const Stats stats(without("drain_bytes_per_second"));
  EXPECT_EQ(cluster_scale.mistake({stats.key(), "global_every=0"}), "none");
  EXPECT_EQ(cluster_scale.mistake({stats.key(), "drain=1GB/s"}), "none");
}

TEST(ClusterScaleStudyTest, RefusesStatsThatAreNone) {
  EXPECT_THROW(cluster_scale.read({"node_stats=/nowhere"}), InputMissing);
  const auto refused = [](const std::string& text) {
    const Stats stats(text);
    const std::string mistake = cluster_scale.mistake({stats.key()});
    return mistake.substr(mistake.find(stats.path()) + stats.path().size());
  };
  EXPECT_EQ(refused("x"), ": expected a stats.json, this is no JSON");
  EXPECT_EQ(refused("{}"), ": node.checkpoint_costs: expected an object, as a run of several nodes leaves");
  std::string zero = costs;
  zero.replace(zero.find("4000000000000"), 13, "0");
  EXPECT_EQ(refused(zero),
            ": node.checkpoint_costs.restart_ps: expected a whole number above 0, got 0; the key restart "
            "gives it, too");
}

TEST(ClusterScaleStudyTest, IsPrintedBesideTheModel) {
  const Row row = cluster_scale.run(
      small({"nodes=200", "network.nodes_per_switch=20", "work=20000s", "runs=4", "interval=60s",
             "dram_fit=2000000", "global_every=0", "gpu_fit=0", "node_fit=0", "link_fit=0", "ssd_fit=0"}));
  EXPECT_NEAR(row.number("mttf_s"), 1125, 1e-6);  // 1,600 modules
  EXPECT_NEAR(row.number("distance_percent"), 0, row.number("distance_error"));
  EXPECT_GT(row.number("distance_error"), 0);
  EXPECT_NEAR(row.number("efficiency_percent"), row.number("predicted_percent"),
              row.number("efficiency_error"));
  EXPECT_EQ(row.count("failures"), row.count("dram_failures"));
  EXPECT_GT(row.count("local_recoveries"), 20u);
}

TEST(ClusterScaleStudyTest, TakesTheModelsIntervalUnlessOneIsGiven) {
  const std::vector<std::string> machine = {"nodes=100000", "work=2000s", "runs=1",
                                            "network.nodes_per_switch=5000", "global_every=0"};
  const double best = cluster_scale.run(machine).number("interval_s");
  EXPECT_GT(best, 150);
  EXPECT_LT(best, 350);  // Young: sqrt(2 * 9 s * 3495 s) = 251 s
  auto given = machine;
  given.emplace_back("interval=200s");
  EXPECT_EQ(cluster_scale.run(given).number("interval_s"), 200);
}

TEST(ClusterScaleStudyTest, SweepsMachines) {
  EXPECT_EQ(cluster_scale.read({"nodes=1000,10000,100000", "network.topology=fat_tree,dragonfly,torus"})
                .points.size(),
            9u);
}

TEST(ClusterScaleStudyTest, SaysWhereARunWasGivenUp) {
  const Row row = cluster_scale.run(small({"dram_fit=1e9", "drams=1000", "give_up=500s", "global_every=0"}));
  EXPECT_EQ(row.text("state"), "gave_up");
  EXPECT_TRUE(row.is_empty("distance_percent"));
}

TEST(ClusterScaleStudyTest, RefusesWhatIsNoMachineAndNoRun) {
  const auto refused = [](const std::vector<std::string>& given) {
    const std::string mistake = cluster_scale.mistake(given);
    // A message has a place before this if the value was written anywhere.
    const std::string before = "error: ";
    return mistake.substr(mistake.find(before) + before.size());
  };
  EXPECT_EQ(refused({"nodes=1"}), "nodes: expected an integer from 2 to 1000000, got 1");
  EXPECT_EQ(refused({"nodes=1001"}), "nodes: buddies are pairs: an even number of nodes");
  EXPECT_EQ(refused({"node_fit=-1"}), "node_fit: expected a number from 0.0 to 1e+09, got -1");
  EXPECT_EQ(refused({"node_fit=0", "dram_fit=0", "gpu_fit=0", "ssd_fit=0", "link_fit=0"}),
            "node_fit: something fails: a rate above 0, or a failure that is placed");
  EXPECT_EQ(refused({"work=100s", "interval=101s"}),
            "interval: expected at most the run's work, 100s, got 101s");
  EXPECT_EQ(refused({"interval=10s"}),
            "interval: buddies have their copies when the next checkpoint begins: expected 15 s or longer, "
            "overlap less overhead, got 10 s");
  EXPECT_EQ(refused({"work=100s", "iteration=3s"}),
            "work: expected a value that is a whole number of iterations, got \"100s\"");
  EXPECT_EQ(refused({"network.shape=[4,4]"}),
            "network.shape: 4 x 4 x 1 switches of 64 nodes have no space for 1000 nodes in 16 switches and 1 "
            "for spares");
  EXPECT_EQ(refused({"network.shape=[4]"}), "network.shape: expected 2 numbers above 0");
  EXPECT_EQ(refused({R"(placed=[{"at":"5s","node":1000}])"}),
            "placed: node 1000 is not one of the 1000 nodes");
  EXPECT_EQ(refused({R"(placed=[{"at":"5s"}])"}),
            "placed: the model knows no placed failures: expected an interval beside them");
  EXPECT_EQ(refused({"restart=10h", "node_fit=1000000"}),
            "node_fit: the model has no interval with which the program gets on; give one");
  EXPECT_EQ(refused({"state=100TB"}),
            "state: two copies of a node and two of its buddy, of 100TB each, are more than its SSD of 1TB");
  EXPECT_EQ(
      refused({"copies=memory", "state=65GiB"}),
      "state: two copies of a node and two of its buddy, of 65GiB each, are more than its memory of 256GiB");
  EXPECT_EQ(
      refused({"capacity=1GB"}),
      "capacity: two copies of a node and two of its buddy, of 16GiB each, are more than its SSD of 1GB");
  EXPECT_EQ(refused({"work=1d", "dump=3d"}), "dump: expected at most the run's work, 86400 s, got 259200 s");
  EXPECT_EQ(refused({"work=1d", "overlap=3d"}),
            "overlap: expected at most the run's work, 86400 s, got 259200 s");
  EXPECT_EQ(
      refused({"network.shape=[1,1]"}),
      "network.shape: 1 x 1 x 1 switches of 64 nodes have no space for 1000 nodes in 16 switches and 1 for "
      "spares");
}

TEST(ClusterScaleStudyTest, AcceptsAStateThatFitsIntoTheNode) {
  EXPECT_EQ(cluster_scale.mistake({"state=250GB"}), "none");
  EXPECT_NE(cluster_scale.mistake({"state=250001MB"}), "none");
  EXPECT_EQ(cluster_scale.mistake({"state=100TB", "capacity=400TB"}), "none");
}

TEST(ClusterScaleStudyTest, MarksAnIntervalOfTheModelThatIsAtABound) {
  const std::vector<std::string> machine = {"nodes=8", "network.nodes_per_switch=2", "runs=1", "work=1h"};
  const Row bound = cluster_scale.run(machine);
  EXPECT_EQ(bound.text("state"), "at_bound");
  EXPECT_EQ(bound.number("interval_s"), 3600);
  const Study study = cluster_scale.read(machine);
  EXPECT_EQ(to_table(study, run_all(study, 1)).find('*'), std::string::npos)
      << "a value at a bound is not doubtful";
  auto given = machine;
  given.emplace_back("interval=600s");
  EXPECT_EQ(cluster_scale.run(given).text("state"), "ok");
}

// The interval follows what it is of, and the axis of both results is not named after one of them.
TEST(ClusterScaleStudyTest, ShowsTheIntervalOfWhatWasSimulated) {
  const Study study = cluster_scale.read(
      {"nodes=4,8,16", "network.nodes_per_switch=2", "runs=2", "work=1h", "interval=600s"});
  const PointRun run = run_all(study, 1);
  const std::string table = to_table(study, run);
  EXPECT_LT(table.find("works"), table.find("+-")) << table;
  EXPECT_LT(table.find("+-"), table.find("ni2012")) << table;
  EXPECT_EQ(panels_of(study, run).front().y_label, "works (%)");
}

TEST(ClusterScaleStudyTest, ReportsAMistakeAtTheKeyThatWasTyped) {
  for (const char* typed : {"node_fit=1e9", R"(placed=[{"at":"5s"}])", "capacity=1GB", "overlap=3d"}) {
    const std::string text(typed);
    const std::string mistake = cluster_scale.mistake({"work=1d", text});
    EXPECT_TRUE(mistake.starts_with("command line: error: " + text.substr(0, text.find('=')) + ": "))
        << mistake;
  }
}

TEST(ClusterScaleStudyTest, CheckpointsJustInTimeLoseAnIterationAtMost) {
  const Row row = cluster_scale.run(small({"checkpoint=just_in_time", "failures.detection=10s",
                                           R"(placed=[{"at":"53.5s","kind":"node","node":5}])"}));
  EXPECT_NEAR(row.number("lost_work_s"), 0.5, 1e-4);
  EXPECT_NEAR(row.number("detection_s"), 10, 1e-4);
  EXPECT_NEAR(row.number("node_lost_s"), 0.5 + 10 + 2 + 4, 1e-4);
  EXPECT_EQ(row.number("software_lost_s"), 0);
  EXPECT_EQ(row.count("checkpoints"), 0u);
}

TEST(ClusterScaleStudyTest, RefusesTheBestIntervalOfCheckpointsJustInTime) {
  EXPECT_EQ(
      cluster_scale.mistake({"checkpoint=just_in_time"}),
      "command line: error: checkpoint: the model knows no checkpoints just in time: expected an interval");
}

}  // namespace
}  // namespace asterism
