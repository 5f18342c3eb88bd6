#include "swizzle_switch/swizzle_switch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "base/random.h"

namespace asterism {
namespace {

using Requests = std::vector<unsigned>;
constexpr ArbiterPolicy lrg = ArbiterPolicy::least_recently_granted;

Requests all_of(unsigned inputs) {
  Requests all(inputs);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

// Each input requests with a probability of one in `one_in`.
Requests random_requests(Random& random, unsigned inputs, unsigned one_in) {
  Requests requests;
  for (unsigned input = 0; input < inputs; ++input)
    if (random.below(one_in) == 0) requests.push_back(input);
  return requests;
}

Requests winners(SwizzleSwitch& arbiter, const std::vector<Requests>& cycles) {
  Requests won;
  for (const Requests& requests : cycles) won.push_back(arbiter.grant(0, requests).value());
  return won;
}

double max_over_min(const std::vector<std::uint64_t>& grants) {
  const auto [least, most] = std::minmax_element(grants.begin(), grants.end());
  return static_cast<double>(*most) / static_cast<double>(*least);
}

// The arbiter as it is in silicon (abeyratne2017 section 3.2.2). A bit for each pair of inputs says which one
// has priority; a grant clears the winner's row and sets its column.
class PriorityBits {
 public:
  explicit PriorityBits(unsigned inputs) : before_(inputs, std::vector<bool>(inputs)) {
    for (unsigned a = 0; a < inputs; ++a)
      for (unsigned b = a + 1; b < inputs; ++b) before_[a][b] = true;
  }
  std::optional<unsigned> grant(const Requests& requests) {
    for (const unsigned input : requests) {
      const auto yields_to = [&](unsigned other) { return other != input && before_[other][input]; };
      if (std::any_of(requests.begin(), requests.end(), yields_to)) continue;
      for (unsigned other = 0; other < before_.size(); ++other) {
        before_[input][other] = false;
        before_[other][input] = other != input;
      }
      return input;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::vector<bool>> before_;
};

TEST(SwizzleSwitchTest, LrgSendsTheWinnerToTheEndAndKeepsTheOrderOfTheOthers) {
  SwizzleSwitch arbiter(5, 1, lrg);
  // order:                                  01234     0134 2    013 24    13 240    1 2403
  EXPECT_EQ(winners(arbiter, {{2, 4}, {4, 2}, {3, 0}, {3, 2}, {0, 3, 4, 2, 1}}), (Requests{2, 4, 0, 3, 1}));
  // order: 2 4 0 3 1
  EXPECT_EQ(winners(arbiter, {all_of(5), all_of(5), all_of(5), all_of(5), all_of(5)}),
            (Requests{2, 4, 0, 3, 1}));
}

TEST(SwizzleSwitchTest, LrgIsWhatTheSiliconsPriorityBitsDo) {
  Random random(7);
  for (const unsigned inputs : {1u, 2u, 5u, 64u}) {
    SwizzleSwitch arbiter(inputs, 1, lrg);
    PriorityBits bits(inputs);
    for (int cycle = 0; cycle < 5'000; ++cycle) {
      const Requests requests = random_requests(random, inputs, 1 + static_cast<unsigned>(random.below(8)));
      ASSERT_EQ(arbiter.grant(0, requests), bits.grant(requests)) << inputs << " inputs, cycle " << cycle;
    }
  }
}

TEST(SwizzleSwitchTest, LrgLetsARequestWaitForRadixMinusOneGrantsAtMost) {
  Random random(3);
  for (const unsigned inputs : {2u, 5u, 64u, 200u}) {
    SwizzleSwitch arbiter(inputs, 1, lrg);
    const unsigned patient = inputs / 2;
    unsigned waited = 0, longest = 0;
    for (int cycle = 0; cycle < 20'000; ++cycle) {
      Requests requests = random_requests(random, inputs, 2);
      requests.push_back(patient);
      waited = *arbiter.grant(0, requests) == patient ? 0 : waited + 1;
      longest = std::max(longest, waited);
    }
    EXPECT_LE(longest, inputs - 1);
  }
}

TEST(SwizzleSwitchTest, LrgReachesItsBoundWhenAllOthersAreAhead) {
  SwizzleSwitch arbiter(64, 1, lrg);
  EXPECT_EQ(arbiter.grant(0, Requests{10}), 10u);
  for (int grant = 0; grant < 63; ++grant) EXPECT_NE(arbiter.grant(0, all_of(64)), 10u);
  EXPECT_EQ(arbiter.grant(0, all_of(64)), 10u);
}

TEST(SwizzleSwitchTest, LrgIsFairWhenAllRequestAlways) {
  SwizzleSwitch arbiter(36, 1, lrg);
  std::vector<std::uint64_t> grants(36);
  for (int i = 0; i < 1'000'000; ++i) ++grants[*arbiter.grant(0, all_of(36))];
  EXPECT_LE(*std::max_element(grants.begin(), grants.end()),
            *std::min_element(grants.begin(), grants.end()) + 1);
}

// Inputs that request equally often share the output evenly, though only some of them request at a given
// time.
TEST(SwizzleSwitchTest, LrgIsFairToInputsThatRequestAtRandom) {
  Random random(11);
  SwizzleSwitch arbiter(24, 1, lrg);
  std::vector<std::uint64_t> grants(24);
  for (int granted = 0; granted < 1'000'000;)
    if (const auto winner = arbiter.grant(0, random_requests(random, 24, 3))) ++granted, ++grants[*winner];
  EXPECT_LE(max_over_min(grants), 1.01);
}

// An input that always requests gets its share of the grants whatever the others do.
TEST(SwizzleSwitchTest, LrgGivesAPersistentInputItsShareAgainstUnequalOnes) {
  Random random(5);
  SwizzleSwitch arbiter(8, 1, lrg);
  std::vector<std::uint64_t> grants(8);
  for (int i = 0; i < 100'000; ++i) {
    Requests requests{0};
    for (unsigned input = 1; input < 8; ++input)
      if (random.below(input) == 0) requests.push_back(input);
    ++grants[*arbiter.grant(0, requests)];
  }
  EXPECT_GE(grants[0], 100'000u / 8);
}

TEST(SwizzleSwitchTest, RoundRobinStartsBehindTheLastWinner) {
  SwizzleSwitch arbiter(5, 1, ArbiterPolicy::round_robin);
  EXPECT_EQ(winners(arbiter, {all_of(5), {0, 4}, {0, 3}, {4, 2}, {1, 2}, {1, 2}}),
            (Requests{0, 4, 0, 2, 1, 2}));
}

// Input 1 withdraws its request in every second cycle, and always in those in which it would be granted.
TEST(SwizzleSwitchTest, RoundRobinCanStarveAnInputWhereLrgDoesNot) {
  SwizzleSwitch round_robin(3, 1, ArbiterPolicy::round_robin), least_recent(3, 1, lrg);
  std::array<int, 3> by_round_robin{}, by_lrg{};
  for (int cycle = 0; cycle < 4'000; ++cycle) {
    const Requests requests = cycle % 2 == 0 ? Requests{0, 1, 2} : Requests{0, 2};
    ++by_round_robin[*round_robin.grant(0, requests)];
    ++by_lrg[*least_recent.grant(0, requests)];
  }
  EXPECT_EQ(by_round_robin, (std::array{2000, 0, 2000}));
  EXPECT_EQ(by_lrg, (std::array{1500, 1000, 1500}));
}

TEST(SwizzleSwitchTest, FixedGrantsTheLowestAlways) {
  SwizzleSwitch arbiter(5, 1, ArbiterPolicy::fixed);
  EXPECT_EQ(winners(arbiter, {all_of(5), all_of(5), {4, 3}, {2, 1}}), (Requests{0, 0, 3, 1}));
}

TEST(SwizzleSwitchTest, GrantsNothingWithoutRequestAndKeepsTheOrder) {
  for (const ArbiterPolicy policy : {lrg, ArbiterPolicy::round_robin, ArbiterPolicy::fixed}) {
    SwizzleSwitch arbiter(3, 1, policy);
    EXPECT_EQ(arbiter.grant(0, Requests{}), std::nullopt);
    EXPECT_EQ(arbiter.grant(0, all_of(3)), 0u);
  }
}

TEST(SwizzleSwitchTest, GrantsAllInputsInOrderForEveryRadix) {
  for (const unsigned radix : {1u, 5u, 64u, 200u}) {
    for (const ArbiterPolicy policy : {lrg, ArbiterPolicy::round_robin}) {
      SwizzleSwitch arbiter(radix, radix, policy);
      for (unsigned i = 0; i < 2 * radix; ++i)
        ASSERT_EQ(arbiter.grant(radix - 1, all_of(radix)), i % radix) << radix;
    }
  }
}

TEST(SwizzleSwitchTest, KeepsAnOrderForEachOutput) {
  SwizzleSwitch arbiter(3, 2, lrg);
  EXPECT_EQ(arbiter.grant(0, all_of(3)), 0u);
  EXPECT_EQ(arbiter.grant(0, all_of(3)), 1u);
  EXPECT_EQ(arbiter.grant(1, all_of(3)), 0u);
}

TEST(SwizzleSwitchTest, BeatsAndGrantedSayWhatGrantDoes) {
  SwizzleSwitch arbiter(3, 1, lrg);
  EXPECT_TRUE(arbiter.has_priority_over(0, 0, 1));
  arbiter.granted(0, 0);
  EXPECT_FALSE(arbiter.has_priority_over(0, 0, 1));
  EXPECT_TRUE(arbiter.has_priority_over(0, 2, 0));
}

TEST(SwizzleSwitchTest, ResetsToTheOrderAtConstruction) {
  for (const ArbiterPolicy policy : {lrg, ArbiterPolicy::round_robin}) {
    SwizzleSwitch arbiter(3, 1, policy);
    EXPECT_EQ(winners(arbiter, {{1}, {2}}), (Requests{1, 2}));
    arbiter.reset();
    EXPECT_EQ(winners(arbiter, {all_of(3), all_of(3), all_of(3)}), (Requests{0, 1, 2}));
  }
}

TEST(SwizzleSwitchTest, RefusesToHaveNoPorts) {
  EXPECT_THROW(SwizzleSwitch(0, 4, lrg), std::invalid_argument);
  EXPECT_THROW(SwizzleSwitch(4, 0, lrg), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
