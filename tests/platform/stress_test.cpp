// The stress scenarios: each drives a block in lockstep through its whole contract, and finds wrong blocks
// within the number of decisions that docs/bring-your-own-rtl.md names.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "base/parameter_name.h"
#include "testbenches/ddr5_codec/mutants.h"
#include "testbenches/lrg_arbiter/mutants.h"
#include "testbenches/matt/mutants.h"
#include "testbenches/mutant.h"
#include "testbenches/mzm/mutants.h"
#include "testbenches/pl031/mutants.h"
#include "testbenches/rs_codec/mutants.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Contract {
  const char* name;  // of its scenario, after "stress_"
  const char* block;
  std::span<const Mutant> mutants;
  const char* variant;  // the key in the node
  const char* count;    // of decisions, in stats.json
};

const Contract contracts[] = {
    {"arbiter", "lrg_arbiter", lrg_arbiter_mutants, "fabric.arbiter.variant",
     "/node/fabric/arbiter/XB/decisions"},
    {"codec", "rs_codec", rs_codec_mutants, "memory.codec.variant", "/node/memory/codec/operations"},
    {"rank_codec", "ddr5_codec", ddr5_codec_mutants, "memory.codec.variant", "/node/memory/codec/operations"},
    {"matt", "matt", matt_mutants, "dimm_ssd.matt.variant", "/node/dimm_ssd/matt_rtl/operations"},
    {"rtc", "pl031", pl031_mutants, "rtc.variant", "/node/rtc/transactions"},
    {"zone_monitor", "mzm", mzm_mutants, "gpu.monitor_rtl.variant", "/node/gpu/monitor_rtl/operations"},
};

// A row of the page's table: what a scenario finds.
struct Promise {
  const Contract* contract;
  std::string mutant;
  std::uint64_t within;
};
void PrintTo(const Promise& promise, std::ostream* out) {
  *out << promise.contract->name << "_" << promise.mutant;
}

std::vector<Promise> promises() {
  const std::regex row(R"(\| `stress_(\w+)` \|.*\| `(\w+)` ([\d,]+), `(\w+)` ([\d,]+), `(\w+)` ([\d,]+) \|)");
  std::vector<Promise> all;
  struct Source : CommandTest {
    using CommandTest::source_configs;
  };
  std::ifstream page(Source::source_configs().parent_path() / "docs/bring-your-own-rtl.md");
  for (std::string line; std::getline(page, line);) {
    std::smatch cells;
    if (!std::regex_search(line, cells, row)) continue;
    const auto contract =
        std::ranges::find_if(contracts, [&](const Contract& c) { return c.name == cells.str(1); });
    for (unsigned i = 2; i < 8; i += 2) {
      std::string number = cells.str(i + 1);
      std::erase(number, ',');
      all.push_back({contract, cells.str(i), std::stoull(number)});
    }
  }
  return all;
}

void PrintTo(const Contract& contract, std::ostream* out) { *out << contract.name; }

struct StressTest : CommandTest, testing::WithParamInterface<Contract> {};

TEST_P(StressTest, CoversTheWholeContract) {
  const Ended ended = asterism({"run", std::string("stress_") + GetParam().name, "--quiet", "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("expected     all expectations are met\n"));
  EXPECT_THAT(ended.out, Not(HasSubstr("warning ")));
}

INSTANTIATE_TEST_SUITE_P(Of, StressTest, testing::ValuesIn(contracts), ParameterName());

TEST(StressPageTest, ThePageNamesThreeMutantsOfEachContract) {
  EXPECT_EQ(promises().size(), 3 * std::size(contracts));
}

struct StressRtlMutantTest : CommandTest, testing::WithParamInterface<Promise> {};

TEST_P(StressRtlMutantTest, IsFoundWithinTheDecisionsThatThePageNames) {
  const auto& [contract, name, within] = GetParam();
  make_mutant(source_configs().parent_path() / "rtl" / contract->block, folder / "mine",
              mutant_named(name, contract->mutants).changes);
  const Ended ended = asterism({"run", std::string("stress_") + contract->name, "--quiet", "--out", "run",
                                fmt::format("node.{}=mine/block.json", contract->variant)});
  EXPECT_EQ(ended.status, 68) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("lockstep mismatch in node."));
  const auto count =
      json("run/stats.json").at(nlohmann::json::json_pointer(contract->count)).get<std::uint64_t>();
  EXPECT_LE(count, within) << ended.out;
}

INSTANTIATE_TEST_SUITE_P(Stress, StressRtlMutantTest, testing::ValuesIn(promises()), ParameterName());

}  // namespace
}  // namespace asterism
