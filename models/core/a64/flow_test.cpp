// Iss::follow(): reports of the control flow, which are exact and do not change the simulation.
#include <tuple>

#include "core/a64/mmu_test.h"
#include "core/debug_port.h"
#include "core/flow_observer.h"

namespace asterism::a64 {
namespace {

using Stop = Iss::Stop;

struct Seen : FlowObserver {
  struct Step {
    Flow how;
    std::uint64_t to;
    std::size_t region;
    std::uint64_t instructions;
    bool operator==(const Step&) const = default;
  };
  std::vector<Step> steps;
  std::vector<std::uint64_t> returns_to;  // the return addresses of calls
  std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>> executed;
  void goes(const FlowStep& step) override {
    steps.push_back({step.how, step.to - code_base, step.region, step.instructions});
    if (step.how == Flow::call) returns_to.push_back(step.from - code_base);
  }
  void executes(std::uint64_t pc, std::uint32_t word, std::uint64_t instructions) override {
    executed.emplace_back(pc - code_base, word, instructions);
  }
};

struct FlowTest : A64Test {
  Seen seen;
  // main at 0 calls f at 16 twice, then sleeps; f runs into g at 24.
  const std::vector<std::uint32_t> program = {
      0x94000004,  // bl f
      0x00000000,  // add x9, x9, #16: the address of f
      0xd63f0120,  // blr x9
      0xd503207f,  // wfi
      0x91000421,  // f: add x1, x1, #1
      0x91000421,  // add x1, x1, #1; g follows
      0x91000442,  // g: add x2, x2, #1
      0xd65f03c0,  // ret
  };
  static constexpr std::uint64_t f = 16, g = 24;

  void start(const std::vector<std::uint32_t>& words) {
    host.place(code_base, words);
    core->invalidate_code(host.memory_range());
    core->start(Address(code_base), 0);
  }
  void start_program() {
    std::vector<std::uint32_t> words = program;
    words[1] = 0x91004129;  // add x9, x9, #16
    core->write(CoreRegister::x9, code_base);
    start(words);
  }
  FlowQuestion functions() const { return {.boundaries = {code_base, code_base + f, code_base + g}}; }
};

TEST_F(FlowTest, ReportsCallsReturnsAndSequentialEntryOfAnotherRegion) {
  core->follow(&seen, functions());
  start_program();
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->instructions(), 12u);
  using enum Flow;
  EXPECT_EQ(seen.steps, (std::vector<Seen::Step>{{Flow::start, 0, 1, 0},
                                                 {call, f, 2, 1},
                                                 {jump, g, 3, 3},
                                                 {ret, 4, 1, 5},
                                                 {call, f, 2, 7},
                                                 {jump, g, 3, 9},
                                                 {ret, 12, 1, 11}}));
  EXPECT_EQ(seen.returns_to, (std::vector<std::uint64_t>{4, 12}));
  EXPECT_TRUE(seen.executed.empty());
}

TEST_F(FlowTest, ReportsEveryInstructionOnce) {
  core->follow(&seen, {.boundaries = {}, .instructions = true});
  start_program();
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  ASSERT_EQ(seen.executed.size(), 12u);
  const std::uint64_t path[] = {0, 16, 20, 24, 28, 4, 8, 16, 20, 24, 28, 12};
  for (std::uint64_t i = 0; i < 12; ++i) {
    EXPECT_EQ(std::get<0>(seen.executed[i]), path[i]);
    EXPECT_EQ(std::get<2>(seen.executed[i]), i);
  }
  EXPECT_EQ(std::get<1>(seen.executed[3]), 0x91000442u);
}

TEST_F(FlowTest, AnInterruptBehindACallComesFromTheFunctionThatWasCalled) {
  host.place(vectors + 0x280, {0xd69f03e0});  // eret
  core->write(CoreRegister::pstate, 0x5);     // EL1h, interrupts on
  core->follow(&seen, functions());
  start_program();
  core->write(CoreRegister::pstate, 0x5);
  host.on_due = [&] {
    core->set_irq(core->instructions() == 1);  // from BL to the first instruction of f
    core->call_at(core->instructions() == 1 ? 2 : ~0ull);
  };
  core->call_at(1);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  using enum Flow;
  ASSERT_GE(seen.steps.size(), 4u);
  EXPECT_EQ(seen.steps[1], (Seen::Step{call, f, 2, 1}));
  EXPECT_EQ(seen.steps[2], (Seen::Step{exception, vectors + 0x280 - code_base, 3, 1}));
  EXPECT_EQ(seen.steps[3], (Seen::Step{exception_return, f, 2, 2}));
}

TEST_F(FlowTest, AFaultIsNotReportedAsAReturnEvenAtTheEndOfABlock) {
  host.place(vectors + 0x200, {0xd503207f});  // wfi
  core->follow(&seen, functions());
  start({0x00000000});  // UNDEFINED, ends its block
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  using enum Flow;
  EXPECT_EQ(seen.steps, (std::vector<Seen::Step>{{Flow::start, 0, 1, 0},
                                                 {exception, vectors + 0x200 - code_base, 3, 0}}));
}

TEST_F(FlowTest, CallsAtAnyCountBreakpointsAndAskingAgainDoNotChangeTheReports) {
  core->follow(&seen, functions());
  start_program();
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  const std::vector<Seen::Step> whole = std::exchange(seen.steps, {});

  core->reset();
  core->debug_port().set_breakpoints({code_base + f, code_base + g + 4});
  host.on_due = [&] { core->call_at(core->instructions() + 1); };
  core->call_at(core->instructions() + 1);
  const std::uint64_t before = core->instructions();
  core->write(CoreRegister::x9, code_base);
  core->start(Address(code_base), 0);
  unsigned stops = 0;
  for (; core->run() == Stop::breakpoint; ++stops) core->follow(&seen, functions());
  EXPECT_EQ(stops, 4u);
  for (Seen::Step& step : seen.steps) step.instructions -= before;
  EXPECT_EQ(seen.steps, whole);
}

TEST_F(FlowTest, NothingIsReportedAfterTheObserverIsRemoved) {
  core->follow(&seen, functions());
  start_program();
  core->follow(nullptr);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_TRUE(seen.steps.empty());
}

// ---- physical boundaries ----

struct Places : FlowObserver {
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::size_t>> steps;
  void goes(const FlowStep& step) override { steps.emplace_back(step.to, step.physical, step.region); }
};

TEST_F(MmuTest, BoundariesMayBePhysical) {
  constexpr std::uint64_t alias = code_base + 0x10'0000;
  map(alias, code_base);
  Places seen;
  core->follow(&seen, {.boundaries = {code_base, code_base + 8}, .are_physical = true});
  run({0xd61f0000, 0xd503201f, 0xd503201f, 0xd503201f}, with_mmu(alias + 4), 4);  // br x0; nop
  EXPECT_EQ(seen.steps, (std::vector<std::tuple<std::uint64_t, std::uint64_t, std::size_t>>{
                            {code_base, code_base, 1}, {alias + 8, code_base + 8, 2}}));
}

}  // namespace
}  // namespace asterism::a64
