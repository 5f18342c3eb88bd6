#include "dimm_ssd/workload/write_trace.h"

#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "base/thrown.h"

namespace asterism {
namespace {

WriteTrace trace(const std::string& text, Picoseconds interval = 1_us) {
  return {[text] { return std::make_unique<std::istringstream>(text); }, "t.txt", interval};
}
std::string mistake(const std::string& text) {
  return thrown<TraceError>([&] { trace(text); });
}

TEST(WriteTraceTest, ReadsRequestsByInterval) {
  WriteTrace source = trace("# a trace\n\n0 0x12 5\n12.5ns 18 6  # comment\r\n13000 7 63\n2.5us 7 0");
  EXPECT_EQ(source.pages(), 19u);
  EXPECT_EQ(source.intervals(), 3u);
  EXPECT_EQ(source.requests(), 4u);
  std::array<WriteRequest, 8> requests;
  source.begin_interval(0);
  ASSERT_EQ(source.next(std::span(requests).first(2)), 2u);
  EXPECT_EQ(requests[0], (WriteRequest{0_ps, 18, 5}));
  EXPECT_EQ(requests[1], (WriteRequest{12'500_ps, 18, 6}));
  ASSERT_EQ(source.next(requests), 1u);
  EXPECT_EQ(requests[0], (WriteRequest{13_ns, 7, 63}));
  source.begin_interval(1);
  EXPECT_EQ(source.next(requests), 0u);
  source.begin_interval(2);
  ASSERT_EQ(source.next(requests), 1u);
  EXPECT_EQ(requests[0], (WriteRequest{500_ns, 7, 0}));
}

TEST(WriteTraceTest, ASecondRunReadsTheSame) {
  WriteTrace source = trace("0 1 1\n1us 2 2");
  std::array<WriteRequest, 2> requests;
  for (int run = 0; run < 2; ++run) {
    source.begin_interval(0);
    EXPECT_EQ(source.next(requests), 1u);
    EXPECT_EQ(requests[0].page, 1u);
  }
}

TEST(WriteTraceTest, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(mistake("0 0 0\n0 0\n"), "t.txt:2: expected 3 fields (time page line), got 2");
  EXPECT_EQ(mistake("0 0 64"), "t.txt:1: expected a line below 64, got \"64\"");
  EXPECT_EQ(mistake("0 -1 0"), "t.txt:1: expected a page below 4194304, got \"-1\"");
  EXPECT_EQ(mistake("0 0x400000 0"), "t.txt:1: expected a page below 4194304, got \"0x400000\"");
  EXPECT_EQ(mistake("x 0 0"),
            "t.txt:1: expected a time such as 12.5ns, got \"x\": it does not begin with a number");
  EXPECT_EQ(mistake("5ns 0 0\n\n4ns 0 0"),
            "t.txt:3: expected a time of at least 5ns, that of an access before, got 4ns");
  EXPECT_EQ(mistake("1001us 0 0"),
            "t.txt:1: expected a time before 1ms, the end of 1000 intervals, got 1001us");
  EXPECT_EQ(mistake("# nothing\n"), "t.txt: has no request");
}

}  // namespace
}  // namespace asterism
