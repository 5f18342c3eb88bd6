#include "platform/report/run_comparison.h"

#include <gmock/gmock.h>

#include "platform/instruments/page_map_file.h"
#include "platform/report/written_run.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct RunComparisonTest : testing::Test {
  const WrittenRun one, other;

  RunComparison compared() const {
    return compare(RunFolder::read(one.path()), RunFolder::read(other.path()));
  }
  std::string text(double least = 0) const {
    const RunFolder first = RunFolder::read(one.path()), second = RunFolder::read(other.path());
    RunComparison comparison = compare(first, second);
    comparison.leave_out(least);
    return to_text(comparison, first, second);
  }
};

TEST_F(RunComparisonTest, EqualRunsDoNotDiffer) {
  for (const WrittenRun* run : {&one, &other}) {
    run->write("stats.json", R"({"reads": 1})");
    run->write("host.json", run == &one ? R"({"wall_microseconds": 1})" : R"({"wall_microseconds": 2})");
  }
  EXPECT_TRUE(compared().is_equal());
  EXPECT_EQ(text(), "the runs do not differ: the same keys, statistics, events and output\n");
}

TEST_F(RunComparisonTest, KeysAndNumbersAreNamedWithBothValuesAndTheirChange) {
  one.write("scenario.json", R"({"node": {"cores": {"count": 4}, "memory": {"ecc": "normal"}}})");
  other.write("scenario.json", R"({"node": {"cores": {"count": 8}}, "seed": 2})");
  one.write("stats.json", R"({"cycles": 43580739, "reads": 1000, "misses": 50, "writes": 0, "hits": 5})");
  other.write("stats.json", R"({"cycles": 43580793, "reads": 1005, "misses": 25, "writes": 3, "hits": 5})");
  const std::string all = text();
  EXPECT_THAT(all, HasSubstr("keys       3 differ\n"
                             "  node.cores.count                         4 -> 8  +100%\n"
                             "  node.memory.ecc                          normal -> -\n"
                             "  seed                                     - -> 2\n"
                             "statistics 4 of 5 differ\n"
                             "  writes                                   0 -> 3\n"
                             "  misses                                   50 -> 25  -50%\n"
                             "  reads                                    1000 -> 1005  +0.50%\n"
                             "  cycles                                   43580739 -> 43580793  +0.00012%\n"
                             "events     are the same\n"
                             "output     is the same\n"));
  EXPECT_THAT(text(0.01), Not(HasSubstr("  reads")));
  EXPECT_THAT(text(0.01), HasSubstr("statistics 2 of 5 differ, and 2 by less\n"));
}

TEST_F(RunComparisonTest, TheFirstEventThatDiffersIsShownWithItsTime) {
  const std::string start = "{\"time_ps\":1000,\"source\":\"node.ssd\",\"kind\":\"ssd_ready\"}\n";
  one.write("events.jsonl",
            start + "{\"time_ps\":2000,\"source\":\"node.ssd\",\"kind\":\"restore\",\"version\":3}\n");
  other.write("events.jsonl", start);
  EXPECT_EQ(compared().equal_events, 1u);
  EXPECT_THAT(text(), HasSubstr("events     2 and 1; after 1 that are the same:\n"
                                "  first      2 ns node.ssd restore version=3\n"
                                "  second     none\n"
                                "  restore                                  1 -> 0\n"));
}

TEST_F(RunComparisonTest, OutputIsComparedByFileAndTheConsoleByLine) {
  one.write("console.log", "hello\nsum 1\n");
  other.write("console.log", "hello\nsum 2\n");
  one.write("files/result.txt", "1");
  EXPECT_THAT(compared().files, ElementsAre("console.log", "files/result.txt"));
  EXPECT_THAT(text(), HasSubstr("output     differs: console.log, files/result.txt\n"
                                "  console.log from line 2 on:\n"
                                "  first      sum 1\n"
                                "  second     sum 2\n"));
}

TEST_F(RunComparisonTest, PagesAreComparedByTheirNumbersIfBothRunsHaveThem) {
  PageMap map;
  map.areas = {{.name = "node.memory", .first = Address(0x4000'0000), .units = 100},
               {.name = "flash", .kind = PageMap::Kind::blocks, .units = 16, .group = 4}};
  map.areas[0].of("copied").add(3, 2, 20);
  map.areas[1].of("bad").add(7, 1);
  one.write(page_map_name, to_file(map));
  EXPECT_TRUE(compared().is_equal());
  other.write(page_map_name, to_file(map));
  EXPECT_TRUE(compared().is_equal());
  map.areas[0].counts = {};
  map.areas[0].of("copied").add(3, 2, 10);
  map.areas[0].of("copied").add(13, 3, 2);
  map.areas[0].of("waited").add(99, 1);
  map.areas[1].of("bad").add(15, 1);
  other.write(page_map_name, to_file(map));
  EXPECT_THAT(text(),
              HasSubstr("pages      differ:\n"
                        "  node.memory copied                       10, the first is 0x4000d000: 2 -> 3\n"
                        "  node.memory waited                       1, the first is 0x40063000: 0 -> 1\n"
                        "  flash bad\n"
                        "      1, the first is block 3 of plane 3: 0 -> 1\n"));
  EXPECT_EQ(
      to_json(compared())["pages"][0].dump(),
      R"({"area":"node.memory","number":"copied","units":10,"first_unit":"0x4000d000","first":2,"second":3})");
}

TEST_F(RunComparisonTest, JsonHasTheSameDifferences) {
  one.write("stats.json", R"({"reads": 4, "ended": "exit"})");
  other.write("stats.json", R"({"reads": 5})");
  const auto json = to_json(compared());
  EXPECT_EQ(json["equal"], false);
  EXPECT_EQ(json["stats"].dump(), R"([{"path":"ended","first":"exit","second":null},)"
                                  R"({"path":"reads","first":4,"second":5,"change":0.25}])");
}

}  // namespace
}  // namespace asterism
