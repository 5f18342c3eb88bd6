// Tests that scripts/prove refutes wrong arbiters, wrong queues of the MATT, and codecs with wrong syndromes
// or a wrong encoder. CI proves the right ones.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "base/parameter_name.h"
#include "testbenches/lrg_arbiter/mutants.h"
#include "testbenches/rs_codec/mutants.h"
#include "testbenches/testbench.h"

namespace asterism {
namespace {

// What scripts/prove prints for a mutant of rtl/<block>. It writes the counterexample into the mutant's
// folder.
std::string proof_of(const std::string& block, const Mutant& mutant) {
  const std::filesystem::path file(mutant_of(block, mutant));
  const std::string command = "cd '" + file.parent_path().string() +
                              "' && '" ASTERISM_SOURCE "/scripts/prove' " + file.filename().string() +
                              " 2>&1";
  std::string text;
  FILE* output = popen(command.c_str(), "r");
  std::array<char, 256> line{};
  while (std::fgets(line.data(), line.size(), output)) text += line.data();
  pclose(output);
  return text;
}

class RtlMutantTest : public testing::TestWithParam<Mutant> {
 protected:
  // Expects that a property is refuted, and that it is this one if one is named.
  void expect_refuted(const std::string& block, const std::string& property = "") {
    if (std::system("command -v yosys >/dev/null && command -v jq >/dev/null") != 0)
      GTEST_SKIP() << "needs yosys and jq";
    const std::string proof = proof_of(block, GetParam());
    EXPECT_NE(proof.find("refuted: " + property), std::string::npos) << proof;
  }
};

class ArbiterRtlMutantTest : public RtlMutantTest {};
TEST_P(ArbiterRtlMutantTest, IsRefutedByProof) { expect_refuted("lrg_arbiter", "FirstInOrderWins"); }
INSTANTIATE_TEST_SUITE_P(Proof, ArbiterRtlMutantTest, testing::ValuesIn(lrg_arbiter_mutants),
                         ParameterName());

constexpr const char* queue = "matt_queue.sv";
const Mutant queue_mutants[] = {
    {"stays_in_queue", {{queue, "remove_i ? ~found + Length'(1) : '0", "remove_i ? '0 : '0"}}},
    // A page that is pushed overwrites the head, too.
    {"head_overwritten", {{queue, "if (push_i && last[i])", "if (push_i && (last[i] || i == 0))"}}},
    // The head is removed in place of the page.
    {"head_removed", {{queue, "remove_i ? ~found + Length'(1)", "remove_i && found != '0 ? '1"}}},
    // The page at the head is removed, but not its place.
    {"pop_keeps_the_count",
     {{queue, "else if (moved != '0) begin", "else if (moved != '0 && !pop_i) begin"}}},
    // The last place is not used.
    {"full_too_early", {{queue, "full_o  = taken_q[Length-1]", "full_o  = taken_q[Length-2]"}}},
};
class QueueRtlMutantTest : public RtlMutantTest {};
TEST_P(QueueRtlMutantTest, IsRefutedByProof) { expect_refuted("matt"); }
INSTANTIATE_TEST_SUITE_P(Proof, QueueRtlMutantTest, testing::ValuesIn(queue_mutants), ParameterName());

// The others only decode wrongly.
const Mutant encoder_mutants[] = {
    mutant_named("wrong_matrix_row", rs_codec_mutants),
    mutant_named("parity_swapped", rs_codec_mutants),
    mutant_named("third_ignored", rs_codec_mutants),
};
class EncoderRtlMutantTest : public RtlMutantTest {};
TEST_P(EncoderRtlMutantTest, IsRefutedByProof) { expect_refuted("rs_codec"); }
INSTANTIATE_TEST_SUITE_P(Proof, EncoderRtlMutantTest, testing::ValuesIn(encoder_mutants), ParameterName());

}  // namespace
}  // namespace asterism
