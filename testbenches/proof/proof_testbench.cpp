// Tests that scripts/prove refutes wrong arbiters, wrong queues of the MATT, and codecs with a wrong encoder
// or wrong syndromes, so that each property is violated by one of them. CI proves the right ones.
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "base/parameter_name.h"
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

// ---- the codec ----

// The other mutants only decode wrongly, or have wrong syndromes too.
const Refuted wrong_codecs[] = {
    {mutant_named("parity_swapped", rs_codec_mutants), "EncodingsAreCodewords"},
    {mutant_named("third_ignored", rs_codec_mutants), "SyndromesAreTheProduct"},
};
class CodecProofRtlMutantTest : public ProofRtlMutantTest {};
TEST_P(CodecProofRtlMutantTest, IsRefuted) { refute("rs_codec"); }
INSTANTIATE_TEST_SUITE_P(Proof, CodecProofRtlMutantTest, testing::ValuesIn(wrong_codecs), ParameterName());

}  // namespace
}  // namespace asterism
