#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <vector>

extern "C" {
#include "auxiliary/storage_manager.h"
}

namespace {

struct StorageManagerTest : testing::Test {
  StorageManagerTest() { manager_initialize(manager.get(), 100); }
  void announce(std::uint32_t node, std::uint32_t free, std::uint64_t now = 0) {
    ASSERT_TRUE(manager_announce(manager.get(), node, free, now));
  }
  bool place(std::uint32_t client, std::uint64_t version, std::uint32_t chunks, std::uint32_t width,
             std::uint64_t now = 0) {
    return manager_place(manager.get(), client, version, chunks, width, now);
  }
  std::vector<std::uint32_t> map_of(std::uint32_t client, std::uint64_t version, std::uint32_t chunks,
                                    std::uint64_t now = 0) {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t i = 0; i < chunks; ++i)
      nodes.push_back(manager_benefactor_of(manager.get(), client, version, i, now));
    return nodes;
  }
  std::uint64_t newest(std::uint32_t client, std::uint64_t now = 0) {
    std::uint64_t version = 0;
    return manager_newest(manager.get(), client, now, &version) ? version : 0;
  }
  std::unique_ptr<StorageManager> manager = std::make_unique<StorageManager>();
};

using Nodes = std::vector<std::uint32_t>;

TEST_F(StorageManagerTest, PrefersTheClientsOwnNode) {
  announce(1, 50);
  announce(2, 10);
  ASSERT_TRUE(place(2, 1, 4, 1));
  EXPECT_EQ(map_of(2, 1, 4), (Nodes{2, 2, 2, 2}));
}

TEST_F(StorageManagerTest, StripesOverItselfAndThoseWithTheMostRoom) {
  announce(1, 20);
  announce(2, 10);
  announce(3, 40);
  announce(4, 30);
  ASSERT_TRUE(place(2, 1, 7, 3));
  EXPECT_EQ(map_of(2, 1, 7), (Nodes{2, 3, 4, 2, 3, 4, 2}));
}

TEST_F(StorageManagerTest, AFullBenefactorLeavesItsPlaceToTheNextBest) {
  announce(1, 2);
  announce(2, 5);
  announce(3, 4);
  ASSERT_TRUE(place(1, 1, 8, 2));
  EXPECT_EQ(map_of(1, 1, 8), (Nodes{1, 2, 1, 2, 3, 2, 3, 2}));
}

TEST_F(StorageManagerTest, NeverPromisesSpaceTwice) {
  announce(1, 10);
  ASSERT_TRUE(place(1, 1, 6, 1));
  announce(1, 10, 1);  // nothing has arrived yet
  EXPECT_EQ(manager_free(manager.get(), 1), 4u);
  EXPECT_FALSE(place(1, 2, 5, 1, 1));
  EXPECT_EQ(manager_free(manager.get(), 1), 4u);
  ASSERT_TRUE(manager_commit(manager.get(), 1, 1, 1));
  EXPECT_EQ(manager_free(manager.get(), 1), 4u);
  announce(1, 4, 2);  // as the benefactor says itself
  EXPECT_EQ(manager_free(manager.get(), 2), 4u);
}

TEST_F(StorageManagerTest, AFileGivenUpGivesItsSpaceBack) {
  announce(1, 10);
  ASSERT_TRUE(place(1, 1, 6, 1));
  EXPECT_TRUE(manager_remove(manager.get(), 1, 1));
  EXPECT_FALSE(manager_remove(manager.get(), 1, 1));
  EXPECT_EQ(manager_free(manager.get(), 0), 10u);
  EXPECT_EQ(map_of(1, 1, 1), (Nodes{NO_BENEFACTOR}));
}

TEST_F(StorageManagerTest, ForgetsWhoIsSilentAndKnowsItAgain) {
  announce(1, 10, 0);
  announce(2, 10, 50);
  ASSERT_TRUE(place(1, 1, 2, 2, 50));
  EXPECT_TRUE(manager_commit(manager.get(), 1, 1, 100));
  EXPECT_EQ(manager_known(manager.get(), 100), 2u);
  EXPECT_EQ(newest(1, 100), 1u);
  EXPECT_EQ(manager_known(manager.get(), 101), 1u);
  EXPECT_EQ(map_of(1, 1, 2, 101), (Nodes{NO_BENEFACTOR, 2}));
  EXPECT_EQ(newest(1, 101), 0u);  // not whole
  announce(1, 9, 120);
  EXPECT_EQ(map_of(1, 1, 2, 120), (Nodes{1, 2}));
  EXPECT_EQ(newest(1, 120), 1u);
}

// It comes back with what it holds for a file that is still on its way.
TEST_F(StorageManagerTest, AReservationOutlivesASilence) {
  announce(1, 10, 0);
  ASSERT_TRUE(place(1, 1, 6, 1));
  EXPECT_FALSE(manager_commit(manager.get(), 1, 1, 101));
  announce(1, 10, 200);
  EXPECT_EQ(manager_free(manager.get(), 200), 4u);
  EXPECT_TRUE(manager_commit(manager.get(), 1, 1, 200));
}

TEST_F(StorageManagerTest, TheNewestIsTheNewestCommittedOfThatClient) {
  announce(1, 100);
  for (const std::uint64_t version : {4, 8, 12}) ASSERT_TRUE(place(1, version, 2, 1));
  ASSERT_TRUE(place(2, 20, 2, 1));
  EXPECT_EQ(newest(1), 0u);
  for (const std::uint64_t version : {8, 4}) EXPECT_TRUE(manager_commit(manager.get(), 1, version, 0));
  EXPECT_TRUE(manager_commit(manager.get(), 2, 20, 0));
  EXPECT_EQ(newest(1), 8u);
  EXPECT_EQ(newest(2), 20u);
}

TEST_F(StorageManagerTest, RefusesWhatItCannotHold) {
  announce(1, 5000);
  EXPECT_FALSE(place(1, 1, checkpoint_chunk_limit + 1, 1));
  EXPECT_FALSE(place(1, 1, 1, 0));
  ASSERT_TRUE(place(1, 1, 1, 1));
  EXPECT_FALSE(place(1, 1, 1, 1));
  for (std::uint64_t version = 2; version <= striped_file_limit; ++version)
    ASSERT_TRUE(place(1, version, 1, 1));
  EXPECT_FALSE(place(1, 1000, 1, 1));
  for (std::uint32_t node = 2; node <= benefactor_limit; ++node) announce(node, 1);
  EXPECT_FALSE(manager_announce(manager.get(), 1000, 1, 0));
  EXPECT_FALSE(manager_commit(manager.get(), 7, 7, 0));
}

// Files come and go at random, benefactors fall silent; what is placed never exceeds what they have.
TEST_F(StorageManagerTest, KeepsItsBooksUnderAnyOrderOfCalls) {
  std::mt19937 random(1);
  std::map<std::uint32_t, std::uint32_t> capacity, stored;
  for (std::uint32_t node = 0; node < 8; ++node) capacity[node] = 40 + 10 * node;
  std::map<std::uint64_t, Nodes> committed;
  std::uint64_t version = 0;
  for (std::uint64_t now = 0; now < 4000; ++now) {
    const std::uint32_t node = random() % 8;
    if (random() % 3 == 0) announce(node, capacity[node] - stored[node], now);
    if (place(node, ++version, random() % 30, 1 + random() % 4, now)) {
      const Nodes nodes = map_of(node, version, 30, now);
      if (random() % 4 == 0 || !manager_commit(manager.get(), node, version, now)) {
        ASSERT_TRUE(manager_remove(manager.get(), node, version));
      } else {
        for (const std::uint32_t at : nodes)
          if (at != NO_BENEFACTOR) committed[version].push_back(at), ++stored[at];
        committed[version].push_back(1000 + node);  // the client
      }
    }
    for (const auto& [at, chunks] : stored) ASSERT_LE(chunks, capacity[at]) << now;
    if (committed.size() > 12) {
      Nodes& oldest = committed.begin()->second;
      ASSERT_TRUE(manager_remove(manager.get(), oldest.back() - 1000, committed.begin()->first));
      oldest.pop_back();
      for (const std::uint32_t at : oldest) --stored[at];
      committed.erase(committed.begin());
    }
  }
  EXPECT_GT(version, 1000u);
}

}  // namespace
