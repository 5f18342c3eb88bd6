// `cores.engine`: what does not depend on it, and what a build without Unicorn says of it.
#include <gmock/gmock.h>

#include "core/core_engine.h"
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

#if ASTERISM_UNICORN

// Times differ by some microseconds: Unicorn places accesses and interrupts at the end of its blocks, native at the instruction.
TEST_F(EngineTest, TheMainJobSaysAndResultsInTheSameBytesOnBothEngines) {
  for (const std::string engine : {"native", "unicorn"}) {
    const Ended ended = asterism({"run", "power_loss", "node.cores.engine=" + engine, "--out", engine});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("1 power loss, 1 recovery"));
    EXPECT_THAT(ended.out, HasSubstr("expected     all expectations are met"));
    EXPECT_THAT(std::string(json(engine + "/host.json")["cpu_engine"]), testing::StartsWith(engine));
  }
  EXPECT_THAT(contents("native/console.log"), HasSubstr("checkpoint 10 restored"));
  EXPECT_EQ(kinds(events("native")), kinds(events("unicorn")));
  for (const std::string file : {"console.log", "uart0.log", "files/result.txt"})
    EXPECT_EQ(contents("native/" + file), contents("unicorn/" + file)) << file;
}

#else

TEST_F(EngineTest, ABuildWithoutUnicornRefusesItAndSaysWhatItHas) {
  const std::string message =
      R"(expected "native", the engine of a build with ASTERISM_UNICORN=OFF, got "unicorn")";
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

#endif

}  // namespace
}  // namespace asterism
