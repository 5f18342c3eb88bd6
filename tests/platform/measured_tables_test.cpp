// The tables of measured simulated times in docs/: each is measured again as its page says, and must have the
// same digits. A failure prints the row as it should be. Those that take long are measured in the nightly
// tests.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <regex>
#include <sstream>

#include "base/nightly.h"
#include "tests/platform/command.h"
#include "tests/platform/markdown_steps.h"

namespace asterism {
namespace {

using Row = std::vector<std::string>;

struct MeasuredTablesTest : CommandTest {
  std::string console(const std::string& scenario, const Arguments& keys) const {
    Arguments all{"run", scenario, "--out", "run"};
    all.insert(all.end(), keys.begin(), keys.end());
    const Ended ended = asterism(all);
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    return contents("run/console.log");
  }
  static std::vector<Row> table(const std::string& page, const std::string& head) {
    return table_of(source_configs().parent_path() / "docs" / page, head);
  }
  // Compares as many cells of a row as were measured.
  static void expect_row(const Row& row, const Row& measured) {
    ASSERT_GE(row.size(), measured.size());
    EXPECT_EQ(fmt::format("| {} |", fmt::join(row.begin(), row.begin() + std::ssize(measured), " | ")),
              fmt::format("| {} |", fmt::join(measured, " | ")));
  }
  // The keys of a row "`KEYS`", "" or "both" of the tables of interference.
  static Arguments keys_of(const std::string& cell) {
    const Arguments both{"node.cores.caches=tags", "node.memory.fidelity=exact"};
    if (cell == "both") return both;
    return cell.empty() ? Arguments{} : Arguments{cell.substr(1, cell.size() - 2)};
  }
};

std::string microseconds(unsigned nanoseconds, int places) {
  return fmt::format("{:.{}f} us", nanoseconds / 1e3, places);
}

TEST_F(MeasuredTablesTest, WhatCopyingCostsAProgram) {
  for (const Row& row : table("checkpoints.md", "| KEYS | before | while it copies |")) {
    Arguments keys = keys_of(row[0]);
    keys.push_back("firmware=interference");
    unsigned before = 0, meanwhile = 0;
    ASSERT_EQ(std::sscanf(console("hello", keys).c_str(), "interference: before %u ns, meanwhile %u ns",
                          &before, &meanwhile),
              2);
    const double more = 100.0 * meanwhile / before - 100;
    expect_row(row, {row[0], microseconds(before, 1), microseconds(meanwhile, 1),
                     row[0].empty() ? row[3] : fmt::format("+{:.0f}%", more)});
    EXPECT_EQ(row[0].empty(), more < 0.5);
  }
}

TEST_F(MeasuredTablesTest, WhatSnapshotsOfGpusAndLoadsCostEachOther) {
  for (const Row& row : table("gpu.md", "| KEYS | loads before |")) {
    Arguments keys = keys_of(row[0]);
    keys.insert(keys.end(), {"firmware=gpu_interference", "args=", "faults=[]", "expect={}"});
    unsigned before = 0, meanwhile = 0, after = 0, alone = 0, beside = 0;
    ASSERT_EQ(
        std::sscanf(
            console("gpu_snapshot", keys).c_str(),
            "gpu_interference: loads before %u ns, meanwhile %u ns, after %u ns; snapshots alone %u ns, "
            "beside loads %u ns",
            &before, &meanwhile, &after, &alone, &beside),
        5);
    const int places = row[0].empty() ? 1 : 0;
    expect_row(row, {row[0], microseconds(before, places), microseconds(meanwhile, places),
                     microseconds(alone, 0), microseconds(beside, 0)});
  }
}

TEST_F(MeasuredTablesTest, WhatTheMethodsOfTheDimmSsdCost) {
  const std::string log = console("dimm_ssd_methods", {});
  for (const Row& row : table("checkpoints.md", "| method | `cg` | `stencil` |")) {
    const std::string method = row[0].substr(1, row[0].find('`', 1) - 1);
    Row measured{row[0]};
    for (const char* program : {"cg", "stencil"}) {
      const std::regex share(fmt::format("\n{} +{} +[0-9.]+ +([0-9.]+) ", program,
                                         std::regex_replace(method, std::regex("\\+"), "\\+")));
      std::smatch found;
      ASSERT_TRUE(std::regex_search(log, found, share)) << method << "\n" << log;
      measured.push_back(found[1].str() + "%");
    }
    expect_row(row, measured);
  }
}

TEST_F(MeasuredTablesTest, WhatCachesCost) {
  std::map<std::string, double> cost;
  const std::string log = console("hello", {"firmware=cache_costs", "node.cores.caches=tags"});
  const std::regex line("cache_costs: (.*) ([0-9]+) ps");
  for (std::sregex_iterator each(log.begin(), log.end(), line), end; each != end; ++each)
    cost[(*each)[1]] = std::stod((*each)[2]) / 1e3;
  const auto range = [&](const Row& names) {
    std::vector<double> values;
    for (const std::string& name : names) values.push_back(cost.at(name));
    const auto [least, most] = std::ranges::minmax(values);
    const std::string low = fmt::format("{:.1f}", least), high = fmt::format("{:.1f}", most);
    return low == high ? low + " ns" : low + " to " + high + " ns";
  };
  const auto each = [&](const char* a, const char* b) {
    return fmt::format("{:.1f} ns, {:.1f} ns", cost.at(a), cost.at(b));
  };
  const std::vector<Row> rows = table("firmware.md", "| access | time |");
  ASSERT_EQ(rows.size(), 7u);
  expect_row(rows[0], {rows[0][0], each("load", "store")});
  expect_row(rows[1], {rows[1][0], range({"clean"})});
  expect_row(rows[2], {rows[2][0], range({"store and clean"})});
  expect_row(rows[3], {rows[3][0], range({"load after clean and invalidate", "load after invalidate"})});
  expect_row(
      rows[4],
      {rows[4][0], range({"load, Device", "load, Non-cacheable", "load, SCTLR_EL1.C = 0", "load, MMU off"})});
  expect_row(rows[5], {rows[5][0], range({"store, Non-cacheable"})});
  expect_row(rows[6], {rows[6][0], each("increment, own lines", "increment, one line")});
}

TEST_F(MeasuredTablesTest, WhatAuxiliaryCoresGain) {
  for (const Row& row : table("functional_partitioning.md", "| | run | compute |")) {
    const std::string log =
        console("functional_partitioning", {"node.cores.auxiliary=" + row[0].substr(3, 1), "faults=[]",
                                            "expect.recoveries=null", "expect.result_equals=null"});
    const std::size_t at = log.find("\nFP(");
    ASSERT_NE(at, std::string::npos) << log;
    std::istringstream line(log.substr(at + 1, log.find('\n', at + 1) - at - 1));
    Row measured;
    for (std::string word; line >> word;)
      measured.push_back(word.find('.') == std::string::npos ? word : fmt::format("{:.1f}", std::stod(word)));
    expect_row(row, measured);
  }
}

// "394.0 us, 10.64 GB/s" of the line of a dump that begins so.
std::string time_and_rate(const std::string& log, const std::string& what, bool has_rate) {
  std::smatch found;
  const std::regex line("pcram_dump: " + what + " +[0-9]+ pages +([0-9.]+) us +([0-9.]+) GB/s");
  if (!std::regex_search(log, found, line)) return "none in " + log;
  return found[1].str() + " us" + (has_rate ? ", " + found[2].str() + " GB/s" : "");
}

TEST_F(MeasuredTablesTest, WhatADumpToPcramTakes) {
  const std::vector<Row> rows = table("pcram.md", "| scenario | local medium |");
  ASSERT_EQ(rows.size(), 5u);
  const auto energy = [&](int places) {
    const nlohmann::json pcram = json("run/stats.json")["node"]["pcram"];
    const std::string text = pcram.dump();
    std::smatch picojoules, lines;
    static const std::regex of_energy("\"write_energy_pj\":([0-9]+)"), of_lines("\"lines_written\":([0-9]+)");
    if (!std::regex_search(text, picojoules, of_energy) || !std::regex_search(text, lines, of_lines))
      return text;
    return fmt::format("{:.{}f} nJ", std::stod(picojoules[1]) / std::stod(lines[1]) / 1e3, places);
  };
  const auto check = [&](std::size_t i, const Arguments& keys, bool has_rate, int places) {
    const std::string log = console("pcram_dump", keys);
    expect_row(rows[i], {rows[i][0], rows[i][1], rows[i][2], time_and_rate(log, "dump", has_rate), rows[i][4],
                         energy(places)});
    return log;
  };
  check(1, {}, true, 2);
  check(2, {"node.pcram.suppress=true"}, true, 1);
  const std::string log =
      check(3, {"node.pcram.kind=stack", "node.pcram.part=dong2011_3d", "node.memory.size=64MiB"}, false, 2);
  expect_row(rows[4], {rows[4][0], rows[4][1], rows[4][2], time_and_rate(log, "increment", false)});
}

// The runtimes of microbenchmark, relative to the one without checkpoints.
TEST_F(MeasuredTablesTest, WherePoliciesPutCheckpoints) {
  if (!is_nightly()) GTEST_SKIP() << "30 runs; the nightly tests make them";
  const auto milliseconds = [&](const std::string& args) {
    const std::string log =
        console("location_controller",
                {"args=" + args, "faults=[]", "expect.recoveries=null", "expect.result_equals=null"});
    double time = 0;
    const std::size_t at = log.find(" iterations in ");
    if (at != std::string::npos) time = std::stod(log.substr(at + 15));
    return time;
  };
  for (const Row& row : table("checkpoint_location.md", "| `args` | `ssd` |")) {
    const std::string args = row[0].substr(1, row[0].size() - 2);
    const double without = milliseconds(args + " place=nowhere");
    const char* const places[] = {"ssd", "ramdisk", "nine_to_one", "controller", "controller overhead=10"};
    for (std::size_t i = 0; i < std::size(places); ++i) {
      const std::string shown = row[i + 1].substr(0, row[i + 1].find_first_of(" ,"));
      const int digits = static_cast<int>(shown.size() - shown.find('.') - 1);
      EXPECT_EQ(shown, fmt::format("{:.{}f}", milliseconds(args + " place=" + places[i]) / without, digits))
          << args << " " << places[i];
    }
  }
}

}  // namespace
}  // namespace asterism
