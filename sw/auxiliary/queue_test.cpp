#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "auxiliary/test_node.h"

namespace {

struct QueueTest : testing::Test {
  QueueTest() { queue_initialize(&queue); }
  Queue queue;
};

TEST_F(QueueTest, IsFirstInFirstOutAcrossItsEnd) {
  std::uint32_t value = 99;
  EXPECT_FALSE(queue_try_pop(&queue, &value));
  for (std::uint32_t round = 0; round < 5; ++round) {
    for (std::uint32_t i = 0; i < queue_capacity - 1; ++i) queue_push(&queue, 100 * round + i);
    for (std::uint32_t i = 0; i < queue_capacity - 1; ++i) {
      ASSERT_TRUE(queue_try_pop(&queue, &value));
      ASSERT_EQ(value, 100 * round + i);
    }
    EXPECT_FALSE(queue_try_pop(&queue, &value));
  }
}

TEST_F(QueueTest, ReportsWhetherItHadToWait) {
  std::uint32_t value;
  queue_push(&queue, 7);
  EXPECT_FALSE(queue_pop(&queue, &value));
  node.waits = 0;
  std::thread late([&] {
    while (node.waits == 0) std::this_thread::yield();
    queue_push(&queue, 8);
  });
  EXPECT_TRUE(queue_pop(&queue, &value));
  late.join();
  EXPECT_EQ(value, 8u);
}

// Numbers circulate between four cores; none may be lost or duplicated.
TEST_F(QueueTest, LosesNoneBetweenCores) {
  Queue back;
  queue_initialize(&back);
  for (std::uint32_t i = 0; i < queue_capacity; ++i) queue_push(&queue, i);
  std::atomic<std::uint32_t> taken{0};
  std::vector<std::thread> cores;
  for (int core = 0; core < 4; ++core)
    cores.emplace_back([&, from = core % 2 == 0 ? &queue : &back, to = core % 2 == 0 ? &back : &queue] {
      for (int i = 0; i < 5000; ++i) {
        std::uint32_t value;
        queue_pop(from, &value);
        ++taken;
        queue_push(to, value);
      }
    });
  for (std::thread& core : cores) core.join();
  EXPECT_EQ(taken, 20000u);
  std::vector<int> seen(queue_capacity);
  std::uint32_t value;
  for (Queue* one : {&queue, &back})
    while (queue_try_pop(one, &value)) ++seen.at(value);
  EXPECT_EQ(seen, std::vector<int>(queue_capacity, 1));
}

}  // namespace
