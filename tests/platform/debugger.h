// Runs of `asterism run --gdb`, and GDB at them.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <regex>
#include <string>
#include <thread>

#include "tests/platform/command.h"

namespace asterism {

inline constexpr const char* gdb = "/usr/bin/gdb-multiarch";

struct DebuggerTest : CommandTest {
  // cg on four cores; 27 simulated milliseconds.
  Running cg(const Arguments& more = {}) const {
    Arguments all{"run", "hello", "firmware=cg", "expect={}", "--gdb", ":0", "--out", "run"};
    all.insert(all.end(), more.begin(), more.end());
    return start(all);
  }
  // A loop that never ends, on one core.
  Running spin() const {
    return start(
        {"run", "hello", "firmware=spin", "expect={}", "until=3600s", "--gdb", ":0", "--out", "run"});
  }
  static std::string address(const Running& run) {
    static const std::regex line("waiting for a debugger: target remote (\\S+)\n");
    std::smatch found;
    for (int i = 0; i < 10'000; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(1)))
      if (const std::string text = run.err_so_far(); std::regex_search(text, found, line)) return found[1];
    ADD_FAILURE() << "the run does not wait for a debugger: " << run.err_so_far();
    return "127.0.0.1:1";
  }
  // GDB's output.
  std::string debug(const Running& run, const std::string& app, const std::string& script) const {
    write("script.gdb", "set pagination off\nset confirm off\nset width 0\nfile " + elf(app) +
                            "\ntarget remote " + address(run) + "\n" + script);
    const Ended ended =
        program("/bin/sh", {"-c", std::string("timeout 60 ") + gdb + " -nx -batch -x script.gdb 2>&1"});
    EXPECT_EQ(ended.status, 0);
    return ended.out;
  }
};

struct GdbTest : DebuggerTest {
  void SetUp() override {
    if (!std::filesystem::exists(gdb)) GTEST_SKIP() << "needs gdb-multiarch";
  }
};

}  // namespace asterism
