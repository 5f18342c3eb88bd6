#include "tlm/log.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include "tlm/log_of_node.h"
#include "tlm/systemc_test.h"
#include "tlm/warning_cause.h"

namespace asterism {
namespace {

TEST(LogTest, GoesToTheReceiverOfTheNearestInstance) {
  std::string of_left, of_uart;
  collect_log("left", of_left);
  collect_log("left.uart0", of_uart);
  log("left.uart0").warn("a");
  log("left.gic").warn("b");
  log("left").error("c");
  EXPECT_EQ(of_uart, "a\n");
  EXPECT_EQ(of_left, "b\nc\n");
  receive_log("left.uart0", nullptr);
  log("left.uart0").warn("d");
  EXPECT_EQ(of_left, "b\nc\nd\n");
}

TEST(LogTest, LevelsOfAnotherNodeRemain) {
  std::string lines;
  collect_log("one", lines);
  add_log_levels({{"one.core0", LogLevel::info}});
  add_log_levels({{"two", LogLevel::off}});
  log("one.core0").info("a");
  log("one.core1").info("b");
  EXPECT_EQ(lines, "a\n");
}

TEST(LogTest, LeavesTheLoggersOfTheProgramAlone) {
  const auto own = spdlog::null_logger_mt("three.core0");
  own->set_level(spdlog::level::info);
  std::string lines;
  collect_log("three", lines);
  const Log used = log("three.core0");
  add_log_levels({{"three", LogLevel::error}});
  EXPECT_EQ(own->level(), spdlog::level::info);
  spdlog::shutdown();
  used.error("after it");
  EXPECT_EQ(lines, "after it\n");
}

// A core whose instruction at one address causes all warnings.
struct Culprit : sc_core::sc_module, WarningCause {
  explicit Culprit(const sc_core::sc_module_name& name) : sc_module(name) {
    sc_core::sc_spawn([] { warn(); }, "thread");
  }
  std::optional<Cause> cause() const override {
    return Cause{.instance = "four.core0", .name = "core0", .address = 64};
  }
  static void warn() {
    sc_core::wait(1, sc_core::SC_NS);
    for (const int line : {1, 1, 2}) log("four.cxl").warn("line {} is wrong", line);
    for (const int line : {3, 3}) log("four.cxl").warn("line {} is late", line);
  }
};
struct RepeatedWarnings : SystemCTest {
  Culprit culprit{"culprit"};
};

SYSTEMC_TEST_F(RepeatedWarnings, SayWhetherTheirNumbersDiffer) {
  std::string lines;
  collect_log("four", lines);
  wait_for(2_ns);
  log_repetitions();
  EXPECT_EQ(lines,
            "line 1 is wrong [core0]\nline 3 is late [core0]\n"
            "repeated 1 time: line 3 is late [core0]\n"
            "repeated 2 times, also with other numbers: line 1 is wrong [core0]\n");
}

}  // namespace
}  // namespace asterism
