// Compares rtl/lrg_arbiter with SwizzleSwitch, for every order of four inputs and for random requests of
// many.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "base/parameter_name.h"
#include "base/random.h"
#include "swizzle_switch/arbitration_hook.h"
#include "swizzle_switch/swizzle_switch.h"
#include "testbenches/lrg_arbiter/mutants.h"
#include "testbenches/testbench.h"

namespace asterism {
namespace {

constexpr const char* arbiter = "rtl/lrg_arbiter/block.json";

std::vector<std::string> radix(unsigned inputs) { return {"parameters.Radix=" + std::to_string(inputs)}; }

// Gives the same requests to the RTL and to the model.
class Pair {
 public:
  Pair(const std::string& block, const std::vector<std::string>& overrides)
      : rtl_(library_of(block, overrides), "arbiter"),
        request_(rtl_.port("request")),
        grant_(rtl_.port("grant")),
        model_(request_.width(), 1, ArbiterPolicy::least_recently_granted) {
    rtl_.reset();
  }

  unsigned inputs() const { return request_.width(); }
  RtlInstance& rtl() { return rtl_; }
  SwizzleSwitch& model() { return model_; }

  // Returns the grants of the RTL, without a clock edge.
  RequestSet grants_for(const RequestSet& requests) {
    for (unsigned word = 0; word < request_.words(); ++word) request_.set(requests[word], word);
    rtl_.settle();
    RequestSet grants{};
    for (unsigned word = 0; word < grant_.words(); ++word) grants[word] = grant_.get(word);
    return grants;
  }
  // Executes one cycle of both and returns whether they agree.
  bool cycle(const RequestSet& requests) {
    const RequestSet grants = grants_for(requests);
    rtl_.edge();
    std::vector<unsigned> list;
    for (unsigned i = 0; i < inputs(); ++i)
      if (requests[i / 64] >> (i % 64) & 1) list.push_back(i);
    RequestSet expected{};
    if (const auto winner = model_.grant(0, list))
      expected[*winner / 64] = std::uint64_t{1} << (*winner % 64);
    return grants == expected;
  }
  // The inputs in the order of their priority, the highest first, in the RTL and in the model.
  std::vector<unsigned> order_of_rtl() {
    return order([&](unsigned a, unsigned b) {
      return grants_for({std::uint64_t{1} << a | std::uint64_t{1} << b})[0] == std::uint64_t{1} << a;
    });
  }
  std::vector<unsigned> order_of_model() {
    return order([&](unsigned a, unsigned b) { return model_.has_priority_over(0, a, b); });
  }

 private:
  template <class Before>
  std::vector<unsigned> order(Before&& before) const {
    std::vector<unsigned> all(inputs());
    for (unsigned i = 0; i < inputs(); ++i) all[i] = i;
    std::ranges::sort(all, before);
    return all;
  }

  RtlInstance rtl_;
  RtlPort request_, grant_;
  SwizzleSwitch model_;
};

// Returns the cycle of the first difference under random requests of all densities, or nullopt if there is
// none.
std::optional<unsigned> first_difference(Pair& pair, unsigned cycles) {
  Random random(1);
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    RequestSet requests{};
    const std::uint64_t density = random.below(5);  // with 0 no input requests, with 4 all do
    for (unsigned i = 0; i < pair.inputs(); ++i)
      if (random.below(16) < density * density) requests[i / 64] |= std::uint64_t{1} << (i % 64);
    if (!pair.cycle(requests)) return cycle;
  }
  return std::nullopt;
}

class RandomTest : public testing::TestWithParam<unsigned> {};

TEST_P(RandomTest, AgreesWithTheModel) {
  Pair pair(arbiter, radix(GetParam()));
  EXPECT_EQ(first_difference(pair, 200'000), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(LrgArbiter, RandomTest, testing::Values(1, 4, 11, 64, 128), ParameterName());

TEST(LrgArbiterTest, AfterResetTheLowestInputGoesFirst) {
  Pair pair(arbiter, radix(4));
  EXPECT_EQ(pair.order_of_rtl(), (std::vector<unsigned>{0, 1, 2, 3}));
  pair.cycle({0b0001});
  pair.rtl().reset();
  EXPECT_EQ(pair.order_of_rtl(), (std::vector<unsigned>{0, 1, 2, 3}));
}

TEST(LrgArbiterTest, TheWinnerGoesToTheEndAndTheOthersKeepTheirOrder) {
  Pair pair(arbiter, radix(4));
  pair.cycle({0b0110});
  EXPECT_EQ(pair.order_of_rtl(), (std::vector<unsigned>{0, 2, 3, 1}));
}

TEST(LrgArbiterTest, ACycleWithoutARequestChangesNothing) {
  Pair pair(arbiter, radix(4));
  pair.cycle({0b0100});
  const auto before = pair.order_of_rtl();
  for (int i = 0; i < 10; ++i) pair.cycle({0});
  EXPECT_EQ(pair.order_of_rtl(), before);
}

// Reaches each of the 24 orders from the reset through the previous orders, and tests all 16 sets of requests
// in each of them.
TEST(LrgArbiterTest, EveryOrderOfFourInputsGrantsEveryRequestAsTheModel) {
  Pair pair(arbiter, radix(4));
  struct State {
    RtlInstance::Snapshot rtl;
    SwizzleSwitch model;
  };
  std::map<std::vector<unsigned>, State> reached;
  std::vector<std::vector<unsigned>> to_visit;
  const auto arrive = [&] {
    ASSERT_EQ(pair.order_of_rtl(), pair.order_of_model());
    pair.grants_for({0});  // the requests of a snapshot are the same in every order
    State state{{}, pair.model()};
    pair.rtl().save(state.rtl);
    if (reached.emplace(pair.order_of_model(), state).second) to_visit.push_back(pair.order_of_model());
  };
  arrive();
  for (std::size_t next = 0; next < to_visit.size(); ++next) {
    for (std::uint64_t requests = 0; requests < 16; ++requests) {
      const State& from = reached.at(to_visit[next]);
      pair.rtl().restore(from.rtl);
      pair.model() = from.model;
      ASSERT_TRUE(pair.cycle({requests})) << "requests " << requests;
      arrive();
    }
  }
  EXPECT_EQ(reached.size(), 24u);
}

TEST(LrgArbiterTest, NoInputWaitsForMoreThanRadixLessOneGrants) {
  Pair pair(arbiter, radix(64));
  Random random(2);
  std::uint64_t others = ~std::uint64_t{0};
  for (unsigned patient = 0; patient < 64; ++patient) {
    unsigned waited = 0;
    while (pair.grants_for({others | std::uint64_t{1} << patient})[0] != std::uint64_t{1} << patient) {
      ++waited;
      pair.rtl().edge();
      others = random.next();
    }
    EXPECT_LE(waited, 63u);
    pair.rtl().edge();
  }
}

TEST(LrgArbiterTest, ItsPropertiesHoldUnderRandomRequests) {
  Pair pair(arbiter, {"parameters.Radix=5", "assertions=true"});
  EXPECT_EQ(first_difference(pair, 50'000), std::nullopt);
}

class RtlMutantTest : public testing::TestWithParam<Mutant> {};

TEST_P(RtlMutantTest, IsFoundWithinAThousandCycles) {
  Pair pair(mutant_of("lrg_arbiter", GetParam()), radix(4));
  EXPECT_NE(first_difference(pair, 1000), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(LrgArbiter, RtlMutantTest, testing::ValuesIn(lrg_arbiter_mutants), ParameterName());

}  // namespace
}  // namespace asterism
