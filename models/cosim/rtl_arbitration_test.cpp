#include "cosim/rtl_arbitration.h"

#include <gmock/gmock.h>

#include <initializer_list>

#include "base/random.h"
#include "base/thrown.h"
#include "cosim/test_blocks.h"
#include "swizzle_switch/swizzle_switch.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr Picoseconds period = 1_ns;

RequestSet set_of(std::initializer_list<unsigned> inputs) {
  RequestSet set{};
  for (const unsigned input : inputs) set[input / 64] |= std::uint64_t{1} << input % 64;
  return set;
}

std::vector<unsigned> list_of(const RequestSet& set) {
  std::vector<unsigned> list;
  for (unsigned i = 0; i < max_hook_radix; ++i)
    if ((set[i / 64] >> i % 64 & 1) != 0) list.push_back(i);
  return list;
}

// A switch with RTL attached, which decides in the cycles that a test chooses.
struct RtlArbitrationTest : testing::Test {
  TemporaryFolder folder;
  RtlOptions options;
  RtlArbitration::Settings settings{.instance = "node.XB", .inputs = 4, .outputs = 2, .period = period};
  std::string block = "correct";
  std::unique_ptr<RtlArbitration> hook;
  std::unique_ptr<SwizzleSwitch> model;

  void attach_hook(Impl impl) {
    settings.impl = impl;
    hook = std::make_unique<RtlArbitration>(test_block(block), settings, options);
    model = std::make_unique<SwizzleSwitch>(settings.inputs, settings.outputs,
                                            ArbiterPolicy::least_recently_granted);
  }
  // Returns the decision at the edge of a cycle.
  unsigned decide(std::uint64_t cycle, const RequestSet& requests, unsigned output = 0) {
    const std::vector<unsigned> list = list_of(requests);
    return hook->decide(cycle * period, output, requests, model->grant(output, list).value());
  }
  // Returns a digest of random decisions, which differs from another one if a single decision differs.
  std::uint64_t decide_at_random(int decisions, std::uint64_t seed, unsigned idle_up_to = 3) {
    Random random(seed);
    std::uint64_t digest = 0, cycle = 0;
    for (int i = 0; i < decisions; ++i) {
      RequestSet requests{};
      while (requests == RequestSet{})
        for (unsigned input = 0; input < settings.inputs; ++input)
          if (random.below(3) == 0) requests[input / 64] |= std::uint64_t{1} << input % 64;
      cycle += 1 + random.below(idle_up_to);
      digest = digest * 31 + decide(cycle, requests, static_cast<unsigned>(random.below(settings.outputs)));
    }
    return digest;
  }
  std::vector<std::string> trace(const std::string& name) const { return lines_of(folder / name); }
};

// ---- deciding ----

TEST_F(RtlArbitrationTest, TheRtlDecidesAlone) {
  block = "wrong_tie";
  attach_hook(Impl::rtl);
  EXPECT_EQ(decide(1, set_of({0, 3})), 3u);
  EXPECT_EQ(decide(2, set_of({0, 2})), 2u);
  EXPECT_EQ(hook->decisions(), 2u);
}

TEST_F(RtlArbitrationTest, EachOutputHasAnOrderOfItsOwn) {
  attach_hook(Impl::rtl);
  EXPECT_EQ(decide(1, set_of({0, 1}), 0), 0u);
  EXPECT_EQ(decide(1, set_of({0, 1}), 1), 0u);
  EXPECT_EQ(decide(2, set_of({0, 1}), 0), 1u);
}

TEST_F(RtlArbitrationTest, TheRtlDecidesAsTheModel) {
  attach_hook(Impl::rtl);
  Random random(5);
  for (std::uint64_t cycle = 1; cycle < 5'000; ++cycle) {
    const RequestSet requests{1 + random.below(15), 0};
    const unsigned expected = SwizzleSwitch(*model).grant(0, list_of(requests)).value();
    ASSERT_EQ(decide(cycle, requests), expected) << cycle;
  }
}

TEST_F(RtlArbitrationTest, SeventyInputsAreTwoWords) {
  block = "wide";
  settings.inputs = 70;
  attach_hook(Impl::lockstep);
  decide_at_random(3'000, 1);
  EXPECT_FALSE(hook->mismatch());
  EXPECT_EQ(hook->coverage().groups()[1].reached(), 70u);
}

TEST_F(RtlArbitrationTest, ASwitchMayHaveFewerInputsThanItsBlock) {
  block = "wide";
  settings.inputs = 3;
  attach_hook(Impl::lockstep);
  decide_at_random(1'000, 1);
  EXPECT_FALSE(hook->mismatch());
}

TEST_F(RtlArbitrationTest, EveryResetMakesTheOrderAsAtTheStart) {
  for (const Impl impl : {Impl::rtl, Impl::lockstep}) {
    attach_hook(impl);
    for (const Reset kind : {Reset::cold, Reset::warm, Reset::power_loss}) {
      EXPECT_EQ(decide(1, set_of({0, 1})), 0u);
      EXPECT_EQ(decide(2, set_of({0, 1})), 1u);
      EXPECT_EQ(decide(3, set_of({0, 2})), 2u);
      hook->reset(kind);
      model->reset();
    }
    EXPECT_FALSE(hook->mismatch());
  }
}

// ---- a block against its contract ----

TEST_F(RtlArbitrationTest, ABadAnswerEndsARunOnRtl) {
  const std::pair<const char*, const char*> answers[] = {
      {"no_grant", "grants nobody"}, {"two_grants", "grants {0, 1}"}, {"unasked_grant", "grants 2"}};
  for (const auto& [name, text] : answers) {
    block = name;
    attach_hook(Impl::rtl);
    const RequestSet requests = block == "unasked_grant" ? set_of({1}) : set_of({1, 2});
    EXPECT_EQ(hook->decide(7_ns, 1, requests, 1), 1u) << "the model's choice replaces that of the RTL";
    ASSERT_TRUE(hook->mismatch()) << name;
    EXPECT_EQ(hook->mismatch()->instance, "node.XB.1");
    EXPECT_EQ(hook->mismatch()->at, 7_ns);
    EXPECT_EQ(hook->mismatch()->rtl, text);
  }
}

TEST_F(RtlArbitrationTest, ABlockThatEndsItselfEndsARunOnRtl) {
  block = "fails";
  attach_hook(Impl::rtl);
  unsigned reported = 0;
  hook->on_mismatch = [&](const Lockstep::Mismatch&) { ++reported; };
  decide(5, set_of({3}));
  decide(6, set_of({3}));
  EXPECT_EQ(reported, 1u);
  EXPECT_EQ(hook->mismatch()->text(),
            "RTL failure in node.XB.0 at 0.005000 us\n"
            "  requests  {3}\n"
            "  RTL       test_block.sv:12: Assertion failed: last_is_never_alone\n");
}

TEST_F(RtlArbitrationTest, ABadAnswerOnRtlWritesItsWindow) {
  block = "no_grant";
  options.traces = folder / "traces";
  attach_hook(Impl::rtl);
  decide(1, set_of({2}));
  decide(2, set_of({1}));
  EXPECT_THAT(hook->mismatch()->trace, testing::EndsWith("node.XB.0.fst"));
  EXPECT_THAT(trace("traces/node.XB.0.fst"),
              ElementsAre("500 0 4 4", "1000 1 4 4", "1500 0 2 0", "2000 1 2 0"));
}

TEST_F(RtlArbitrationTest, PortsAreCalledByTheirNames) {
  block = "wrong_tie";
  settings.input_names = {"core0", "core1", "core2", "dram"};
  settings.output_names = {"dram", "uart0"};
  attach_hook(Impl::lockstep);
  for (std::uint64_t cycle = 1; !hook->mismatch(); ++cycle) decide(cycle, set_of({0, 3}), 1);
  EXPECT_EQ(hook->mismatch()->instance, "node.XB.uart0");
  EXPECT_EQ(hook->mismatch()->asked, "requests {core0, dram} (0x9)");
}

TEST_F(RtlArbitrationTest, RefusesAnUnsuitableBlock) {
  settings.inputs = 5;
  EXPECT_THAT(thrown<RtlError>([&] { attach_hook(Impl::rtl); }),
              AllOf(StartsWith("node.XB: test_block ("),
                    HasSubstr("has 4 bits of request, the switch has 5 inputs")));
  settings.inputs = 4;
  block = "other_contract";
  EXPECT_THAT(thrown<RtlError>([&] { attach_hook(Impl::rtl); }),
              HasSubstr("is a block of the contract bus_device, expected arbiter"));
  block = "no_grant_port";
  EXPECT_THAT(thrown<RtlError>([&] { attach_hook(Impl::rtl); }),
              HasSubstr("no port of the role grant, an output is expected"));
  block = "wide";
  settings.inputs = 129;
  EXPECT_THAT(thrown<RtlError>([&] { attach_hook(Impl::rtl); }),
              HasSubstr("cannot arbitrate 129 inputs: there are at most 128"));
}

// ---- lockstep ----

TEST_F(RtlArbitrationTest, InLockstepTheModelAnswers) {
  block = "wrong_tie";
  attach_hook(Impl::lockstep);
  int calls = 0;
  hook->on_mismatch = [&](const Lockstep::Mismatch&) { ++calls; };
  EXPECT_EQ(decide(1, set_of({2})), 2u);
  EXPECT_EQ(decide(2, set_of({0, 2, 3}), 1), 0u);
  EXPECT_EQ(decide(3, set_of({0, 2, 3}), 0), 0u);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(hook->mismatch()->text(),
            "lockstep mismatch in node.XB.1 at 0.002000 us: data\n"
            "  requests  {0, 2, 3}\n"
            "  model     grants 0\n"
            "  RTL       grants 3\n");
}

TEST_F(RtlArbitrationTest, EveryRtlMutantIsFound) {
  for (const char* name : {"wrong_tie", "no_grant", "two_grants", "unasked_grant", "fails"}) {
    block = name;
    attach_hook(Impl::lockstep);
    decide_at_random(200, 1);
    EXPECT_TRUE(hook->mismatch()) << name;
  }
}

TEST_F(RtlArbitrationTest, ADifferenceWritesItsWindow) {
  block = "two_grants";
  options.traces = folder / "traces";
  settings.trace.window = 2_ns;
  attach_hook(Impl::lockstep);
  for (const std::uint64_t cycle : {1u, 2u, 3u, 4u}) decide(cycle, set_of({0, 2}));
  decide(7, set_of({2}));
  EXPECT_FALSE(std::filesystem::exists(options.traces));
  decide(9, set_of({1, 2}));
  EXPECT_EQ(hook->mismatch()->trace, (options.traces / "node.XB.0.fst").string());
  EXPECT_THAT(trace("traces/node.XB.0.fst"),
              ElementsAre("6500 0 4 4", "7000 1 4 4", "7500 0 0 0", "8500 0 6 3", "9000 1 6 4"));
}

TEST_F(RtlArbitrationTest, AWindowBeginsAtTheLastReset) {
  block = "wrong_tie";
  options.traces = folder.path();
  attach_hook(Impl::lockstep);
  decide(1, set_of({2}));
  hook->reset(Reset::power_loss);
  model->reset();
  decide(2, set_of({3}));
  decide(3, set_of({2, 3}));
  decide(4, set_of({0, 1}));
  EXPECT_THAT(trace("node.XB.0.fst"), ElementsAre("1500 0 8 8", "2000 1 8 8", "2500 0 c 8", "3000 1 c 8"));
}

TEST_F(RtlArbitrationTest, WithoutSkippingAWindowHasItsIdleCycles) {
  block = "idle_lies";  // each idle cycle moves the first in the order to the end
  options.skip = false;
  options.traces = folder.path();
  attach_hook(Impl::lockstep);
  decide(2, set_of({1}));
  decide(6, set_of({0, 1}));
  EXPECT_EQ(hook->mismatch()->rtl, "grants 1");
  EXPECT_THAT(trace("node.XB.0.fst"),
              ElementsAre("500 0 0 0", "1000 1 0 0", "1500 0 2 2", "2000 1 2 2", "2500 0 0 0", "3000 1 0 0",
                          "4500 0 0 0", "5000 1 0 0", "5500 0 3 2", "6000 1 3 1"));
}

TEST_F(RtlArbitrationTest, WithoutWindowsNothingIsRecordedOrWritten) {
  block = "wrong_tie";
  options.traces = folder.path();
  settings.trace.on = TraceOn::never;
  attach_hook(Impl::lockstep);
  decide(1, set_of({0, 1}));
  EXPECT_EQ(hook->mismatch()->trace, "");
  EXPECT_EQ(hook->mismatch()->trace_error, "");
  EXPECT_THAT(names_in(folder), IsEmpty());
}

TEST_F(RtlArbitrationTest, AskedToContinueItCountsTheMismatchesOfAllOutputs) {
  block = "wrong_tie";
  settings.on_mismatch = OnMismatch::proceed;
  attach_hook(Impl::lockstep);
  std::size_t reported = 0;
  hook->on_mismatch = [&](const Lockstep::Mismatch& mismatch) { reported += !mismatch.stops; };
  decide_at_random(2'000, 1);
  EXPECT_EQ(hook->decisions(), 2'000u);
  EXPECT_GT(hook->mismatches(), 100u);
  EXPECT_EQ(reported, Mismatches::max_kept);
}

// ---- cycles without a request ----

TEST_F(RtlArbitrationTest, WithoutSkippingTheDecisionsAreTheSame) {
  attach_hook(Impl::rtl);
  const std::uint64_t skipped = decide_at_random(5'000, 2, 20);
  options.skip = false;
  attach_hook(Impl::rtl);
  EXPECT_EQ(decide_at_random(5'000, 2, 20), skipped);
}

TEST_F(RtlArbitrationTest, ABlockThatDoesNotSayWhenItIsIdleIsNotSkipped) {
  block = "restless";
  attach_hook(Impl::rtl);
  const std::uint64_t skipping = decide_at_random(500, 2, 20);
  options.skip = false;
  attach_hook(Impl::rtl);
  EXPECT_EQ(decide_at_random(500, 2, 20), skipping);
  block = "correct";
  attach_hook(Impl::rtl);
  EXPECT_NE(decide_at_random(500, 2, 20), skipping);
}

TEST_F(RtlArbitrationTest, WithoutSkippingEveryClockEdgeInBetweenIsStepped) {
  block = "idle_lies";  // each idle cycle moves the first in the order to the end
  options.skip = false;
  attach_hook(Impl::rtl);
  EXPECT_EQ(decide(1, set_of({0, 1, 2, 3})), 0u);
  EXPECT_EQ(decide(2, set_of({0, 1, 2, 3})), 1u);
  EXPECT_EQ(decide(5, set_of({0, 1, 2, 3})), 0u);  // cycles 3 and 4 moved 2 and 3 to the end
}

TEST_F(RtlArbitrationTest, CheckingFindsABlockThatChangesWhileItIsIdle) {
  options.check_idle = true;
  attach_hook(Impl::rtl);
  const std::uint64_t checked = decide_at_random(500, 2, 20);
  options.check_idle = false;
  attach_hook(Impl::rtl);
  EXPECT_EQ(decide_at_random(500, 2, 20), checked);

  options.check_idle = true;
  block = "idle_lies";
  attach_hook(Impl::rtl);
  EXPECT_EQ(decide(1, set_of({0, 1})), 0u);
  decide(3, set_of({0, 1}));
  ASSERT_TRUE(hook->mismatch());
  EXPECT_EQ(hook->mismatch()->rtl, "its state changes in a cycle in which nobody requests");
}

// ---- traces on demand ----

TEST_F(RtlArbitrationTest, TracesOnDemandAtTrueTimes) {
  options.traces = folder / "traces";
  options.trace = {{"node.XB.1", 2_ns, 11_ns}};
  attach_hook(Impl::lockstep);
  for (const std::uint64_t cycle : {1u, 2u, 3u, 10u, 11u, 12u}) {
    decide(cycle, set_of({0, 1}), 0);
    decide(cycle, set_of({0, 1}), 1);
  }
  EXPECT_THAT(trace("traces/node.XB.1.fst"),
              ElementsAre("1500 0 3 2", "2000 1 3 1", "2500 0 3 1", "3000 1 3 2", "3500 0 0 0", "9500 0 3 2",
                          "10000 1 3 1", "10500 0 3 1", "11000 1 3 2"));
  EXPECT_FALSE(std::filesystem::exists(options.traces / "node.XB.0.fst"));
}

TEST_F(RtlArbitrationTest, TracesAllBelowAPath) {
  options.traces = folder.path();
  options.trace = {{"nod", 0_ns, 1_s}, {"node.X", 0_ns, 1_s}};
  attach_hook(Impl::rtl);
  decide(1, set_of({0}), 0);
  EXPECT_THAT(names_in(folder), IsEmpty());
  options.trace = {{"node", 0_ns, 1_s}};
  attach_hook(Impl::rtl);
  decide(1, set_of({0}), 0);
  decide(1, set_of({0}), 1);
  EXPECT_THAT(names_in(folder), ElementsAre("node.XB.0.fst", "node.XB.1.fst"));
}

TEST_F(RtlArbitrationTest, WithoutSkippingAnIdleStretchIsTwoSamplesToo) {
  options.traces = folder.path();
  options.trace = {{"node.XB.0", 0_ns, 1_s}};
  options.skip = false;
  attach_hook(Impl::rtl);
  decide(1, set_of({0, 1}));
  decide(100, set_of({0, 1}));
  hook.reset();
  EXPECT_THAT(trace("node.XB.0.fst"), ElementsAre("500 0 3 1", "1000 1 3 2", "1500 0 0 0", "2000 1 0 0",
                                                  "99000 1 0 0", "99500 0 3 2", "100000 1 3 1"));
}

TEST_F(RtlArbitrationTest, ATraceOnDemandAndAWindowHaveFilesOfTheirOwn) {
  block = "wrong_tie";
  options.traces = folder.path();
  options.trace = {{"node.XB.0", 0_ns, 1_s}};
  attach_hook(Impl::lockstep);
  decide(1, set_of({2}));
  decide(2, set_of({0, 1}));
  hook->reset(Reset::cold);
  EXPECT_THAT(names_in(folder), ElementsAre("node.XB.0.fst", "node.XB.0.mismatch.fst"));
  hook.reset();
  EXPECT_EQ(trace("node.XB.0.fst"), trace("node.XB.0.mismatch.fst"));
}

TEST_F(RtlArbitrationTest, ATraceOfABlockWithoutTracesIsRefused) {
  block = "no_trace";
  options.traces = folder.path();
  attach_hook(Impl::lockstep);  // no windows are kept
  options.trace = {{"node.XB", 0_ns, 1_s}};
  EXPECT_THAT(thrown<RtlError>([&] { attach_hook(Impl::lockstep); }),
              StartsWith("node.XB.0: a trace is requested, but "));
}

// ---- coverage ----

TEST_F(RtlArbitrationTest, CountsWhatWasReached) {
  settings.input_names = {"core0", "core1", "dma", "debug"};
  settings.output_names = {"dram"};
  attach_hook(Impl::lockstep);
  decide(1, set_of({0, 1}));
  decide(2, set_of({1, 2}), 1);
  decide(3, set_of({2}));
  EXPECT_THAT(
      hook->coverage().text(),
      ElementsAre("requesters 3/4 (never debug)", "winners 3/4 (never debug)", "outputs 2/2",
                  "requests at once 2/4 (never 3, 4)", "pairs 2/12 (never core0 over dma and 9 more)"));
  EXPECT_THAT(hook->coverage().shortfalls(), IsEmpty());
  EXPECT_EQ(hook->coverage().groups()[2].point(0), "dram");
  EXPECT_EQ(hook->coverage().groups()[2].hits(0), 2u);
}

TEST_F(RtlArbitrationTest, ItsContractNeedsTwoRequestsAtOnce) {
  attach_hook(Impl::lockstep);
  for (std::uint64_t cycle = 1; cycle < 50; ++cycle)
    decide(cycle, set_of({static_cast<unsigned>(cycle % 4)}));
  EXPECT_THAT(hook->coverage().shortfalls(), ElementsAre("never had two requests at once"));
}

TEST_F(RtlArbitrationTest, ReportsItself) {
  attach_hook(Impl::lockstep);
  decide_at_random(100, 1);
  Statistics statistics;
  hook->report(statistics);
  EXPECT_EQ(statistics.entries()[0],
            (std::pair<std::string, Statistics::Value>("decisions", std::uint64_t{100})));
  EXPECT_EQ(statistics.entries()[1],
            (std::pair<std::string, Statistics::Value>("mismatches", std::uint64_t{0})));
  EXPECT_EQ(statistics.entries()[2].first, "coverage");
}

}  // namespace
}  // namespace asterism
