// The observations of a run: profiles, instruction traces, transactions, the timeline (docs/seeing.md). None
// of them changes the simulation.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Counts = std::map<std::string, std::uint64_t>;

struct SeeingTest : CommandTest {
  std::vector<std::string> lines(const std::string& text) const {
    std::vector<std::string> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }
  // Instructions of each core in profile.folded; by_function() has those of a core by the function that
  // executed them.
  Counts by_core() const {
    Counts counts;
    for (const std::string& line : lines(contents("run/profile.folded")))
      counts[line.substr(0, line.find(';'))] += std::stoull(line.substr(line.rfind(' ') + 1));
    return counts;
  }
  Counts by_function(const std::string& core) const {
    Counts counts;
    for (const std::string& line : lines(contents("run/profile.folded"))) {
      if (!line.starts_with(core + ";")) continue;
      const std::size_t blank = line.rfind(' '), last = line.rfind(';') + 1;
      counts[line.substr(last, blank - last)] += std::stoull(line.substr(blank + 1));
    }
    return counts;
  }
  // Instructions in a trace by function; "name+0x1c" is shortened to "name".
  Counts traced(const std::string& log, const std::string& core) const {
    Counts counts;
    const std::regex line("trace node." + core + ": +[0-9]+ 0x[0-9a-f]+ [0-9a-f]{8} ([^ +]+).*");
    for (const std::string& each : lines(log))
      if (std::smatch found; std::regex_search(each, found, line)) ++counts[found[1]];
    return counts;
  }
};

// ---- profile ----

TEST_F(SeeingTest, AProfileHasEveryInstructionOfEveryCore) {
  const Ended ended = asterism({"run", "power_loss", "--profile", "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  const nlohmann::json node = json("run/stats.json")["node"];
  const Counts counts = by_core();
  ASSERT_EQ(counts.size(), 4u);
  for (const auto& [core, count] : counts) EXPECT_EQ(count, node[core]["instructions"]) << core;
  EXPECT_THAT(contents("run/profile.folded"),
              ContainsRegex("core0;_start;[^ ]*main;[^ ]*solver_iterate [0-9]+\n"));
  EXPECT_THAT(
      contents("run/profile.txt"),
      ContainsRegex(
          "core1: [0-9]+ instructions, [0-9.]+ us, [0-9]+ L1 misses, [0-9]+ L2 misses\n +instructions +share "
          "+with callees +share +time us +share +with callees +L1 misses +L2 misses +function\n"));
}

// A trace stops at every instruction and looks up its symbol, but a profile counts the instructions of whole
// blocks between calls and returns.
TEST_F(SeeingTest, SharesOfAProfileAreThoseCountedFromATrace) {
  const Ended ended = firmware("hello", {"--profile", "--log", "core0=trace"});
  EXPECT_EQ(ended.status, 0) << ended.out;
  const Counts counted = traced(ended.err, "core0");
  EXPECT_GT(counted.size(), 5u);
  EXPECT_EQ(by_function("core0"), counted);
}

TEST_F(SeeingTest, NothingThatIsAskedForChangesWhatIsSimulated) {
  const Arguments flits{"run",
                        "hello",
                        "firmware=hello",
                        "expect={}",
                        "node.fabric.topology=swizzle_switch",
                        "node.cores.count=2"};
  for (const Arguments& base : {Arguments{"run", "power_loss"}, flits}) {
    Arguments plain = base, seen = base;
    plain.insert(plain.end(), {"--quiet", "--out", "plain"});
    seen.insert(seen.end(), {"--quiet", "--out", "run", "--profile", "--timeline", "--transactions",
                             "--sample", "37us", "--perfetto", "run.pftrace"});
    EXPECT_EQ(asterism(plain).status, 0);
    const Ended ended = asterism(seen);
    EXPECT_EQ(ended.status, 0) << ended.err;
    for (const char* file : {"stats.json", "events.jsonl", "console.log"})
      EXPECT_EQ(contents(std::filesystem::path("run") / file),
                contents(std::filesystem::path("plain") / file))
          << base[1];
  }
}

TEST_F(SeeingTest, AProfileNeedsSymbolsAndThatByLinesNeedsLines) {
  const auto copied = [&](const char* option, const char* name) {
    const Ended ended = program("/usr/bin/aarch64-linux-gnu-strip", {option, "-o", name, elf("hello")});
    EXPECT_EQ(ended.status, 0) << ended.err;
  };
  copied("--strip-all", "stripped.elf");
  Ended ended = firmware("stripped.elf", {"--profile", "--profile-lines"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err,
            "stripped.elf: error: firmware has no symbols of functions, expected a symbol table (.symtab) "
            "for --profile; it may have been stripped\n");
  EXPECT_FALSE(left_a_run());
  copied("--strip-debug", "no_lines.elf");
  ended = firmware("no_lines.elf", {"--profile", "--profile-lines"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(
      ended.err,
      "no_lines.elf: error: firmware has no lines of source, expected DWARF for --profile-lines; compile "
      "it with -g\n");
  EXPECT_FALSE(left_a_run());
  EXPECT_EQ(firmware("no_lines.elf", {"--profile"}).status, 0);
}

TEST_F(SeeingTest, AProfileNeedsACoreThatRunsFirmware) {
  const Ended ended = asterism({"run", "kilocore_mix1", "--profile"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err, "command line: error: --profile: no core of this scenario runs firmware\n");
}

// Instructions by line, added up by the functions of a file, are those by function.
TEST_F(SeeingTest, AProfileByLineHasEveryInstruction) {
  ASSERT_EQ(
      asterism({"run", "hello", "firmware=cg", "expect={}", "--profile", "--out", "plain", "--quiet"}).status,
      0);
  const Ended ended = asterism({"run", "hello", "firmware=cg", "expect={}", "--profile", "--profile-lines",
                                "--out", "run", "--quiet"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  for (const char* file : {"profile.txt", "profile.folded", "profile.svg", "stats.json"})
    EXPECT_EQ(contents(std::string("run/") + file), contents(std::string("plain/") + file)) << file;
  const nlohmann::json node = json("run/stats.json")["node"];
  std::uint64_t sum = 0;
  std::string core;
  bool has_solver = false;
  const std::regex title("(core[0-9]): ([0-9]+) instructions.*"),
      row(" *([0-9]+) +[0-9.]+% .* (\\S+:[0-9]+|\\[no line\\])");
  const auto end_core = [&] {
    if (!core.empty()) {
      EXPECT_EQ(sum, node[core]["instructions"]) << core;
    }
  };
  for (const std::string& line : lines(contents("run/profile_lines.txt"))) {
    std::smatch found;
    if (std::regex_match(line, found, title)) {
      end_core();
      core = found[1], sum = 0;
    } else if (std::regex_match(line, found, row)) {
      sum += std::stoull(found[1]);
      has_solver |= std::string(found[2]).find("cg/solver.c:") != std::string::npos;
    }
  }
  end_core();
  EXPECT_EQ(core, "core3");
  EXPECT_TRUE(has_solver);
}

TEST_F(SeeingTest, AProfileHasTheTimeAndTheMissesOfItsCore) {
  const Ended ended = asterism({"run", "hello", "firmware=cg", "expect={}", "node.cores.caches.model=tags",
                                "--profile", "--out", "run", "--quiet"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json caches = json("run/stats.json")["node"]["caches"];
  const std::regex title(
      "core[0-9]: [0-9]+ instructions, ([0-9.]+) us, ([0-9]+) L1 misses, ([0-9]+) L2 misses");
  std::uint64_t l1 = 0, l2 = 0;
  for (const std::string& line : lines(contents("run/profile.txt")))
    if (std::smatch found; std::regex_match(line, found, title)) {
      l1 += std::stoull(found[2]), l2 += std::stoull(found[3]);
      EXPECT_LE(std::stod(found[1]) * 1e6, json("run/stats.json")["simulated_time_ps"]);
    }
  EXPECT_GT(l1, 0u);
  const auto misses = [](const nlohmann::json& cache) {
    return cache["missed_loads"].get<std::uint64_t>() + cache["missed_stores"].get<std::uint64_t>();
  };
  std::uint64_t l1_misses = 0;
  for (const char* each : {"core0_l1d", "core1_l1d", "core2_l1d", "core3_l1d"})
    l1_misses += misses(caches[each]);
  EXPECT_EQ(l1, l1_misses);
  EXPECT_EQ(l2, misses(caches["l2"]));
}

TEST_F(SeeingTest, ARunFromASnapshotShowsWhatItsSnapshotWasMadeWith) {
  const Ended ended = asterism({"run", "--restore", "some.snap", "--timeline"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err,
            "command line: error: --timeline: can be used with --restore only if it was given when the "
            "snapshot was made\n");
}

// ---- --log ----

TEST_F(SeeingTest, ATraceHasEachInstructionWithItsPlace) {
  const Ended ended = firmware("hello", {"--log", "core0=trace"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.err, StartsWith("[           0.000 us] trace node.core0: starts at _start (0x"));
  EXPECT_THAT(ended.err, ContainsRegex("node.core0: +0 0x[0-9a-f]+ [0-9a-f]{8} _start "));
  EXPECT_THAT(ended.err, ContainsRegex(" main\\+0x[0-9a-f]+ +bl #0x[0-9a-f]+ +-> x30=0x[0-9a-f]+\n"));
  EXPECT_EQ(json("run/scenario.json")["node"]["log"]["node.core0"], "trace");
}

TEST_F(SeeingTest, ATraceOfFirmwareWithoutSymbolsHasOnlyAddresses) {
  const Ended whole = firmware("hello", {"--log", "core0=trace"});
  ASSERT_EQ(program("/usr/bin/aarch64-linux-gnu-strip", {"-o", "hello.elf", elf("hello")}).status, 0);
  const Ended stripped = firmware("hello.elf", {"--log", "core0=trace"});
  EXPECT_EQ(stripped.status, 0);
  EXPECT_EQ(std::ranges::count(stripped.err, '\n'), std::ranges::count(whole.err, '\n'));
  EXPECT_THAT(stripped.err, ContainsRegex("node.core0: +0 0x[0-9a-f]+ [0-9a-f]{8} "));
  EXPECT_THAT(stripped.err, Not(HasSubstr("_start")));
}

TEST_F(SeeingTest, LogSaysWhatItDoesNotKnow) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"core9=trace", "there is no instance \"core9\"; did you mean \"node.core0\"?\n"},
      {"core0=loud",
       "expected one of \"trace\", \"debug\", \"info\", \"warning\", \"error\", \"off\", got \"loud\"\n"},
      {"core0", "expected INSTANCE=LEVEL, such as core0=trace, got \"core0\"\n"},
      {"core0=",
       "expected one of \"trace\", \"debug\", \"info\", \"warning\", \"error\", \"off\", got \"\"\n"}};
  for (const auto& [given, problem] : mistakes) {
    const Ended ended = firmware("hello", {"--log", given});
    EXPECT_EQ(ended.status, 65) << given;
    EXPECT_EQ(ended.err, std::string("command line: error: --log: ") + problem);
  }
  EXPECT_FALSE(left_a_run());
}

// ---- transactions ----

TEST_F(SeeingTest, TransactionsAreThoseThatStatisticsCount) {
  Ended ended = asterism(
      {"run", "power_loss", "--quiet", "--transactions", "--out", "run", "node.cores.caches.model=none"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  ended = asterism({"trace", "run/traces/transactions.bin", "--text", "t.txt", "--fst", "t.fst"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  std::map<std::string, std::array<std::uint64_t, 2>> counts;
  for (const std::string& line : lines(contents("t.txt"))) {
    std::istringstream words(line);
    std::string start, end, master, does;
    words >> start >> end >> master >> does;
    if (start != "start_ps") ++counts[master][does == "write"];
  }
  const nlohmann::json node = json("run/stats.json")["node"];
  for (const char* core : {"core0", "core1", "core2", "core3"}) {
    EXPECT_EQ(counts[std::string("node.") + core][0], node[core]["bus_reads"]) << core;
    EXPECT_EQ(counts[std::string("node.") + core][1], node[core]["bus_writes"]) << core;
  }
  EXPECT_GT(counts["node.dimm_ssd"][0], 0u);
  EXPECT_GT(contents("t.fst").size(), 1000u);
}

TEST_F(SeeingTest, ATruncatedOrDamagedTraceIsRefusedAndLeavesNothing) {
  EXPECT_EQ(firmware("hello", {"--transactions"}).status, 0);
  const std::string whole = contents("run/traces/transactions.bin");
  write("truncated.bin", whole.substr(0, whole.size() - 7));
  Ended ended = asterism({"trace", "truncated.bin", "--text", "t.txt", "--fst", "t.fst"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err, "truncated.bin: error: file is truncated: ends at byte " +
                           std::to_string(whole.size() - 7) + ", expected the number of records there\n");
  std::string damaged = whole;
  damaged[damaged.size() / 2] ^= 4;
  write("damaged.bin", damaged);
  ended = asterism({"trace", "damaged.bin", "--text", "t.txt"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, StartsWith("damaged.bin: error: file is damaged: a block at bytes "));
  ended = asterism({"trace", "none.bin"});
  EXPECT_EQ(ended.status, 66);
  EXPECT_EQ(ended.err, "none.bin: error: trace cannot be read: No such file or directory\n");
  EXPECT_FALSE(exists("t.txt") || exists("t.fst"));
}

// ---- units ----

TEST_F(SeeingTest, EveryNumberOfStatisticsHasItsUnitOnThePage) {
  std::ifstream file(source_configs().parent_path() / "docs" / "seeing.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string units = page.substr(page.find("## Units of statistics"));
  const auto is_on_page = [&](const std::string& name) {
    return units.find("`" + name + "`") != std::string::npos;
  };
  const auto has_unit = [](const std::string& name) {
    for (const char* end : {"_ps", "_bytes", "_pj", "_bytes_per_second"})
      if (name.ends_with(end)) return true;
    return name.find_first_not_of("0123456789") == std::string::npos;  // a key of pages_per_flash_page
  };
  const std::function<void(const nlohmann::json&)> look = [&](const nlohmann::json& group) {
    for (const auto& [name, value] : group.items()) {
      if (value.is_object()) look(value);
      if (!value.is_number()) continue;
      EXPECT_TRUE(has_unit(name) || is_on_page(name)) << name;
    }
  };
  for (const char* end : {"_ps", "_bytes", "_pj", "_bytes_per_second"}) EXPECT_TRUE(is_on_page(end)) << end;
  for (const char* scenario : {"power_loss", "gpu_snapshot", "pcram", "buddy_cluster", "kilocore_mix1"}) {
    asterism({"run", scenario, "until=20us", "expect={}", "--quiet", "--out", "run"});
    look(json("run/stats.json"));
  }
}

// ---- timeline ----

TEST_F(SeeingTest, TheTimelineShowsCheckpointsTheFaultAndTheRecovery) {
  const Ended ended = asterism({"run", "power_loss", "--quiet", "--timeline", "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  const std::string svg = contents("run/timeline.svg");
  for (const char* text : {">core0<", ">core3<", "power_lost 11.2 ms", "simulated time (ms)"})
    EXPECT_THAT(svg, HasSubstr(text));
  for (const char* state : {"compute", "stall", "checkpoint", "recovery", "fault"})
    EXPECT_THAT(svg, ContainsRegex(std::string(state) + " ([1-9][0-9]*\\.[0-9]|0\\.[1-9])%")) << state;
}

// ---- record ----

TEST_F(SeeingTest, ARecordIsTheSameForAnyNumberOfThreads) {
  for (const char* threads : {"1", "2"})
    EXPECT_EQ(asterism({"run", "power_loss", "--quiet", "--sample", "100us", "--threads", threads, "--out",
                        threads})
                  .status,
              0);
  EXPECT_TRUE(contents("1/traces/record.bin") == contents("2/traces/record.bin"));
  EXPECT_TRUE(contents("1/traces/pages.bin") == contents("2/traces/pages.bin"));
  const Ended ended = asterism({"trace", "1/traces/record.bin"});
  EXPECT_THAT(ended.out, ContainsRegex("^[0-9]+ intervals and events, [0-9]+ values of counters on [0-9]+ "
                                       "tracks, until 32\\.[0-9]+ ms\n$"));
}

TEST_F(SeeingTest, PerfettosFileIsThatOfTheRecord) {
  EXPECT_EQ(firmware("hello", {"--sample", "10us", "--perfetto", "hello.pftrace"}).status, 0);
  EXPECT_EQ(asterism({"trace", "run/traces/record.bin", "--perfetto", "again.pftrace"}).status, 0);
  EXPECT_FALSE(contents("hello.pftrace").empty());
  EXPECT_TRUE(contents("hello.pftrace") == contents("again.pftrace"));
  EXPECT_EQ(asterism({"trace", "run/traces/record.bin", "--perfetto", "a", "--json", "b"}).out,
            "written    a\nwritten    b\n");
}

TEST_F(SeeingTest, ARecordThatCannotBeMadeIsRefusedBeforeTheRun) {
  EXPECT_EQ(firmware("hello", {"--sample", "1ps"}).err,
            "command line: error: --sample: is 1ps, expected at least 1ns\n");
  EXPECT_THAT(firmware("hello", {"--perfetto", "no/hello.pftrace"}).err,
              StartsWith("command line: error: --perfetto: "));
  EXPECT_THAT(firmware("hello", {"--perfetto", "-"}).err,
              HasSubstr("--perfetto: expected a file, since standard output has what the guest writes"));
  EXPECT_FALSE(left_a_run());
}

TEST_F(SeeingTest, OptionsSayWhatTheyExpect) {
  for (const char* file : {"x.html", "--report=x.html"}) {
    const Ended ended = asterism({"run", "hello", "--report", file});
    EXPECT_EQ(ended.status, 64);
    EXPECT_THAT(ended.err,
                HasSubstr("--report takes no file, it writes report.html to the folder of the run"));
  }
  const Ended ended = asterism({"compare", "a", "b", "--least", "abc"});
  EXPECT_EQ(ended.status, 64);
  EXPECT_THAT(ended.err, HasSubstr("--least: expected a number of per cent, 0 or more, got \"abc\""));
}

TEST_F(SeeingTest, APageGoesToAFileOrToStandardOutput) {
  EXPECT_EQ(firmware("hello", {}).status, 0);
  EXPECT_EQ(asterism({"report", "run", "--out", "page.html"}).out, "written    page.html\n");
  EXPECT_TRUE(asterism({"report", "run", "--out", "-"}).out == contents("page.html"));
}

TEST_F(SeeingTest, APageOfDamagedRecordsIsRefused) {
  EXPECT_EQ(firmware("hello", {"--sample", "1ms"}).status, 0);
  const std::string record = contents("run/traces/record.bin"), pages = contents("run/traces/pages.bin");
  write("run/traces/record.bin", record.substr(0, 1000));
  Ended ended = asterism({"report", "run"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(
      ended.err,
      HasSubstr("record.bin: error: file is truncated: ends at byte 1000, expected the whole of a block"));
  write("run/traces/record.bin", std::string(100, 'x'));
  ended = asterism({"report", "run"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, HasSubstr("file is no record of a run: expected \"ASTERREC\" at byte 0"));
  write("run/traces/record.bin", record);
  write("run/traces/pages.bin", pages.substr(0, pages.size() - 1));
  ended = asterism({"report", "run"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, ContainsRegex("pages.bin: error: file has [0-9]+ bytes, expected"));
  EXPECT_FALSE(exists("run/report.html"));
}

TEST_F(SeeingTest, TwoRunsAreComparedByKeysNumbersEventsAndOutput) {
  EXPECT_EQ(firmware("hello", {}).status, 0);
  std::filesystem::rename(folder / "run", folder / "first");
  EXPECT_EQ(firmware("hello", {}).status, 0);
  EXPECT_EQ(asterism({"compare", "first", "run"}).status, 0);
  EXPECT_EQ(firmware("hello", {"node.cores.clock=500MHz"}).status, 0);
  const Ended ended = asterism({"compare", "first", "run"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, HasSubstr("keys       1 differ"));
  EXPECT_THAT(ended.out, ContainsRegex("  simulated_time_ps +[0-9]+ -> [0-9]+  \\+[0-9]+%\n"));
  for (const std::string& line : lines(ended.out)) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_EQ(asterism({"compare", "first", "none"}).status, 66);
  std::filesystem::remove(folder / "run" / "stats.json");
  EXPECT_EQ(asterism({"compare", "run", "first"}).status, 66);
  EXPECT_EQ(
      asterism({"compare", "run", "run"}).err,
      "run: error: has no stats.json, which a run writes at its end, so that there is nothing to compare\n");
}

}  // namespace
}  // namespace asterism
