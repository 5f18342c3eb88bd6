#include <gtest/gtest.h>

#include "platform/study/study_report.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest cxl(R"({"kind": "cxl", "path": "78ns", "hash": true, "read_queue": 64})");

TEST(CxlStudyTest, AnExpanderAddsItsLinkToTheLatency) {
  const double local = cxl.run({"requests=3000", "refresh=none"}).number("latency_ns");
  const double asic = cxl.run({"requests=3000", "refresh=none", "expander=asic"}).number("latency_ns");
  const double fpga = cxl.run({"requests=3000", "refresh=none", "expander=fpga"}).number("latency_ns");
  EXPECT_NEAR(asic - local, 2 * (62 + 15) + 3.2, 5);
  EXPECT_NEAR(fpga - asic, 2 * (60 - 15), 5);
}

TEST(CxlStudyTest, CountsAsStreamDoes) {
  const Row add = cxl.run({"requests=20000", "program=add"});
  EXPECT_NEAR(add.number("traffic_gbps") / add.number("bandwidth_gbps"), 4.0 / 3, 1e-3);
  const Row copy = cxl.run({"requests=21000", "program=copy"});
  EXPECT_NEAR(copy.number("traffic_gbps") / copy.number("bandwidth_gbps"), 1.5, 1e-3);
}

TEST(CxlStudyTest, TheShippedStudyPutsExpandersBesideLocalMemory) {
  const Study study = shipped_study("cxl", {"requests=1000"});
  std::vector<std::string> memories;
  memories.reserve(study.points.size());
  for (const Study::Point& point : study.points) {
    const Row row{study.kind, point.point->run({})};
    memories.push_back(to_text(point.coordinates.at(0)) + " " + row.text("memory"));
  }
  EXPECT_EQ(memories, (std::vector<std::string>{" local", "asic CXL", "fpga CXL"}));
}

TEST(CxlStudyTest, RefusesArraysThatDoNotFit) {
  EXPECT_NE(
      cxl.mistake({"program=add", "array=4GiB"}).find("array: expected at most a third of the memory's "),
      std::string::npos);
}

}  // namespace
}  // namespace asterism
