// Bit errors in the flash of the DIMM-SSD, placed by the contents of pages. Up to the strength of the page
// code they have no effect; beyond it, a request that needs the page is refused, and all other requests
// succeed.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int correctable = 54;  // of the default part

struct FlashFaultTest : CommandTest {
  std::string args = "nx=8 interval=3";

  static std::string flash(std::uint64_t at, const std::string& place, int bits) {
    return fmt::format(R"({{"at":"{}ps","kind":"flash_bits",{},"bits":{}}})", at, place, bits);
  }
  Ended run(const std::vector<std::string>& faults) const {
    Ended ended = firmware(
        "cg", {"args=" + args, fmt::format("faults=[{}]", fmt::join(faults, ",")), "node.log.node=off"});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    return ended;
  }
  nlohmann::json ssd() const { return json("run/stats.json")["node"]["dimm_ssd"]; }
  std::uint64_t flash_count(const std::string& key) const {
    return ssd()["checkpointer"]["log"]["translation"]["flash"][key];
  }
  std::vector<std::uint64_t> versions(const std::string& kind) const {
    std::vector<std::uint64_t> all;
    for (const auto& event : events())
      if (event["kind"] == kind) all.push_back(event["version"]);
    return all;
  }
};

// The bits flip after the third commit and before the next request; the power fails 1 us later.
struct FlashFaultAtAPowerFailure : FlashFaultTest {
  std::string whole;
  std::uint64_t power_failure = 0, newest = 0, older = 0;
  std::string console;

  FlashFaultAtAPowerFailure() {
    run({});
    whole = contents("run/files/result.txt");
    std::vector<std::uint64_t> commits;
    for (const auto& event : events())
      if (event["kind"] == "checkpoint_commit") commits.push_back(event["time_ps"]);
    const auto committed = versions("checkpoint_commit");
    if (commits.size() < 4) throw std::runtime_error("too few checkpoints");
    power_failure = commits[2] + 30'000'000;
    newest = committed[2], older = committed[1];
  }
  void run_with_faults(const std::vector<std::pair<std::string, int>>& places) {
    std::vector<std::string> faults;
    faults.reserve(places.size() + 1);
    for (const auto& [place, bits] : places) faults.push_back(flash(power_failure - 1'000'000, place, bits));
    faults.push_back(fmt::format(R"({{"at":"{}ps","kind":"power_loss"}})", power_failure));
    run(faults);
    EXPECT_EQ(contents("run/files/result.txt"), whole);
    EXPECT_EQ(ssd()["flash_faults"], places.size());
    console = contents("run/console.log");
  }
  std::uint64_t restored() const {
    const auto all = versions("restore");
    return all.empty() ? 0 : all.front();
  }
};

TEST_F(FlashFaultAtAPowerFailure, WhatThePageCodeCorrectsIsRead) {
  run_with_faults({{R"("holds":"data")", correctable},
                   {R"("holds":"metadata")", correctable},
                   {R"("holds":"root")", correctable},
                   {R"("holds":"root","page":1)", correctable}});
  EXPECT_EQ(restored(), newest);
  EXPECT_GE(flash_count("pages_corrected"), 4);
  EXPECT_EQ(flash_count("pages_uncorrectable"), 0);
  EXPECT_THAT(console, Not(HasSubstr("refused")));
}

TEST_F(FlashFaultAtAPowerFailure, WithoutItsDataTheOlderVersionIsUsed) {
  run_with_faults({{R"("holds":"data")", correctable + 1}});
  EXPECT_EQ(restored(), older);
  EXPECT_GE(flash_count("pages_uncorrectable"), 1);
}

TEST_F(FlashFaultAtAPowerFailure, WithoutItsMetadataTheOlderVersionIsUsed) {
  run_with_faults({{R"("holds":"metadata")", correctable + 1}});
  EXPECT_EQ(restored(), older);
}

TEST_F(FlashFaultAtAPowerFailure, BitErrorsAddUp) {
  run_with_faults({{R"("holds":"metadata")", correctable}, {R"("holds":"metadata")", 1}});
  EXPECT_EQ(restored(), older);
}

TEST_F(FlashFaultAtAPowerFailure, AVersionByItsNumberLeavesTheOthers) {
  run_with_faults({{fmt::format(R"("holds":"metadata","version":{})", newest), 1000}});
  EXPECT_EQ(restored(), older);
}

TEST_F(FlashFaultAtAPowerFailure, OneRootIsEnough) {
  run_with_faults({{R"("holds":"root","page":1)", 1000}});
  EXPECT_EQ(restored(), newest);
}

// The roots that were written before these two are still in flash.
TEST_F(FlashFaultAtAPowerFailure, WithoutBothRootsThoseBeforeThemCount) {
  run_with_faults({{R"("holds":"root")", 1000}, {R"("holds":"root","page":1)", 1000}});
  EXPECT_EQ(restored(), older);
  EXPECT_EQ(flash_count("pages_uncorrectable"), 2);
}

// The version's data is damaged after the device has found the version complete, so the restore reports the
// error to the firmware.
TEST_F(FlashFaultAtAPowerFailure, ARestoreThatMeetsThePageEndsAsUncorrectable) {
  const std::string loss = fmt::format(R"({{"at":"{}ps","kind":"power_loss"}})", power_failure);
  run({loss});
  std::uint64_t ready = 0;
  for (const auto& event : events())
    if (event["kind"] == "ssd_ready") ready = event["time_ps"];
  run({loss, flash(ready + 20'000'000, R"("holds":"data")", correctable + 1)});
  EXPECT_EQ(contents("run/files/result.txt"), whole);
  EXPECT_EQ(restored(), older);
  EXPECT_THAT(
      contents("run/console.log"),
      HasSubstr(fmt::format("cg: checkpoint {} refused: uncorrectable error of flash or PCRAM\n", newest)));
}

TEST_F(FlashFaultTest, WhatIsNotThereIsNotHit) {
  const Ended ended =
      firmware("cg", {"args=" + args, fmt::format("faults=[{},{}]", flash(1000, R"("holds":"data")", 1),
                                                  flash(2'000'000'000, R"("holds":"data","page":9999)", 1))});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_EQ(ssd()["flash_faults"], 0);
  EXPECT_EQ(ssd()["flash_faults_missed"], 2);
  EXPECT_THAT(ended.err,
              HasSubstr("a fault in flash hits nothing: there is no page 9999 of data of that version now"));
}

TEST_F(FlashFaultTest, WrongPlacesAreRefused) {
  const auto refused = [&](const std::string& place, const std::string& text) {
    const Ended ended = asterism(
        {"check", "power_loss", fmt::format(R"(faults=[{{"at":"1ms","kind":"flash_bits",{}}}])", place)});
    EXPECT_EQ(ended.status, 65) << place;
    EXPECT_THAT(ended.err, HasSubstr(text)) << place;
  };
  refused(R"("holds":"data")", "faults.0.bits");
  refused(R"("bits":3)", "faults.0.holds");
  refused(R"("holds":"data","bits":0)", "faults.0.bits: expected an integer from 1 to 65535, got 0");
  refused(R"("holds":"spare","bits":1)",
          "faults.0.holds: expected one of \"data\", \"metadata\", \"root\", got \"spare\"");
  refused(R"("holds":"root","page":2,"bits":1)",
          "faults.0.page: expected a value that is 0 or 1 if the page holds a root");
  refused(R"("holds":"root","version":2,"bits":1)",
          "faults.0.version: expected a value that is 0 if the page holds a root");
  refused(R"("holds":"data","bits":1,"chip":2)", "faults.0.chip");
}

}  // namespace
}  // namespace asterism
