// The tables of measured simulated times in docs/: each is measured again as its page says, and must have the
// same digits. A failure prints the row as it should be. The one that takes long is measured in the nightly
// tests. checkpoint_methods_test and partition_test check the tables of the runs that they make.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
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
  // The keys of a row "`KEYS`" or "" of the tables of interference.
  static Arguments keys_of(const std::string& cell) {
    std::istringstream words(cell.empty() ? "" : cell.substr(1, cell.size() - 2));
    return {std::istream_iterator<std::string>(words), {}};
  }
  // Loads of cores never reach the memory controller.
  static bool has_direct_loads(const std::string& cell) { return cell == "`node.cores.caches.model=none`"; }
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
                     has_direct_loads(row[0]) ? row[3] : fmt::format("+{:.0f}%", more)});
    EXPECT_EQ(has_direct_loads(row[0]), more < 0.5);
  }
}

// The rows of the table of checkpoint_interference in a text, without the blanks at their ends, and the times
// in their first column.
struct InterferenceRows {
  std::vector<std::string> rows;
  std::map<std::string, double> milliseconds;

  explicit InterferenceRows(std::istream&& text) {
    std::string line, method;
    while (std::getline(text, line) && !line.starts_with("method   ")) continue;
    while (std::getline(text, line) && line.find('%') != std::string::npos) {
      rows.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
      std::istringstream words(line);
      words >> method;
      words >> milliseconds[method];
    }
  }
};

TEST_F(MeasuredTablesTest, WhatCheckpointsCostAProgram) {
  const InterferenceRows measured(std::istringstream(console("checkpoint_interference", {})));
  const InterferenceRows shown(std::ifstream(source_configs().parent_path() / "docs/checkpoints.md"));
  EXPECT_EQ(shown.rows, measured.rows);
}

// With less memory, and caches that are smaller still.
TEST_F(MeasuredTablesTest, CheckpointsThatStopAProgramCostMoreThanEarlyAndLateOnes) {
  auto [rows, milliseconds] = InterferenceRows(std::istringstream(console(
      "checkpoint_interference", {"args=columns=96 rows=64 sweeps=6 interval=2",
                                  "node.cores.caches.l1d.size=8KiB", "node.cores.caches.l2.size=256KiB"})));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_LT(milliseconds["none"], milliseconds["early_late+consolidate"]);
  EXPECT_LT(milliseconds["early_late+consolidate"], milliseconds["stop_and_copy"]);
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
    const int places = has_direct_loads(row[0]) ? 1 : 0;
    expect_row(row, {row[0], microseconds(before, places), microseconds(meanwhile, places),
                     microseconds(alone, 0), microseconds(beside, 0)});
  }
}

TEST_F(MeasuredTablesTest, WhatCachesCost) {
  std::map<std::string, double> cost;
  const std::string log = console("hello", {"firmware=cache_costs", "node.cores.caches.model=tags"});
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

TEST_F(MeasuredTablesTest, WhatACheckpointBeyondTheNodeTakes) {
  const Ended ended =
      asterism({"study", "checkpoint_media", "pages=4000", "network=3.5GB/s", "disk=11MB/s", "--json", "-"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::vector<Row> rows = table("pcram.md", "| scenario | global medium |");
  ASSERT_EQ(rows.size(), 3u);
  const nlohmann::json points = nlohmann::json::parse(ended.out)["points"];
  for (std::size_t i = 0; i < 2; ++i) {
    const double rate = points[i]["global_gbps"];
    expect_row(rows[i], {rows[i][0], rows[i][1], rows[i][2],
                         fmt::format("{:.0f} us, {:.2f} GB/s", points[i]["global_us"].get<double>(), rate),
                         fmt::format("{:.0f}%", 100 * rate / 3.5),
                         fmt::format("{:.2f} GB/s", points[i]["back_gbps"].get<double>())});
  }
  expect_row(rows[2], {rows[2][0], rows[2][1], rows[2][2],
                       fmt::format("{:.1f} MB/s", 1e3 * points[2]["global_gbps"].get<double>())});
}

TEST_F(MeasuredTablesTest, WhatACheckpointTakesOnCxlDevices) {
  const Ended ended = asterism({"study", "checkpoint_media", "medium=memory,cxl,cxl_ssd,dimm_ssd",
                                "expander=asic,fpga", "pages=512", "--json", "-"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::vector<Row> rows = table("cxl.md", "| medium | copy to it |");
  const nlohmann::json points = nlohmann::json::parse(ended.out)["points"];
  ASSERT_EQ(rows.size(), points.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto number = [&](const char* column) { return points[i][column].get<double>(); };
    expect_row(rows[i],
               {rows[i][0], fmt::format("{:.1f} ({:.2f} GB/s)", number("local_us"), number("local_gbps")),
                fmt::format("{:.1f} ({:.2f} GB/s)", number("read_us"), number("read_gbps")),
                fmt::format("{:.1f}", number("checkpoint_us")), fmt::format("{:.1f}", number("restore_us"))});
  }
}

TEST_F(MeasuredTablesTest, WhatTheLossOfAGpuCostsTraining) {
  const std::vector<Row> rows = table("training_node.md", "| `args` | a step | of it for checkpoints |");
  ASSERT_EQ(rows.size(), 5u);
  for (const Row& row : rows) {
    const std::string args = row[0].substr(1, row[0].size() - 2);
    const std::string log = console("training_gpu_loss", {"args=" + args, "expect={}"});
    const std::size_t at = log.find("training: 40 steps, ");
    ASSERT_NE(at, std::string::npos) << log;
    unsigned again = 0, steps = 0, checkpoints = 0, interrupted = 0, recoveries = 0;
    ASSERT_EQ(std::sscanf(log.c_str() + at,
                          "training: 40 steps, %u repeated; in %*u us: training: %u in steps, %u of them for "
                          "checkpoints; training: %*u in repeated steps, %u in interrupted ones, %u in",
                          &again, &steps, &checkpoints, &interrupted, &recoveries),
              5)
        << log;
    expect_row(row,
               {row[0], fmt::format("{:.0f} us", steps / 40.0), fmt::format("{:.0f} us", checkpoints / 40.0),
                fmt::format("{} us", interrupted), fmt::format("{} us", recoveries), std::to_string(again)});
  }
}

TEST_F(MeasuredTablesTest, WhatCheckpointsBesideKernelsCostTraining) {
  const Ended ended = asterism({"study", "training_overhead", "--json", "-"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::vector<Row> rows = table("training_node.md", "| `args`, 40 steps without faults |");
  const nlohmann::json points = nlohmann::json::parse(ended.out)["points"];
  ASSERT_EQ(rows.size(), points.size() + 1);
  expect_row(rows[0], {rows[0][0], fmt::format("{:.0f} us", points[0]["without_us"].get<double>())});
  for (std::size_t i = 0; i < points.size(); ++i)
    expect_row(rows[i + 1], {rows[i + 1][0], fmt::format("{:.0f} us", points[i]["step_us"].get<double>()),
                             fmt::format("{:.1f}%", points[i]["overhead_percent"].get<double>())});
}

TEST_F(MeasuredTablesTest, WhatTheCodeDoesWithAFault) {
  const Ended ended = asterism({"study", "ecc", "failure=bit,word,pin,chip", "code=rs_36_32",
                                "profile=thesis,strict,chip", "trials=1000", "--json", "-"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const auto outcome = [points = nlohmann::json::parse(ended.out)["points"]](
                           const std::string& profile, const std::string& failure, const std::string& cell) {
    for (const nlohmann::json& point : points) {
      if (point["profile"] != profile || point["failure"] != failure) continue;
      const double corrected = point["exact_dce_percent"], rest = point["exact_due_percent"];
      if (corrected == 100) return std::string("corrected");
      if (rest == 100) return std::string("uncorrectable");
      const std::size_t places = cell.find('%') - cell.find('.') - 1;
      return fmt::format("{:.{}f}% corrected, else uncorrectable", corrected, places);
    }
    return profile + " is none";
  };
  for (const Row& row : table("memory.md", "| profile | bit, column, word |")) {
    const std::string profile = row[0].substr(1, row[0].size() - 2);
    for (const char* failure : {"bit", "word"})
      expect_row(row, {row[0], outcome(profile, failure, row[1]), outcome(profile, "pin", row[2]),
                       outcome(profile, "chip", row[3])});
  }
}

TEST_F(MeasuredTablesTest, WhatMessagesLeaveToCopies) {
  const Ended ended = asterism({"paper", "ni2012.table4.1.simulated"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const auto measured = [&](const std::string& what, std::size_t scenario, int places) {
    std::smatch found;
    const std::regex line(fmt::format("{}, scenario {} .c. +[0-9.]+ +([0-9.]+) ", what, scenario));
    if (!std::regex_search(ended.out, found, line)) return "none in " + ended.out;
    return fmt::format("{:.{}f}", std::stod(found[1]), places);
  };
  const std::vector<Row> rows = table("studies.md", "| ratio | overlap, Table 4.1 |");
  ASSERT_EQ(rows.size(), 4u);
  for (std::size_t i = 0; i < rows.size(); ++i)
    expect_row(rows[i], {rows[i][0], rows[i][1], measured("overlap", i + 1, 2), rows[i][3],
                         measured("overhead", i + 1, 3)});
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
