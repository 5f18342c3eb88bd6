// cg and stencil with checkpoints by each method of the DIMM-SSD, waited for and not.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;

const std::vector<std::string> all_methods{
    "stop_and_copy", "stop_and_copy_hardware", "copy_on_write", "consolidate", "early", "late",
    "early_late",    "early_late+consolidate"};

struct CheckpointMethodsTest : CommandTest {
  const std::string cg = "nx=8 interval=3", stencil = "columns=32 rows=32 sweeps=24 interval=6";

  std::string result(const std::string& app, const std::string& args, const std::string& faults = "") {
    const Ended ended = firmware(app, {"args=" + args, "faults=[" + faults + "]", "node.log.node=off"});
    EXPECT_EQ(ended.status, 0) << args << "\n" << ended.out << ended.err;
    return contents("run/files/result.txt");
  }
  std::uint64_t end() const { return json("run/stats.json")["simulated_time_ps"]; }

  // After a power loss the newest version that had been committed is restored, and no other.
  void expect_the_newest_durable() const {
    std::uint64_t newest = 0;
    for (const auto& event : events()) {
      if (event["kind"] == "checkpoint_commit") newest = event["version"];
      if (event["kind"] == "restore") {
        EXPECT_EQ(event["version"], newest) << event;
      }
    }
  }
  void cut_everywhere(const std::string& app, const std::string& args) {
    const std::string whole = result(app, args);
    const std::uint64_t last = end();
    for (int i = 1; i <= 8; ++i) {
      const auto fault =
          fmt::format(R"({{"at":"{}ps","kind":"power_loss","restore_after":"1us"}})", last * i / 9);
      EXPECT_EQ(result(app, args, fault), whole) << args << " " << fault;
      expect_the_newest_durable();
    }
  }
};

TEST_F(CheckpointMethodsTest, TheTableHasEveryMethodAndFitsTheTerminal) {
  const Ended ended = asterism({"run", "dimm_ssd_methods"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  std::istringstream console(contents("runs/dimm_ssd_methods/console.log"));
  std::vector<std::string> rows;
  for (std::string line; std::getline(console, line); rows.push_back(line))
    EXPECT_LE(line.size(), 80u) << line;
  ASSERT_EQ(rows.size(), 21u);
  for (std::size_t program = 0; program < 2; ++program)
    for (std::size_t i = 0; i < all_methods.size(); ++i)
      EXPECT_THAT(rows[3 + 9 * program + i], HasSubstr(" " + all_methods[i] + " "));
  EXPECT_EQ(rows.back(), "methods: results are the same bits under all methods");
}

TEST_F(CheckpointMethodsTest, TheResultIsTheSameByAllMethodsAndOnAnyNumberOfCores) {
  for (const auto& [app, args] : {std::pair("cg", cg), std::pair("stencil", stencil)}) {
    const std::string without = result(app, args + " checkpoint=off cores=1");
    for (const std::string& method : all_methods) {
      EXPECT_EQ(result(app, fmt::format("{} method={}", args, method)), without) << app << " " << method;
      EXPECT_EQ(result(app, fmt::format("{} async=on method={}", args, method)), without)
          << app << " " << method;
    }
  }
}

TEST_F(CheckpointMethodsTest, SolverGoesOnAfterAPowerLossAtAnyTime) {
  for (const std::string& method : all_methods) cut_everywhere("cg", cg + " async=on method=" + method);
}

TEST_F(CheckpointMethodsTest, StencilGoesOnAfterAPowerLossAtAnyTime) {
  for (const std::string& method : all_methods)
    cut_everywhere("stencil", stencil + " async=on method=" + method);
}

TEST_F(CheckpointMethodsTest, AnUnknownMethodIsRefusedWithTheOnesThatThereAre) {
  const Ended ended = firmware("stencil", {"args=method=lat"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.out,
              HasSubstr("argument 'method=lat' is wrong: method (how checkpoints are taken) wants one of "
                        "configured stop_and_copy "));
}

}  // namespace
}  // namespace asterism
