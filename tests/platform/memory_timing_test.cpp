// What sw/apps/memory_timing measures, beside what the node's configuration says.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// An instruction takes as long as a load that the L1 has, so that a chase has the latencies of the keys.
const Arguments three_levels{"node.cores.cpi=1.6", R"(node.cores.caches={
  "model": "tags",
  "l1d": {"size": "8KiB", "ways": 4, "latency": "1.6ns"},
  "l2": {"size": "32KiB", "ways": 8, "latency": "5.4ns", "cores": 1},
  "llc": {"size": "128KiB", "ways": 16, "latency": "28.8ns"}})"};

struct MemoryTimingTest : CommandTest {
  // The rows below the head of the table, by their first column.
  using Table = std::vector<std::pair<std::string, std::vector<double>>>;
  Table table(const std::string& arguments, const Arguments& keys = {},
              const std::string& app = "memory_timing", const std::string& scenario = "hello") const {
    Arguments all{"run",       scenario,    "firmware=" + app, "args=" + arguments,
                  "faults=[]", "expect={}", "--out",           "run"};
    all.insert(all.end(), untimed.begin(), untimed.end());
    if (std::ranges::any_of(keys, [](const auto& key) { return key.starts_with("node.cores.caches"); }))
      all.insert(all.end(), {"node.cores.caches.l1i=null", "node.cores.caches.tlb=null"});
    all.insert(all.end(), keys.begin(), keys.end());
    const Ended ended = asterism(all);
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    std::istringstream lines(contents("run/console.log"));
    std::vector<std::string> text;
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 80u) << line;
      text.push_back(line);
    }
    if (text.size() < 3) {
      ADD_FAILURE() << "no table";
      return {};
    }
    EXPECT_THAT(text.front(), StartsWith("memory_timing "));
    EXPECT_THAT(text.back(), EndsWith(": data verified"));
    Table rows;
    for (std::size_t i = 2; i + 1 < text.size(); ++i) {
      EXPECT_EQ(text[i].size(), text[1].size()) << text[i];
      std::istringstream words(text[i]);
      words >> rows.emplace_back().first;
      for (double value; words >> value;) rows.back().second.push_back(value);
    }
    return rows;
  }
  // The last column of each row.
  std::vector<double> last_column(const std::string& arguments, const Arguments& keys = {}) const {
    std::vector<double> values;
    for (const auto& [name, row] : table(arguments, keys)) values.push_back(row.back());
    return values;
  }
  // Of a chase in each of the three levels of caches, and in memory.
  std::vector<double> latencies(Arguments keys = {}) const {
    keys.insert(keys.begin(), three_levels.begin(), three_levels.end());
    auto values = last_column("latency from=4KiB to=256KiB factor=4 loads=4096", keys);
    EXPECT_EQ(values.size(), 4u);
    values.resize(4);
    return values;
  }
  double ping_pong(Arguments keys = {}) const {
    keys.insert(keys.begin(), "node.cores.caches.model=tags");
    const auto values = last_column("ping_pong second=2 transfers=400", keys);
    EXPECT_EQ(values.size(), 1u);
    return values.empty() ? 0 : values[0];
  }
};

TEST_F(MemoryTimingTest, AChaseHasTheLatencyOfTheCacheThatHoldsItsLines) {
  const auto ns = latencies();
  EXPECT_NEAR(ns[0], 1.6, 0.02 * 1.6);
  EXPECT_NEAR(ns[1], 5.4, 0.01 * 5.4);
  EXPECT_NEAR(ns[2], 28.8, 0.01 * 28.8);
  EXPECT_GT(ns[3], 28.8 + 20);
}

// An L1's latency is part of the time of an instruction, and an access waits for the difference.
TEST_F(MemoryTimingTest, EachLatencyKeyChangesTheChase) {
  const auto usual = latencies();
  const auto expect_difference = [&](const std::string& key, const std::vector<double>& difference) {
    const auto ns = latencies({key});
    for (std::size_t i = 0; i < usual.size(); ++i)
      EXPECT_NEAR(ns[i] - usual[i], difference[i], i < 3 ? 0.02 : 0.7) << key << ", row " << i;
  };
  expect_difference("node.cores.caches.l1d.latency=1ns", {0, 0.6, 0.6, 0.6});
  expect_difference("node.cores.caches.l2.latency=9.4ns", {0, 4, 0, 0});
  expect_difference("node.cores.caches.llc.latency=38.8ns", {0, 0, 10, 10});
  const auto slower = latencies({"node.memory.latency=30ns"});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(slower[i], usual[i], 0.02) << i;
  EXPECT_NEAR(slower[3] - usual[3], 20, 1);
}

// ---- a core that executes out of order ----

// The timing of the cores in a file of its own, with other values for keys of its misses.
struct TimedCoreTest : MemoryTimingTest {
  std::string timing(const std::string& key = "", int value = 0) const {
    nlohmann::json file = json(source_configs() / "cores/neoverse_n1.json");
    if (!key.empty()) file["misses"][key] = value;
    write("core.json", file.dump());
    return "node.cores.timing=core.json";
  }
  Arguments keys(const std::string& timing) const {
    return {"node.cores.clock=2.5GHz", timing, three_levels[1]};
  }
  // GB/s of copying an array that no cache holds.
  double copies(const Arguments& keys) const {
    return last_column("stream size=512KiB cores=1 repetitions=2", keys).at(0);
  }
};

TEST_F(TimedCoreTest, AChaseWaitsForEachLoad) {
  const auto ns = latencies(keys(timing()));
  EXPECT_NEAR(ns[0], 1.6, 0.03 * 1.6);
  EXPECT_NEAR(ns[1], 5.4, 0.03 * 5.4);
  EXPECT_NEAR(ns[2], 28.8, 0.03 * 28.8);
  EXPECT_GT(ns[3], 28.8 + 20);
}

TEST_F(TimedCoreTest, EachLatencyKeyChangesTheChase) {
  const auto usual = latencies(keys(timing()));
  const auto expect_slower = [&](const std::string& key, std::size_t row, double by) {
    Arguments with = keys(timing());
    with.push_back(key);
    EXPECT_NEAR(latencies(with)[row] - usual[row], by, 0.1 * by) << key;
  };
  expect_slower("node.cores.caches.l1d.latency=2.4ns", 0, 0.8);
  expect_slower("node.cores.caches.l2.latency=9.4ns", 1, 4);
  expect_slower("node.cores.caches.llc.latency=38.8ns", 2, 10);
  expect_slower("node.memory.latency=30ns", 3, 20);
}

TEST_F(TimedCoreTest, EachKeyOfItsMissesChangesTheBandwidth) {
  const double usual = copies(keys(timing()));
  EXPECT_LT(copies(keys(timing("window", 16))), 0.8 * usual);
  EXPECT_LT(copies(keys(timing("buffers", 2))), 0.5 * usual);
  EXPECT_LT(copies(keys(timing("stores", 1))), 0.9 * usual);
  EXPECT_LT(copies(keys("node.cores.cpi=0.5")), 0.2 * usual);  // waits for each miss
}

TEST_F(TimedCoreTest, PrefetchesHideTheTimeOfAStream) {
  const std::string few = timing("buffers", 2);
  const double usual = copies(keys(few));
  const auto with = [&](const std::string& prefetch) {
    Arguments all = keys(few);
    all.push_back("node.cores.caches.prefetch=" + prefetch);
    return copies(all);
  };
  const double prefetched = with("{}");
  EXPECT_GT(prefetched, 1.5 * usual);
  EXPECT_LT(with(R"({"distance": 1})"), 0.9 * prefetched);
  EXPECT_LT(with(R"({"buffers": 1})"), 0.9 * prefetched);
  EXPECT_LT(with(R"({"streams": 1})"), 0.9 * prefetched);  // a copy has two
}

// Everything that says how long something takes: of a node with all that can be timed, and of its cores.
struct LatencyKeysTest : TimedCoreTest {
  const Arguments usual{"node.cores.clock=2.5GHz", "node.cores.timing=core.json",
                        "node.memory.fidelity=contended", R"(node.cores.caches={
    "model": "tags",
    "l1d": {"size": "8KiB", "ways": 4, "latency": "1.6ns"},
    "l1i": {"size": "8KiB", "ways": 4, "latency": "1.6ns"},
    "l2": {"size": "32KiB", "ways": 8, "latency": "5.4ns", "cores": 1},
    "llc": {"size": "128KiB", "ways": 16, "latency": "28.8ns", "inclusion": "exclusive"},
    "prefetch": {}, "tlb": {"entries": 1, "ways": 1, "walk": "20ns"}})"};

  // The time of a whole run, with what it prints.
  std::uint64_t time(const std::string& measurement, const std::string& key = "") const {
    Arguments keys = usual;
    if (!key.empty()) keys.push_back(key);
    table(measurement, keys);
    return json("run/stats.json")["simulated_time_ps"];
  }
  void write_timing(const nlohmann::json& file) const { write("core.json", file.dump()); }
  const nlohmann::json timing_file = json(source_configs() / "cores/neoverse_n1.json");
};

TEST_F(LatencyKeysTest, EachKeyOfTheNodeChangesTheTime) {
  const std::string measurement = "loaded_latency loads=256 size=600KiB mix=1:1 delays=10,0";
  write_timing(timing_file);
  const std::uint64_t before = time(measurement);
  for (const char* key :
       {"cores.clock=2.6GHz", "cores.caches.l1d.latency=2ns", "cores.caches.l1i.latency=2ns",
        "cores.caches.l2.latency=6ns", "cores.caches.llc.latency=30ns", "cores.caches.snoop=8ns",
        "cores.caches.tlb.walk=30ns", "cores.caches.prefetch.streams=1", "cores.caches.prefetch.distance=4",
        "cores.caches.prefetch.buffers=1", "fabric.latency=12ns", "memory.latency=12ns",
        "memory.part=ddr3_1600_2gb_x4", "memory.page_policy=closed", "memory.refresh=none"})
    EXPECT_NE(time(measurement, std::string("node.") + key), before) << key;
}

TEST_F(LatencyKeysTest, EachKeyOfTheCoresTimingChangesTheTime) {
  // The latency of the L1 counts for loads, and this program waits for no result of the other classes
  // (instruction_timing_test.cpp has chains of each).
  const std::set<std::string> not_waited_for{"load",  "store",    "branch",      "vector",
                                             "other", "fp_fused", "fp_multiply", "fp_divide"};
  const std::string measurement = "stream size=12KiB cores=1";
  write_timing(timing_file);
  const std::uint64_t before = time(measurement);
  for (const auto& [name, of_class] : timing_file.items()) {
    if (!of_class.is_object() || name == "sources") continue;
    for (const auto& [key, value] : of_class.items()) {
      if (!value.is_number() || (key == "latency" && not_waited_for.contains(name))) continue;
      nlohmann::json changed = timing_file;
      if (name == "misses")
        changed[name][key] = value.get<int>() / 20 + 1;
      else
        changed[name][key] = value.get<double>() * (key == "per_cycle" ? 0.25 : 4);
      write_timing(changed);
      EXPECT_NE(time(measurement), before) << name << '.' << key;
    }
  }
  nlohmann::json narrow = timing_file;
  narrow["width"] = 1;
  write_timing(narrow);
  EXPECT_NE(time(measurement), before) << "width";
}

// With memory or a fabric whose time is not known at once, too. Measured: 1.10, 0.04, 1.00.
TEST_F(TimedCoreTest, MissesAreInFlightTogetherInExactMemory) {
  const double usual = copies(keys(timing()));
  Arguments exact = keys(timing());
  exact.push_back("node.memory.fidelity=exact");
  EXPECT_NEAR(copies(exact), usual, 0.2 * usual);
  exact[1] = timing("buffers", 1);
  EXPECT_LT(copies(exact), 0.3 * usual);
  exact[1] = timing();
  const double chase = latencies(keys(timing())).back();
  EXPECT_NEAR(latencies(exact).back(), chase, 0.1 * chase);
}

// A core that has accessed memory is ahead by no more than a microsecond, so that what it is expected to wait
// is known in time.
TEST_F(MemoryTimingTest, ALongQuantumHardlyChangesWhatALoadedMemoryTakes) {
  const auto measured = [this](const std::string& quantum) {
    return table(
        "loaded_latency size=8MiB loads=1024 delays=50,10",
        {"node.cores.caches=" +
             json(source_configs() / "nodes/checkpoint_node.json")["cores"]["caches"].dump(),
         "node.cores.timing=neoverse_n1", "node.memory.fidelity=contended", "node.quantum=" + quantum});
  };
  const Table usual = measured("1us");
  for (const char* quantum : {"100ns", "10us"}) {
    const Table other = measured(quantum);
    ASSERT_EQ(other.size(), usual.size());
    for (std::size_t i = 0; i < usual.size(); ++i)
      for (std::size_t column : {0, 1})
        EXPECT_NEAR(other[i].second[column], usual[i].second[column], 0.02 * usual[i].second[column])
            << quantum;
  }
}

// Where a size is in no cache alone, the chase lies between both.
TEST_F(MemoryTimingTest, StepsAreEvenBetweenTheSizes) {
  const Table rows = table("latency from=4KiB to=16KiB steps=4 loads=1000", three_levels);
  std::vector<std::string> sizes;
  for (const auto& [size, row] : rows) sizes.push_back(size);
  EXPECT_THAT(sizes, testing::ElementsAre("4.00", "5.00", "6.00", "7.00", "8.00", "10.00", "12.00", "14.00",
                                          "16.00"));
  EXPECT_THAT(rows[1].second[0], 1280);  // whole passes over 80 lines, of 256 loads
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_GE(rows[i].second[1], rows[i - 1].second[1] - 0.03);
}

TEST_F(MemoryTimingTest, ALineThatCoresPassToEachOtherCostsSnoops) {
  const double usual = ping_pong();
  EXPECT_GT(usual, 10);
  const double more = ping_pong({"node.cores.caches.snoop=24ns"}) - usual;  // instead of 4 ns
  EXPECT_GT(more, 15);
  EXPECT_LT(more, 45);
}

// A waiting core looks at its own time, although cores run one after the other.
TEST_F(MemoryTimingTest, AQuantumDoesNotChangeWhatALineCosts) {
  const double usual = ping_pong();
  for (const char* quantum : {"100ns", "10us"})
    EXPECT_NEAR(ping_pong({std::string("node.quantum=") + quantum}), usual, 0.05 * usual) << quantum;
}

TEST_F(MemoryTimingTest, PingPongIsWithEveryOtherCore) {
  const Table rows = table("ping_pong first=1 transfers=20");
  std::vector<double> others;
  for (const auto& [first, row] : rows) {
    EXPECT_EQ(first, "1");
    others.push_back(row[0]);
  }
  EXPECT_THAT(others, testing::ElementsAre(0, 2, 3));
}

// Instructions of 1 ns without caches: a kernel's bandwidth is that of its instructions.
TEST_F(MemoryTimingTest, StreamCountsTheBytesThatItsKernelsName) {
  const auto expect_bandwidths = [&](unsigned cores) {
    const Table rows = table("stream size=480KiB cores=" + std::to_string(cores));
    // Instructions a line, with a quarter of the loop's two, and bytes.
    const std::vector<std::tuple<std::string, double, double>> kernels{
        {"copy", 4.5, 128}, {"scale", 8.5, 128}, {"add", 10.5, 192}, {"triad", 10.5, 192}, {"sum", 6.5, 64}};
    ASSERT_EQ(rows.size(), kernels.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& [name, instructions, bytes] = kernels[i];
      EXPECT_EQ(rows[i].first, name);
      EXPECT_EQ(rows[i].second[0], 480 * bytes / 64) << name;
      const double expected = cores * bytes / instructions;
      EXPECT_NEAR(rows[i].second[2], expected, (cores == 1 ? 0.01 : 0.1) * expected) << name;
    }
  };
  expect_bandwidths(1);
  expect_bandwidths(4);
}

TEST_F(MemoryTimingTest, ABandwidthIsThatOfTheCacheThatHoldsTheArray) {
  Arguments keys = three_levels;
  const auto read = [&](const std::string& size) {
    const Table rows = table("bandwidth cores=1 size=" + size, keys);
    return rows.empty() ? 0 : rows[0].second[2];
  };
  // A line takes two instructions, and its share of two for twelve lines and of four for a pass; one that the
  // L1 does not have waits once.
  const double line = 1.6 * (2 + 2 / 12. + 4 / 96.);
  EXPECT_NEAR(read("6KiB"), 64 / line, 0.02 * 64 / line);
  EXPECT_NEAR(read("24KiB"), 64 / (line + 5.4 - 1.6), 0.02 * 64 / (line + 3.8));
  EXPECT_NEAR(read("96KiB"), 64 / (line + 28.8 - 1.6), 0.02 * 64 / (line + 27.2));
  EXPECT_LT(read("384KiB"), 64 / (line + 27.2 + 20));
}

TEST_F(MemoryTimingTest, MixesCountWhatMemoryReadsAndWrites) {
  const Table rows = table("bandwidth size=384KiB cores=2", three_levels);
  ASSERT_EQ(rows.size(), 4u);
  const double reads = rows[0].second[0];
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(rows[i].first, (std::vector<std::string>{"1:0", "3:1", "2:1", "1:1"})[i]);
    EXPECT_NEAR(rows[i].second[0], reads * (std::vector<double>{1, 4 / 3., 1.5, 2})[i], 1);
  }
}

TEST_F(MemoryTimingTest, ADelayBoundsTheLoad) {
  const Table rows = table("loaded_latency size=600KiB loads=1024");
  std::vector<std::string> delays;
  for (const auto& [delay, row] : rows) delays.push_back(delay);
  EXPECT_THAT(delays, testing::ElementsAre("3000", "900", "500", "180", "100", "80", "70", "50", "40", "30",
                                           "20", "10", "0"));
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_GT(rows[i].second[0], rows[i - 1].second[0]);
  // Three cores without caches: three instructions for each of the delay and five others, of 1 ns, a line.
  for (const std::size_t i : {0, 4, 9}) {
    const double expected = 3 * 64 / (3 * std::stod(delays[i]) + 5);
    EXPECT_NEAR(rows[i].second[0], expected, 0.05 * expected) << delays[i];
  }
}

// With exact memory, the accesses of others are in the way.
TEST_F(MemoryTimingTest, LoadsWaitForTheAccessesOfOthers) {
  Arguments keys = three_levels;
  keys.insert(keys.end(), {"node.cores.count=8", "node.memory.fidelity=exact"});
  const auto ns = last_column("loaded_latency loads=512 size=768KiB mix=1:1 delays=3000,0", keys);
  ASSERT_EQ(ns.size(), 2u);
  EXPECT_GT(ns[1], 1.3 * ns[0]);
}

// With cores.cpi. With cores.timing a pair takes less, since a load does not wait for the store before it.
TEST_F(MemoryTimingTest, ForwardIsAStoreAndALoad) {
  const auto ns = last_column("forward pairs=4096", {"node.cores.caches.model=tags"});
  ASSERT_EQ(ns.size(), 3u);
  for (const double pair : ns) EXPECT_NEAR(pair, 2, 0.04);
}

TEST_F(MemoryTimingTest, ManyCoresMeasureToo) {
  const Arguments keys{"node.cores.count=24", R"(node.cores.caches={"model": "tags",
                       "l1d": {"size": "2KiB"}, "l2": {"size": "16KiB"}})"};
  const std::string app = "memory_timing_many_cores", node = "kilocore_boot";
  EXPECT_EQ(table("ping_pong second=23 transfers=40", keys, app, node).size(), 1u);
  EXPECT_EQ(table("bandwidth size=288KiB", keys, app, node).size(), 4u);
  EXPECT_EQ(table("loaded_latency size=288KiB loads=256 delays=100,0", keys, app, node).size(), 2u);
}

TEST_F(MemoryTimingTest, AWrongArgumentIsOneLineThatNamesIt) {
  const std::map<std::string, std::string> problems{
      {"chase",
       "memory_timing: unknown measurement 'chase'; there is latency stream bandwidth loaded_latency "
       "forward ping_pong\n"},
      {"latency from=8KiB to=4KiB",
       "memory_timing latency: argument 'to=4096' is wrong: smaller than from=8192\n"},
      {"latency size=4KiB",
       "memory_timing latency: unknown argument 'size=4KiB'; there is from= to= factor= steps= loads= "
       "cxl=\n"},
      {"stream cores=5", "memory_timing stream: argument 'cores=5' is wrong: this machine has 4\n"},
      {"bandwidth size=20KiB",
       "memory_timing bandwidth: argument 'size=20480' is wrong: less than 6 KiB a core\n"},
      {"loaded_latency delays=1,,2",
       "memory_timing loaded_latency: argument 'delays=1,,2' is wrong: at most 32 numbers between commas\n"},
      {"ping_pong first=2 second=2",
       "memory_timing ping_pong: argument 'second=2' is wrong: it is the first\n"},
      {"ping_pong second=4",
       "memory_timing ping_pong: argument 'second=4' is wrong: this machine has cores 0 to 3\n"}};
  for (const auto& [arguments, line] : problems) {
    EXPECT_EQ(firmware("memory_timing", {"args=" + arguments}).status, 2) << arguments;
    EXPECT_EQ(contents("run/console.log"), line);
  }
  EXPECT_EQ(firmware("memory_timing", {"args=latency to=1GiB"}).status, 3);
  EXPECT_THAT(contents("run/console.log"), HasSubstr("1048576 KiB do not fit into the "));
}

}  // namespace
}  // namespace asterism
