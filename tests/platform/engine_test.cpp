// `cores.engine` selects the engine that executes the cores' instructions.
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <thread>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using EngineTest = CommandTest;

TEST_F(EngineTest, TheMainJobRunsOnTheNativeEngine) {
  const Ended ended = asterism({"run", "power_loss", "node.cores.engine=native", "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("expected     all expectations are met"));
  EXPECT_EQ(json("run/host.json")["cpu_engine"], "native");
}

// Whether what is executed often is translated changes no result.
struct TranslatorTest : EngineTest {
  std::string statistics(const std::string& scenario, const std::string& translator) {
    const Ended ended =
        asterism({"run", scenario, "node.cores.translator=" + translator, "--out", translator, "--quiet"});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    return contents(translator + "/stats.json");
  }
};

TEST_F(TranslatorTest, ARunIsTheSameWithAndWithoutIt) {
  const std::string interpreted = statistics("power_loss", "off");
  EXPECT_EQ(statistics("power_loss", "on"), interpreted);
  EXPECT_EQ(contents("on/events.jsonl"), contents("off/events.jsonl"));
  EXPECT_FALSE(json("off/host.json").contains("translator"));
  EXPECT_GT(json("on/host.json")["translator"]["blocks"], 100);
}

TEST_F(TranslatorTest, LockstepComparesNearlyAllInstructions) {
  const std::string interpreted = statistics("litmus", "off");
  EXPECT_EQ(statistics("litmus", "lockstep"), interpreted);
  const Ended ended = asterism({"run", "hello", "node.cores.translator=lockstep", "--out", "hello"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("instructions translated and interpreted"));
  const auto executed = json("hello/stats.json")["instructions"].get<std::uint64_t>();
  EXPECT_GT(json("hello/host.json")["translator"]["compared"], executed * 9 / 10);
}

// The caches' line filter, an instruction cache, and the times of instructions.
TEST_F(TranslatorTest, LockstepComparesTheMainJob) {
  const std::string interpreted = statistics("power_loss", "off");
  EXPECT_EQ(statistics("power_loss", "lockstep"), interpreted);
  EXPECT_GT(json("lockstep/host.json")["translator"]["compared"], 40'000'000);
}

// From now on, mprotect() makes nothing executable for this thread and the processes that it starts.
void forbid_code() {
  constexpr std::uint32_t nothing_else = SECCOMP_RET_ALLOW, refused = SECCOMP_RET_ERRNO | EACCES;
  sock_filter instructions[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, refused),
      BPF_STMT(BPF_RET | BPF_K, nothing_else),
  };
  const sock_fprog filter{std::size(instructions), instructions};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

TEST_F(TranslatorTest, AHostThatForbidsCodeInterpretsAndSaysSoOnce) {
  Ended ended;
  std::thread([&] {
    forbid_code();
    ended = asterism({"run", "power_loss", "--out", "forbidden"});
  }).join();
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  const std::string warning = "the host lets no process make code: node.cores.translator has no effect";
  EXPECT_THAT(ended.err, HasSubstr(warning));
  EXPECT_EQ(ended.err.find(warning), ended.err.rfind(warning)) << ended.err;
  EXPECT_EQ(json("forbidden/host.json")["translator"]["blocks"], 0);
  EXPECT_EQ(contents("forbidden/stats.json"), statistics("power_loss", "off"));
}

TEST_F(TranslatorTest, LockstepThatHasComparedNothingIsNoSuccess) {
  const Ended ended =
      asterism({"run", "hello", "node.cores.translator=lockstep", "--profile", "--out", "profiled"});
  EXPECT_EQ(ended.status, 67) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("nothing was executed in lockstep"));
}

TEST_F(TranslatorTest, ADifferenceEndsTheRunWithItsStatusAndShowsTheBlock) {
  const Ended ended = program(ASTERISM_INVERTED_CARRY,
                              {"run", "hello", "node.cores.translator=lockstep", "--out", "different"});
  EXPECT_EQ(ended.status, 68) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("lockstep mismatch in node.core0 at "));
  EXPECT_THAT(ended.out, HasSubstr("cmp "));
}

TEST_F(TranslatorTest, LockstepDoesNotCheckTheLineFilterToo) {
  const Ended ended = asterism({"run", "hello", "node.cores.translator=lockstep",
                                "node.cores.caches.model=checked", "--out", "checked"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, HasSubstr("expected a value that is not lockstep if caches.model is checked"));
}

TEST_F(TranslatorTest, ATranslatorThatThereIsNotIsRefused) {
  const Ended ended = asterism({"run", "hello", "node.cores.translator=jit"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err,
              HasSubstr(R"(node.cores.translator: expected one of "off", "on", "lockstep", got "jit")"));
}

TEST_F(EngineTest, AnEngineThatThereIsNotIsRefused) {
  const std::string message = R"(expected "native", got "unicorn")";
  Ended ended = asterism({"run", "hello", "node.cores.engine=unicorn"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err, "command line: error: node.cores.engine: " + message + "\n");
  EXPECT_EQ(ended.out, "");
  write("a.json",
        "{\n  \"firmware\": \"hello\",\n  \"node\": { \"cores\": { \"engine\": \"unicorn\" } }\n}\n");
  for (const char* verb : {"run", "check"}) {
    ended = asterism({verb, "a.json"});
    EXPECT_EQ(ended.status, 65) << verb;
    EXPECT_THAT(ended.err, HasSubstr("a.json:3:34: error: node.cores.engine: " + message + "\n")) << verb;
  }
  EXPECT_FALSE(left_a_run());
}

}  // namespace
}  // namespace asterism
