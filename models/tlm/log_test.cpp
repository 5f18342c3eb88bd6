#include "tlm/log.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include "tlm/log_of_node.h"

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

}  // namespace
}  // namespace asterism
