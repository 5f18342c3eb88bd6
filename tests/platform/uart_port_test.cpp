// `asterism run --uart0`: a client at the other end of the console.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <regex>
#include <thread>

#include "platform/debug/test_client.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

struct UartPortRunTest : CommandTest {
  Running echo(const std::string& place, const Arguments& more = {}) const {
    Arguments all{"run",     "hello", "firmware=echo", "expect={}", "until=3600s",
                  "--uart0", place,   "--out",         "run"};
    all.insert(all.end(), more.begin(), more.end());
    return start(all);
  }
  static std::string address(const Running& run, const std::string& before) {
    const std::regex line(before + "tcp:(\\S+)\n");
    std::smatch found;
    for (int i = 0; i < 10'000; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(1)))
      if (const std::string text = run.err_so_far(); std::regex_search(text, found, line)) return found[1];
    ADD_FAILURE() << run.err_so_far();
    return "127.0.0.1:1";
  }
};

TEST_F(UartPortRunTest, AClientTalksToTheFirmware) {
  Running run = echo("tcp:0,wait");
  TestClient client(address(run, "waiting for a client of uart0: "));
  EXPECT_EQ(client.receive(18), "echo: type a line\n");
  client.send("hello, ");
  client.send("world\r");
  EXPECT_EQ(client.receive(100), "hello, world\n");  // then the run ends
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(contents("run/uart0.log"), "echo: type a line\nhello, world\n");
  EXPECT_THAT(ended.out, HasSubstr("hello, world\n"));
}

TEST_F(UartPortRunTest, AClientMayGoAndAnotherMayCome) {
  Running run = echo("tcp:0");
  const std::string at = address(run, "uart0: ");
  {
    TestClient first(at);
    first.send("one ");
    first.vanish();
  }
  for (;;) {
    TestClient second(at);
    second.send("two\r");
    const std::string answer = second.receive(7);
    if (answer == "another") continue;  // the end of the first one was not noticed yet
    break;
  }
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(contents("run/uart0.log"), EndsWith("two\n"));
}

TEST_F(UartPortRunTest, AnIdleRunWaitsForItsClientAndCanBeInterrupted) {
  Running run = echo("tcp:0");
  address(run, "uart0: ");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  run.signal(SIGINT);
  EXPECT_EQ(run.wait().status, 130);
  Running waiting = echo("tcp:0,wait");
  address(waiting, "waiting for a client of uart0: ");
  waiting.signal(SIGINT);
  EXPECT_EQ(waiting.wait().status, 130);
}

TEST_F(UartPortRunTest, RefusesWhatIsNoPlaceAndWhatIsOccupied) {
  const auto refused = [&](const Arguments& arguments, int status, const std::string& message) {
    Arguments all = arguments;
    all.insert(all.end(), {"--out", "refused"});
    const Ended ended = asterism(all);
    EXPECT_EQ(ended.status, status) << ended.out;
    EXPECT_THAT(ended.err, HasSubstr(message));
    EXPECT_FALSE(exists("refused") || exists("refused.partial"));
  };
  refused(
      {"run", "hello", "--uart0", "4000"}, 65,
      "command line: error: --uart0: expected tcp:[HOST:]PORT, unix:PATH or pty, perhaps with \",wait\", got "
      "\"4000\"\n");
  refused({"run", "buddy_cluster", "--uart0", "pty"}, 65,
          "command line: error: --uart0: needs a scenario of one node that runs firmware\n");
  refused({"run", "hello", "--uart0", "pty", "--snapshot-at", "1ms", "--snapshot", "s"}, 64, "--uart0");
  Running run = echo("tcp:0");
  const std::string taken = address(run, "uart0: ");
  refused({"run", "hello", "--uart0", "tcp:" + taken}, 65,
          "command line: error: --uart0: cannot listen at tcp:" + taken + ": Address already in use\n");
  run.signal(SIGINT);
  run.wait();
}

}  // namespace
}  // namespace asterism
