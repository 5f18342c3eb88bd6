#include "resilience/buddy_storage.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/thrown.h"

namespace asterism {
namespace {

using enum BuddyStorage;

// In ni2012 section 5.4, a node uses 512 MB and reads 512 MB/s.
const BuddyNode node = {.used = Bytes(512'000'000),
                        .memory = Bytes(64'000'000'000),
                        .ssd = Bytes(120'000'000'000),
                        .ssd_read = 512_MBps,
                        .ssd_write = 64_MBps};
const BuddyCheckpoint jacobi = {.overlap = Seconds(4.5),
                                .overhead = Seconds(0.5),
                                .local = Seconds(0.05),
                                .blocking = Seconds(4.5),
                                .restart = Seconds(4.5),
                                .mttf = Seconds(300)};

TEST(BuddyStorageTest, TakesTheSpaceThatThePaperStates) {
  const Bytes used(1000);
  EXPECT_EQ(buddy_space(in_memory, used).peak, Bytes(5000));
  EXPECT_EQ(buddy_space(in_memory, used).afterwards, Bytes(3000));
  EXPECT_EQ(buddy_space(half_ssd, used).peak, Bytes(3000));
  EXPECT_EQ(buddy_space(half_ssd, used).ssd_writes, Bytes(1000));
  EXPECT_EQ(buddy_space(full_ssd, used).ssd_writes, Bytes(2000));
  EXPECT_EQ(buddy_space(full_ssd, used).ssd, Bytes(4000));
}

TEST(BuddyStorageTest, AThirdOfTheMemoryDecides) {
  BuddyNode third = node;
  third.memory = Bytes(3 * 512'000'000);
  EXPECT_EQ(storage_by_memory(third), half_ssd);
  third.used = Bytes(512'000'001);
  EXPECT_EQ(storage_by_memory(third), full_ssd);
}

// In figure 5.8, the lost node's checkpoint is read while it is sent; with all copies on SSDs, every node
// reads a checkpoint after that.
TEST(BuddyStorageTest, RestartReadsTheSsdBesideSendingOrBeforeGoingOn) {
  EXPECT_EQ(stored(jacobi, in_memory, node).restart, Seconds(4.5));
  EXPECT_EQ(stored(jacobi, half_ssd, node).restart, Seconds(4.5));
  EXPECT_EQ(stored(jacobi, full_ssd, node).restart, Seconds(5.5));
  BuddyNode slow = node;
  slow.ssd_read = 64_MBps;
  EXPECT_EQ(stored(jacobi, half_ssd, slow).restart, Seconds(8));
  EXPECT_EQ(stored(jacobi, full_ssd, slow).restart, Seconds(16));
}

TEST(BuddyStorageTest, DumpsAreNoFasterThanTheSsd) {
  const BuddyCheckpoint half = stored(jacobi, half_ssd, node), full = stored(jacobi, full_ssd, node);
  EXPECT_EQ(half.local, Seconds(0.05));
  EXPECT_EQ(half.overlap, Seconds(8));
  EXPECT_EQ(half.blocking, Seconds(8));
  EXPECT_EQ(full.local, Seconds(8));
  EXPECT_EQ(full.overlap, Seconds(8));
  EXPECT_DOUBLE_EQ(full.blocking.count(), 8 + 7.95);
  EXPECT_EQ(full.overhead, Seconds(0.5));
}

TEST(BuddyStorageTest, RefusesWhatDoesNotFit) {
  const auto problem = [](BuddyStorage storage, const BuddyNode& of) {
    return thrown<std::invalid_argument>([&] { stored(jacobi, storage, of); });
  };
  BuddyNode small = node;
  small.memory = Bytes(2'000'000'000);
  small.ssd = Bytes(1'000'000'000);
  EXPECT_EQ(problem(in_memory, small), "checkpoints of 512MB take 2.56GB of memory, and a node has 2GB");
  EXPECT_EQ(problem(half_ssd, small), "checkpoints of 512MB take 1024MB of an SSD, and a node has 1GB");
  EXPECT_EQ(problem(full_ssd, small), "checkpoints of 512MB take 2048MB of an SSD, and a node has 1GB");
  small = node;
  small.used = Bytes();
  EXPECT_EQ(problem(half_ssd, small), "a checkpoint of a node is larger than 0");
  small = node;
  small.ssd_read = Bandwidth();
  EXPECT_EQ(problem(full_ssd, small), "an SSD has a bandwidth");
  EXPECT_EQ(problem(in_memory, small), "none");
}

// In ni2012 section 4.3, scenario 2, a dump takes 6.5 s; opportunistic sending takes 13.5 s and costs 0.5 s.
TEST(OverheadOfOverlapTest, IsLeastWithOpportunisticSending) {
  const auto overhead = [](double overlap) {
    return overhead_of_overlap(Seconds(overlap), Seconds(13.5), Seconds(0.5), Seconds(6.5)).count();
  };
  EXPECT_EQ(overhead(13.5), 0.5);
  EXPECT_EQ(overhead(20), 0.5);
  // Each second less adds the ratio of the idle times, 6.5 s, to the rest, 7 s.
  EXPECT_NEAR(overhead(12.5), 0.5 + 6.5 / 7, 1e-12);
  EXPECT_NEAR(overhead(13.499), 0.5, 1e-3);
  EXPECT_EQ(overhead(6.5), 6.5);  // the program is stalled all the time
}

TEST(OverheadOfOverlapTest, RefusesAnOverlapShorterThanTheDump) {
  const auto problem = [](double overlap, double opportunistic) {
    return thrown<std::invalid_argument>(
        [&] { overhead_of_overlap(Seconds(overlap), Seconds(opportunistic), Seconds(0.5), Seconds(6.5)); });
  };
  EXPECT_NE(problem(6.4, 13.5), "none");
  EXPECT_NE(problem(7, 6.5), "none");
  EXPECT_EQ(problem(6.5, 13.5), "none");
}

// The thread has 6.5 s of the copy, and half of the 12 s that the program gets on in 14.5 s - 2.5 s.
TEST(OverlapOfThreadTest, IsTheTimeInWhichTheThreadHasCopyAndMessages) {
  EXPECT_DOUBLE_EQ(overlap_of_thread(Seconds(6.5), Seconds(0), 0).count(), 6.5);
  EXPECT_DOUBLE_EQ(overlap_of_thread(Seconds(6.5), Seconds(0), 0.5).count(), 13);
  EXPECT_DOUBLE_EQ(overlap_of_thread(Seconds(6.5), Seconds(2), 0.5).count(), 6.5 + 0.5 * (11 - 2));
  // A program that is stalled all the time leaves the thread to the copy.
  EXPECT_DOUBLE_EQ(overlap_of_thread(Seconds(6.5), Seconds(6.5), 0.5).count(), 6.5);
  EXPECT_DOUBLE_EQ(thread_share(3, 1), 0.5);  // of 4 s, 1 s computes, 1 s pauses and 2 s are messages
  EXPECT_DOUBLE_EQ(thread_share(1, 0), 0.5);
}

TEST(OverlapOfThreadTest, RefusesAThreadWithoutTime) {
  EXPECT_NE(thrown<std::invalid_argument>([] { overlap_of_thread(Seconds(6.5), Seconds(0), 1); }), "none");
  EXPECT_NE(thrown<std::invalid_argument>([] { overlap_of_thread(Seconds(6.5), Seconds(7), 0.5); }), "none");
  EXPECT_NE(thrown<std::invalid_argument>([] { thread_share(1, 2); }), "none");
}

}  // namespace
}  // namespace asterism
