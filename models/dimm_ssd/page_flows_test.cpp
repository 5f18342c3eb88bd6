#include "dimm_ssd/page_flows.h"

#include <gmock/gmock.h>

#include <array>

#include "base/activity_lines.h"

namespace asterism {
namespace {

using testing::ElementsAre;

struct PageFlowsTest : testing::Test {
  ActivityLines activity;
  PageFlows flows{activity, "ssd"};
  PageFlowsTest() { flows.track(std::array{Address(0x1000), Address(0x5000)}); }

  void copy(std::uint32_t page) {
    flows.copied(PageFlows::To::flash, 10_ns, 12_ns, "copy", page, 0b101, flows.take(page));
  }
};

TEST_F(PageFlowsTest, TheFirstStoreSinceACopyBeginsAFlow) {
  flows.store(1_ns, 1, 0, "core0");
  flows.store(2_ns, 1, 0, "core1");
  copy(1);
  flows.store(13_ns, 1, 0, {});
  EXPECT_THAT(activity.lines, ElementsAre("core0 store 1 address=20480 flow 1",
                                          "ssd.copies copy 10-12 address=20480 lines=2 flow 1",
                                          "ssd store 13 address=20480 flow 2"));
}

TEST_F(PageFlowsTest, AStoreWhileThePageWaitsBelongsToTheNextCopy) {
  flows.store(1_ns, 0, 0, "core0");
  flows.store(5_ns, 0, 1, "core0");
  flows.store(6_ns, 0, 1, "core0");
  copy(0);
  flows.store(15_ns, 0, 1, "core0");
  copy(0);
  EXPECT_THAT(activity.of("core0"),
              ElementsAre("core0 store 1 address=4096 flow 1", "core0 store 5 address=4096 flow 2"));
  EXPECT_THAT(activity.of("ssd.copies"), ElementsAre("ssd.copies copy 10-12 address=4096 lines=2 flow 1",
                                                     "ssd.copies copy 10-12 address=4096 lines=2 flow 2"));
}

TEST_F(PageFlowsTest, ACheckpointOfAllPagesBeginsTheFlowsOfTheOthers) {
  flows.store(1_ns, 0, 0, "core0");
  flows.store_to_all(3_ns, 0);
  flows.store_to_all(4_ns, 0);
  EXPECT_THAT(activity.lines,
              ElementsAre("core0 store 1 address=4096 flow 1", "ssd all pages 3 pages=1 flow 2"));
}

TEST_F(PageFlowsTest, ACopyOfAPageWithoutAStoreHasAFlowOfItsOwn) {
  copy(0);
  EXPECT_THAT(activity.lines, ElementsAre("ssd.copies copy 10-12 address=4096 lines=2 flow 1"));
}

TEST_F(PageFlowsTest, AllPagesOfALongListAreInSeveralInstants) {
  flows.track(std::vector<Address>(2500, Address(0x1000)));
  flows.store_to_all(3_ns, 0);
  ASSERT_EQ(activity.lines.size(), 3u);
  EXPECT_TRUE(activity.lines[0].starts_with("ssd all pages 3 pages=1024 flow 1 flow 2 "));
  EXPECT_TRUE(activity.lines[2].starts_with("ssd all pages 3 pages=452 flow 2049 "));
  flows.forget();
  flows.store_to_all(4_ns, 1);
  EXPECT_EQ(activity.lines.size(), 3u);
}

}  // namespace
}  // namespace asterism
