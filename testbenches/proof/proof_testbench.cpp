// Tests that scripts/prove refutes wrong arbiters, wrong queues of the MATT, codecs with a wrong encoder or
// wrong syndromes, and wrong timers and DMA engines, so that each property is violated by one of them, except
// those that follow from others (rtl/README.md). CI proves the right ones.
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "base/nightly.h"
#include "base/parameter_name.h"
#include "testbenches/apb_timer/mutants.h"
#include "testbenches/ddr5_codec/mutants.h"
#include "testbenches/dma_engine/mutants.h"
#include "testbenches/lrg_arbiter/mutants.h"
#include "testbenches/matt/mutants.h"
#include "testbenches/rs_codec/mutants.h"
#include "testbenches/testbench.h"

namespace asterism {
namespace {

using testing::ContainsRegex;

// What scripts/prove prints for the block.json, executed in its folder, where it writes the counterexample.
std::string proof_of(const std::filesystem::path& block) {
  const std::string command = "cd '" + block.parent_path().string() +
                              "' && '" ASTERISM_SOURCE "/scripts/prove' " + block.filename().string() +
                              " 2>&1";
  std::string text;
  FILE* const output = popen(command.c_str(), "r");
  std::array<char, 256> line{};
  while (std::fgets(line.data(), line.size(), output)) text += line.data();
  pclose(output);
  return text;
}

struct Refuted {
  Mutant mutant;
  const char* property;  // that is violated
};
void PrintTo(const Refuted& refuted, std::ostream* out) { *out << refuted.mutant.name; }

class ProofRtlMutantTest : public testing::TestWithParam<Refuted> {
 protected:
  void SetUp() override {
    if (std::system("command -v yosys >/dev/null && command -v jq >/dev/null") != 0)
      GTEST_SKIP() << "needs yosys and jq";
  }
  std::filesystem::path refute(const std::string& block) const {
    const auto& [mutant, property] = GetParam();
    std::filesystem::path file(mutant_of(block, mutant));
    EXPECT_THAT(proof_of(file), ContainsRegex(std::string("refuted: [A-Za-z, ]*") + property));
    return file;
  }
};

// ---- the arbiter ----

constexpr const char* arbiter = "lrg_arbiter.sv";
constexpr const char* grant = "assign grant_o = request_i & ~gen_line[1].pulled;";

std::vector<Refuted> wrong_arbiters() {
  std::vector<Refuted> all{
      {{"all_are_granted", {{arbiter, grant, "assign grant_o = request_i;"}}}, "OneGrant"},
      {{"input_0_is_granted_when_idle",
        {{arbiter, grant, "assign grant_o = idle_o ? Radix'(1) : request_i & ~gen_line[1].pulled;"}}},
       "GrantToRequester"},
      {{"the_last_input_is_ignored",
        {{arbiter, grant, "assign grant_o = request_i & ~gen_line[1].pulled & ({Radix{1'b1}} >> 1);"}}},
       "SomeoneIsGranted"},
      {{"never_idle", {{arbiter, "assign idle_o  = request_i == '0;", "assign idle_o  = 1'b0;"}}},
       "IdleMeansNoRequest"}};
  for (const Mutant& mutant : lrg_arbiter_mutants) all.push_back({mutant, "FirstInOrderWins"});
  return all;
}
class ArbiterProofRtlMutantTest : public ProofRtlMutantTest {};
TEST_P(ArbiterProofRtlMutantTest, IsRefuted) {
  const auto file = refute("lrg_arbiter");
  std::ifstream trace(file.parent_path() / "runs/prove/lrg_arbiter.vcd");
  std::string text(std::istreambuf_iterator<char>(trace), {});
  EXPECT_THAT(text, testing::HasSubstr("request_i"));
}
INSTANTIATE_TEST_SUITE_P(Proof, ArbiterProofRtlMutantTest, testing::ValuesIn(wrong_arbiters()),
                         ParameterName());

// ---- the queue ----

constexpr const char* queue = "matt_queue.sv";

const Refuted wrong_queues[] = {
    {mutant_named("stays_in_queue", matt_mutants), "EmptyMeansNoPage"},
    // A page that is pushed overwrites the head, too.
    {{"head_overwritten", {{queue, "if (push_i && last[i])", "if (push_i && (last[i] || i == 0))"}}},
     "HeadIsTheOldest"},
    // The head is removed in place of the page.
    {{"head_removed", {{queue, "remove_i ? ~found + Length'(1)", "remove_i && found != '0 ? '1"}}},
     "HeadIsTheOldest"},
    // The page at the head is removed, but not its place.
    {{"pop_keeps_the_count",
      {{queue, "else if (moved != '0) begin", "else if (moved != '0 && !pop_i) begin"}}},
     "EmptyMeansNoPage"},
    // The last place is not used.
    {{"full_too_early", {{queue, "full_o  = taken_q[Length-1]", "full_o  = taken_q[Length-2]"}}},
     "FullMeansLengthPages"},
};
class QueueProofRtlMutantTest : public ProofRtlMutantTest {};
TEST_P(QueueProofRtlMutantTest, IsRefuted) { refute("matt"); }
INSTANTIATE_TEST_SUITE_P(Proof, QueueProofRtlMutantTest, testing::ValuesIn(wrong_queues), ParameterName());

// ---- the codecs ----

// The other mutants only decode wrongly, or have wrong syndromes too.
const Refuted wrong_codecs[] = {
    {mutant_named("parity_swapped", rs_codec_mutants), "EncodingsAreCodewords"},
    {mutant_named("third_ignored", rs_codec_mutants), "SyndromesAreTheProduct"},
};
class CodecProofRtlMutantTest : public ProofRtlMutantTest {};
TEST_P(CodecProofRtlMutantTest, IsRefuted) {
  if (!is_nightly()) GTEST_SKIP() << "takes most of a minute; the nightly tests make it";
  refute("rs_codec");
}
INSTANTIATE_TEST_SUITE_P(Proof, CodecProofRtlMutantTest, testing::ValuesIn(wrong_codecs), ParameterName());

const Refuted wrong_rank_codecs[] = {
    {mutant_named("encodes_old_parity", ddr5_codec_mutants), "EncodingsAreCodewords"},
    {mutant_named("wrong_column", ddr5_codec_mutants), "SyndromesAreTheProduct"},
};
class RankCodecProofRtlMutantTest : public ProofRtlMutantTest {};
TEST_P(RankCodecProofRtlMutantTest, IsRefuted) {
  if (!is_nightly()) GTEST_SKIP() << "takes most of a minute; the nightly tests make it";
  refute("ddr5_codec");
}
INSTANTIATE_TEST_SUITE_P(Proof, RankCodecProofRtlMutantTest, testing::ValuesIn(wrong_rank_codecs),
                         ParameterName());

// ---- the timer ----

const Refuted wrong_timers[] = {
    {mutant_named("channels_share_a_line", apb_timer_mutants), "LinesArePendingCauses"},
    {mutant_named("clear_wins_over_a_match", apb_timer_mutants), "(LinesArePendingCauses|ReadsAreExpected)"},
    {mutant_named("mask_is_not_masked", apb_timer_mutants), "ReadsAreExpected"},
    {mutant_named("idle_lies", apb_timer_mutants), "IdleMeansStopped"},
    {mutant_named("next_event_lies", apb_timer_mutants), "NextEventIsTheNextRise"},
    {{"state_shows_the_other_line",
      {{"apb_timer.sv", "state1_o     = {interrupt[1],", "state1_o     = {interrupt[0],"}}},
     "StatesAreThoseOfTheChannels"},
    {{"waits_for_enable", {{"apb_timer.sv", "pready_o     = 1'b1", "pready_o     = penable_i"}}},
     "AnswersAtOnce"},
};
class TimerProofRtlMutantTest : public ProofRtlMutantTest {};
TEST_P(TimerProofRtlMutantTest, IsRefuted) { refute("apb_timer"); }
INSTANTIATE_TEST_SUITE_P(Proof, TimerProofRtlMutantTest, testing::ValuesIn(wrong_timers), ParameterName());

// ---- the DMA engine ----

constexpr const char* engine = "dma_engine.sv";

const Refuted wrong_engines[] = {
    {mutant_named("rotates_the_other_way", dma_engine_mutants), "BytesArrive"},
    {mutant_named("writes_beyond_the_end", dma_engine_mutants), "WritesStayInside"},
    {mutant_named("errors_interrupt_unasked", dma_engine_mutants), "LinesAreEnabledFlags"},
    {{"flags_swapped", {{engine, "1'b0, error_q, done_q, busy}", "1'b0, done_q, error_q, busy}"}}},
     "ReadsAreExpected"},
    // It reads once more after the last byte.
    {{"reads_beyond_the_end", {{engine, "|| unread_d == '0 ? WriteSetup", "|| unread_q == '0 ? WriteSetup"}}},
     "ReadsStayInside"},
    {{"pauses_before_a_write",
      {{engine, "m_psel_o    = busy;", "m_psel_o    = busy && state_q != WriteSetup;"}}},
     "AccessesFollowEachOther"},
    {{"enables_at_once",
      {{engine, "m_penable_o = state_q == ReadAccess",
        "m_penable_o = state_q == ReadSetup || state_q == ReadAccess"}}},
     "EnableFollowsSetup"},
    // Data come with the enable only.
    {{"data_come_late",
      {{engine, "if (m_pwrite_o) begin\n      m_pwdata_o",
        "if (m_pwrite_o && m_penable_o) begin\n      m_pwdata_o"}}},
     "StableWhileOpen"},
    {{"reads_have_strobes", {{engine, "m_pstrb_o   = m_pwrite_o ? strobes : '0;", "m_pstrb_o   = strobes;"}}},
     "WholeWords"},
    {{"idle_during_an_access", {{engine, "idle_o       = still && !psel_i;", "idle_o       = still;"}}},
     "IdleMeansStill"},
    {{"never_announces_an_access",
      {{engine, "next_event_o = still ? 2'b11 : 2'b01;", "next_event_o = 2'b11;"}}},
     "NextEventNeverLies"},
    {{"write_shows_as_read",
      {{engine, "state_o           = state_q;", "state_o           = {1'b0, state_q[1:0]};"}}},
     "StateIsTheAccess"},
    {{"waits_for_enable", {{engine, "pready_o          = 1'b1;", "pready_o          = penable_i;"}}},
     "AnswersAtOnce"},
};
class EngineProofRtlMutantTest : public ProofRtlMutantTest {};
TEST_P(EngineProofRtlMutantTest, IsRefuted) { refute("dma_engine"); }
INSTANTIATE_TEST_SUITE_P(Proof, EngineProofRtlMutantTest, testing::ValuesIn(wrong_engines), ParameterName());

}  // namespace
}  // namespace asterism
