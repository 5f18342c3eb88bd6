// Failures at the moments at which a checkpoint is most at risk, with real firmware: while a checkpoint is
// taken, while it is copied to the global store (GPU snapshots: to the DIMM-SSD), and during recovery; also
// two at once, including both buddies.
//
// A campaign tests one cluster, or one node with GPUs. A first run without faults provides the result and the
// times of these moments; if a second failure must occur during the recovery, a run with only the first
// failure provides the time of the recovery. An oracle that shares no code with the firmware
// (cluster_failure_oracle.h) then judges every run with faults.
//
// ASTERISM_CLUSTER_SEEDS=N runs N seeds of clusters, four for each campaign, and a quarter as many of GPUs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>

#include "tests/platform/cluster_failure_oracle.h"
#include "tests/platform/command.h"

#if defined(__SANITIZE_ADDRESS__)
#define ASTERISM_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASTERISM_SANITIZED 1
#endif
#endif

namespace asterism {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using Time = std::uint64_t;  // ps

constexpr unsigned seeds_a_campaign = 4;
const auto seeds = static_cast<unsigned>(
    std::getenv("ASTERISM_CLUSTER_SEEDS") ? std::stoul(std::getenv("ASTERISM_CLUSTER_SEEDS")) : 16);
const unsigned campaigns = (seeds + seeds_a_campaign - 1) / seeds_a_campaign;

constexpr Time us = 1'000'000;

struct Window {
  Time begin = 0, end = 0;  // exclusive
};

class RandomSource {
 public:
  explicit RandomSource(unsigned seed) : random_(seed) {}
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  bool coin() { return below(2) == 0; }
  Time inside(const Window& window) {
    const Time high = random_(), low = random_();
    return window.begin + 1 + (high << 32 | low) % (window.end - window.begin - 1);
  }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all.at(below(static_cast<unsigned>(all.size())));
  }

 private:
  std::mt19937 random_;
};

using Events = std::vector<Json>;

// Three kinds of windows: from the first copy of a version to its commit; for a version that goes to the
// global store, from its commit until the store has it; and from the epoch after the first loss until
// recovery is complete.
std::vector<Window> checkpoints_in(const Events& events) {
  std::map<std::uint64_t, Time> begun;
  std::vector<Window> windows;
  for (const Json& event : events) {
    const Time at = event["time_ps"];
    if (event["kind"] == "copy_held") begun.emplace(event["version"], at);
    if (event["kind"] == "checkpoint_commit" && event["source"] == "cluster")
      windows.push_back({begun.at(event["version"]), at});
  }
  return windows;
}

std::vector<Window> global_copies_in(const Events& events) {
  std::map<std::uint64_t, Time> committed;
  std::vector<Window> windows;
  for (const Json& event : events) {
    const Time at = event["time_ps"];
    if (event["kind"] == "checkpoint_commit" && event["source"] == "cluster")
      committed[event["version"]] = at;
    if (event["kind"] == "global_commit") windows.push_back({committed.at(event["version"]), at});
  }
  return windows;
}

std::vector<Window> recoveries_in(const Events& events, Time detection) {
  std::vector<Window> windows;
  Time lost = 0;
  for (const Json& event : events) {
    if (event["kind"] == "node_loss") lost = event["time_ps"];
    if (event["kind"] == "recovery" && event["source"] == "cluster")
      windows.push_back({lost + detection, event["time_ps"]});
  }
  return windows;
}

enum class Moment { checkpoint, global, recovery };

// ---- clusters ----

struct ClusterFailuresTest : CommandTest, testing::WithParamInterface<unsigned> {
  ClusterShape shape;
  std::string protocol;
  RandomSource random{GetParam()};
  std::string right_result;
  unsigned decisions = 0, determined = 0;

  // The first twelve campaigns combine every placement with either protocol and with every interval of global
  // copies.
  void draw_the_cluster() {
    const unsigned campaign = GetParam();
    shape.placement = std::array{"memory", "half_ssd", "full_ssd"}[campaign % 3];
    protocol = campaign % 2 == 0 ? "semi_blocking" : "blocking";
    shape.global_every = (campaign / 4 + campaign + 1) % 3;
    shape.restart_from_beginning = campaign % 4 == 3;
    shape.firmware_spares = 1 + random.below(2);
    shape.spares = 1 + random.below(2);
    shape.corrects_a_chip = random.below(3) == 0;
    shape.detection_ps = (random.coin() ? 100 : 500) * us;
  }

  static Json to_json(const InjectedFault& fault) {
    Json all{{"at", fmt::format("{}ps", fault.at_ps)}, {"kind", fault.kind}, {"node", fault.node}};
    if (fault.kind == "link_loss") all["restore_after"] = fmt::format("{}ps", fault.restore_after_ps);
    if (fault.kind == "chip") all.update({{"channel", 0}, {"rank", 0}, {"chip", fault.at_ps % 18}});
    if (fault.kind == "flash_bits") all.update({{"holds", "data"}, {"bits", 1000}});
    return all;
  }

  Ended run(const std::vector<InjectedFault>& faults) const {
    Json list = Json::array();
    for (const InjectedFault& fault : faults) list.push_back(to_json(fault));
    const auto key = [](const char* name, const auto& value) { return fmt::format("{}={}", name, value); };
    return asterism({"run",
                     "buddy_cluster",
                     "--out",
                     "run",
                     "expect={}",
                     "until=1s",
                     "node.memory.ranks=2",
                     "node.dimm_ssd.blocks=32",
                     key("seed", GetParam() + 1),
                     key("faults", list.dump()),
                     key("node.memory.ecc", shape.corrects_a_chip ? "strong" : "normal"),
                     key("cluster.nodes", shape.ranks),
                     key("cluster.firmware_nodes", shape.firmware_ranks),
                     key("cluster.firmware_spares", shape.firmware_spares),
                     key("cluster.spares", shape.spares),
                     "cluster.program.steps=24",
                     "cluster.program.words=2048",
                     fmt::format("cluster.detection={}ps", shape.detection_ps),
                     key("cluster.checkpoint.interval", shape.interval),
                     key("cluster.checkpoint.placement", shape.placement),
                     key("cluster.checkpoint.protocol", protocol),
                     key("cluster.checkpoint.global_every", shape.global_every),
                     key("cluster.checkpoint.restart_from_beginning", shape.restart_from_beginning)});
  }
  std::string result_of_run() const {
    return exists("run/files/result.txt") ? contents("run/files/result.txt") : "";
  }

  // Runs with these faults and has the oracle judge the run; returns its events.
  Events expect_right(const std::vector<InjectedFault>& faults, std::optional<Moment> aim) {
    const Ended ended = run(faults);
    const Events all = events();
    ClusterFailureOracle oracle(shape, faults, right_result);
    Json list = Json::array();
    for (const InjectedFault& fault : faults) list.push_back(to_json(fault));
    EXPECT_THAT(oracle.judge(all, {ended.status, result_of_run()}), IsEmpty())
        << "faults=" << list.dump() << "\n"
        << ended.out << ended.err;
    if (aim && !oracle.losses().empty()) {
      const LossMoment& last = oracle.losses().back();
      const bool is_hit = *aim == Moment::checkpoint ? last.in_checkpoint
                          : *aim == Moment::global   ? last.in_global
                                                     : last.in_recovery;
      EXPECT_TRUE(is_hit) << "faults=" << list.dump() << "\n" << ended.out;
    }
    decisions += oracle.decisions();
    determined += oracle.determined();
    return all;
  }

  // ---- faults ----

  InjectedFault loss(Time at, unsigned node) {
    InjectedFault fault{at, "node_loss", node};
    const bool is_link = random.below(3) == 0;
    if (is_link) {
      fault.kind = "link_loss";
      fault.restore_after_ps = (20 + random.below(1000)) * us;
    } else if (!shape.is_firmware(node)) {
      fault.kind =
          random.of<std::string>({"node_loss", "node_loss", "memory_loss", "ssd_loss", "gpu_state_loss"});
    }
    return fault;
  }
  // A node with firmware may also fail by its DRAM or SSD; such a fault is detected when the data is read.
  InjectedFault failure(Time at, unsigned node) {
    if (!shape.is_firmware(node) || random.coin()) return loss(at, node);
    const bool has_copies_on_ssd = shape.placement != "memory";
    return {at, has_copies_on_ssd && random.coin() ? "flash_bits" : "chip", node};
  }
  static std::vector<unsigned> holders(const ClusterShape& shape, const Events& events) {
    std::vector<unsigned> nodes;
    for (unsigned rank = 0; rank < shape.ranks; ++rank) nodes.push_back(rank);
    for (const Json& event : events)
      if (event["kind"] == "rank_moved") nodes.at(event["rank"]) = event["to_node"];
    return nodes;
  }
};

TEST_P(ClusterFailuresTest, EndWithTheRightResultOrAreRightlyNotRecoverable) {
#ifdef ASTERISM_SANITIZED
  GTEST_SKIP() << "too slow with sanitizers";
#endif
  draw_the_cluster();
  ASSERT_EQ(run({}).status, 0);
  right_result = result_of_run();
  ASSERT_THAT(right_result, HasSubstr("0x"));
  const Events undisturbed = events();
  const std::vector<Window> checkpoints = checkpoints_in(undisturbed);
  ASSERT_EQ(checkpoints.size(), 3u);
  const bool has_store = shape.global_every != 0;
  const std::vector<Window> globals = has_store ? global_copies_in(undisturbed) : checkpoints;
  ASSERT_FALSE(globals.empty());
  const Moment behind = has_store ? Moment::global : Moment::checkpoint;
  const auto any_rank = [&] { return random.below(shape.ranks); };

  // One failure occurs while a checkpoint is taken, after the commit of the first checkpoint.
  const unsigned first_rank = any_rank();
  const InjectedFault first = loss(random.inside(checkpoints[1 + random.below(2)]), first_rank);
  const Events once = expect_right({first}, Moment::checkpoint);
  const std::vector<Window> recoveries = recoveries_in(once, shape.detection_ps);
  ASSERT_EQ(recoveries.size(), 1u) << first.kind;
  const std::vector<unsigned> now_at = holders(shape, once);

  // A failure of any kind occurs during a copy to the global store; sometimes both buddies fail, sometimes it
  // is the copy of the first checkpoint.
  {
    const unsigned rank = any_rank();
    const Time at = random.inside(random.of(globals));
    std::vector<InjectedFault> faults{failure(at, rank)};
    if (random.coin()) faults.push_back(failure(at, (rank + 1) % shape.ranks));
    const bool is_seen = std::ranges::none_of(faults, [](const InjectedFault& fault) {
      return fault.kind == "chip" || fault.kind == "flash_bits";
    });
    expect_right(faults, is_seen ? std::optional(behind) : std::nullopt);
  }
  // A second failure occurs during the recovery from the first one, or soon after it: on the node that has
  // the lost rank now, on its buddy, or on any node.
  {
    const unsigned rank = random.coin() ? (first_rank + random.below(2)) % shape.ranks : any_rank();
    const bool is_after = random.below(4) == 0;
    const Time end = recoveries[0].end;
    const InjectedFault second =
        failure(random.inside(is_after ? Window{end, end + 100 * us} : recoveries[0]), now_at[rank]);
    const bool is_seen = !is_after && second.kind != "chip" && second.kind != "flash_bits";
    expect_right({first, second}, is_seen ? std::optional(Moment::recovery) : std::nullopt);
  }
  // Both buddies fail at once, at any of these moments.
  {
    const Moment moment = std::array{Moment::checkpoint, behind, Moment::recovery}[random.below(3)];
    const bool recovers = moment == Moment::recovery;
    const Time at = random.inside(recovers                       ? recoveries[0]
                                  : moment == Moment::checkpoint ? random.of(checkpoints)
                                                                 : random.of(globals));
    const unsigned rank = any_rank(), buddy = (rank + 1) % shape.ranks;
    std::vector<InjectedFault> faults;
    if (recovers) faults.push_back(first);
    for (const unsigned each : {rank, buddy}) faults.push_back(loss(at, recovers ? now_at[each] : each));
    expect_right(faults, moment);
  }
  RecordProperty("decisions", static_cast<int>(decisions));
  RecordProperty("determined", static_cast<int>(determined));
}
INSTANTIATE_TEST_SUITE_P(Campaigns, ClusterFailuresTest, testing::Range(0u, campaigns));

// ---- a node with GPUs ----

// The steps to which the GPUs go back according to the console, in order; each recovery prints one line.
std::vector<unsigned> steps_gone_back_to(const std::string& console) {
  static constexpr std::string_view words = " lost: all go back to step ";
  std::vector<unsigned> steps;
  for (std::size_t at = 0; (at = console.find(words, at)) != std::string::npos;) {
    at += words.size();
    steps.push_back(static_cast<unsigned>(std::stoul(console.substr(at))));
  }
  return steps;
}

// Each recovery may go back to the newest step whose snapshots were complete on all GPUs. Until the firmware
// has begun newer snapshots, it may also go back to the step before. After a power failure only the step that
// the DIMM-SSD gave back is left.
std::vector<std::string> mistakes_of_gpus(const Events& events, const std::vector<unsigned>& gone_back_to,
                                          unsigned gpus, unsigned interval) {
  std::vector<std::string> mistakes;
  unsigned least = 0, least_when_lost = 0, most = 0, taken = 0;
  bool is_lost = false;
  auto step = gone_back_to.begin();
  for (const Json& event : events) {
    const std::string kind = event["kind"];
    if (kind == "gpu_snapshot_begin" && event["source"] == "node.gpu.0") {
      least = most;
      taken = 0;
    } else if (kind == "gpu_snapshot_taken" && ++taken == gpus) {
      most += interval;
    } else if (kind == "gpu_lost" && !is_lost) {
      least_when_lost = least;
      is_lost = true;
    } else if (kind == "restore") {
      least = most = event["version"].get<unsigned>() * interval;
      is_lost = false;
    } else if (kind == "recovery") {
      is_lost = false;
      if (step == gone_back_to.end()) return {"a recovery of which the firmware said nothing"};
      if (*step < least_when_lost || *step > most)
        mistakes.push_back(
            fmt::format("they go back to step {}, not {} to {}", *step, least_when_lost, most));
      least = most = *step++;
    }
  }
  if (step != gone_back_to.end()) mistakes.push_back("the firmware said of a recovery that there was not");
  return mistakes;
}

Json gpu_event(const char* source, const char* kind) {
  return {{"time_ps", 1}, {"source", source}, {"kind", kind}};
}

TEST(GpuFailureOracleTest, GoesBackToTheNewestStepThatAllGpusHave) {
  const Json begin = gpu_event("node.gpu.0", "gpu_snapshot_begin"),
             first = gpu_event("node.gpu.0", "gpu_snapshot_taken"),
             second = gpu_event("node.gpu.1", "gpu_snapshot_taken"),
             lost = gpu_event("node.gpu.1", "gpu_lost"), recovery = gpu_event("node.power", "recovery");
  const auto is_right = [&](const Events& events, unsigned step) {
    return mistakes_of_gpus(events, {step}, 2, 2).empty();
  };
  const Events one_taken{begin, first, second, begin, first, lost, recovery};
  // The snapshots of step 2 are complete, and the firmware has begun newer ones.
  EXPECT_FALSE(is_right(one_taken, 0));
  EXPECT_TRUE(is_right(one_taken, 2));
  EXPECT_FALSE(is_right(one_taken, 4));  // GPU 1 has no snapshot of step 4
  const Events both_taken{begin, first, second, begin, first, second, lost, recovery};
  EXPECT_FALSE(is_right(both_taken, 0));
  EXPECT_TRUE(is_right(both_taken, 2));
  EXPECT_TRUE(is_right(both_taken, 4));
  EXPECT_FALSE(mistakes_of_gpus(both_taken, {}, 2, 2).empty());
  EXPECT_FALSE(mistakes_of_gpus(both_taken, {2, 2}, 2, 2).empty());
  EXPECT_EQ(steps_gone_back_to("gpu_snapshot: GPUs 0 1 were lost: all go back to step 4\n"
                               "gpu_snapshot: GPU 0 was lost: all go back to step 4\n"
                               "gpu_snapshot: GPU 1 was lost: all go back to step 6\n"),
            (std::vector{4u, 4u, 6u}));
}

struct GpuFailuresTest : CommandTest, testing::WithParamInterface<unsigned> {
  static constexpr unsigned interval = 2, gpus = 2;
  RandomSource random{GetParam()};
  std::string right_result;

  static Json lost_gpu(Time at, unsigned gpu) {
    return {{"at", fmt::format("{}ps", at)}, {"kind", "gpu_loss"}, {"gpu", gpu}};
  }
  static Json lost_power(Time at) {
    return {{"at", fmt::format("{}ps", at)}, {"kind", "power_loss"}, {"restore_after", "1us"}};
  }
  Ended run(const std::vector<Json>& faults) const {
    const char* offloader = GetParam() % 2 == 0 ? "driver" : "device";
    return asterism(
        {"run", "gpu_snapshot", "expect={}", "node.gpu.l2=16KiB", "--out", "run",
         fmt::format("args=steps=6 interval={} memory=128KiB accesses=500 ssd_every=1 offloader={}", interval,
                     offloader),
         "faults=" + Json(faults).dump()});
  }
  Events expect_right(const std::vector<Json>& faults) const {
    const Ended ended = run(faults);
    const Events all = events();
    EXPECT_EQ(ended.status, 0) << Json(faults) << ended.out << ended.err;
    EXPECT_EQ(contents("run/files/result.txt"), right_result) << Json(faults);
    EXPECT_THAT(mistakes_of_gpus(all, steps_gone_back_to(contents("run/console.log")), gpus, interval),
                IsEmpty())
        << Json(faults) << ended.out;
    expect_the_newest_durable(all);
    return all;
  }
  // The windows from each first event of kind `begin` to the next event of kind `end`.
  static std::vector<Window> windows(const Events& events, const char* begin, const char* end) {
    std::vector<Window> all;
    Time begun = 0;
    for (const Json& event : events) {
      if (event["kind"] == begin && begun == 0) begun = event["time_ps"];
      if (event["kind"] != end || begun == 0) continue;
      all.push_back({begun, event["time_ps"]});
      begun = 0;
    }
    return all;
  }
};

TEST_P(GpuFailuresTest, EndWithTheRightResult) {
#ifdef ASTERISM_SANITIZED
  GTEST_SKIP() << "too slow with sanitizers";
#endif
  ASSERT_EQ(run({}).status, 0);
  right_result = contents("run/files/result.txt");
  const Events undisturbed = events();
  const auto snapshots = windows(undisturbed, "gpu_snapshot_begin", "gpu_snapshot_taken");
  const auto copies = windows(undisturbed, "checkpoint_begin", "checkpoint_commit");
  ASSERT_EQ(snapshots.size(), 3u);
  ASSERT_EQ(copies.size(), 3u);

  // One GPU fails while snapshots are taken.
  const unsigned gpu = random.below(gpus);
  const Json first = lost_gpu(random.inside(snapshots[1 + random.below(2)]), gpu);
  const Events once = expect_right({first});
  // The power fails while they are copied to the DIMM-SSD, and a GPU fails shortly before or after that.
  const Time at = random.inside(random.of(copies));
  expect_right({lost_power(at), lost_gpu(random.coin() ? at - 1 : at + 1 + random.below(2000) * us, gpu)});
  // The same GPU or the other one fails during the recovery from the first failure.
  const auto recoveries = windows(once, "gpu_lost", "recovery");
  ASSERT_EQ(recoveries.size(), 1u);
  const unsigned again = random.below(gpus);
  expect_right({first, lost_gpu(random.inside(recoveries[0]), again)});
  // Both GPUs fail at once.
  const Time both = random.inside(random.of(random.coin() ? snapshots : copies));
  expect_right({lost_gpu(both, 0), lost_gpu(both, 1)});
}
INSTANTIATE_TEST_SUITE_P(Campaigns, GpuFailuresTest, testing::Range(0u, (campaigns + 3) / 4));

}  // namespace
}  // namespace asterism
