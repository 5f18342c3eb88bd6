#include "cosim/hang_watch.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

using namespace std::chrono_literals;

struct HangWatchTest : testing::Test {
  std::string found;
  std::mutex mutex;
  std::condition_variable changed;

  std::function<void(const std::string&)> note() {
    return [this](const std::string& instance) {
      const std::lock_guard lock(mutex);
      found = instance;
      changed.notify_all();
    };
  }
  bool finds_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, time, [this] { return !found.empty(); });
  }
};

TEST_F(HangWatchTest, NamesTheInstanceOfACallThatHangs) {
  const std::string name = "node.rtc";
  const HangWatch watch(80ms, note());
  const HangWatch::Scope scope(name);
  EXPECT_TRUE(finds_within(10s));
  EXPECT_EQ(found, "node.rtc");
}

TEST_F(HangWatchTest, ACallThatReportsProgressMayBeLong) {
  const std::string name = "node.rtc";
  const HangWatch watch(400ms, note());
  const HangWatch::Scope scope(name);
  for (int i = 0; i < 100; ++i) {
    std::this_thread::sleep_for(10ms);
    scope.alive();
  }
  EXPECT_EQ(found, "");
}

TEST_F(HangWatchTest, OutsideOfCallsNothingHangs) {
  const std::string outer = "outer", inner = "inner";
  const HangWatch watch(40ms, note());
  {
    const HangWatch::Scope scope(outer);
    const HangWatch::Scope within(inner);
  }
  EXPECT_FALSE(finds_within(300ms));
}

TEST_F(HangWatchTest, AScopeWithinAnotherGivesTheNameBack) {
  const std::string outer = "outer", inner = "inner";
  const HangWatch watch(80ms, note());
  const HangWatch::Scope scope(outer);
  { const HangWatch::Scope within(inner); }
  EXPECT_TRUE(finds_within(10s));
  EXPECT_EQ(found, "outer");
}

}  // namespace
}  // namespace asterism
