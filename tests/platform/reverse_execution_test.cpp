// `asterism run --gdb`: going back in time, faults, log levels and registers of devices.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <regex>
#include <thread>

#include "platform/debug/test_client.h"
#include "tests/platform/debugger.h"

namespace asterism {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct ReverseGdbTest : GdbTest {};
struct ReverseTest : DebuggerTest {
  static std::string monitor(TestClient& client, const std::string& command) {
    const std::string answer = client.ask("qRcmd," + to_hex(command));
    return answer == "OK" ? "" : from_hex(answer).value_or("no text: " + answer);
  }
  // The address of a function of an application, in hexadecimal digits.
  std::string address_of(const std::string& app, const std::string& function) const {
    const Ended listed = program("/usr/bin/aarch64-linux-gnu-nm", {elf(app)});
    const std::regex line("([0-9a-f]+) [tT] " + function + "\n");
    std::smatch found;
    EXPECT_TRUE(std::regex_search(listed.out, found, line)) << function;
    const std::string digits = found[1];
    return digits.substr(digits.find_first_not_of('0'));
  }
  void expect_as_alone() const {
    for (const char* file : {"stats.json", "events.jsonl", "console.log", "uart0.log"})
      EXPECT_EQ(contents(std::string("run/") + file), contents(std::string("alone/") + file)) << file;
  }
  void run_alone(const Arguments& more = {}) const {
    Arguments all{"run", "hello", "firmware=cg", "expect={}", "--quiet", "--out", "alone"};
    all.insert(all.end(), more.begin(), more.end());
    ASSERT_EQ(asterism(all).status, 0);
  }
  // The processes of the run, with its snapshots.
  std::size_t processes() const {
    std::size_t count = 0;
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator("/proc"))
      count += std::filesystem::read_symlink(entry.path() / "cwd", gone) == folder && !gone;
    return count;
  }
};

// ---- with GDB ----

TEST_F(ReverseGdbTest, StepsBackToWhereItWas) {
  Running run = cg();
  const std::string out = debug(run, "cg", R"(
break solver_iterate
continue
delete
set $a = $pc
stepi
set $b = $pc
stepi 7
set $x = $x0
stepi
reverse-stepi
print $x0 == $x
reverse-stepi 7
print $pc == $b
reverse-stepi
print $pc == $a
next
next
reverse-next
reverse-step
reverse-finish
info threads
delete
detach
)");
  EXPECT_THAT(out, HasSubstr("$1 = 1\n"));
  EXPECT_THAT(out, HasSubstr("$2 = 1\n"));
  EXPECT_THAT(out, HasSubstr("$3 = 1\n"));
  EXPECT_THAT(out, HasSubstr(" in cores_run ("));  // reverse-finish
  EXPECT_THAT(out, Not(HasSubstr("Remote failure")));
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(ReverseGdbTest, ContinuesBackToABreakpoint) {
  Running run = cg();
  const std::string out = debug(run, "cg", R"(
break main
continue
break solver_iterate
set $entry = $sp
continue
continue
print $_thread
disable 1
reverse-continue
print $_thread
enable 1
disable 2
reverse-continue
print $sp == $entry
reverse-continue
detach
)");
  EXPECT_THAT(out,
              ContainsRegex("hit Breakpoint 1, main(.|\n)*hit Breakpoint 2(.|\n)*hit Breakpoint 2(.|\n)*hit "
                            "Breakpoint 2(.|\n)*hit Breakpoint 1, main"));
  EXPECT_THAT(out, HasSubstr("$3 = 1\n"));
  EXPECT_THAT(out, HasSubstr("No more reverse-execution history."));
  EXPECT_THAT(out, HasSubstr("this is the earliest snapshot, at 0 "));
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(ReverseGdbTest, ContinuesBackToTheLastChangeOfAVariable) {
  Running run = cg();
  const std::string out = debug(run, "cg", R"(
break cores_barrier
continue
delete
watch -l state.arrived
continue
set $first = $pc
continue
reverse-continue
reverse-continue
print $pc <= $first
detach
)");
  const std::regex change(
      "hit Hardware watchpoint 2: -location state.arrived\n\nOld value = ([0-9]+)\nNew value = "
      "([0-9]+)\n");
  std::vector<std::pair<std::string, std::string>> changes;
  for (std::sregex_iterator each(out.begin(), out.end(), change), end; each != end; ++each)
    changes.emplace_back((*each)[1], (*each)[2]);
  ASSERT_EQ(changes.size(), 4u) << out;
  EXPECT_EQ(changes[2], std::pair(changes[1].second, changes[1].first));
  EXPECT_EQ(changes[3], std::pair(changes[0].second, changes[0].first));
  EXPECT_EQ(run.wait().status, 0);
}

// ---- the protocol itself ----

TEST_F(ReverseTest, WhoGoesBackAndOnLeavesWhatARunAloneLeaves) {
  run_alone();
  Running run = cg({"--gdb-snapshots", "100us"});
  TestClient client(address(run));
  const std::string breakpoint = "0," + address_of("cg", "cores_barrier") + ",4";
  EXPECT_EQ(client.ask("Z" + breakpoint), "OK");
  std::vector<std::string> registers;
  for (int i = 0; i < 6; ++i) {
    EXPECT_THAT(client.ask("vCont;c"), StartsWith("T05"));
    registers.push_back(client.ask("g"));
  }
  for (std::size_t i = 5; i-- > 2;) {
    EXPECT_THAT(client.ask("bc"), StartsWith("T05"));
    EXPECT_EQ(client.ask("g"), registers[i]) << i;
  }
  EXPECT_THAT(client.ask("vCont;c"), StartsWith("T05"));  // at the same breakpoint, which no core has passed
  EXPECT_EQ(client.ask("g"), registers[2]);
  EXPECT_THAT(client.ask("vCont;c"), StartsWith("T05"));
  EXPECT_EQ(client.ask("g"), registers[3]);
  EXPECT_EQ(client.ask("z" + breakpoint), "OK");
  EXPECT_EQ(client.ask("vCont;c"), "W00");
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 0) << ended.err;
  expect_as_alone();
  // The terminal shows everything once.
  EXPECT_EQ(ended.out.substr(0, ended.out.find("\nended")).find(contents("alone/console.log")), 0u)
      << ended.out;
}

TEST_F(ReverseTest, EveryCoreStepsBackAlone) {
  Running run = cg({"--gdb-snapshots", "100us"});
  TestClient client(address(run));
  EXPECT_EQ(client.ask("Z0," + address_of("cg", "solver_iterate") + ",4"), "OK");
  for (int i = 0; i < 3; ++i) EXPECT_THAT(client.ask("vCont;c"), StartsWith("T05"));
  for (const char* core : {"1", "2", "3", "4"}) {
    EXPECT_EQ(client.ask(std::string("Hc") + core), "OK");
    EXPECT_EQ(client.ask("bs"), fmt::format("T05thread:{0};core:{1};", core, core[0] - '1'));
    EXPECT_EQ(client.ask("bs"), fmt::format("T05thread:{0};core:{1};", core, core[0] - '1'));
    const std::string before = client.ask("g");
    // The same core makes the step again.
    client.ask(std::string("vCont;s:") + core);
    client.ask(std::string("Hc") + core);
    client.ask("bs");
    EXPECT_EQ(client.ask("g"), before) << core;
  }
  client.send(gdb_packet("k"));
  EXPECT_EQ(run.wait().status, 130);
}

// What the debugger has changed is changed again on the way to a place behind it.
TEST_F(ReverseTest, WritesAndHeldCoresAreRepeated) {
  Running run = cg({"--gdb-snapshots", "100us"});
  TestClient client(address(run));
  const std::string solver = "0," + address_of("cg", "solver_iterate") + ",4";
  EXPECT_EQ(client.ask("Z" + solver), "OK");
  EXPECT_THAT(client.ask("vCont;c"), StartsWith("T05"));
  EXPECT_EQ(client.ask("M41000000,8:1122334455667788"), "OK");
  EXPECT_EQ(client.ask("P14=efcdab8967452301"), "OK");
  EXPECT_EQ(client.ask("vCont;s:1"), "T05thread:1;core:0;");
  EXPECT_EQ(client.ask("M41000000,8:8877665544332211"), "OK");
  for (int i = 0; i < 8; ++i) EXPECT_EQ(client.ask("vCont;s:1"), "T05thread:1;core:0;");
  const std::string there = client.ask("g");
  EXPECT_EQ(client.ask("vCont;s:1"), "T05thread:1;core:0;");
  EXPECT_EQ(client.ask("Hc1"), "OK");
  EXPECT_EQ(client.ask("bs"), "T05thread:1;core:0;");
  EXPECT_EQ(client.ask("g"), there);
  EXPECT_EQ(client.ask("m41000000,8"), "8877665544332211");
  for (int i = 0; i < 8; ++i) EXPECT_EQ(client.ask("bs"), "T05thread:1;core:0;");
  EXPECT_EQ(client.ask("m41000000,8"), "1122334455667788");  // the second write is undone
  EXPECT_EQ(client.ask("p14"), "efcdab8967452301");
  EXPECT_EQ(client.ask("bs"), "T05thread:1;core:0;");
  EXPECT_NE(client.ask("m41000000,8"), "1122334455667788");
  client.send(gdb_packet("k"));
  EXPECT_EQ(run.wait().status, 130);
}

TEST_F(ReverseTest, ItGoesBackToAnEvent) {
  Running run = start({"run", "power_loss", "expect={}", "--gdb", ":0", "--out", "run"});
  TestClient client(address(run));
  monitor(client, "break on power_lost");
  monitor(client, "break on power_restored");
  EXPECT_THAT(client.ask("vCont;c"), StartsWith("O"));
  client.answer();
  const std::string lost = monitor(client, "info events");
  EXPECT_THAT(client.ask("vCont;c"), StartsWith("O"));
  client.answer();
  EXPECT_THAT(from_hex(client.ask("bc").substr(1)), testing::Optional(HasSubstr("power_lost")));
  EXPECT_THAT(client.answer(), StartsWith("T05thread:"));
  EXPECT_EQ(monitor(client, "info events"), lost);
  EXPECT_THAT(from_hex(client.ask("vCont;c").substr(1)), testing::Optional(HasSubstr("power_restored")));
  client.answer();
  monitor(client, "break off");
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(ReverseTest, ManyHostThreadsGoTheSameWay) {
  Running run = cg({"--gdb-snapshots", "100us", "--threads", "3"});
  TestClient client(address(run));
  EXPECT_EQ(client.ask("Z0," + address_of("cg", "solver_iterate") + ",4"), "OK");
  std::vector<std::string> registers;
  for (int i = 0; i < 4; ++i) {
    EXPECT_THAT(client.ask("vCont;c"), StartsWith("T05"));
    registers.push_back(client.ask("g"));
  }
  for (std::size_t i = 3; i-- > 0;) {
    EXPECT_THAT(client.ask("bc"), StartsWith("T05"));
    EXPECT_EQ(client.ask("g"), registers[i]) << i;
  }
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(ReverseTest, WithoutASnapshotItSaysWhy) {
  const auto why = [](TestClient& client, const char* packet) {
    const std::string text = from_hex(client.ask(packet).substr(1)).value_or("no text");
    EXPECT_THAT(client.answer(), HasSubstr(";replaylog:begin;"));
    return text;
  };
  {
    Running run = cg();
    TestClient client(address(run));
    EXPECT_EQ(
        why(client, "bs"),
        "there is no snapshot to go back to: the run has not gone on since this debugger has connected\n");
    EXPECT_EQ(client.ask("D"), "OK");
    EXPECT_EQ(run.wait().status, 0);
  }
  {
    Running run = cg({"--gdb-snapshots", "0s"});
    TestClient client(address(run));
    EXPECT_THAT(client.ask("vCont;s:1"), StartsWith("T05"));
    EXPECT_EQ(
        why(client, "bc"),
        "there is no snapshot to go back to; --gdb-snapshots TIME keeps some, monitor snapshot save one\n");
    EXPECT_THAT(monitor(client, "snapshot save"), StartsWith("snapshot 1 of"));
    const std::string there = client.ask("g");
    EXPECT_THAT(client.ask("vCont;s:1"), StartsWith("T05"));
    EXPECT_EQ(client.ask("bs"), "T05thread:1;core:0;");
    EXPECT_EQ(client.ask("g"), there);
    EXPECT_EQ(client.ask("D"), "OK");
    EXPECT_EQ(run.wait().status, 0);
  }
  Running run = start({"run", "power_loss", "--gdb", ":0", "--out", "run"});
  TestClient client(address(run));
  EXPECT_THAT(client.ask("vCont;s:1"), StartsWith("T05"));
  EXPECT_THAT(why(client, "bs"), HasSubstr("a run that is compared with another one has no snapshots"));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(ReverseTest, CtrlCEndsALongSearch) {
  Running run = spin();
  TestClient client(address(run));
  client.send(gdb_packet("vCont;c"));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  client.send("\x03");
  EXPECT_THAT(client.answer(), StartsWith("T02"));
  client.send(gdb_packet("bc") + "\x03");
  EXPECT_EQ(client.answer(), "T02thread:1;core:0;");
  EXPECT_EQ(client.ask("bs"), "T05thread:1;core:0;");
  client.send(gdb_packet("k"));
  EXPECT_EQ(run.wait().status, 130);
}

TEST_F(ReverseTest, ADebuggerThatVanishesInASearchLeavesTheMachineRunning) {
  Running run = cg({"--gdb-snapshots", "100us"});
  {
    TestClient client(address(run));
    EXPECT_EQ(client.ask("Z0," + address_of("cg", "cores_barrier") + ",4"), "OK");
    for (int i = 0; i < 25; ++i) EXPECT_THAT(client.ask("vCont;c"), StartsWith("T05"));
    EXPECT_EQ(client.ask("z0," + address_of("cg", "cores_barrier") + ",4"), "OK");
    client.send(gdb_packet("bc"));
    client.vanish();
  }
  EXPECT_EQ(run.wait().status, 0);
  run_alone();
  expect_as_alone();
}

TEST_F(ReverseTest, AKilledRunLeavesNoProcess) {
  Running run = cg({"--gdb-snapshots", "100us"});
  TestClient client(address(run));
  EXPECT_EQ(client.ask("Z0," + address_of("cg", "cores_barrier") + ",4"), "OK");
  for (int i = 0; i < 20; ++i) EXPECT_THAT(client.ask("vCont;c"), StartsWith("T05"));
  EXPECT_GT(processes(), 2u);
  run.signal(SIGKILL);
  EXPECT_EQ(run.wait().status, 128 + SIGKILL);
  for (int i = 0; i < 1'000 && processes() > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(processes(), 0u);
}

// ---- faults, logs, devices ----

TEST_F(ReverseTest, AFaultIsInjectedNowOrLater) {
  Running run = start({"run", "power_loss", "expect={}", "faults=[]", "--gdb", ":0", "--out", "run"});
  TestClient client(address(run));
  monitor(client, "break on checkpoint_commit");
  client.ask("vCont;c"), client.answer();
  EXPECT_EQ(monitor(client, R"(fault {"kind": "power_loss", "restore_after": "1ms"})"), "");
  EXPECT_EQ(monitor(client, R"(fault {"at": "20ms", "kind": "power_loss", "restore_after": "1ms"})"), "");
  EXPECT_EQ(monitor(client, "fault power_loss"),
            "expected: monitor fault JSON, e.g. {\"kind\": \"power_loss\"}\n");
  EXPECT_THAT(monitor(client, R"(fault {"kind": "power_los"})"), HasSubstr("did you mean \"power_loss\"?\n"));
  EXPECT_THAT(monitor(client, R"(fault {"at": "1us", "kind": "power_loss"})"),
              ContainsRegex("^at: 1 us has passed, it is .* ms\n$"));
  monitor(client, "break off");
  EXPECT_EQ(client.ask("vCont;c"), "W00");
  EXPECT_EQ(run.wait().status, 0);
  std::vector<std::uint64_t> losses;
  std::uint64_t committed = 0;
  for (const nlohmann::json& event : events()) {
    if (event["kind"] == "power_lost") losses.push_back(event["time_ps"]);
    if (event["kind"] == "checkpoint_commit" && committed == 0) committed = event["time_ps"];
  }
  EXPECT_EQ(losses, (std::vector<std::uint64_t>{committed, 20'000'000'000}));
}

TEST_F(ReverseTest, LogLevelsChangeInARun) {
  Running run = cg();
  TestClient client(address(run));
  EXPECT_EQ(client.ask("Z0," + address_of("cg", "main") + ",4"), "OK");
  EXPECT_THAT(client.ask("vCont;c"), StartsWith("T05"));
  EXPECT_THAT(run.err_so_far(), Not(HasSubstr("trace")));
  EXPECT_EQ(monitor(client, "log core0=trace"), "");
  EXPECT_THAT(client.ask("vCont;s:1"), StartsWith("T05"));
  const std::regex first("trace node.core0: +[0-9]+ 0x[0-9a-f]+ [0-9a-f]{8} main ");
  const auto times = [&] {
    const std::string all = run.err_so_far();
    return std::distance(std::sregex_iterator(all.begin(), all.end(), first), std::sregex_iterator());
  };
  EXPECT_EQ(times(), 1);
  EXPECT_EQ(client.ask("z0," + address_of("cg", "main") + ",4"), "OK");
  EXPECT_EQ(client.ask("Hc1"), "OK");
  EXPECT_THAT(client.ask("bs"), StartsWith("T05"));  // to a process in which no core was traced
  EXPECT_EQ(times(), 1);
  EXPECT_THAT(client.ask("vCont;s:1"), StartsWith("T05"));
  EXPECT_EQ(times(), 2);
  EXPECT_EQ(monitor(client, "log core0=warning"), "");
  EXPECT_EQ(monitor(client, "log core9=trace"),
            "there is no instance \"core9\"; did you mean \"node.core0\"?\n");
  EXPECT_THAT(monitor(client, "log core0=loud"), HasSubstr("expected one of \"trace\""));
  EXPECT_EQ(client.ask("D"), "OK");
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 0);
  EXPECT_LT(std::ranges::count(ended.err, '\n'), 20);
}

TEST_F(ReverseTest, AChangeOfALogLevelDoesNotChangeAProfile) {
  run_alone({"--profile"});
  Running run = cg({"--profile"});
  TestClient client(address(run));
  const std::string breakpoint = "0," + address_of("cg", "solver_iterate") + ",4";
  EXPECT_EQ(client.ask("Z" + breakpoint), "OK");
  for (const char* level : {"log core0=trace", "log core0=warning"}) {
    EXPECT_THAT(client.ask("vCont;c"), StartsWith("T05"));
    EXPECT_EQ(monitor(client, level), "");
  }
  EXPECT_THAT(client.ask("bc"), StartsWith("T05"));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(run.wait().status, 0);
  for (const char* file : {"profile.txt", "profile.folded"})
    EXPECT_EQ(contents(std::string("run/") + file), contents(std::string("alone/") + file));
}

TEST_F(ReverseTest, ATraceThatBeginsInARunKeepsToItsWindow) {
  Running run = cg({"--trace-from", "1ms", "--trace-to", "1000350ns"});
  TestClient client(address(run));
  EXPECT_EQ(monitor(client, "log core1=trace"), "");
  EXPECT_EQ(client.ask("D"), "OK");
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 0);
  EXPECT_GT(std::ranges::count(ended.err, '\n'), 500);
  EXPECT_LT(std::ranges::count(ended.err, '\n'), 1'200);
}

TEST_F(ReverseTest, ADevicesRegistersAreWrittenAsByAStore) {
  Running run = start({"run", "hello", "firmware=hello", "expect={}", "--gdb", ":0", "--out", "run"});
  TestClient client(address(run));
  EXPECT_EQ(client.ask("M9000000,4:21000000"), "OK");  // '!' is transmitted
  EXPECT_EQ(client.ask("M9000038,4:50000000"), "OK");
  EXPECT_EQ(client.ask("m9000038,4"), "50000000");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.ask("M9000018,4:00000000"), "E0e");
  EXPECT_EQ(client.ask("M9000008,4:00000000"), "E0e");
  EXPECT_EQ(client.ask("D"), "OK");
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(contents("run/uart0.log"), StartsWith("!"));
  EXPECT_THAT(ended.err, ContainsRegex("(.* node.uart0: the debugger's write is refused: register FR is "
                                       "read-only\n){2}"));
  EXPECT_THAT(ended.err, HasSubstr("the debugger's write is refused: there is no register at offset 0x8\n"));
}

}  // namespace
}  // namespace asterism
