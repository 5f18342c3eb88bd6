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
