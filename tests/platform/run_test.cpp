// `asterism run` as a user sees it: exit statuses, messages, and the run directory.
#include <gmock/gmock.h>

#include <csignal>
#include <regex>
#include <thread>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using RunTest = CommandTest;

TEST_F(RunTest, TheMainJobRecoversAndComesToTheSameResult) {
  const Ended ended = asterism({"run", "power_loss"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("also running the same scenario with faults=[] to compare the results"));
  EXPECT_THAT(ended.out, HasSubstr("compared     with the same scenario with faults=[]:\n"
                                   "             result.txt is equal, bit for bit"));
  EXPECT_THAT(ended.out, HasSubstr("7 committed to the DIMM-SSD, 1 power loss, 1 recovery"));
  EXPECT_THAT(ended.out, HasSubstr("expected     all expectations are met"));
  EXPECT_EQ(contents("runs/power_loss/files/result.txt"),
            contents("runs/power_loss/reference/files/result.txt"));
  EXPECT_FALSE(exists("runs/power_loss.partial"));
}

TEST_F(RunTest, ASummaryHasNoCheckpointsIfNoneWasBegun) {
  EXPECT_THAT(asterism({"run", "hello"}).out, Not(HasSubstr("checkpoints  ")));
  EXPECT_THAT(asterism({"run", "cxl"}).out,
              AllOf(HasSubstr("losses       1 power loss, 1 recovery\n"), Not(HasSubstr("checkpoints  "))));
}

TEST_F(RunTest, ASummarySaysUntilWhenThePowerIsOff) {
  EXPECT_THAT(asterism({"run", "power_loss", "faults.0.restore_after=100s", "expect={}", "until=50ms"}).out,
              HasSubstr("stopped at the time limit of 50 ms: the power is off until 100.011"));
}

TEST_F(RunTest, TheMainJobLosesPowerInTheMiddleOfACheckpointWrite) {
  asterism({"run", "power_loss", "expect.result_equals=null"});
  const auto all = events("runs/power_loss");
  EXPECT_THAT(kinds(all),
              ElementsAre("ssd_ready", "checkpoint_begin", "checkpoint_commit", "checkpoint_begin",
                          "checkpoint_commit", "checkpoint_begin", "power_lost", "power_restored",
                          "ssd_ready", "restore", "checkpoint_begin", "checkpoint_commit", "checkpoint_begin",
                          "checkpoint_commit", "checkpoint_begin", "checkpoint_commit", "checkpoint_begin",
                          "checkpoint_commit", "checkpoint_begin", "checkpoint_commit"));
  EXPECT_EQ(all[6]["time_ps"], 11'200'000'000u);
  EXPECT_EQ(all[7]["time_ps"], 12'200'000'000u);
  EXPECT_EQ(all[5]["version"], 15);  // this version was being written
  EXPECT_EQ(all[9]["version"], 10);  // the newest complete version
  const auto flash = json("runs/power_loss/stats.json")["node"]["dimm_ssd"];
  EXPECT_EQ(flash["checkpoints_interrupted"], 1);
  EXPECT_GT(flash["checkpointer"]["log"]["translation"]["flash"]["operations_torn"], 0);
}

TEST_F(RunTest, ARunDirectoryHoldsWhatTheRunWas) {
  firmware("hello");
  for (const char* file :
       {"scenario.json", "stats.json", "host.json", "console.log", "uart0.log", "events.jsonl"})
    EXPECT_TRUE(exists(fs::path("run") / file)) << file;
  EXPECT_EQ(json("run/stats.json")["ended"], "firmware_exit");
  EXPECT_THAT(contents("run/console.log"), HasSubstr("hello from AArch64, bare metal\n"));
}

TEST_F(RunTest, TheSummarySaysWhatIsNotTimed) {
  const auto not_timed = [&](const std::string& what, const Arguments& keys) {
    EXPECT_THAT(firmware("hello", keys).out, HasSubstr("\nnot timed    " + what + "\n"));
  };
  not_timed("waits on the crossbar, TLBs of fetches", {});
  not_timed("TLBs of fetches", {"node.fabric.topology=swizzle_switch"});
  node_of_firmware = untimed;
  not_timed("memory (node.cores.caches), kinds of instructions, fetches, TLBs", {});
  not_timed("waits on the crossbar, kinds of instructions, fetches, TLBs",
            {"node.cores.caches.model=tags", "node.cores.caches.l1i=null", "node.cores.caches.tlb=null"});
  not_timed("waits on the crossbar, kinds of instructions, TLBs",
            {"node.cores.caches.model=tags", "node.cores.caches.tlb=null"});
  not_timed("memory (node.cores.caches), fetches, TLBs", {"node.cores.timing=neoverse_n1"});
  not_timed("waits on the crossbar, kinds of instructions, fetches, TLBs of\n             fetches",
            {"node.cores.caches.model=tags", "node.cores.caches.l1i=null"});
}

TEST_F(RunTest, QuietKeepsTheGuestsOutputOffTheTerminal) {
  EXPECT_THAT(firmware("hello").out, HasSubstr("hello from AArch64"));
  EXPECT_THAT(firmware("hello", {"--quiet"}).out, Not(HasSubstr("hello from AArch64")));
  EXPECT_THAT(contents("run/console.log"), HasSubstr("hello from AArch64"));
}

TEST_F(RunTest, ThatAnExpectationIsNotMetIsStatus67AndSaysWhich) {
  Ended ended = firmware("exit_status", {"args=status=5", "expect.exit=0", "expect.recoveries=2"});
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(ended.out, HasSubstr("NOT MET      exit: expected 0, but the firmware ended with 5\n"));
  EXPECT_THAT(ended.out, HasSubstr("NOT MET      recoveries: expected 2, but there were 0\n"));
  ended = firmware("cg", {"args=nx=4", "expect.result_equals=\"the same scenario with args=nx=5\""});
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(ended.out,
              HasSubstr("NOT MET      result_equals: files/result.txt and reference/files/result.txt\n"
                        "             differ\n"));
}

TEST_F(RunTest, AComparisonWithoutAResultIsNotMet) {
  const Ended ended = firmware("hello", {"expect.result_equals=\"the same scenario with seed=2\""});
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(ended.out, HasSubstr("result_equals: this run left no result.txt\n"));
}

// Joins the lines of a summary that belong to one label.
std::string unwrapped(const std::string& out) { return std::regex_replace(out, std::regex("\n {13}"), " "); }

TEST_F(RunTest, AComparisonThatFailsSaysWhy) {
  Ended ended = firmware("hello", {"expect.result_equals=\"the same scenario with files=none\""});
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(
      unwrapped(ended.out),
      HasSubstr("the firmware of the other run did not end it: none: error: cannot be copied to the run "
                "directory: No such file or directory\n"));
  EXPECT_THAT(contents("run/reference.log"), HasSubstr("none: error: "));
  ended = firmware("hello", {"expect.result_equals=\"the same scenario with firmware=spin until=1ms\""});
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(unwrapped(ended.out), HasSubstr("did not end it: stopped at 1 ms of simulated time\n"));
  firmware("hello", {"expect.result_equals=\"the same scenario with seed=2\""});
  EXPECT_FALSE(exists("run/reference.log"));
}

TEST_F(RunTest, AComparisonDoesNotReadStdin) {
  const std::string run = asterism_program.string() +
                          " run hello firmware=echo node.uart0.input=terminal expect.exit=null until=20ms "
                          "expect.result_equals='\"the same scenario with seed=2\"' --out run";
  program("/bin/sh", {"-c", "yes typed | head -c 60 | " + run});
  EXPECT_THAT(contents("run/uart0.log"), HasSubstr("typed"));
  EXPECT_THAT(contents("run/reference/uart0.log"), Not(HasSubstr("typed")));
}

TEST_F(RunTest, TheExitStatusIsTheFirmwares) {
  EXPECT_EQ(firmware("exit_status", {"args=status=5"}).status, 5);
  EXPECT_EQ(firmware("exit_status", {"args=status=63"}).status, 63);
  const Ended large = firmware("exit_status", {"args=status=200"});
  EXPECT_EQ(large.status, 63);
  EXPECT_THAT(large.out, HasSubstr("ended        firmware exited with status 200\n"));
  EXPECT_EQ(json("run/stats.json")["firmware_status"], 200);
}

TEST_F(RunTest, ATimeLimitSaysWhatEachCoreWasDoing) {
  const Ended ended = firmware("spin", {"--until", "1ms", "args=cores=2"});
  EXPECT_EQ(ended.status, 69);
  EXPECT_THAT(ended.out, HasSubstr("stopped at the time limit of 1 ms: the firmware had not ended\n"));
  EXPECT_THAT(
      ended.out,
      ContainsRegex("core 0       running, pc [a-z_]+\\+?[0-9a-fx]* \\(0x402[0-9a-f]+\\) at spin.c:"));
  EXPECT_THAT(ended.out, HasSubstr("core 1       running, pc "));
  EXPECT_THAT(ended.out, HasSubstr("core 2       off: was never started\n"));
  EXPECT_EQ(json("run/stats.json")["simulated_time_ps"], 1'000'000'000u);
  EXPECT_EQ(ended.err, "");
}

TEST_F(RunTest, ANodeInWhichNothingCanHappenStops) {
  const Ended ended = firmware("sleep", {"--until", "1000s"});
  EXPECT_EQ(ended.status, 69);
  EXPECT_THAT(ended.out, HasSubstr("stopped: no event is pending, and the firmware has not ended\n"));
  EXPECT_THAT(ended.out, HasSubstr("core 3       waits for an interrupt, pc "));
}

// The firmware's driver is that of a GIC-400, which it does not find in the device tree.
TEST_F(RunTest, ACoreThatNoInterruptCanReachIsReportedWithTheReason) {
  const Ended ended = firmware(
      "sleep",
      {"--until", "1000s", R"(node.devices.gic={"type": "gicv3", "base": ["0x0800_0000", "0x080a_0000"]})"});
  EXPECT_EQ(ended.status, 69);
  EXPECT_THAT(ended.out,
              HasSubstr("core 3       waits for an interrupt, but gic (gicv3) forwards none to it: its\n"
                        "             distributor does not forward group 1 (GICD_CTLR), pc"));
}

TEST_F(RunTest, AFlashImageKeepsCheckpointsAcrossRuns) {
  const Arguments image{"node.dimm_ssd.image=flash.img", "args=nx=6 interval=4"};
  Arguments cut_short = image;
  cut_short.insert(cut_short.end(), {"--until", "6ms"});  // checkpoint 4 is complete, 8 is being written
  EXPECT_EQ(firmware("cg", cut_short).status, 69);
  EXPECT_EQ(firmware("cg", image).status, 0);
  EXPECT_THAT(contents("run/console.log"), HasSubstr("cg: checkpoint 4 restored\n"));
  const std::string resumed = contents("run/files/result.txt");
  EXPECT_EQ(firmware("cg", {"args=nx=6 interval=4"}).status, 0);
  EXPECT_THAT(contents("run/console.log"), HasSubstr("starting at iteration 0"));
  EXPECT_EQ(contents("run/files/result.txt"), resumed);
}

TEST_F(RunTest, AComparisonLeavesTheFlashImageToTheRunItself) {
  const Ended ended = firmware("power_failure", {"node.dimm_ssd.image=flash.img", "args=versions=2 pages=2",
                                                 "expect.result_equals=\"the same scenario with seed=2\""});
  EXPECT_EQ(ended.status, 67);  // power_failure leaves no result
  EXPECT_THAT(contents("run/reference/console.log"), HasSubstr("power_failure: no such checkpoint\n"));
  EXPECT_FALSE(exists("run/reference_state"));
  firmware("power_failure", {"node.dimm_ssd.image=flash.img", "args=versions=2 pages=2"});
  EXPECT_THAT(contents("run/console.log"), HasSubstr("power_failure: version 2 restored, 0 wrong words\n"));
}

TEST_F(RunTest, AFlashImageMayHaveAnyName) {
  const Arguments image{"node.dimm_ssd.image=it's; touch broken.img", "args=nx=4 interval=2"};
  EXPECT_EQ(firmware("cg", image).status, 0);
  Arguments compared = image;
  compared.push_back("expect.result_equals=\"the same scenario with seed=2\"");
  const Ended ended = firmware("cg", compared);
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(contents("run/reference/console.log"), HasSubstr("restored"));
  EXPECT_FALSE(exists("broken.img"));
}

TEST_F(RunTest, TheScenarioOfARunRunsAgain) {
  asterism({"run", "power_loss", "args=nx=8 interval=5", "faults.0.at=7ms", "expect.result_equals=null",
            "--out", "first"});
  const Ended again = asterism({"run", "first/scenario.json", "--out", "second"});
  EXPECT_EQ(again.status, 0) << again.out << again.err;
  for (const char* file : {"scenario.json", "stats.json", "events.jsonl"})
    EXPECT_EQ(contents(fs::path("first") / file), contents(fs::path("second") / file)) << file;
}

TEST_F(RunTest, FilesAreCopiedForTheFirmwareAndStayAsTheyWere) {
  fs::create_directory(folder / "input");
  write("input/picolibc.txt", "mine");
  EXPECT_EQ(firmware("picolibc_hello", {"files=input"}).status, 0);
  EXPECT_EQ(contents("run/files/picolibc.txt"), "written by picolibc\n");
  EXPECT_EQ(contents("input/picolibc.txt"), "mine");
}

// The run directory during a run, and after the run was stopped.
struct StoppedRunTest : CommandTest {
  Arguments endless{"run", "hello", "firmware=spin", "until=1000s", "--out", "run"};
  void wait_for_partial_console() const {
    while (!fs::exists(folder / "run.partial/console.log") ||
           fs::is_empty(folder / "run.partial/console.log"))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
};

TEST_F(StoppedRunTest, AKilledRunLeavesTheOlderOneAndItsOwnPartial) {
  firmware("hello");
  Running killed = start(endless);
  wait_for_partial_console();
  EXPECT_TRUE(exists("run/stats.json"));
  killed.signal(SIGKILL);
  EXPECT_EQ(killed.wait().status, 128 + SIGKILL);
  EXPECT_THAT(contents("run/console.log"), HasSubstr("hello from AArch64"));
  EXPECT_TRUE(exists("run.partial/scenario.json"));
  EXPECT_EQ(firmware("single_core").status, 0);
  EXPECT_THAT(contents("run/console.log"), HasSubstr("single_core"));
  EXPECT_FALSE(exists("run.partial"));
}

TEST_F(StoppedRunTest, AKilledRunsComparisonDiesWithIt) {
  Arguments compared = endless;
  compared.push_back("expect.result_equals=\"the same scenario with seed=2\"");
  Running killed = start(compared);
  wait_for_partial_console();
  killed.signal(SIGKILL);
  killed.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(firmware("hello").status, 0) << "the other run still locks the folder";
}

TEST_F(StoppedRunTest, SigintEndsTheRunInOrder) {
  Arguments with_fault = endless;
  with_fault.push_back(R"(faults=[{"at": "900s", "kind": "power_loss", "restore_after": "1ms"}])");
  Running run = start(with_fault);
  wait_for_partial_console();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the program prints, and then loops
  run.signal(SIGINT);
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 130);
  EXPECT_THAT(ended.out, HasSubstr("ended        interrupted\n"));
  EXPECT_THAT(ended.out, HasSubstr("faults       1 of 1 had not occurred when the run was interrupted\n"));
  EXPECT_THAT(ended.out, HasSubstr("core 0       running, pc loop"));
  EXPECT_EQ(json("run.partial/stats.json")["ended"], "interrupted");
  EXPECT_FALSE(exists("run"));
}

TEST_F(StoppedRunTest, ASignalEndsTheWaitForTheComparison) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Running run = start({"run", "hello", "args=cores=1", "--out", "run",
                         "expect.result_equals=\"the same scenario with firmware=spin until=1000s\""});
    while (!exists("run.partial/stats.json")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    run.signal(signal);
    const Ended ended = run.wait();
    EXPECT_EQ(ended.status, 130);
    EXPECT_THAT(ended.out, HasSubstr("result_equals: interrupted before the other run had ended\n"));
    EXPECT_FALSE(exists("run"));
    fs::remove_all(folder / "run.partial");
  }
}

TEST_F(StoppedRunTest, TwoRunsDoNotShareARunDirectory) {
  Running first = start(endless);
  wait_for_partial_console();
  const Ended second = firmware("hello");
  EXPECT_EQ(second.status, 65);
  EXPECT_EQ(second.err,
            "run.partial: error: run directory is being written by another run; name another with --out\n");
}

}  // namespace
}  // namespace asterism
