#include "platform/instruments/page_map_file.h"

#include <gmock/gmock.h>

#include "base/thrown.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using UnitRun = PageMap::Counts::Run;

PageMap small_map() {
  PageMap map;
  map.areas.push_back({.name = "node.memory", .first = Address(0x4000'0000), .units = 16});
  PageMap::Counts& copied = map.areas[0].of("copied");
  copied.add(3, 1);
  copied.add(4, 0);
  copied.add(5, 7);
  copied.add(6, 7);
  map.areas[0].names.push_back({"main", {Address(0x4000'0100), Bytes(64)}});
  map.areas.push_back(
      {.name = "flash", .kind = PageMap::Kind::blocks, .unit = 8_MiB, .units = 512, .group = 64});
  return map;
}

TEST(PageMapFile, GivesBackWhatWasWritten) {
  const PageMap map = small_map();
  EXPECT_THAT(map.areas[0].counts[0].runs, ElementsAre(UnitRun{3, 1, 1}, UnitRun{5, 2, 7}));
  EXPECT_EQ(read_page_map(to_file(map)), map);
}

TEST(PageMapFile, LargeMemoriesMakeSmallFiles) {
  PageMap map;
  map.areas.push_back({.name = "node.memory", .first = Address(0), .units = 16_GiB / 4_KiB});
  PageMap::Counts& copied = map.areas[0].of("copied");
  for (std::uint64_t page = 0; page < map.areas[0].units; page += 3) copied.add(page, 1 + page / 4096 % 5);
  EXPECT_LT(to_file(map).size(), 100'000u);
  EXPECT_EQ(read_page_map(to_file(map)), map);
}

TEST(PageMapFile, CountsPagesOfItsMemoryOnlyOnceItWasStarted) {
  PageMap map = small_map();
  PageCounter counter;
  counter.add(Address(0x4000'0000));
  counter.start({Address(0x4000'2000), Bytes(0x4000)});
  counter.add(Address(0x4000'2010));
  counter.add(Address(0x4000'5fff));
  counter.add(Address(0x4000'5000));
  counter.add(Address(0x4000'6000));
  counter.report(map, "waited");
  EXPECT_THAT(map.areas[0].of("waited").runs, ElementsAre(UnitRun{2, 1, 1}, UnitRun{5, 1, 2}));
}

TEST(PageMapFile, RefusesADamagedFile) {
  const std::string file = to_file(small_map());
  const auto refusal = [](std::string_view bytes) {
    return thrown<RunRecordError>([&] { read_page_map(bytes); });
  };
  EXPECT_EQ(refusal("ASTERREC"), "is no map of pages: expected \"ASTERMAP\" at byte 0");
  EXPECT_THAT(refusal(file.substr(0, file.size() - 1)), HasSubstr("by its header"));
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    EXPECT_NE(refusal(damaged), "none") << at;
  }
}

}  // namespace
}  // namespace asterism
