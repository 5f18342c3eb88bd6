// How far the fast timing of a whole node is from its event-driven engines. `asterism paper
// machines.fidelity` has twelve programs.
#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest fidelity(R"({"kind": "fidelity"})");

Row run_small(const std::string& program, const std::string& arguments) {
  return run_first(fidelity.read(
      {}, R"({"kind": "fidelity", "program": ")" + program + R"(", "args": ")" + arguments + "\"}"));
}

void expect_small_difference(const Row& row) {
  const double contended = row.number("contended_us"), exact = row.number("exact_us");
  EXPECT_NEAR(contended, exact, 0.1 * exact);
  EXPECT_NEAR(row.number("difference_percent"), 100 * (contended / exact - 1), 1e-6);
  EXPECT_DOUBLE_EQ(row.number("error"), std::abs(contended / exact - 1));
  EXPECT_GT(row.number("exact_gbps"), 0.1);
  EXPECT_NE(contended, exact);
}

TEST(FidelityStudyTest, AChaseBeyondTheCachesTakesTheTimeOfTheEventDrivenEngines) {
  expect_small_difference(run_small("chase", "latency from=4MiB to=4MiB loads=4096"));
}

TEST(FidelityStudyTest, SoDoesStreamOnOneCore) {
  expect_small_difference(run_small("stream_alone", "stream size=1MiB cores=1 repetitions=2"));
}

TEST(FidelityStudyTest, SaysWhichRunHasFailed) {
  EXPECT_THAT(thrown<StudyMistake>([] { run_small("chase", "latency to=1"); }),
              testing::StartsWith("the run with memory.fidelity=contended has ended with status 67"));
}

}  // namespace
}  // namespace asterism
