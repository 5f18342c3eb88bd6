#include "base/set_associative.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <random>
#include <vector>

namespace asterism {
namespace {

using Tags = SetAssociative<std::uint64_t, 2>;
using TimedTags = SetAssociative<std::uint64_t, 2, true>;
using ShortTags = SetAssociative<std::uint32_t, 2>;

// The lines of each set from the most to the least recently used one.
class Reference {
 public:
  Reference(std::size_t sets, std::size_t ways) : ways_(ways), sets_(sets) {}
  bool use(std::size_t set, std::uint64_t tag) {
    std::list<std::uint64_t>& lines = sets_[set];
    const auto found = std::ranges::find(lines, tag);
    if (found == lines.end()) return false;
    lines.splice(lines.begin(), lines, found);
    return true;
  }
  // The evicted line; 0: none.
  std::uint64_t insert(std::size_t set, std::uint64_t tag) {
    std::list<std::uint64_t>& lines = sets_[set];
    std::uint64_t evicted = 0;
    if (lines.size() == ways_) {
      evicted = lines.back();
      lines.pop_back();
    }
    lines.push_front(tag);
    return evicted;
  }
  void drop(std::size_t set, std::uint64_t tag) { sets_[set].remove(tag); }

 private:
  std::size_t ways_;
  std::vector<std::list<std::uint64_t>> sets_;
};

// Whether, at 20,000 random steps, `Array` evicts as the lists do.
template <class Array>
void compare_with_lists(std::uint32_t ways) {
  constexpr std::size_t sets = 8;
  Array tags(sets, ways);
  Reference reference(sets, ways);
  std::mt19937 random(ways);
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t set = random() % sets;
    const auto tag = static_cast<std::uint32_t>(4 * (1 + random() % (2 * ways)));
    const std::size_t slot = tags.find(set, tag);
    if (random() % 8 == 0) {
      if (slot != Array::no_slot) tags.drop(slot);
      reference.drop(set, tag);
      ASSERT_EQ(tags.find(set, tag), Array::no_slot);
    } else if (reference.use(set, tag)) {
      ASSERT_NE(slot, Array::no_slot);
      if (random() % 2 == 0)
        tags.use(slot);
      else
        ASSERT_EQ(tags.find_and_use(set, tag), slot);
    } else {
      ASSERT_EQ(slot, Array::no_slot);
      ASSERT_EQ(tags.find_and_use(set, tag), Array::no_slot);
      const std::size_t victim = tags.victim(set);
      ASSERT_EQ(tags.set_of(victim), set);
      const std::uint64_t evicted = tags.is_present(victim) ? tags.tag(victim) : 0;
      ASSERT_EQ(evicted, reference.insert(set, tag));
      tags.replace(victim, tag);
    }
  }
}

TEST(SetAssociative, EvictsAsALeastRecentlyUsedListDoes) {
  for (const std::uint32_t ways : {1u, 2u, 3u, 4u, 8u, 12u, 16u}) {
    compare_with_lists<Tags>(ways);
    compare_with_lists<TimedTags>(ways);
    compare_with_lists<ShortTags>(ways);
  }
  compare_with_lists<TimedTags>(64);
}

// Its place in the order of use remains, unlike that of a dropped one.
TEST(SetAssociative, AnEmptiedWayIsReplacedInItsTurn) {
  ShortTags tags(1, 3);
  for (const std::uint32_t tag : {4u, 8u, 12u}) tags.replace(tags.victim(0), tag);
  const std::size_t middle = tags.find(0, 8);
  tags.clear(middle);
  EXPECT_EQ(tags.find(0, 8), ShortTags::no_slot);
  EXPECT_EQ(tags.victim(0), tags.find(0, 4));
  tags.drop(middle);
  EXPECT_EQ(tags.victim(0), middle);
}

// The ways of a set of 4: a bit for the pairs, and one for each pair.
TEST(SetAssociative, ATreePointsAwayFromTheLinesUsed) {
  Tags tags(1, 4, Replacement::tree_plru);
  for (std::uint64_t way = 0; way < 4; ++way) {
    EXPECT_EQ(tags.victim(0), way);
    tags.replace(way, 4 * way + 4);
  }
  EXPECT_EQ(tags.victim(0), 0u);
  tags.use(0);
  EXPECT_EQ(tags.victim(0), 2u);
  tags.use(2);
  EXPECT_EQ(tags.victim(0), 1u);
  tags.use(3);
  tags.drop(3);
  EXPECT_EQ(tags.victim(0), 3u);
  EXPECT_THROW(Tags(1, 3, Replacement::tree_plru), std::invalid_argument);
}

TEST(SetAssociative, RandomReplacementChoosesEachWayEquallyOften) {
  Tags tags(1, 4, Replacement::random);
  for (std::uint64_t way = 0; way < 4; ++way) tags.replace(tags.victim(0), 4 * way + 4);
  std::array<unsigned, 4> chosen{};
  for (int i = 0; i < 4'000; ++i) ++chosen[tags.victim(0)];
  for (const unsigned count : chosen) EXPECT_NEAR(count, 1'000, 100);
}

TEST(SetAssociative, ASecondUseOfTheLastLineUsedChangesNothing) {
  for (const Replacement replacement : {Replacement::lru, Replacement::tree_plru}) {
    Tags once(4, 8, replacement), often(4, 8, replacement);
    std::mt19937 random(1);
    for (int step = 0; step < 10'000; ++step) {
      const std::size_t set = random() % 4;
      const std::uint64_t tag = 4 * (1 + random() % 16);
      for (Tags* tags : {&once, &often}) {
        const std::size_t slot = tags->find(set, tag);
        slot != Tags::no_slot ? tags->use(slot) : tags->replace(tags->victim(set), tag);
      }
      for (auto more = random() % 3; more > 0; --more) often.use(often.find(set, tag));
      ASSERT_EQ(once.victim(set), often.victim(set));
    }
  }
}

TEST(SetAssociative, FlagsBelongToTheLineAndAreIgnoredByFind) {
  Tags tags(2, 2);
  const std::size_t slot = tags.victim(1);
  tags.replace(slot, 8);
  tags.set_flags(slot, 3);
  tags.clear_flags(slot, 1);
  EXPECT_EQ(tags.find(1, 8), slot);
  EXPECT_EQ(tags.flags(slot), 2u);
  EXPECT_EQ(tags.tag(slot), 8u);
  EXPECT_TRUE(tags.has(slot, 8, 2));
  EXPECT_FALSE(tags.has(slot, 8, 3));
  EXPECT_FALSE(tags.has(slot, 12, 2));
  tags.clear_flags(2);
  EXPECT_TRUE(tags.has(slot, 8, 0));
  EXPECT_FALSE(tags.has(slot, 8, 2));
  tags.set_flags(slot, 1);
  tags.replace(slot, 12);
  EXPECT_EQ(tags.flags(slot), 0u);
}

TEST(SetAssociative, RefusesAReplacementThatItDoesNotHave) {
  EXPECT_THROW(ShortTags(1, 4, Replacement::random), std::invalid_argument);
  EXPECT_THROW(TimedTags(1, 4, Replacement::tree_plru), std::invalid_argument);
}

TEST(SetAssociative, RefusesMoreWaysThanItCanOrder) {
  EXPECT_THROW(Tags(1, 0), std::invalid_argument);
  EXPECT_THROW(Tags(1, 17), std::invalid_argument);
  EXPECT_THROW(ShortTags(1, 17), std::invalid_argument);
  EXPECT_THROW(TimedTags(1, 1025), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
