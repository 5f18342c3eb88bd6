#include "dimm_ssd/workload/write_profile.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

#include "base/fields.h"

namespace asterism {
namespace {

std::vector<WriteRequest> requests_of(WriteSource& source, std::uint32_t interval, std::size_t batch = 7) {
  std::vector<WriteRequest> all, some(batch);
  source.begin_interval(interval);
  while (const std::size_t made = source.next(some)) all.insert(all.end(), some.begin(), some.begin() + made);
  return all;
}

// The lines of a page that are written, and the number of writes to it.
struct Page {
  std::uint64_t lines = 0, writes = 0;
};
std::map<std::uint32_t, Page> pages_of(const std::vector<WriteRequest>& requests) {
  std::map<std::uint32_t, Page> pages;
  for (const WriteRequest& r : requests) {
    pages[r.page].lines |= 1ull << r.line;
    ++pages[r.page].writes;
  }
  return pages;
}

WriteProfile one_region(WriteRegion region) {
  WriteProfile profile;
  profile.interval = 1_ms;
  profile.intervals = 2;
  profile.block_pages = 4;
  profile.regions = {std::move(region)};
  return profile;
}
WriteRegion mixed() { return {.classes = {{6, 4, 51}, {3, 64, 3000}}}; }

TEST(WriteProfileTest, DescribesItself) { EXPECT_EQ(description_problem<WriteProfile>(), ""); }

TEST(WriteProfileTest, TotalsAreThoseGiven) {
  ProfileWrites source(one_region(mixed()), 2);
  const auto first = requests_of(source, 0), second = requests_of(source, 1);
  EXPECT_EQ(first.size(), 25u + 1500);
  EXPECT_EQ(first.size() + second.size(), 51u + 3000);
  EXPECT_EQ(source.pages(), 9u);
}

TEST(WriteProfileTest, EveryPageHasTheLinesOfItsClass) {
  ProfileWrites source(one_region(mixed()), 2);
  std::map<int, int> pages_by_lines;
  for (const auto& [number, page] : pages_of(requests_of(source, 0))) {
    EXPECT_LT(number, 9u);
    EXPECT_TRUE(page.writes == 4 || page.writes == 5 || page.writes == 500) << page.writes;
    ++pages_by_lines[std::popcount(page.lines)];
  }
  EXPECT_EQ(pages_by_lines, (std::map<int, int>{{4, 6}, {64, 3}}));
}

TEST(WriteProfileTest, SweepsShareAPagesWritesAndKeepItsLines) {
  WriteRegion region = mixed();
  region.sweeps = 7;  // a page of the first class has 4 or 5 writes
  ProfileWrites source(one_region(region), 2);
  const auto requests = requests_of(source, 0);
  EXPECT_EQ(requests.size(), 25u + 1500);
  for (const auto& [number, page] : pages_of(requests))
    EXPECT_EQ(std::popcount(page.lines), page.writes < 64 ? 4 : 64) << number;
}

TEST(WriteProfileTest, FreshPagesComeOnce) {
  WriteRegion region = mixed();
  region.reuse = PageReuse::fresh;
  ProfileWrites source(one_region(region), 2);
  EXPECT_EQ(source.pages(), 18u);
  EXPECT_EQ(one_region(region).footprint(2), 18u);
  requests_of(source, 0);
  const auto second = pages_of(requests_of(source, 1));
  EXPECT_EQ(second.size(), 9u);
  EXPECT_EQ(second.begin()->first, 9u);
}

TEST(WriteProfileTest, ASweepKeepsToItsPartOfTheTime) {
  WriteRegion region{.sweeps = 2, .from = 500, .to = 750, .classes = {{8, 1, 32}}};
  ProfileWrites source(one_region(region), 2);
  std::vector<std::uint64_t> times;
  for (const WriteRequest& r : requests_of(source, 0)) times.push_back(r.time.count() / 1'000'000);
  EXPECT_EQ(times, (std::vector<std::uint64_t>{250, 265, 281, 296, 312, 328, 343, 359,  //
                                               750, 765, 781, 796, 812, 828, 843, 859}));
}

TEST(WriteProfileTest, ABlockIsRewrittenBeforeTheWalkContinues) {
  ProfileWrites source(one_region({.classes = {{6, 2, 36}}}), 2);  // three writes of each page
  std::vector<std::uint32_t> pages;
  for (const WriteRequest& r : requests_of(source, 0)) pages.push_back(r.page);
  EXPECT_EQ(pages, (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 3, 3, 0, 1, 2, 3, 4, 4, 5, 5, 4, 5}));
}

TEST(WriteProfileTest, RegionsRunSideBySideInOrderOfTime) {
  WriteProfile profile = one_region(mixed());
  profile.regions.push_back({.sweeps = 3, .from = 100, .to = 900, .classes = {{5, 8, 700}}});
  ProfileWrites source(profile, 2);
  const auto requests = requests_of(source, 0);
  EXPECT_EQ(requests.size(), profile.writes(0));
  EXPECT_EQ(pages_of(requests).size(), profile.pages());
  Picoseconds last;
  for (const WriteRequest& r : requests) {
    EXPECT_LE(last, r.time);
    last = r.time;
  }
  EXPECT_LT(last, profile.interval);
}

TEST(WriteProfileTest, BatchesOfAnySizeGiveTheSame) {
  WriteProfile profile = one_region(mixed());
  profile.regions.push_back({.sweeps = 3, .classes = {{5, 8, 700}}});
  ProfileWrites source(profile, 2), another(profile, 2);
  EXPECT_EQ(requests_of(source, 0, 1), requests_of(another, 0, 1000));
}

TEST(WriteProfileTest, KnowsItsTotals) {
  WriteProfile profile = one_region(mixed());
  profile.l2_mpki = 0.17;
  profile.instructions = 1'000'000'000;
  EXPECT_EQ(profile.reads(), 170'000u);
  EXPECT_EQ(profile.pages(), 9u);
  EXPECT_EQ(profile.lines(), 24u + 192);
  EXPECT_EQ(profile.writes(1), 26u + 1500);
}

}  // namespace
}  // namespace asterism
