#include "gpu/l2_slice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>

#include "base/random.h"

namespace asterism {
namespace {

std::size_t find(L2Slice& slice, std::uint32_t number) { return slice.find(slice.place_of(number)); }
// Inserts a line and returns the evicted one.
std::uint32_t insert(L2Slice& slice, std::uint32_t number) {
  const L2Slice::Place place = slice.place_of(number);
  const std::size_t slot = slice.victim(place);
  const std::uint32_t evicted = slice.line_at(slot);
  if (evicted != L2Slice::no_line) {
    EXPECT_EQ(slice.line_at(slot, place), evicted);
  }
  slice.replace(slot, place);
  return evicted;
}

TEST(L2Slice, TheLeastRecentlyUsedLineOfASetGoes) {
  L2Slice slice(2 * 3 * L2Slice::line, 2, false);  // three sets of two
  EXPECT_EQ(insert(slice, 0), L2Slice::no_line);
  EXPECT_EQ(insert(slice, 3), L2Slice::no_line);
  EXPECT_EQ(insert(slice, 1), L2Slice::no_line);
  EXPECT_NE(find(slice, 0), L2Slice::no_slot);
  EXPECT_EQ(insert(slice, 6), 3u);
  EXPECT_EQ(find(slice, 3), L2Slice::no_slot);
  EXPECT_NE(find(slice, 1), L2Slice::no_slot);
  EXPECT_EQ(insert(slice, 9), 0u);
}

TEST(L2Slice, LookingIsNoUse) {
  L2Slice slice(2 * L2Slice::line, 2, false);
  insert(slice, 0);
  insert(slice, 1);
  EXPECT_NE(slice.peek(0), L2Slice::no_slot);
  EXPECT_EQ(slice.peek(2), L2Slice::no_slot);
  EXPECT_EQ(insert(slice, 2), 0u);
}

TEST(L2Slice, ANewLineHasNoSectors) {
  L2Slice slice(L2Slice::line, 1, false);
  insert(slice, 0);
  slice.fetched(0, 0b1000);
  slice.written(0, 0b0101);
  EXPECT_EQ(slice.valid(find(slice, 0)), 0b1101);
  EXPECT_EQ(slice.dirty(0), 0b0101);
  slice.cleaned(0);
  EXPECT_EQ(slice.dirty(0), 0);
  EXPECT_EQ(slice.valid(0), 0b1101);
  insert(slice, 1);
  EXPECT_EQ(slice.valid(0), 0);
  EXPECT_EQ(slice.dirty(0), 0);
}

TEST(L2Slice, CountsSectors) {
  for (unsigned mask = 0; mask < 16; ++mask)
    EXPECT_EQ(L2Slice::count(static_cast<std::uint8_t>(mask)), static_cast<unsigned>(std::popcount(mask)));
}

TEST(L2Slice, ADroppedLineIsGone) {
  L2Slice slice(2 * L2Slice::line, 2, false);
  insert(slice, 0);
  insert(slice, 1);
  slice.drop(find(slice, 1));
  unsigned lines = 0;
  slice.for_lines([&](std::size_t slot) {
    ++lines;
    EXPECT_EQ(slice.line_at(slot), 0u);
  });
  EXPECT_EQ(lines, 1u);
}

// Compares the slice with lists in the order of use, for all numbers of ways and for numbers of sets that are
// not powers of two.
TEST(L2Slice, IsAListOfLinesInTheOrderOfUse) {
  for (std::uint32_t ways = 1; ways <= L2Slice::max_ways; ++ways) {
    const std::uint32_t sets = 1 + ways % 7;
    L2Slice slice(L2Slice::line * sets * ways, ways, false);
    std::map<std::uint32_t, std::deque<std::uint32_t>> model;  // the newest first
    Random random(ways);
    for (unsigned i = 0; i < 3000; ++i) {
      const auto number = static_cast<std::uint32_t>(random.below(3 * sets * ways));
      auto& lines = model[number % sets];
      const auto found = std::ranges::find(lines, number);
      ASSERT_EQ(slice.next(slice.place_of(number)), slice.place_of(number + 1));
      ASSERT_EQ(find(slice, number) != L2Slice::no_slot, found != lines.end());
      if (found != lines.end()) {
        lines.erase(found);
      } else {
        const bool full = lines.size() == ways;
        ASSERT_EQ(insert(slice, number), full ? lines.back() : L2Slice::no_line);
        if (full) lines.pop_back();
      }
      lines.push_front(number);
    }
  }
}

}  // namespace
}  // namespace asterism
