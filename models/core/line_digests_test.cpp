#include "core/line_digests.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace asterism {
namespace {

std::vector<std::size_t> candidates_of(const LineDigests& digests, std::size_t set, std::uint64_t line) {
  std::vector<std::size_t> candidates;
  digests.for_candidates(set, line, [&](std::size_t place) { candidates.push_back(place); });
  return candidates;
}

// Against a plain search: each place that has the line is found, in order, and few others are.
TEST(LineDigests, FindAllPlacesOfALineAndFewOthers) {
  constexpr std::size_t sets = 4, places = 75;
  constexpr std::uint64_t lines = 4096, no_line = ~std::uint64_t{0};
  LineDigests digests(sets, places);
  std::vector<std::uint64_t> held(sets * places, no_line);
  Random random(7);
  std::size_t others = 0, questions = 0;
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t set = random.next() % sets, place = random.next() % places;
    const std::uint64_t line = random.next() % lines * sets + set;
    std::uint64_t& before = held[set * places + place];
    if (random.next() % 4 == 0) {
      digests.empty(set, place);
      before = no_line;
    } else {
      digests.set(set, place, line);
      before = line;
    }
    const std::uint64_t asked = random.next() % 2 == 0 ? held[set * places + random.next() % places] : line;
    if (asked == no_line) continue;
    const std::vector<std::size_t> candidates = candidates_of(digests, set, asked);
    ASSERT_TRUE(std::ranges::is_sorted(candidates));
    for (std::size_t at = 0; at < places; ++at) {
      const bool is_candidate = std::ranges::count(candidates, at) == 1;
      const bool has_line = held[set * places + at] == asked;
      ASSERT_TRUE(is_candidate || !has_line);
      others += is_candidate && !has_line;
    }
    ++questions;
  }
  EXPECT_LT(others, questions);  // of 75 places each
}

TEST(LineDigests, AnEmptyPlaceIsNoCandidateOfAnyLine) {
  const LineDigests digests(1, 16);
  for (std::uint64_t line = 0; line < 10'000; ++line) ASSERT_TRUE(candidates_of(digests, 0, line).empty());
}

}  // namespace
}  // namespace asterism
