#include <gtest/gtest.h>

#include <array>
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
             std::uint64_t now = 0, std::uint32_t copies = 1) {
    const Striping striping = {.node = client, .width = width, .copies = copies};
    return manager_place(manager.get(), client, version, chunks, &striping, now);
  }
  // The benefactors of the first copies, or of the second ones.
  std::vector<std::uint32_t> map_of(std::uint32_t client, std::uint64_t version, std::uint32_t chunks,
                                    std::uint64_t now = 0, std::size_t copy = 0) {
    std::vector<std::array<std::uint32_t, copy_limit>> map(chunks);
    auto* const nodes = reinterpret_cast<std::uint32_t(*)[copy_limit]>(map.data());
    map.resize(manager_map(manager.get(), client, version, 0, chunks, nodes, now));
    std::vector<std::uint32_t> of_copy;
    for (const auto& chunk : map) of_copy.push_back(chunk[copy]);
    return of_copy;
  }
  std::uint64_t newest(std::uint32_t client, std::uint64_t now = 0, std::uint64_t limit = UINT64_MAX) {
    std::uint64_t version = 0;
    return manager_newest(manager.get(), client, limit, now, &version) ? version : 0;
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

TEST_F(StorageManagerTest, StripesOverItselfAndThoseWithTheMostSpace) {
  announce(1, 20);
  announce(2, 10);
  announce(3, 40);
  announce(4, 30);
  ASSERT_TRUE(place(2, 1, 7, 3));
  EXPECT_EQ(map_of(2, 1, 7), (Nodes{2, 3, 4, 2, 3, 4, 2}));
}

TEST_F(StorageManagerTest, AFullBenefactorIsReplacedByTheNextBest) {
  announce(1, 2);
  announce(2, 5);
  announce(3, 4);
  ASSERT_TRUE(place(1, 1, 8, 2));
  EXPECT_EQ(map_of(1, 1, 8), (Nodes{1, 2, 1, 2, 3, 2, 3, 2}));
}

TEST_F(StorageManagerTest, ASecondCopyIsAtAnotherBenefactorWithTheMostSpace) {
  announce(1, 4);
  announce(2, 6);
  announce(3, 5);
  ASSERT_TRUE(place(9, 1, 6, 2, 0, 2));
  const Nodes first = map_of(9, 1, 6), second = map_of(9, 1, 6, 0, 1);
  EXPECT_EQ(first, (Nodes{2, 3, 2, 3, 2, 3}));
  EXPECT_EQ(second, (Nodes{3, 2, 1, 1, 1, 2}));
  EXPECT_EQ(manager_free(manager.get(), 0), 3u);
}

TEST_F(StorageManagerTest, AFileOfOneCopyHasNoSecond) {
  announce(1, 4);
  announce(2, 4);
  ASSERT_TRUE(place(1, 1, 2, 2));
  EXPECT_EQ(map_of(1, 1, 2, 0, 1), (Nodes{NO_BENEFACTOR, NO_BENEFACTOR}));
}

TEST_F(StorageManagerTest, OneBenefactorIsNotEnoughForTwoCopies) {
  announce(1, 50);
  EXPECT_FALSE(place(1, 1, 2, 1, 0, 2));
  EXPECT_EQ(manager_free(manager.get(), 0), 50u);
  announce(2, 1);
  EXPECT_FALSE(place(1, 1, 2, 1, 0, 2));  // there is space for the second copy of only one chunk
  EXPECT_EQ(manager_free(manager.get(), 0), 51u);
  EXPECT_TRUE(place(1, 1, 1, 1, 0, 2));
}

TEST_F(StorageManagerTest, AFileOfTwoCopiesIsWholeWithoutEitherBenefactor) {
  announce(1, 10, 0);
  announce(2, 10, 50);
  announce(3, 10, 90);
  ASSERT_TRUE(place(1, 1, 4, 1, 90, 2));
  EXPECT_EQ(map_of(1, 1, 4, 90), (Nodes{1, 1, 1, 1}));
  EXPECT_EQ(map_of(1, 1, 4, 90, 1), (Nodes{2, 3, 2, 3}));
  EXPECT_TRUE(manager_commit(manager.get(), 1, 1, 90));
  EXPECT_EQ(map_of(1, 1, 4, 150), (Nodes(4, NO_BENEFACTOR)));  // 1 is silent
  EXPECT_EQ(newest(1, 150), 1u);
  EXPECT_EQ(newest(1, 151), 0u);  // 2 is silent too
  announce(1, 6, 152);
  EXPECT_EQ(newest(1, 152), 1u);
}

TEST_F(StorageManagerTest, TheMapComesInParts) {
  announce(1, 10);
  announce(2, 10);
  ASSERT_TRUE(place(1, 1, 5, 2));
  std::uint32_t nodes[2][copy_limit];
  EXPECT_EQ(manager_map(manager.get(), 1, 1, 3, 2, nodes, 0), 2u);
  EXPECT_EQ(nodes[0][0], 2u);
  EXPECT_EQ(nodes[1][0], 1u);
  EXPECT_EQ(manager_map(manager.get(), 1, 1, 4, 2, nodes, 0), 1u);
  EXPECT_EQ(manager_map(manager.get(), 1, 1, 5, 2, nodes, 0), 0u);
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
  announce(1, 4, 2);  // the benefactor announces the same
  EXPECT_EQ(manager_free(manager.get(), 2), 4u);
}

TEST_F(StorageManagerTest, AnAbandonedFileFreesItsSpace) {
  announce(1, 10);
  ASSERT_TRUE(place(1, 1, 6, 1));
  EXPECT_TRUE(manager_remove(manager.get(), 1, 1));
  EXPECT_FALSE(manager_remove(manager.get(), 1, 1));
  EXPECT_EQ(manager_free(manager.get(), 0), 10u);
  EXPECT_EQ(map_of(1, 1, 1), Nodes{});
  EXPECT_FALSE(manager_has(manager.get(), 1, 1));
}

TEST_F(StorageManagerTest, ForgetsASilentBenefactorAndRecognisesItAgain) {
  announce(1, 10, 0);
  announce(2, 10, 50);
  ASSERT_TRUE(place(1, 1, 2, 2, 50));
  EXPECT_TRUE(manager_commit(manager.get(), 1, 1, 100));
  EXPECT_EQ(manager_known(manager.get(), 100), 2u);
  EXPECT_EQ(newest(1, 100), 1u);
  EXPECT_EQ(manager_known(manager.get(), 101), 1u);
  EXPECT_EQ(map_of(1, 1, 2, 101), (Nodes{NO_BENEFACTOR, 2}));
  EXPECT_EQ(newest(1, 101), 0u);  // a chunk has no benefactor
  announce(1, 9, 120);
  EXPECT_EQ(map_of(1, 1, 2, 120), (Nodes{1, 2}));
  EXPECT_EQ(newest(1, 120), 1u);
}

// The benefactor returns with the chunks of a file that is not committed yet.
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
  EXPECT_EQ(newest(1, 0, 7), 4u);
}

TEST_F(StorageManagerTest, RefusesWhatItCannotHold) {
  announce(1, 5000);
  EXPECT_FALSE(place(1, 1, checkpoint_chunk_limit + 1, 1));
  EXPECT_FALSE(place(1, 1, 1, 0));
  EXPECT_FALSE(place(1, 1, 1, 1, 0, 0));
  EXPECT_FALSE(place(1, 1, 1, 1, 0, copy_limit + 1));
  ASSERT_TRUE(place(1, 1, 1, 1));
  EXPECT_FALSE(place(1, 1, 1, 1));
  for (std::uint64_t version = 2; version <= striped_file_limit; ++version)
    ASSERT_TRUE(place(1, version, 1, 1));
  EXPECT_FALSE(place(1, 1000, 1, 1));
  for (std::uint32_t node = 2; node <= benefactor_limit; ++node) announce(node, 1);
  EXPECT_FALSE(manager_announce(manager.get(), 1000, 1, 0));
  EXPECT_FALSE(manager_commit(manager.get(), 7, 7, 0));
}

// Files are placed and removed at random, and benefactors fall silent; the placed chunks must never exceed
// the space.
TEST_F(StorageManagerTest, StaysConsistentUnderAnyOrderOfCalls) {
  std::mt19937 random(1);
  std::map<std::uint32_t, std::uint32_t> capacity, stored;
  for (std::uint32_t node = 0; node < 8; ++node) capacity[node] = 40 + 10 * node;
  std::map<std::uint64_t, Nodes> committed;
  std::uint64_t version = 0;
  for (std::uint64_t now = 0; now < 4000; ++now) {
    const std::uint32_t node = random() % 8;
    if (random() % 3 == 0) announce(node, capacity[node] - stored[node], now);
    if (place(node, ++version, random() % 30, 1 + random() % 4, now, 1 + random() % 2)) {
      Nodes nodes = map_of(node, version, 30, now);
      const Nodes second = map_of(node, version, 30, now, 1);
      for (std::size_t i = 0; i < nodes.size(); ++i) ASSERT_NE(nodes[i], second[i]);
      nodes.insert(nodes.end(), second.begin(), second.end());
      if (random() % 4 == 0 || !manager_commit(manager.get(), node, version, now)) {
        ASSERT_TRUE(manager_remove(manager.get(), node, version));
      } else {
        for (const std::uint32_t at : nodes)
          if (at != NO_BENEFACTOR) committed[version].push_back(at), ++stored[at];
        committed[version].push_back(1000 + node);  // the client's number
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
