// `asterism run --gdb`: GDB itself and a client written for these tests debug real firmware.
#include "tests/platform/debugger.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include "platform/debug/test_client.h"

namespace asterism {
namespace {

using namespace std::chrono_literals;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// ---- with GDB ----

TEST_F(GdbTest, BreaksStepsWatchesAndGoesOn) {
  Running run = cg();
  const std::string out = debug(run, "cg", R"(
break solver_iterate
continue
delete
step
next
watch -location *(long*)$sp
continue
delete
detach
)");
  EXPECT_THAT(out, HasSubstr("_start () at sw/boot/start.S"));
  EXPECT_THAT(out, ContainsRegex("Thread . \"core.\" hit Breakpoint 1, solver_iterate"));
  EXPECT_THAT(out, HasSubstr("New value = "));
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("ended        firmware exited with status 0\n"));
  EXPECT_TRUE(exists("run/stats.json"));
}

TEST_F(GdbTest, ShowsTheStacksOfFourCores) {
  Running run = cg(untimed);  // no core is in an interrupt there
  const std::string out = debug(run, "cg", R"(
break solver.c:54 thread 1
continue
thread apply all backtrace
info threads
thread 3
info registers pc
detach
)");
  for (const char* core : {"core0", "core1", "core2", "core3"})
    EXPECT_THAT(out, HasSubstr("\"" + std::string(core) + "\""));
  EXPECT_THAT(out, ContainsRegex("#[0-9]+ .*in main"));
  EXPECT_THAT(out, ContainsRegex("#[0-9]+ .*in secondary_main"));
  EXPECT_THAT(out, ContainsRegex("#[0-9]+ .*in secondary_entry"));
  EXPECT_THAT(out, Not(HasSubstr("corrupt stack")));
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(GdbTest, RegistersMemoryAndDevicesAreShown) {
  Running run = cg();
  const std::string out = debug(run, "cg", R"(
break main
continue
print/x $VBAR_EL1
print/x $MIDR_EL1
info registers cpsr
set var $x5 = 0x1234
print/x $x5
set var $v0.d.u[1] = 77
print $v0.d.u
print/x *(unsigned*)0x09000fe0
set var *(int*)($sp - 64) = 4711
print *(int*)($sp - 64)
detach
)");
  EXPECT_THAT(out, ContainsRegex("\\$1 = 0x402[0-9a-f]+"));
  EXPECT_THAT(out, HasSubstr("$2 = 0x411fd070"));
  EXPECT_THAT(out, HasSubstr("EL=1 SP"));
  EXPECT_THAT(out, HasSubstr("$3 = 0x1234"));
  EXPECT_THAT(out, HasSubstr("$4 = {0, 77}"));
  EXPECT_THAT(out, HasSubstr("$5 = 0x11"));  // the PL011's PeriphID0
  EXPECT_THAT(out, HasSubstr("$6 = 4711"));
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(GdbTest, StopsAtTheFirstCheckpointAndSaysWhatHappened) {
  Running run = cg();
  const std::string out = debug(run, "cg", R"(
monitor break on checkpoint
continue
monitor break off
monitor info events
monitor info cores
monitor info map
monitor info dimm_ssd
monitor info checks
monitor info nonsense
monitor nonsense
monitor break on chekpoint
monitor break on gpu_lost
monitor break off
detach
)");
  EXPECT_THAT(out, ContainsRegex("node.dimm_ssd: checkpoint_begin\n\nThread . .* received signal SIGTRAP"));
  EXPECT_THAT(out, Not(HasSubstr("checkpoint_commit\n")));
  EXPECT_THAT(out, HasSubstr("node.dimm_ssd: ssd_ready\n"));
  EXPECT_THAT(out, ContainsRegex("core3 +0x0000"));
  EXPECT_THAT(out, HasSubstr("uart0\n"));
  EXPECT_THAT(out, ContainsRegex("node.dimm_ssd.checkpoints_committed +0\n"));
  EXPECT_THAT(out, HasSubstr("expected one of cores, events, map, core0"));
  EXPECT_THAT(out, HasSubstr("there is no command \"nonsense\""));
  EXPECT_THAT(out, HasSubstr("there is no kind of event \"chekpoint\"; did you mean \"checkpoint\"?"));
  EXPECT_THAT(out, HasSubstr("stops at: gpu_lost\n"));
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(GdbTest, OneCoreIsSteppedWhileTheOthersAreHeld) {
  Running run = cg();
  const std::string out = debug(run, "cg", R"(
break solver.c:54 thread 2
continue
delete
set scheduler-locking on
print/x $pc
thread 1
set $before = $pc
thread 2
stepi 20
thread 1
print $pc == $before
detach
)");
  EXPECT_THAT(out, HasSubstr("$2 = 1"));
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(GdbTest, ABarriersCounterCanBeWatched) {
  Running run = cg();
  const std::string out = debug(run, "cg", R"(
break cores_barrier
continue
delete
watch -l state.arrived
continue
continue
detach
)");
  EXPECT_THAT(out, ContainsRegex("hit Hardware watchpoint 2|hit Watchpoint 2|hit hardware watchpoint 2"));
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(GdbTest, TheNodeStartsAgain) {
  Running run = cg();
  const std::string out = debug(run, "cg", R"(
break main
continue
monitor reset
continue
info threads
detach
)");
  EXPECT_THAT(out, ContainsRegex("hit Breakpoint 1(.|\n)*hit Breakpoint 1"));
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(json("run/stats.json")["node"]["power"]["warm_resets"], 1);
}

// The run ends like one that was never stopped, whatever happened after the snapshot.
TEST_F(GdbTest, GoesBackToSnapshotsAndOnFromThere) {
  ASSERT_EQ(asterism({"run", "hello", "firmware=cg", "expect={}", "--out", "alone"}).status, 0);
  Running run = cg();
  const std::string out = debug(run, "cg", R"(
monitor snapshot load
monitor break on checkpoint
continue
monitor snapshot save
continue
monitor snapshot save
continue
set var *(int*)0x40300000 = 4711
monitor snapshot load
monitor snapshot load 3
monitor snapshot load 1
monitor snapshot load 2
maintenance flush register-cache
continue
monitor snapshot load 1
maintenance flush register-cache
monitor snapshot forget
monitor break off
detach
)");
  EXPECT_THAT(out, HasSubstr("there is no snapshot yet; use: monitor snapshot save\n"));
  EXPECT_THAT(out, ContainsRegex("snapshot 1 of [0-9.]+ ms\n"));
  EXPECT_THAT(out, ContainsRegex("snapshot 2 of [0-9.]+ ms\n"));
  EXPECT_THAT(out, ContainsRegex("snapshot 2 of [0-9.]+ ms was loaded"));
  EXPECT_THAT(out, HasSubstr("expected a number from 1 to 2, got \"3\"\n"));
  EXPECT_THAT(out, ContainsRegex("(snapshot 1 of [0-9.]+ ms was loaded(.|\n)*){2}"));
  EXPECT_THAT(out, HasSubstr("expected a number from 1 to 1, got \"2\"\n"));
  EXPECT_THAT(out, HasSubstr("expected: monitor snapshot save"));
  EXPECT_EQ(run.wait().status, 0);
  for (const char* file : {"stats.json", "events.jsonl", "console.log", "files/result.txt"})
    EXPECT_EQ(contents(std::string("run/") + file), contents(std::string("alone/") + file)) << file;
}

TEST_F(GdbTest, ARunThatIsComparedWithAnotherHasNoSnapshots) {
  Running run = start({"run", "power_loss", "--gdb", ":0", "--out", "run"});
  EXPECT_THAT(debug(run, "cg", "monitor snapshot save\ndetach\n"),
              HasSubstr("a run that is compared with another one has no snapshots"));
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(GdbTest, ASecondGdbIsRefusedWithAMessage) {
  Running run = spin();
  const std::string at = address(run);
  TestClient first(at);
  EXPECT_THAT(first.ask("?"), StartsWith("T02thread:"));
  const Ended second =
      program("/bin/sh", {"-c", "timeout 60 " + std::string(gdb) + " -nx -batch -ex 'target remote " + at +
                                    "' -ex 'info threads' 2>&1"});
  EXPECT_THAT(second.out, HasSubstr("E.another debugger is connected to this run\n"));
  EXPECT_THAT(second.out, Not(HasSubstr("core0")));
  EXPECT_EQ(first.ask("qC"), "QC1");
  first.send(gdb_packet("k"));
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 130);
  EXPECT_THAT(ended.err, HasSubstr("warning gdb: another debugger was refused"));
}

TEST_F(GdbTest, TheRunGoesOnWhenGdbIsKilledInTheMiddleOfAContinue) {
  Running run = spin();
  const std::string at = address(run);
  {
    Running killed("/bin/sh",
                   {"-c", "exec " + std::string(gdb) + " -nx -batch -ex 'target remote " + at +
                              "' -ex 'break *0x40200000' -ex 'shell echo goes on' -ex continue 1>&2"},
                   folder, environment);
    for (int i = 0; i < 30'000 && killed.err_so_far().find("goes on") == std::string::npos; ++i)
      std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(50ms);  // so that GDB has most likely sent its packet
    killed.signal(SIGKILL);
    EXPECT_EQ(killed.wait().status, 128 + SIGKILL);
  }
  TestClient next(at);
  EXPECT_THAT(next.ask("?"), StartsWith("T02thread:"));
  EXPECT_EQ(next.ask("z0,40200000,4"), "OK");
  next.send(gdb_packet("k"));
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 130);
  EXPECT_THAT(ended.err, HasSubstr("warning gdb: the debugger has disconnected\n"));
}

TEST_F(GdbTest, FirmwareWithoutSymbolsIsDebuggedByAddress) {
  ASSERT_EQ(program("/usr/bin/aarch64-linux-gnu-strip", {"-o", "stripped.elf", elf("hello")}).status, 0);
  Running run = start({"run", "hello", "firmware=stripped.elf", "--gdb", ":0", "--out", "run"});
  write("script.gdb", "set width 0\nfile stripped.elf\ntarget remote " + address(run) + R"(
stepi 3
print/x $pc
break *($pc + 8)
continue
x/i $pc
info threads
break main
)");
  const Ended ended =
      program("/bin/sh", {"-c", std::string("timeout 60 ") + gdb + " -nx -batch -x script.gdb 2>&1"});
  EXPECT_THAT(ended.out, HasSubstr("$1 = 0x4020"));
  EXPECT_THAT(ended.out, ContainsRegex("hit Breakpoint 1, 0x00000000402000[0-9a-f]+ in \\?\\? \\(\\)"));
  EXPECT_THAT(ended.out, ContainsRegex("=> 0x402000[0-9a-f]+:\t[a-z]+"));
  EXPECT_THAT(ended.out, ContainsRegex("Thread 4 \"core3\" .off."));
  EXPECT_THAT(ended.out, HasSubstr("No symbol table is loaded."));
  EXPECT_EQ(run.wait().status, 0);
}

// ---- the protocol itself ----

TEST_F(DebuggerTest, TheRunDoesNotDependOnADebuggerThatOnlyLooks) {
  ASSERT_EQ(asterism({"run", "hello", "firmware=cg", "expect={}", "--out", "alone"}).status, 0);
  Running run = cg();
  TestClient client(address(run));
  EXPECT_EQ(client.ask("?"), "T02thread:1;core:0;");
  EXPECT_EQ(client.ask("Z0,40000000,4"), "OK");
  EXPECT_EQ(client.ask("vCont;c"), "W00");
  EXPECT_EQ(run.wait().status, 0);
  for (const char* file : {"stats.json", "events.jsonl", "console.log"})
    EXPECT_EQ(contents(std::filesystem::path("run") / file), contents(std::filesystem::path("alone") / file))
        << file;
}

TEST_F(DebuggerTest, TheRunDoesNotDependOnBytesThatCome) {
  ASSERT_EQ(asterism({"run", "hello", "firmware=cg", "expect={}", "--out", "alone"}).status, 0);
  Running run = cg();
  TestClient client(address(run));
  client.ask("QStartNoAckMode");
  client.send(gdb_packet("vCont;c"));
  for (int i = 0; i < 20; ++i, std::this_thread::sleep_for(5ms)) client.send("+");
  EXPECT_EQ(client.answer(), "W00");
  EXPECT_EQ(run.wait().status, 0);
  for (const char* file : {"stats.json", "events.jsonl"})
    EXPECT_EQ(contents(std::filesystem::path("run") / file), contents(std::filesystem::path("alone") / file))
        << file;
}

TEST_F(DebuggerTest, AnInterruptRightBehindAContinueStops) {
  Running run = spin();
  TestClient client(address(run));
  client.send(gdb_packet("vCont;c") + "\x03");
  EXPECT_THAT(client.answer(), StartsWith("T02thread:"));
  client.send(gdb_packet("k"));
  EXPECT_EQ(run.wait().status, 130);
}

TEST_F(DebuggerTest, AStepOfACoreThatIsOffEndsAtOnce) {
  Running run = cg();
  TestClient client(address(run));
  EXPECT_EQ(client.ask("vCont;s:3;c"), "T05thread:3;core:2;");
  EXPECT_EQ(client.ask("vCont;s:3"), "T05thread:3;core:2;");
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(DebuggerTest, AStepIsEndedByAPowerLoss) {
  Running run = start({"run", "power_loss", "expect={}", "--gdb", ":0", "--out", "run"});
  TestClient client(address(run));
  client.ask("qRcmd," + to_hex("break on power_lost"));
  EXPECT_THAT(client.ask("vCont;c"), StartsWith("O"));
  const std::string stopped = client.answer();
  EXPECT_THAT(stopped, StartsWith("T05thread:"));
  EXPECT_THAT(client.ask("vCont;s:1;c"), StartsWith("T05thread:1"));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(DebuggerTest, NoValueOfARegisterEndsTheSimulator) {
  Running run = cg();
  TestClient client(address(run));
  for (const char* pstate : {"cd030000", "c9030000", "ffffffff"})
    EXPECT_EQ(client.ask(std::string("P21=") + pstate), "E01");
  EXPECT_EQ(client.ask("vCont;s:1"), "T05thread:1;core:0;");
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(DebuggerTest, AWriteOverTheEndOfMemoryChangesNothing) {
  Running run = cg();
  TestClient client(address(run));
  const std::string before = client.ask("mbffffff8,8");
  EXPECT_EQ(client.ask("Mbffffffc,8:1122334455667788"), "E0e");
  EXPECT_EQ(client.ask("mbffffff8,8"), before);
  EXPECT_EQ(client.ask("M9000018,4:00000000"), "E0e");  // a read-only register
  EXPECT_EQ(client.ask("m10,4"), "E0e");
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(DebuggerTest, TheEndOfARunIsReported) {
  Running run = cg({"until=1ms"});
  TestClient client(address(run));
  EXPECT_EQ(client.ask("vCont;c"), "W45");  // 69
  EXPECT_EQ(run.wait().status, 69);
}

TEST_F(DebuggerTest, ANewDebuggerRightAfterTheLastOneIsAccepted) {
  Running run = spin();
  const std::string at = address(run);
  auto client = std::make_unique<TestClient>(at);
  for (int i = 0; i < 20; ++i) {
    client->send(gdb_packet("vCont;c"));
    client = nullptr;
    client = std::make_unique<TestClient>(at);
    EXPECT_EQ(client->ask("qAttached"), "1");
  }
  client->send(gdb_packet("k"));
  EXPECT_EQ(run.wait().status, 130);
}

TEST_F(DebuggerTest, KillAtAStallEndsTheRunAsAnyKill) {
  Running run = start({"run", "hello", "firmware=sleep", "expect={}", "--gdb", ":0", "--out", "run"});
  TestClient client(address(run));
  EXPECT_THAT(client.ask("vCont;c"), StartsWith("O"));
  EXPECT_THAT(client.answer(), StartsWith("T05"));
  client.send(gdb_packet("k"));
  EXPECT_EQ(run.wait().status, 130);
}

TEST_F(DebuggerTest, ADebuggerMayKillTheRunAndGoAtOnce) {
  for (int i = 0; i < 10; ++i) {
    Running run = spin();
    {
      TestClient client(address(run));
      client.ask("?");
      client.send(gdb_packet("k"));
    }
    EXPECT_EQ(run.wait().status, 130) << i;
  }
}

TEST_F(DebuggerTest, AKillIsAcceptedWhileTheSystemRuns) {
  Running run = spin();
  TestClient client(address(run));
  client.send(gdb_packet("vCont;c"));
  std::this_thread::sleep_for(100ms);
  client.send(gdb_packet("k"));
  EXPECT_EQ(run.wait().status, 130);
}

TEST_F(DebuggerTest, WhatOneDebuggerSaysOfEventsIsNotTheNextOnes) {
  Running run = spin();
  {
    TestClient client(address(run));
    client.ask("qRcmd," + to_hex("break off"));
    client.send(gdb_packet("vCont;c"));
  }
  TestClient next(address(run));
  next.ask("?");
  EXPECT_EQ(from_hex(next.ask("qRcmd," + to_hex("break"))), "stops at: core_locked_up\n");
  next.send(gdb_packet("k"));
  EXPECT_EQ(run.wait().status, 130);
}

TEST_F(DebuggerTest, AnInterruptStopsARunningMachine) {
  Running run = spin();
  TestClient client(address(run));
  client.send(gdb_packet("vCont;c"));
  std::this_thread::sleep_for(50ms);
  client.send("\x03");
  EXPECT_THAT(client.answer(), StartsWith("T02thread:"));
  EXPECT_THAT(client.ask("g"), Not(StartsWith("E")));
  client.send(gdb_packet("k"));
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 130) << ended.out;
  EXPECT_TRUE(exists("run.partial"));
}

TEST_F(DebuggerTest, ADebuggerThatVanishesLeavesTheMachineRunning) {
  Running run = cg();
  {
    TestClient client(address(run));
    EXPECT_EQ(client.ask("Z0,40200000,4"), "OK");
  }
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.err, HasSubstr("warning gdb: the debugger has disconnected"));
}

// Whatever the debugger was sending or receiving, the run leaves the same bytes as one without a debugger.
TEST_F(DebuggerTest, ADebuggerThatIsKilledAtAnyPointChangesNothing) {
  const Arguments small{"args=nx=8 checkpoint=off"};
  ASSERT_EQ(asterism({"run", "hello", "firmware=cg", "expect={}", small[0], "--out", "run"}).status, 0);
  const std::string stats = contents("run/stats.json"), events = contents("run/events.jsonl");
  const std::string go_on = gdb_packet("vCont;c"), look = gdb_packet("m40200000,1000");
  std::string looks;
  for (int i = 0; i < 200; ++i) looks += look;
  struct LastWords {
    const char* when;
    std::string text;
    bool acknowledged;  // the run acknowledges at least one packet of it
  };
  const LastWords all_last_words[] = {
      {"in the middle of a continue", go_on, true},
      {"in the middle of a packet", "$vCont;c", false},
      {"in the middle of its checksum", go_on.substr(0, go_on.size() - 1), false},
      {"in the middle of a packet behind a continue", go_on + "$vCo", true},
      {"before it has read its answers", looks, true},
      {"behind an interrupt", go_on + "\x03", true}};
  for (const auto& [when, words, acknowledged] : all_last_words) {
    Running run = cg(small);
    {
      TestClient client(address(run));
      EXPECT_EQ(client.ask("Z0,40200000,4"), "OK");
      EXPECT_EQ(client.ask("Z2,40200000,8"), "OK");
      client.send(words);
      if (acknowledged) {
        EXPECT_EQ(client.receive(1), "+") << when;
      }
      client.vanish();
    }
    const Ended ended = run.wait();
    EXPECT_EQ(ended.status, 0) << when;
    EXPECT_THAT(ended.err, testing::EndsWith("warning gdb: the debugger has disconnected\n")) << when;
    // The other line is the address at which the run waits.
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 2) << ended.err;
    EXPECT_EQ(contents("run/stats.json"), stats) << when;
    EXPECT_EQ(contents("run/events.jsonl"), events) << when;
  }
}

TEST_F(DebuggerTest, HalfAPacketOfOneThatVanishedIsNotReadWithTheNext) {
  Running run = spin();
  const std::string at = address(run);
  for (const char* half : {"$qSuppo", "$qSupported#", "$m4020", "}"}) {
    TestClient(at).send(half);
    TestClient next(at);
    EXPECT_EQ(next.ask("qC"), "QC1") << half;
  }
  TestClient last(at);
  EXPECT_EQ(last.ask("vKill;1"), "OK");
  EXPECT_EQ(run.wait().status, 130);
}

TEST_F(DebuggerTest, AnotherDebuggerMayComeLater) {
  Running run = spin();
  const std::string at = address(run);
  {
    TestClient first(at);
    EXPECT_EQ(first.ask("D"), "OK");
    EXPECT_EQ(first.receive(10), "");
  }
  TestClient second(at);
  EXPECT_THAT(second.ask("?"), StartsWith("T02thread:"));
  TestClient third(at);  // only one debugger may be connected
  EXPECT_EQ(third.receive(1000), "+" + gdb_packet("E.another debugger is connected to this run"));
  second.send(gdb_packet("vKill;1"));
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 130);
  EXPECT_THAT(ended.err, HasSubstr("warning gdb: another debugger was refused, because a run "
                                   "accepts only one at a time\n"));
}

TEST_F(DebuggerTest, AHostileStreamDoesNotEndTheRun) {
  Running run = cg();
  TestClient client(address(run));
  std::string noise;
  for (unsigned i = 0; i < 100'000; ++i) noise += static_cast<char>(i * 2654435761u >> 13);
  client.send(noise + "#00" + gdb_packet(std::string(30'000, 'm')) + "$#00$$$$##" + gdb_packet("vCont;s:zz") +
              gdb_packet("mffffffffffffffff,ffff") + gdb_packet("Z4,2,ffffffffffffffff"));
  client.send(gdb_packet("qC"));
  std::string answer;
  for (int i = 0; i < 100 && !answer.starts_with("QC"); ++i) answer = client.answer();
  EXPECT_EQ(answer, "QC1");
  EXPECT_EQ(client.ask("vCont;c"), "W00");
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(DebuggerTest, ASleepThatNothingEndsIsShown) {
  Running run = start({"run", "hello", "firmware=sleep", "expect={}", "--gdb", ":0", "--out", "run"});
  TestClient client(address(run));
  EXPECT_THAT(from_hex(client.ask("vCont;c").substr(1)), testing::Optional(HasSubstr("no event is pending")));
  EXPECT_THAT(client.answer(), StartsWith("T05thread:1"));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(run.wait().status, 69);
}

TEST_F(DebuggerTest, ARomIsDebuggedWhereItLies) {
  const std::array<std::uint32_t, 6> rom{0xd2a08001,   // mov x1, #0x4000000
                                         0xb9400022,   // ldr w2, [x1]
                                         0xd503201f,   // nop
                                         0xd2b08000,   // mov x0, #0x84000000
                                         0xf2800100,   // movk x0, #8: SYSTEM_OFF
                                         0xd4000002};  // hvc #0
  write("rom.bin", std::string(reinterpret_cast<const char*>(rom.data()), sizeof rom));
  Running run = start({"run", "hello", "node.use=virt_node", "firmware=rom.bin", "firmware_format=raw",
                       "expect={}", "--gdb", ":0", "--out", "run"});
  TestClient client(address(run));
  EXPECT_EQ(client.ask("m0,4"), "0180a0d2");
  EXPECT_EQ(client.ask("m4000000,4"), "ffffffff");
  EXPECT_EQ(client.ask("M4000000,4:11223344"), "OK");
  EXPECT_EQ(client.ask("Z0,8,4"), "OK");
  EXPECT_THAT(client.ask("vCont;c"), StartsWith("T05"));
  EXPECT_EQ(client.ask("p2"), "1122334400000000");
  EXPECT_THAT(from_hex(client.ask("qRcmd," + to_hex("info flash1"))),
              testing::Optional(HasSubstr("node.flash1.words_programmed 0\n")));
  EXPECT_EQ(client.ask("vCont;c"), "W00");
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(DebuggerTest, ACoreThatLocksUpStopsThereAndThen) {
  Running run = start({"run", "hello", "firmware=no_vectors", "expect={}", "until=2ms",
                       R"(faults=[{"at":"1ms","kind":"power_loss"}])", "--gdb", ":0", "--out", "run"});
  TestClient client(address(run));
  EXPECT_THAT(from_hex(client.ask("vCont;c").substr(1)),
              testing::Optional(HasSubstr("us node.core0: core_locked_up\n")));
  EXPECT_THAT(client.answer(), StartsWith("T05thread:1"));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(run.wait().status, 69);
  const auto recorded = events();
  ASSERT_FALSE(recorded.empty());
  EXPECT_EQ(recorded[0]["kind"], "core_locked_up");
  EXPECT_THAT(std::string(recorded[0]["reason"]), HasSubstr("exceptions recur"));
}

TEST_F(DebuggerTest, CtrlCWhileWaitingEndsTheRun) {
  for (int repetition = 0; repetition < 5;
       ++repetition) {  // the signal may come before the first instruction
    Running run = cg();
    address(run);
    run.signal(SIGINT);
    EXPECT_EQ(run.wait().status, 130);
  }
}

TEST_F(DebuggerTest, CoresOfAllNodesOfAClusterAreThreads) {
  Running run = start({"run", "buddy_cluster", "expect={}", "--gdb", ":0", "--out", "run"});
  TestClient client(address(run));
  EXPECT_EQ(client.ask("qfThreadInfo"), "m1,2,3");
  EXPECT_THAT(from_hex(client.ask("qThreadExtraInfo,3")), testing::Optional(HasSubstr("node7.core0: ")));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(run.wait().status, 0);
}

// ---- what is refused ----

TEST_F(DebuggerTest, RefusesWhatIsNoEndpointAndWhatCannotBeDebugged) {
  const auto refused = [&](Arguments arguments, const std::string& message) {
    arguments.insert(arguments.end(), {"--out", "refused"});
    const Ended ended = asterism(arguments);
    EXPECT_EQ(ended.status, 65) << ended.out;
    EXPECT_EQ(ended.err, "command line: error: --gdb: " + message + "\n");
    EXPECT_FALSE(exists("refused"));
    EXPECT_FALSE(exists("refused.partial"));
  };
  refused({"run", "hello", "--gdb", "1234"}, "expected [HOST]:PORT, such as :1234, got \"1234\"");
  refused({"run", "hello", "--gdb", ":99999"},
          "expected [HOST]:PORT, such as :1234, got \":99999\": a port is a number from 0 to 65535");
  refused({"run", "kilocore_mix1", "--gdb", ":0"}, "no core of this scenario runs firmware");
  refused({"run", "buddy_cluster64", "--gdb", ":0"}, "no core of this scenario runs firmware");
  Running run = cg();
  const std::string taken = address(run);
  refused({"run", "hello", "--gdb", taken}, "cannot listen at " + taken + ": Address already in use");
}

}  // namespace
}  // namespace asterism
