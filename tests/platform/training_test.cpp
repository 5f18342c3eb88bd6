// Training on a node with four GPUs, whose ranks hold each other's state: whatever is lost and whenever, the
// loss of every step has the bits of an undisturbed run.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/platform/command.h"
#include "tests/platform/training_oracle.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Time = std::uint64_t;  // ps

std::string gpu_lost_at(Time at, unsigned gpu) {
  return fmt::format(R"({{"at":"{}ps","kind":"gpu_loss","gpu":{}}})", at, gpu);
}
// A row of the GPU's memory fails; its code cannot correct it.
std::string row_fails_at(Time at, unsigned gpu, const char* address) {
  return fmt::format(
      R"({{"at":"{}ps","kind":"gpu_memory","gpu":{},"shape":"row","address":"{}","persistence":"stuck"}})",
      at, gpu, address);
}
std::string power_lost_at(Time at) {
  return fmt::format(R"({{"at":"{}ps","kind":"power_loss","restore_after":"1us"}})", at);
}

struct TrainingTest : CommandTest {
  static constexpr const char* small = "steps=16 ssd_every=4 samples=2 hidden=32 accesses=100 protocol=";
  static constexpr unsigned gpus = 4, step_of_loss = 13;

  // Runs and checks that it ends well. The L2 is smaller than the state, so that kernels read the memory.
  std::string train(const std::string& args, const std::string& faults = "", const Arguments& more = {}) {
    Arguments all{"run",
                  "training_node",
                  "args=" + (small + args),
                  "faults=[" + faults + "]",
                  "field_faults=null",
                  "node.gpu.l2=4KiB",
                  "expect={}",
                  "--out",
                  "run"};
    all.insert(all.end(), more.begin(), more.end());
    const Ended ended = asterism(all);
    EXPECT_EQ(ended.status, 0) << args << faults << ended.out << ended.err;
    return ended.out;
  }
  std::string result() const { return contents("run/files/result.txt"); }
  // The events that say from where each rank has its state: "own_copy", "gpu_copy 0" or "parity".
  std::vector<std::string> origins() const {
    std::vector<std::string> all;
    for (const auto& event : events())
      if (event["kind"] == "rank_restored") {
        EXPECT_EQ(event["rank"], all.size());
        const std::string from = event["from"];
        all.push_back(event.contains("gpu") ? fmt::format("{} {}", from, event["gpu"].get<unsigned>())
                                            : from);
      }
    return all;
  }
  // Reads of a GPU's memory between the retirement of a zone and the recovery.
  unsigned reads_in_recovery(const std::string& gpu) const {
    unsigned reads = 0;
    bool is_over = true;
    for (const auto& event : events()) {
      if (event["kind"] == "gpu_zone_retired") is_over = false;
      if (event["kind"] == "recovery") is_over = true;
      reads += !is_over && event["kind"] == "gpu_snapshot_taken" && event["source"] == gpu;
    }
    return reads;
  }
  // The times at which this did that.
  std::vector<Time> times_of(const std::string& kind, const std::string& source = "node.gpu.0") const {
    std::vector<Time> times;
    for (const auto& event : events())
      if (event["kind"] == kind && event["source"] == source) times.push_back(event["time_ps"]);
    return times;
  }
  // When GPU 0 begins to read its state in this step, in an undisturbed run.
  Time begin_of(unsigned step) const { return times_of("gpu_snapshot_begin").at(step); }
};

TEST_F(TrainingTest, EveryProtocolHasTheLossesOfASequentialProgram) {
  train("gemini");
  const std::string expected = result();
  EXPECT_THAT(expected, testing::StartsWith(losses_on_the_host(16, gpus, 2, 32) + "weights 0x"));
  for (const std::string how : {"reft", "jit", "gemini interval=3", "reft checkpoint=off",
                                "gemini host_copies=kept method=copy_on_write"}) {
    EXPECT_THAT(train(how), HasSubstr("16 steps, 0 repeated")) << how;
    EXPECT_EQ(result(), expected) << how;
  }
}

// While states are read, guards are written, kernels run, and new states are written.
TEST_F(TrainingTest, ALossInAnyPartOfAStepRepeatsAtMostOneStep) {
  for (const std::string protocol : {"gemini", "reft", "jit"}) {
    train(protocol);
    const std::string expected = result();
    const Time end = begin_of(step_of_loss + 1);
    const Time read = times_of("gpu_snapshot_taken").at(step_of_loss);
    for (const Time at : {read - 1, read + 10'000'000, (read + end) / 2, end - 1'000'000}) {
      const std::string out = train(protocol, gpu_lost_at(at, 1));
      EXPECT_EQ(result(), expected) << protocol << " " << at;
      EXPECT_THAT(out, AllOf(HasSubstr("GPU 1 is lost"), HasSubstr("is back from the memories of the group"),
                             HasSubstr("1 recovery")));
      const bool none_again = out.find("16 steps, 0 repeated") != std::string::npos;
      EXPECT_TRUE(none_again || out.find("16 steps, 1 repeated") != std::string::npos) << out;
      EXPECT_TRUE(none_again || protocol != "jit") << at;
    }
  }
}

// With two copies of each of four parts, two lost GPUs have both copies of one in 2 of 6 cases: the
// probability of a recovery from memory is 1 - 2/6, by the formula of Gemini for groups.
TEST_F(TrainingTest, TwoLostGpusLeaveACopyUnlessTheyAreAPair) {
  train("gemini");
  const std::string expected = result();
  const Time at = begin_of(step_of_loss) + 100'000'000;
  unsigned from_memory = 0;
  for (unsigned one = 0; one < gpus; ++one)
    for (unsigned other = one + 1; other < gpus; ++other) {
      const std::string out = train("gemini", gpu_lost_at(at, one) + "," + gpu_lost_at(at, other));
      EXPECT_EQ(result(), expected) << one << other;
      const bool is_from_memory = out.find("back from the memories") != std::string::npos;
      EXPECT_EQ(is_from_memory, one / 2 != other / 2) << out;
      EXPECT_THAT(out, HasSubstr(is_from_memory ? "step 13: the state of step 13 is back"
                                                : "step 13: the state of step 12 is back from the DIMM-SSD"));
      from_memory += is_from_memory;
    }
  EXPECT_EQ(from_memory, 4u);
}

TEST_F(TrainingTest, OneParityDoesNotReplaceTwoGpusButReplicasReplaceThree) {
  train("reft");
  const std::string expected = result();
  const Time at = begin_of(step_of_loss) + 100'000'000;
  EXPECT_THAT(train("reft", gpu_lost_at(at, 0) + "," + gpu_lost_at(at, 3)),
              HasSubstr("is back from the DIMM-SSD"));
  EXPECT_EQ(result(), expected);
  EXPECT_THAT(train("reft host_copies=kept", gpu_lost_at(at, 0) + "," + gpu_lost_at(at, 3)),
              HasSubstr("is back from the ranks' own copies"));
  EXPECT_EQ(result(), expected);
  train("reft checkpoint=off");
  const Time begin = begin_of(step_of_loss) + 100'000'000;
  EXPECT_THAT(train("reft checkpoint=off", gpu_lost_at(begin, 0) + "," + gpu_lost_at(begin, 3)),
              AllOf(HasSubstr("is back from the start"), HasSubstr("16 steps, 13 repeated")));
  EXPECT_EQ(result(), expected);
  train("jit");
  const Time middle = begin_of(step_of_loss) + 100'000'000;
  EXPECT_THAT(
      train("jit", gpu_lost_at(middle, 0) + "," + gpu_lost_at(middle, 1) + "," + gpu_lost_at(middle, 3)),
      AllOf(HasSubstr("is back from the memories"), HasSubstr("16 steps, 0 repeated")));
  EXPECT_EQ(result(), expected);
}

TEST_F(TrainingTest, ALossDuringARecoveryBeginsItAnew) {
  train("gemini");
  const std::string expected = result();
  const Time at = begin_of(step_of_loss) + 100'000'000;
  train("gemini", gpu_lost_at(at, 1));
  const auto reads = times_of("gpu_snapshot_taken"), writes = times_of("gpu_copied_in");
  // GPU 0 has returned what it holds for GPU 1, and has got its own state back.
  const Time collected = reads.at(step_of_loss + 1);
  const Time installed = *std::ranges::upper_bound(writes, collected);
  for (const unsigned other : {1u, 2u})
    for (const Time second : {collected - 1, installed + 1'000'000}) {
      const std::string out = train("gemini", gpu_lost_at(at, 1) + "," + gpu_lost_at(second, other));
      EXPECT_EQ(result(), expected) << other << " " << second;
      EXPECT_THAT(out, Not(HasSubstr("DIMM-SSD after"))) << out;
    }
}

// The DIMM-SSD brings the state of all ranks, although memory has that of rank 1. While the guards are
// written again, GPU 1 is lost again. What GPU 0 holds for it by then is from the DIMM-SSD, too.
TEST_F(TrainingTest, ASecondAttemptKeepsTheOriginOfTheState) {
  train("gemini");
  const std::string expected = result();
  const Time at = begin_of(step_of_loss) + 100'000'000;
  const std::string losses = gpu_lost_at(at, 1) + "," + gpu_lost_at(at, 2) + "," + gpu_lost_at(at, 3);
  const std::string once = train("gemini", losses);
  EXPECT_THAT(once, HasSubstr("step 13: the state of step 12 is back from the DIMM-SSD"));
  const Time restored = times_of("restore", "node.dimm_ssd").back();
  const auto guard_written = [&](const std::string& gpu) {
    const auto writes = times_of("gpu_copied_in", gpu);
    return std::ranges::upper_bound(writes, restored)[1];  // after the state
  };
  const Time of_gpu_0 = guard_written("node.gpu.0"), of_gpu_1 = guard_written("node.gpu.1");
  ASSERT_LT(of_gpu_0, of_gpu_1);
  const std::string twice = train("gemini", losses + "," + gpu_lost_at((of_gpu_0 + of_gpu_1) / 2, 1));
  EXPECT_EQ(result(), expected);
  EXPECT_THAT(twice, AllOf(HasSubstr("step 13: the state of step 12 is back from the DIMM-SSD"),
                           HasSubstr("4 lost GPUs, 1\n"), Not(HasSubstr("rank 1 has"))));
  EXPECT_THAT(origins(), IsEmpty());
}

TEST_F(TrainingTest, WithALongerIntervalTheStepsSinceTheCheckpointAreRepeated) {
  train("gemini interval=5");
  const std::string expected = result();
  const Time at = begin_of(step_of_loss) + 100'000'000;
  EXPECT_THAT(train("gemini interval=5", gpu_lost_at(at, 2)),
              AllOf(HasSubstr("step 13: the state of step 10 is back"), HasSubstr("16 steps, 3 repeated")));
  EXPECT_EQ(result(), expected);
}

TEST_F(TrainingTest, AfterAPowerFailureTheStatesComeBackFromTheDimmSsd) {
  for (const std::string protocol : {"gemini", "jit"}) {
    train(protocol);
    const std::string expected = result();
    const std::string out = train(protocol, power_lost_at(begin_of(step_of_loss) + 100'000'000));
    EXPECT_THAT(out, AllOf(HasSubstr("reset cause power_loss, boot 2"), HasSubstr("checkpoint 4 restored"),
                           HasSubstr("since boot 2, which began at step 4:\ntraining: 12 steps, 0 repeated"),
                           Not(HasSubstr(" 0 in recoveries")), HasSubstr("1 recovery")));
    EXPECT_EQ(result(), expected);
  }
}

TEST_F(TrainingTest, APowerFailureWithoutPowerIsInTheSummary) {
  const Time at = 3'000'000'000;
  EXPECT_THAT(train("gemini", power_lost_at(at) + "," + power_lost_at(at + 1000)),
              AllOf(HasSubstr("1 power loss, "),
                    HasSubstr("faults       1 power loss had no effect: the power was off already\n")));
}

// Few steps that are multiples of ssd_every have a checkpoint or a comparison, too.
TEST_F(TrainingTest, TheDimmSsdGetsTheNextStateThatThereIs) {
  for (const std::string how : {"jit verify=5 interval=3", "gemini interval=5"}) {
    EXPECT_THAT(train(how), AllOf(HasSubstr("checkpoint 5 durable"), HasSubstr("checkpoint 10 durable"),
                                  Not(HasSubstr("checkpoint 4 ")), Not(HasSubstr("checkpoint 8 "))))
        << how;
    const std::string expected = result();
    EXPECT_THAT(train(how, power_lost_at(begin_of(step_of_loss) + 100'000'000)),
                AllOf(HasSubstr("checkpoint 5 restored"), HasSubstr("since boot 2, which began at step 5:"),
                      HasSubstr("11 steps, 0 repeated")))
        << how;
    EXPECT_EQ(result(), expected) << how;
  }
}

// The process of the rank ends with the error, and with it what the rank itself had: its state comes from the
// memories of the others.
TEST_F(TrainingTest, AnUncorrectableErrorRetiresItsZoneAndCostsWhatALossCosts) {
  const std::map<std::string, std::string> sources{
      {"gemini", "gpu_copy 0"}, {"reft", "parity"}, {"jit", "gpu_copy 0"}};
  for (const auto& [protocol, source] : sources) {
    train(protocol);
    const std::string expected = result();
    const Time middle = begin_of(step_of_loss) + 100'000'000;  // a kernel finds it
    const Time before = begin_of(step_of_loss) - 1;            // or the next read
    for (const Time at : {middle, before}) {
      const std::string out = train(protocol, row_fails_at(at, 1, "0x0"));
      EXPECT_EQ(result(), expected) << protocol << " " << at;
      EXPECT_THAT(out, AllOf(HasSubstr("GPU 1 has an error in its memory"), HasSubstr("retired"),
                             HasSubstr("is back from the memories of the group"), HasSubstr("1 recovery"),
                             HasSubstr(at == before ? "found by a transfer" : "found by a kernel"),
                             HasSubstr("rank 0 has its own copy"),
                             ContainsRegex(source == "parity" ? "rank 1 has the parity of the group, [1-9]"
                                                              : "rank 1 has the copy of GPU 0, [1-9]")));
      EXPECT_THAT(origins(), ElementsAre("own_copy", source, "own_copy", "own_copy"));
      EXPECT_EQ(reads_in_recovery("node.gpu.0"), 1u) << out;
      EXPECT_EQ(reads_in_recovery("node.gpu.1"), 0u) << out;
      EXPECT_EQ(reads_in_recovery("node.gpu.2"), protocol == "gemini" ? 0u : 1u) << out;
      const auto all = kinds(events());
      EXPECT_EQ(std::ranges::count(all, "gpu_zone_retired"), 1);
    }
  }
}

TEST_F(TrainingTest, OwnCopiesAreLeftAfterErrorsOnlyIfAnotherProcessHasThem) {
  train("gemini");
  const std::string expected = result();
  const Time before = begin_of(step_of_loss) - 1;
  const std::string rows = row_fails_at(before, 0, "0x0") + "," + row_fails_at(before, 1, "0x0");
  EXPECT_THAT(train("gemini host_copies=kept", rows), AllOf(HasSubstr("GPU 0 has an error in its memory"),
                                                            HasSubstr("GPU 1 has an error in its memory"),
                                                            HasSubstr("is back from the ranks' own copies")));
  EXPECT_EQ(result(), expected);
  EXPECT_THAT(origins(), Each("own_copy"));
  EXPECT_THAT(train("gemini", rows), HasSubstr("is back from the DIMM-SSD"));
  EXPECT_EQ(result(), expected);
  EXPECT_THAT(origins(), IsEmpty());
}

// A checkpoint is complete when the kernels beside it have ended: a loss before then costs a step.
TEST_F(TrainingTest, GuardsAreWrittenBesideKernels) {
  const Arguments beside{"node.gpu.copy_in_beside_kernels=true"};
  const auto total = [](const std::string& out) {
    const std::size_t at = out.find("repeated; in ");
    return at == std::string::npos ? 0 : std::stoul(out.substr(at + 13));
  };
  for (const std::string protocol : {"gemini", "reft"}) {
    const auto time = total(train(protocol));
    const std::string expected = result();
    EXPECT_LT(total(train(protocol + " overlap=on", "", beside)), time - 16 * 20) << protocol;
    EXPECT_EQ(result(), expected);
    const Time middle = begin_of(step_of_loss) + 100'000'000;
    EXPECT_THAT(train(protocol + " overlap=on", gpu_lost_at(middle, 1), beside),
                AllOf(HasSubstr("step 13: the state of step 12 is back from the memories of the group"),
                      HasSubstr("16 steps, 1 repeated")));
    EXPECT_EQ(result(), expected);
  }
  // The GPU that is lost at the start has not got its state yet.
  const Time first = times_of("gpu_copied_in").front();
  for (const std::string& faults : {std::string(), gpu_lost_at(first - 1, 0)}) {
    const Ended refused =
        asterism({"run", "training_node", fmt::format("args={}gemini overlap=on", small),
                  "faults=[" + faults + "]", "field_faults=null", "expect={}", "--out", "run"});
    EXPECT_EQ(refused.status, 3) << refused.out << refused.err;
    EXPECT_THAT(refused.out, AllOf(HasSubstr("overlap=on needs GPUs that accept data while a kernel runs\n"
                                             "training:   (node.gpu.copy_in_beside_kernels)\n"),
                                   Not(HasSubstr("write: ")), Not(HasSubstr("step 0: loss"))));
    EXPECT_EQ(refused.out.find("GPU 0 is lost") != std::string::npos, !faults.empty()) << refused.out;
  }
}

// It has neither guards, which GPUs would have to accept beside kernels, nor an interval between them.
TEST_F(TrainingTest, WhatOnlyGuardsNeedIsNotAskedOfReplicas) {
  train("jit");
  const std::string expected = result();
  for (const std::string how : {"jit overlap=on", "jit interval=17"}) {
    EXPECT_THAT(train(how), HasSubstr("16 steps, 0 repeated")) << how;
    EXPECT_EQ(result(), expected) << how;
  }
}

TEST_F(TrainingTest, AnIntervalBeyondTheRunIsRefused) {
  const Ended ended = asterism(
      {"run", "training_node", "args=steps=40 interval=41", "faults=[]", "expect={}", "--out", "run"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.out, HasSubstr("argument 'interval=41' is wrong: longer than the run of 40 steps"));
}

// The GPU is replaced before the program has used it, so that nothing is lost and nothing recovered.
TEST_F(TrainingTest, ALossBeforeTheProgramBeginsIsInTheSummary) {
  EXPECT_THAT(train("gemini", gpu_lost_at(1'000'000, 2)), HasSubstr("0 power losses, 1 lost GPU, 0"));
}

TEST_F(TrainingTest, AllWaitForASlowGpu) {
  EXPECT_THAT(train("gemini"), Not(HasSubstr("the others waited")));
  const std::string expected = result();
  const Time begin = begin_of(step_of_loss - 4), end = begin_of(step_of_loss);
  const std::string slow =
      fmt::format(R"({{"at":"{}ps","kind":"gpu_slow","gpu":2,"clock_percent":50,"restore_after":"{}ps"}})",
                  begin, end - begin);
  const std::string out = train("gemini", slow);
  EXPECT_THAT(out, ContainsRegex("GPU 2: the others waited for it in [34] steps, [0-9]+ us each"));
  EXPECT_EQ(result(), expected);
  EXPECT_EQ(std::ranges::count(kinds(events()), "gpu_clock"), 2);
}

// Nothing reports the wrong bit, and the checksum is that of the wrong weight.
TEST_F(TrainingTest, ARankWithWrongDataIsFoundByAComparison) {
  const Arguments without_code{"node.memory.ecc=none"};
  train("jit", "", without_code);
  const std::string expected = result();
  train("jit flip_step=6", "", without_code);
  EXPECT_NE(result(), expected);
  EXPECT_THAT(train("jit flip_step=6 verify=4", "", without_code),
              AllOf(HasSubstr("step 8: the ranks have different states"),
                    HasSubstr("step 8: the state of step 4 is back from the last comparison"),
                    HasSubstr("4 steps since a comparison were made again")));
  EXPECT_EQ(result(), expected);
  const Time lost = begin_of(7) + 100'000'000;
  EXPECT_THAT(train("jit flip_step=15 verify=100", "", without_code),
              HasSubstr("step 16: the state of step 0 is back from the last comparison"));
  EXPECT_EQ(result(), expected);
  // A GPU is lost before the comparison, and the replicas that are left differ.
  EXPECT_THAT(train("jit flip_step=6 verify=4", gpu_lost_at(lost, 0), without_code),
              AllOf(HasSubstr("step 7: GPU 0 is lost"), HasSubstr("step 7: the ranks have different states"),
                    HasSubstr("step 7: the state of step 4 is back from the last comparison"),
                    HasSubstr("3 steps since a comparison were made again")));
  EXPECT_EQ(result(), expected);
  const Ended refused = asterism({"run", "training_node", fmt::format("args={}gemini verify=4", small),
                                  "faults=[]", "field_faults=null", "expect={}", "--out", "run"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.out, HasSubstr("verify compares whole states"));
}

// Corrected and uncorrectable errors as A100s have them, much more often.
TEST_F(TrainingTest, ErrorsAtRatesFromTheFieldAreSurvived) {
  train("gemini");
  const std::string expected = result();
  const std::string errors =
      R"(field_faults={"rates":"a100_perlmutter","acceleration":2e11,"gpus":4,"memory":"48KiB","until":"4ms"})";
  EXPECT_THAT(train("gemini", "", {errors}), HasSubstr("errors corrected"));
  EXPECT_EQ(result(), expected);
  const auto faults = json("run/scenario.json")["faults"];
  const auto rows = std::ranges::count(faults, "row", [](const auto& fault) { return fault["shape"]; });
  EXPECT_GT(faults.size(), 10u);
  EXPECT_GE(rows, 1);
  EXPECT_FALSE(json("run/scenario.json").contains("field_faults"));
  const Ended again = asterism({"run", "run/scenario.json", "--out", "again"});
  EXPECT_EQ(contents("again/stats.json"), contents("run/stats.json"));
  const auto refusal = [&](const std::string& change) {
    return asterism({"check", "training_node", errors, change}).err;
  };
  EXPECT_THAT(refusal("field_faults.acceleration=1e18"), HasSubstr("lower the acceleration"));
  EXPECT_THAT(refusal("field_faults.rates=jaguar_ddr2"),
              HasSubstr("has no errors that are called corrected or uncorrectable"));
  EXPECT_THAT(refusal("field_faults.gpus=9"),
              AllOf(HasSubstr("field_faults.gpus: there is no GPU 8"), Not(HasSubstr("faults.0"))));
  EXPECT_THAT(refusal("field_faults.memory=1TiB"),
              HasSubstr("field_faults.memory: expected an address below the GPU's memory"));
  EXPECT_THAT(refusal("field_faults.until=10000s"), AllOf(HasSubstr("field_faults: there would be about"),
                                                          HasSubstr("lower the acceleration or until")));
}

TEST_F(TrainingTest, ASilentErrorIsFoundByTheChecksumOfTheState) {
  const Arguments without_code{"node.gpu.ecc=none"};
  train("gemini", "", without_code);
  const std::string expected = result();
  const std::string flip = fmt::format(
      R"({{"at":"{}ps","kind":"gpu_memory","gpu":2,"shape":"bit","address":"0x0080","sector_bit":9}})",
      begin_of(step_of_loss) - 1);
  EXPECT_THAT(train("gemini", flip, without_code),
              AllOf(HasSubstr("step 13: GPU 2 holds another state than was written"),
                    HasSubstr("step 13: the state of step 12 is back from the ranks' own copies")));
  EXPECT_EQ(result(), expected);
}

// The command of the page has a time at which nothing overwrites the bit before the next step reads it.
TEST_F(TrainingTest, ThePageShowsASilentErrorThatIsFound) {
  const std::string page = contents(source_configs().parent_path() / "docs" / "training_node.md");
  const std::string begin = "asterism run training_gpu_loss node.gpu.ecc=none ";
  const std::size_t at = page.find(begin);
  ASSERT_NE(at, std::string::npos);
  std::istringstream words(page.substr(at, page.find('\n', at) - at).substr(begin.size()));
  Arguments all{"run", "training_gpu_loss", "node.gpu.ecc=none", "--out", "run"};
  for (std::string word; words >> word;) all.push_back(word);
  const Ended ended = asterism(all);
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("GPU 1 holds another state than was written"),
                               HasSubstr("is back from the ranks' own copies")));
}

// Nobody reads a guard before it is needed. The guards of both slots are in the zones 2 and 4, to which these
// addresses belong.
TEST_F(TrainingTest, AGuardWithAnErrorDoesNotBringAStateBack) {
  train("gemini");
  const std::string expected = result();
  const Time before = begin_of(step_of_loss) - 1, middle = begin_of(step_of_loss) + 100'000'000;
  const std::string guards = row_fails_at(before, 0, "0x2200") + "," + row_fails_at(before, 0, "0x4200");
  EXPECT_THAT(train("gemini", guards), AllOf(HasSubstr("16 steps, 0 repeated"), HasSubstr("0 recoveries")));
  EXPECT_EQ(result(), expected);
  for (const std::string& loss : {gpu_lost_at(middle, 1), row_fails_at(middle, 1, "0x0")}) {
    EXPECT_THAT(train("gemini", guards + "," + loss),
                AllOf(HasSubstr("GPU 0 has an error in its memory"), HasSubstr("is back from the DIMM-SSD")));
    EXPECT_EQ(result(), expected);
  }
}

// Nothing reports the wrong bits but the checksum of the copy.
TEST_F(TrainingTest, ACopyWithSilentErrorsDoesNotBringAStateBack) {
  const Arguments without_code{"node.gpu.ecc=none"};
  train("gemini", "", without_code);
  const std::string expected = result();
  const Time middle = begin_of(step_of_loss) + 100'000'000;
  for (const unsigned holder : {0u, 3u}) {
    std::string faults = gpu_lost_at(middle, 1);
    for (const char* slot : {"0x2200", "0x4200"})
      faults += fmt::format(R"(,{{"at":"{}ps","kind":"gpu_memory","gpu":{},"shape":"bit","address":"{}"}})",
                            middle - 1, holder, slot);
    EXPECT_THAT(train("gemini", faults, without_code),
                HasSubstr(holder == 0 ? "is back from the DIMM-SSD" : "rank 1 has the copy of GPU 0"));
    EXPECT_EQ(result(), expected);
  }
}

TEST_F(TrainingTest, WithoutASpareZoneTheRunEnds) {
  const Ended ended = asterism({"run", "training_node", "args=" + (small + std::string("gemini")),
                                "faults=[" + row_fails_at(3'000'000'000, 1, "0x0") + "]", "field_faults=null",
                                "expect={}", "node.gpu.spare_zones=0", "--out", "run"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("no spare zone is left"));
}

// A pin is broken in spare zones, too.
TEST_F(TrainingTest, AFailedPinDoesNotUseUpTheSpareZones) {
  const Ended ended =
      asterism({"run", "training_node", "args=" + (small + std::string("gemini")),
                R"(faults=[{"at":"3ms","kind":"gpu_memory","gpu":1,"shape":"pin","address":"0x1000",)"
                R"("sector_bit":9,"persistence":"stuck"}])",
                "field_faults=null", "expect={}", "node.gpu.spare_zones=100", "--out", "run"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.out,
              HasSubstr("has an error again after it was retired:\ntraining:   its memory cannot be used\n"));
  EXPECT_LT(json("run/stats.json")["node"]["gpu"]["1"]["memory_errors"]["zones_retired"], 8);
}

// Nothing reports a failed row without a code, and its zone is not known.
TEST_F(TrainingTest, AMemoryThatIsWrongEachTimeEndsTheRunWithAReason) {
  for (const std::string protocol : {"gemini", "jit"}) {
    const Ended ended = asterism({"run", "training_node", "args=" + (small + protocol),
                                  "faults=[" + row_fails_at(3'000'000'000, 1, "0x0") + "]",
                                  "field_faults=null", "expect={}", "node.gpu.ecc=none", "--out", "run"});
    EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
    EXPECT_THAT(ended.out,
                HasSubstr("GPU 1 has returned another state than was written 8 times in\n"
                          "training:   a row, and reported no error: its memory cannot be used\n"));
  }
}

TEST_F(TrainingTest, TheScenarioMeetsItsExpectations) {
  const Ended ended = asterism({"run", "training_node", "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("GPU 1: uncorrectable error in zone "),
                               HasSubstr("rank 1 has the copy of GPU 0, 11896 bytes"),
                               ContainsRegex("GPU 2: [1-9][0-9]* errors corrected, 0 uncorrectable"),
                               HasSubstr("40 steps, 0 repeated"), HasSubstr("all expectations are met")));
  EXPECT_THAT(origins(), ElementsAre("own_copy", "gpu_copy 0", "own_copy", "own_copy"));
  EXPECT_EQ(reads_in_recovery("node.gpu.0"), 1u);
  const auto faults = json("run/scenario.json")["faults"];
  EXPECT_GT(std::ranges::count(faults, "bit", [](const auto& fault) { return fault["shape"]; }), 20);
}

TEST_F(TrainingTest, GroupsThatCannotProtectEachOtherAreRefused) {
  const auto refusal = [&](const std::string& args, const std::string& key) {
    const Ended ended = asterism({"run", "training_node", "args=" + args, "faults=[]", "field_faults=null",
                                  "expect={}", "node.gpu." + key, "--out", "run"});
    EXPECT_EQ(ended.status, 3) << ended.out << ended.err;
    return ended.out;
  };
  EXPECT_THAT(refusal("protocol=gemini", "count=3"), HasSubstr("an odd number of GPUs"));
  EXPECT_THAT(refusal("protocol=reft", "count=2"), HasSubstr("fewer than 3 GPUs"));
  EXPECT_THAT(refusal("protocol=jit hidden=1024", "memory=128KiB"),
              HasSubstr("does not fit into the memory"));
}

}  // namespace
}  // namespace asterism
