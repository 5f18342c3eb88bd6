// The names of the kernel's functions, and what shows them: profiles, failures, GDB (docs/linux.md). Needs
// Debian's kernel: scripts/setup test.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <thread>

#include "platform/debug/test_client.h"
#include "tests/platform/debugger.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

struct LinuxSymbolsTest : GdbTest {
  void SetUp() override {}

  static Arguments linux(const Arguments& more) {
    Arguments arguments{"run", "linux", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  // The instructions by function, in profile.folded.
  std::map<std::string, std::uint64_t> by_function(const std::string& run) const {
    std::map<std::string, std::uint64_t> counts;
    std::istringstream lines(contents(run + "/profile.folded"));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t blank = line.rfind(' ');
      const std::string stack = line.substr(0, blank);
      counts[stack.substr(stack.rfind(';') + 1)] += std::stoull(line.substr(blank + 1));
    }
    return counts;
  }
};

// Also a test that a run continues from its prompt to the same bytes.
TEST_F(LinuxSymbolsTest, AProfileNamesTheKernelsFunctionsAlsoAfterASnapshot) {
  ASSERT_EQ(asterism(linux({"--profile", "--out", "alone"})).status, 0);
  std::map<std::string, std::uint64_t> counts = by_function("alone");
  std::uint64_t kernel = 0;
  for (const auto& [name, count] : counts)
    if (name != "[user]") kernel += count;
  EXPECT_GT(counts.size(), 1000u);
  EXPECT_GT(counts["[user]"], 1'000'000u);
  EXPECT_LT(counts["[no symbol]"], kernel / 100);
  for (const char* name : {"primary_entry", "start_kernel", "cpu_do_idle", "vectors"})
    EXPECT_GT(counts[name], 0u) << name;
  EXPECT_NE(contents("alone/profile.folded")
                .find("core0;[user];[no symbol];el0t_64_sync;el0t_64_sync_handler;el0_svc"),
            std::string::npos);

  const Ended first =
      asterism(linux({"--profile", "--snapshot-at", "900ms", "--snapshot", "prompt", "--out", "first"}));
  if (is_refused_by_sanitizers(first)) GTEST_SKIP() << first.err;
  EXPECT_EQ(first.status, 0) << first.err;
  const Ended second = asterism({"run", "--restore", "prompt", "--quiet", "--out", "second"});
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(left_by("second"), left_by("alone"));
}

TEST_F(LinuxSymbolsTest, TwoThreadsLeaveTheSameBytes) {
  ASSERT_EQ(asterism(linux({"node.cores.count=2", "--out", "alone"})).status, 0);
  ASSERT_EQ(asterism(linux({"node.cores.count=2", "--threads", "2", "--out", "both"})).status, 0);
  EXPECT_EQ(left_by("both"), left_by("alone"));
}

TEST_F(LinuxSymbolsTest, AFailureNamesTheFunctions) {
  const Ended ended = asterism(linux({"until=300ms", "--out", "run"}));
  EXPECT_EQ(ended.status, 69) << ended.err;
  EXPECT_THAT(contents("run/cores.txt"),
              AllOf(ContainsRegex("pc 0xffff[0-9a-f]+   [a-z_0-9]+"), HasSubstr("kernel_init")));
}

// Those that the kernel itself prints, which KASLR has moved.
TEST_F(LinuxSymbolsTest, AFileOfSymbolsReplacesTheKernelsOwn) {
  const std::string grep = "grep -wE 'primary_entry|vectors|start_kernel' /proc/kallsyms";
  const Ended printed = asterism(
      linux({R"(node.uart0.script=[{"after": "login: ", "type": "root\n"},
      {"after": "# ", "type": ")" +
                 grep + R"(\n"}, {"after": "# ", "type": "poweroff -f\n"}, {"after": "Power down"}])",
             "--out", "printed"}));
  ASSERT_EQ(printed.status, 0) << printed.out << printed.err;
  const std::string log = contents("printed/uart0.log");
  static const std::regex line("[0-9a-f]{16} [tT] (primary_entry|vectors|start_kernel)");
  std::string list;
  for (auto at = std::sregex_iterator(log.begin(), log.end(), line); at != std::sregex_iterator(); ++at)
    list += at->str() + "\n";
  write("symbols", list);
  const Ended ended = asterism(linux({"symbols=symbols", "until=200ms", "--profile", "--out", "run"}));
  EXPECT_EQ(ended.status, 69) << list << ended.err;
  std::map<std::string, std::uint64_t> counts = by_function("run");
  EXPECT_GT(counts["start_kernel"], 0u);
  EXPECT_GT(counts["vectors"], 0u);
  EXPECT_EQ(counts.count("cpu_do_idle"), 0u);
}

TEST_F(LinuxSymbolsTest, BadInputIsRefused) {
  write("none", "0000000000000000 T vectors\n");
  Ended ended = asterism(linux({"symbols=none"}));
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err,
            "none: error: has no address other than 0; only root can read the addresses in /proc/kallsyms\n");
  ended = asterism(linux({"symbols=missing"}));
  EXPECT_EQ(ended.status, 66);
  EXPECT_THAT(ended.err, HasSubstr("error: symbols: there is no file missing"));
  ended = asterism({"run", "hello", "symbols=none"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err,
              HasSubstr("symbols: expected a value that is empty unless firmware_format is linux"));
}

// A client stops the kernel at its prompt and asks for the symbols, which GDB loads in another run.
TEST_F(LinuxSymbolsTest, GdbStopsAtFunctionsOfTheKernel) {
  if (!std::filesystem::exists(gdb)) GTEST_SKIP() << "needs gdb-multiarch";
  // At the end it works in the kernel most of the time.
  Running first = start(linux({"--gdb", ":0", "until=1000s", "--out", "first",
                               R"(node.uart0.script=[{"after": "login: ", "type": "root\n"},
                                   {"after": "# ", "type": "cat /dev/zero >/dev/null\n"}])"}));
  {
    TestClient client(address(first));
    client.ask("QStartNoAckMode");
    const auto monitor = [&client](const std::string& command) {
      return from_hex(client.ask("qRcmd," + to_hex(command))).value_or("no text");
    };
    EXPECT_THAT(monitor("symbols"), HasSubstr("begins at 0x40200000 (physical"));
    std::string symbols;
    do {
      client.send(gdb_packet("vCont;c"));
      do {
        // Also if the output is there: an interrupt that comes at once stops the program where it was.
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      } while (contents("first.partial/uart0.log").find("/dev/null") == std::string::npos);
      client.send("\x03");
      EXPECT_THAT(client.answer(), testing::StartsWith("T02thread:"));
      symbols = monitor("symbols");
    } while (symbols.starts_with("no core is in the kernel"));
    EXPECT_THAT(symbols, ContainsRegex("^the kernel begins at 0xffff[0-9a-f]+0000\n"
                                       "symbol-file /.*/kernel_symbols.elf\n$"));
    client.send(gdb_packet("k"));
  }
  first.wait();

  Running second = start(linux({"--gdb", ":0", "--out", "second"}));
  write("script.gdb",
        "set pagination off\nset confirm off\nset width 0\nset architecture aarch64\nsymbol-file "
        "first.partial/kernel_symbols.elf\ntarget remote " +
            address(second) + R"(
break start_kernel
continue
backtrace
monitor symbols
delete
tbreak cpu_do_idle
continue
info symbol $pc
kill
)");
  const Ended ended =
      program("/bin/sh", {"-c", std::string("timeout 60 ") + gdb + " -nx -batch -x script.gdb 2>&1"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("Breakpoint 1, 0x"), HasSubstr("in start_kernel ()"),
                    HasSubstr("in __primary_switched ()"), HasSubstr("cpu_do_idle + 4 in section .text"),
                    Not(HasSubstr("no core is in the kernel"))));
  second.wait();
}

}  // namespace
}  // namespace asterism
