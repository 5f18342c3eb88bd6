// `cores.engine` selects the engine that executes the cores' instructions.
#include <gmock/gmock.h>

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
  EXPECT_THAT(ended.out, HasSubstr("instructions translated and interpreted, with the same"));
  EXPECT_GT(json("hello/host.json")["translator"]["compared"], 1000);
}

// The caches' line filter, an instruction cache, and the times of instructions.
TEST_F(TranslatorTest, LockstepComparesTheMainJob) {
  const std::string interpreted = statistics("power_loss", "off");
  EXPECT_EQ(statistics("power_loss", "lockstep"), interpreted);
  EXPECT_GT(json("lockstep/host.json")["translator"]["compared"], 40'000'000);
}

TEST_F(TranslatorTest, LockstepThatHasComparedNothingIsNoSuccess) {
  const Ended ended =
      asterism({"run", "hello", "node.cores.translator=lockstep", "--profile", "--out", "profiled"});
  EXPECT_EQ(ended.status, 67) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("nothing was executed in lockstep"));
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
