// The same scenario and seed give the same bytes, whatever the host, the build and the quantum.
#include <gmock/gmock.h>

#include <cstdlib>
#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// glibc 2.36 chooses its mathematical and string functions by these; a name that it does not know is ignored.
constexpr const char* hidden =
    "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-FMA,-FMA_Usable,-FMA4,-AVX512F,-AVX512VL";

struct DeterminismTest : CommandTest {
  struct Report {
    std::string stats, events, result;
    bool operator==(const Report&) const = default;
  };
  Report main_job() {
    const Ended ended = asterism({"run", "power_loss", "expect.result_equals=null", "--out", "run"});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    return {contents("run/stats.json"), contents("run/events.jsonl"), contents("run/files/result.txt")};
  }
  void expect_same(const Report& a, const Report& b) {
    EXPECT_EQ(a.stats, b.stats);
    EXPECT_EQ(a.events, b.events);
    EXPECT_EQ(a.result, b.result);
  }
};

TEST_F(DeterminismTest, TheSameRunTwiceWritesTheSameBytes) { expect_same(main_job(), main_job()); }

TEST_F(DeterminismTest, TheHostsVectorUnitsDoNotMatter) {
  const Report with = main_job();
  environment["GLIBC_TUNABLES"] = hidden;
  expect_same(with, main_job());
}

// This guards the case above against wrong names: the loader prints which functions it uses.
TEST_F(DeterminismTest, TheNamesThatHideTheVectorUnitsHideThem) {
  environment["GLIBC_TUNABLES"] = hidden;
  std::istringstream lines(program("/lib64/ld-linux-x86-64.so.2", {"--list-diagnostics"}).out);
  const auto active = [&](const std::string& word, unsigned bit) {
    const std::string start =
        "x86.cpu_features.features[" + word.substr(0, 3) + "].active[" + word.substr(4) + "]=";
    lines.clear();
    lines.seekg(0);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(start))
        return (std::stoull(line.substr(start.size()), nullptr, 16) >> bit & 1) != 0;
    ADD_FAILURE() << "the loader prints nothing about " << start;
    return true;
  };
  EXPECT_FALSE(active("0x0 0x2", 12)) << "FMA";
  EXPECT_FALSE(active("0x1 0x1", 5)) << "AVX2";
  EXPECT_FALSE(active("0x1 0x1", 16)) << "AVX512F";
}

// ASTERISM_OTHER_BUILD, in CMake or in the environment, names another build of the program, for example one
// with sanitizers.
TEST_F(DeterminismTest, AnotherBuildWritesTheSameBytes) {
  const char* named = std::getenv("ASTERISM_OTHER_BUILD");
  const std::string other = named ? named : ASTERISM_OTHER_BUILD;
  if (other.empty()) GTEST_SKIP() << "ASTERISM_OTHER_BUILD names no other build";
  const Report ours = main_job();
  asterism_program = other;
  environment["ASAN_OPTIONS"] = "detect_leaks=0";
  expect_same(ours, main_job());
}

TEST_F(DeterminismTest, AnotherSeedChangesNothingThatTheFirmwareSees) {
  EXPECT_EQ(firmware("cg", {"args=nx=6 interval=4", "seed=1"}).status, 0);
  const std::string console = contents("run/console.log");
  EXPECT_EQ(firmware("cg", {"args=nx=6 interval=4", "seed=2"}).status, 0);
  EXPECT_EQ(contents("run/console.log"), console);
}

struct QuantumTest : CommandTest {
  std::string console(const std::string& app, const std::string& args, const std::string& quantum) {
    const Ended ended = firmware(app, {"args=" + args, "node.quantum=" + quantum, "node.cores.count=1"});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    return contents("run/console.log");
  }
};

TEST_F(QuantumTest, OneCoreSaysTheSameUnderEveryQuantum) {
  for (const auto& [app, args] : {std::pair{"hello", ""},
                                  {"timer", "after=50 times=2"},
                                  {"cg", "nx=3"},
                                  {"power_failure", "versions=2 pages=1"}}) {
    const std::string usual = console(app, args, "1us");
    EXPECT_EQ(console(app, args, "1ns"), usual) << app;
    EXPECT_EQ(console(app, args, "1ms"), usual) << app;
  }
}

TEST_F(QuantumTest, FourCoresComeToTheSameResultUnderEveryQuantum) {
  std::string usual;
  for (const char* quantum : {"1us", "100ns", "20us"}) {
    EXPECT_EQ(firmware("cg", {"args=nx=6", std::string("node.quantum=") + quantum}).status, 0) << quantum;
    if (usual.empty()) usual = contents("run/files/result.txt");
    EXPECT_EQ(contents("run/files/result.txt"), usual) << quantum;
  }
}

TEST_F(QuantumTest, TheNumberOfCoresDoesNotChangeTheResult) {
  EXPECT_EQ(firmware("cg", {"args=nx=6", "node.cores.count=1"}).status, 0);
  const std::string alone = contents("run/files/result.txt");
  for (const char* count : {"2", "8"}) {
    EXPECT_EQ(firmware("cg", {"args=nx=6", std::string("node.cores.count=") + count}).status, 0);
    EXPECT_EQ(contents("run/files/result.txt"), alone) << count;
  }
}

}  // namespace
}  // namespace asterism
