// Tests RtlMatt with rtl/matt in place of the model, in lockstep with it, and with mutants of the RTL.
#include "base/random.h"
#include "cosim/rtl_matt.h"
#include "testbenches/hook_test.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t pages = 200;
const MattConfig shape{.phase_bits = 3, .buffer_entries = 16, .early_writes = 8};

const Mutant lines_not_merged{"lines_not_merged",
                              {{"matt.sv", "new_lines  = entry_lines | lines_q", "new_lines  = lines_q"}}};
// Never answers the end of a phase, and chooses for a reason that does not exist.
const Mutant broken{"broken",
                    {{"matt.sv", "valid_d     = ends_phase;", "valid_d     = 1'b0;"},
                     {"matt.sv", "reason_o <= reason_q", "reason_o <= 2'd3"}}};

struct RtlMattTest : HookTest<RtlMatt> {
  Picoseconds time;
  Matt table{shape, pages};

  RtlMattTest()
      : HookTest("matt", overrides_of(RtlMatt::parameters(shape, pages)),
                 {.instance = "node.dimm_ssd.matt",
                  .config = shape,
                  .pages = pages,
                  .clock = 1_GHz,
                  .now = [this] { return time; }}) {}
  void on_attached() override {
    table.attach_hook(hook.get());
    table.reset(Reset::cold);
    track_all(table);
  }

  static void track_all(Matt& matt) {
    for (std::uint32_t page = 0; page < pages; ++page) matt.track(page, true);
  }
  // Makes random writes, copies some of them, and returns the answers.
  std::string use(Matt& matt, unsigned operations) {
    std::string answers;
    Random random(1);
    for (unsigned i = 0; i < operations; ++i) {
      time += 10_ns;
      const auto page = static_cast<std::uint32_t>(random.below(pages));
      answers += matt.peek(page) == Matt::Answer::ready ? 'r' : 'n';
      answers += matt.write(page, std::uint64_t{1} << random.below(64)) == Matt::Answer::ready ? 'R' : 'N';
      if (i % 3 == 0)
        if (const auto choice = matt.next(true))
          answers += std::to_string(choice->page) + (matt.copied(choice->page) ? "+" : "-");
      if (i % 50 == 49) matt.begin_phase();
      if (i % 7 == 0) matt.take(page);
      answers += matt.has_candidates() ? 'c' : '.';
    }
    return answers + std::to_string(matt.pending());
  }
  std::string model_alone(unsigned operations) {
    Matt alone(shape, pages);
    track_all(alone);
    return use(alone, operations);
  }
};

TEST_F(RtlMattTest, AgreesInLockstepAndSaysWhatWasReached) {
  attach_hook(Impl::lockstep);
  table.write(3, 1);
  table.mark(4);
  table.next(true);
  table.copied(4);
  table.begin_phase();
  table.write(3, 1);
  EXPECT_EQ(hook->operations(), pages + 6u);
  EXPECT_FALSE(hook->mismatch());
  EXPECT_THAT(hook->summary(), ElementsAre("node.dimm_ssd.matt: lockstep, 206 operations, 0 mismatches",
                                           "reached operations 6/8 (never peek, take)",
                                           "reached outcomes 4/12 (never peek not ready and 7 more)"));
}

TEST_F(RtlMattTest, InLockstepTheAnswersAreTheModels) {
  attach_hook(Impl::lockstep);
  EXPECT_EQ(use(table, 3'000), model_alone(3'000));
  EXPECT_TRUE(mismatches.empty());
}

TEST_F(RtlMattTest, TheRtlAloneAnswersAsTheModelWould) {
  attach_hook(Impl::rtl);
  EXPECT_EQ(use(table, 3'000), model_alone(3'000));
  EXPECT_TRUE(mismatches.empty());
}

TEST_F(RtlMattTest, InPlaceOfTheModelTheRtlAnswers) {
  attach_hook(Impl::rtl, lines_not_merged);
  for (const std::uint64_t lines : {1, 2}) {
    table.write(3, lines);
    for (std::uint32_t page = 10; page < 26; ++page) table.write(page, 1);
  }
  table.begin_phase();
  EXPECT_EQ(table.next(false)->lines, 2u);  // the model would answer 3
  EXPECT_TRUE(mismatches.empty());
}

TEST_F(RtlMattTest, ADifferenceIsReportedOnceWithAWindow) {
  attach_hook(Impl::lockstep, lines_not_merged);
  time = 2_us;
  for (const std::uint64_t lines : {1, 2}) {
    table.write(3, lines);
    for (std::uint32_t page = 10; page < 26; ++page) table.write(page, 1);
  }
  table.begin_phase();
  time = 3_us;
  EXPECT_EQ(table.next(false)->lines, 3u);
  table.next(false);
  ASSERT_EQ(mismatches.size(), 1u);
  const Lockstep::Mismatch& mismatch = mismatches.front();
  EXPECT_EQ(mismatch.at, 3_us);
  EXPECT_EQ(mismatch.what, "lines");
  EXPECT_EQ(mismatch.asked, "next");
  EXPECT_EQ(mismatch.model, "page 0x3, lines 0x3 of phase 0, pending; 17 pending, no candidates");
  EXPECT_EQ(mismatch.rtl, "page 0x3, lines 0x2 of phase 0, pending; 17 pending, no candidates");
  EXPECT_EQ(mismatch.history.size(), 16u);
  EXPECT_EQ(mismatch.history[14], "2.000000 us  begin_phase -> 17 pending, no candidates");
  EXPECT_EQ(mismatch.trace, (folder / "node.dimm_ssd.matt.fst").string());
  EXPECT_GT(std::filesystem::file_size(mismatch.trace), 0u);
}

TEST_F(RtlMattTest, RtlThatDoesNotAnswerHasFailedAndTheModelTakesOver) {
  attach_hook(Impl::rtl, broken);
  table.write(3, 1);
  table.begin_phase();
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches.front().what, "RTL failed");
  EXPECT_EQ(mismatches.front().rtl, "no answer: valid_o was low for 10456 cycles");
  EXPECT_EQ(table.pending(), 1u);
  EXPECT_EQ(table.next(false)->page, 3u);
}

TEST_F(RtlMattTest, AReasonThatThereIsNotIsAFailure) {
  attach_hook(Impl::lockstep, broken);
  table.mark(3);
  table.next(true);
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches.front().rtl, "its reason is 3, which does not exist");
}

TEST_F(RtlMattTest, SkippedCyclesChangeNothingAndIdlenessIsTrue) {
  options.check_idle = true;
  attach_hook(Impl::lockstep);
  const std::string checked = use(table, 300);
  options = {.skip = false, .traces = folder.path()};
  attach_hook(Impl::lockstep);
  EXPECT_EQ(use(table, 300), checked);
  EXPECT_TRUE(mismatches.empty());
}

TEST_F(RtlMattTest, OperationContinuesAfterAnyReset) {
  attach_hook(Impl::lockstep);
  for (const Reset kind : {Reset::warm, Reset::power_loss, Reset::cold}) {
    use(table, 100);
    table.reset(kind);
    track_all(table);
  }
  EXPECT_EQ(use(table, 100), model_alone(100));
  EXPECT_TRUE(mismatches.empty());
}

TEST_F(RtlMattTest, ATraceOnDemandIsWrittenUpToTheEnd) {
  options.trace = {{.instance = "node.dimm_ssd", .from = 0_ns, .to = 2_us}};
  attach_hook(Impl::lockstep);
  hook->finish(3_us);
  EXPECT_TRUE(std::filesystem::exists(folder / "node.dimm_ssd.matt.fst"));
}

TEST_F(RtlMattTest, RefusesAnotherShapeAndAnotherContract) {
  settings.pages = 300;
  EXPECT_THAT(refusal(), HasSubstr("was built with Pages=200, the model has 300"));
  EXPECT_THAT(refusal("rtl/lrg_arbiter/block.json", {"parameters.Radix=4"}),
              HasSubstr("is a block of the contract arbiter, expected matt"));
}

}  // namespace
}  // namespace asterism
