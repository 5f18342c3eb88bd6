#include "resilience/aggregate_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "base/thrown.h"
#include "resilience/functional_partitioning.h"

namespace asterism {
namespace {

using enum StoreKind;

double megabytes_a_second(const AggregateStore& store) {
  return checkpoint_into(store).bytes_per_second / 1e6;
}

AggregateStore of(StoreKind kind, std::uint32_t clients, std::uint32_t benefactors) {
  AggregateStore store;
  store.kind = kind;
  store.clients = clients;
  store.benefactors = benefactors;
  if (kind == memory) store.capacity = Bytes(1'000'000'000);
  if (kind == disk) store.fp_cores = 0;
  return store;
}

// One client on one node has one chunk in progress at a time. Each of its 10 chunks is copied, then written.
TEST(AggregateStoreTest, ChunkPassesItsServersInTurn) {
  AggregateStore one = of(ssd, 1, 1);
  one.nodes = one.buffers = 1;
  one.checkpoint = Bytes(10'000'000);
  one.copy = 200_MBps;
  one.ssd = 100_MBps;
  const StoreResult r = checkpoint_into(one);
  EXPECT_NEAR(r.time.count(), 10 * 0.015, 1e-12);
  EXPECT_EQ(r.written, Bytes(10'000'000));
  EXPECT_EQ(r.remote, Bytes());
  one.buffers = 2;  // a chunk is copied while the one before is written
  EXPECT_NEAR(checkpoint_into(one).time.count(), 0.005 + 10 * 0.01, 1e-12);
}

TEST(AggregateStoreTest, LastChunkIsTheRest) {
  AggregateStore one = of(ssd, 1, 1);
  one.nodes = one.buffers = 1;
  one.checkpoint = Bytes(2'500'000);
  one.copy = one.ssd = 100_MBps;
  const StoreResult r = checkpoint_into(one);
  EXPECT_EQ(r.written, one.checkpoint);
  EXPECT_NEAR(r.time.count(), 2 * 0.025, 1e-12);
}

TEST(AggregateStoreTest, SsdsAreTheLimitWhereEachNodeHasOne) {
  EXPECT_NEAR(megabytes_a_second(of(ssd, 120, 20)), 20 * 175, 5);
  EXPECT_NEAR(megabytes_a_second(of(ssd, 20, 20)), 20 * 175, 20);
}

TEST(AggregateStoreTest, OtherNodesWriteOverTheNetwork) {
  const StoreResult r = checkpoint_into(of(ssd, 120, 5));
  EXPECT_NEAR(r.bytes_per_second / 1e6, 5 * 175, 5);
  EXPECT_NEAR(static_cast<double>(r.remote.count()) / static_cast<double>(r.written.count()), 0.75, 0.01);
  AggregateStore slow = of(ssd, 100, 1);  // five clients on each of 19 nodes send over a NIC of 1 MB/s
  slow.nic = 1_MBps;
  EXPECT_NEAR(checkpoint_into(slow).time.count(), 5 * 250, 2);
}

TEST(AggregateStoreTest, MemoryIsAsFastAsCopying) {
  EXPECT_NEAR(megabytes_a_second(of(memory, 120, 35)), 20 * 205, 5);
}

// According to li2010 section VI.C, 80 clients of 0.25 GB fill 20 benefactors of 1 GB.
TEST(AggregateStoreTest, FullMemoryWaitsForTheDisks) {
  const StoreResult fits = checkpoint_into(of(memory, 80, 20));
  EXPECT_EQ(fits.waits, 0u);
  EXPECT_EQ(fits.drained, Bytes());
  const StoreResult full = checkpoint_into(of(memory, 140, 20));
  EXPECT_EQ(full.drained, Bytes(15'000'000'000));
  EXPECT_NEAR(full.time.count(), 20e9 / (20 * 205e6) + 15e9 / (20 * 85e6), 0.05);
}

TEST(AggregateStoreTest, DrainingEarlyKeepsSpaceFree) {
  AggregateStore early = of(memory, 140, 20);
  early.drain_from = 0;
  EXPECT_GT(megabytes_a_second(early), 1.2 * megabytes_a_second(of(memory, 140, 20)));
}

TEST(AggregateStoreTest, WithoutFpCoresEachNodeHasItsDisk) {
  EXPECT_NEAR(megabytes_a_second(of(disk, 160, 20)), 20 * 85, 1);
  EXPECT_NEAR(megabytes_a_second(of(disk, 10, 20)), 10 * 85, 1);
}

TEST(AggregateStoreTest, CoresThatLookForDuplicatesAreTheClosedForm) {
  for (const double duplicates : {0.0, 0.25, 0.5, 0.75}) {
    AggregateStore store = of(ssd, 120, 20);
    store.duplicates = duplicates;
    store.copy = 10'000_MBps;
    EXPECT_NEAR(megabytes_a_second(store), 20e-6 * rate_of_one_core(store.hash, store.ssd, duplicates),
                0.01 * megabytes_a_second(store));
    store.fp_cores = 2;
    EXPECT_NEAR(megabytes_a_second(store), 20e-6 * rate_of_two_cores(store.hash, store.ssd, duplicates),
                0.01 * megabytes_a_second(store));
  }
}

// The rate of a core that copies and hashes does not depend on the duplicates, unless the SSD is slower.
TEST(AggregateStoreTest, CoreThatDoesNotWaitForTheSsdIsLimitedByItsOwnWork) {
  AggregateStore store = of(ssd, 120, 20);
  store.one_core = OneCore::copies_and_hashes;
  store.copy = 200_MBps;
  store.hash = 300_MBps;
  for (const double duplicates : {0.0, 0.25, 0.75}) {
    store.duplicates = duplicates;
    EXPECT_NEAR(megabytes_a_second(store), 20 * 120, 10) << duplicates;
  }
  store.duplicates = 0.25;
  store.ssd = 60_MBps;
  EXPECT_NEAR(megabytes_a_second(store), 20 * 80, 20);
  store.ssd = 175_MBps;
  store.fp_cores = 2;  // one copies, one hashes
  EXPECT_NEAR(megabytes_a_second(store), 20 * 200, 10);
}

// Figure 2: only new chunks are copied, so that the rate of a core grows with the duplicates.
TEST(AggregateStoreTest, CoreThatHashesFirstCopiesOnlyNewChunks) {
  AggregateStore store = of(ssd, 120, 20);
  store.one_core = OneCore::hashes_and_copies;
  store.copy = 200_MBps;
  store.hash = 300_MBps;
  store.ssd = 400_MBps;
  for (const double duplicates : {0.0, 0.25, 0.5, 1.0}) {
    store.duplicates = duplicates;
    EXPECT_NEAR(megabytes_a_second(store), 20 / (1 / 300.0 + (1 - duplicates) / 200), 15) << duplicates;
  }
  store.duplicates = 0.25;
  store.fp_cores = 2;  // one hashes, one copies
  EXPECT_NEAR(megabytes_a_second(store), 20 * 200 / 0.75, 30);
  store.hash = 150_MBps;
  EXPECT_NEAR(megabytes_a_second(store), 20 * 150, 15);
  store.duplicates = std::nullopt;  // then nothing is hashed
  EXPECT_NEAR(megabytes_a_second(store), 20 * 200, 15);
}

// Copying into the store limits two cores; no closed form without it gives both published rates.
TEST(AggregateStoreTest, CopyingBoundsWhatASecondCoreGains) {
  AggregateStore store = of(ssd, 120, 20);
  const double plain = megabytes_a_second(store);
  store.duplicates = 0.25;
  const double one = megabytes_a_second(store);
  EXPECT_NEAR(one / plain - 1, -0.30, 0.005);
  store.fp_cores = 2;
  EXPECT_NEAR(megabytes_a_second(store), 20 * 205, 10);
}

TEST(AggregateStoreTest, DuplicatesAreNotWritten) {
  AggregateStore store = of(ssd, 140, 20);
  store.duplicates = 0.2;
  const StoreResult r = checkpoint_into(store);
  EXPECT_EQ(r.duplicates, 140u * 50);
  EXPECT_EQ(r.written, Bytes(28'000'000'000));
  store.duplicates = 1;
  EXPECT_EQ(checkpoint_into(store).written, Bytes());
}

TEST(AggregateStoreTest, EveryByteArrivesOnceWhateverTheShape) {
  for (const StoreKind kind : {ssd, memory, disk})
    for (const std::uint32_t nodes : {1u, 3u, 7u})
      for (const std::uint32_t benefactors : {1u, 4u, 9u}) {
        AggregateStore store = of(kind, 2 * nodes + 1, benefactors);
        store.nodes = nodes;
        store.cores = 6;
        store.fp_cores = 2;
        store.checkpoint = Bytes(7'300'000);
        store.capacity = Bytes(3'000'000);  // the store drains all the time
        const StoreResult r = checkpoint_into(store);
        EXPECT_EQ(r.written, store.checkpoint * store.clients);
        EXPECT_GT(r.time, Seconds());
        const std::uint64_t space = kind == disk ? UINT64_MAX : 3'000'000ull * benefactors;
        EXPECT_LE(r.written.count() - r.drained.count(), space);
      }
}

// Of li2010 Figure 7: 80 clients' checkpoints fit into 20 benefactors of 1 GB, and each replaces the one
// before.
TEST(AggregateStoreTest, CheckpointThatFitsReplacesTheOneBefore) {
  AggregateStore store = of(memory, 80, 20);
  store.drain = false;
  const StoreResult one = checkpoint_into(store);
  store.checkpoints = 3;
  const StoreResult three = checkpoint_into(store);
  EXPECT_EQ(three.waits, 0u);
  EXPECT_EQ(three.written, Bytes(60'000'000'000));
  EXPECT_NEAR(three.time.count(), 3 * one.time.count(), 1e-9);
  EXPECT_NEAR(three.last_bytes_per_second, one.bytes_per_second, 1);
}

// Each chunk of 140 clients needs the space of the oldest one, which is that of the same index. After the
// first checkpoint every byte passes the disks.
TEST(AggregateStoreTest, SeriesThatDoesNotFitIsAsFastAsTheDisks) {
  AggregateStore store = of(memory, 140, 20);
  store.checkpoints = 3;
  const StoreResult r = checkpoint_into(store);
  EXPECT_NEAR(r.last_bytes_per_second / 1e6, 20 * 85, 1);
  const double first = 20e9 / (20 * 205e6) + 15e9 / (20 * 85e6);
  EXPECT_NEAR(r.time.count(), first + 2 * 35e9 / (20 * 85e6), 0.2);
}

// A pause of 30 s leaves time to drain 20 SSDs, each of which holds one checkpoint of 7 clients, at 85 MB/s.
TEST(AggregateStoreTest, SelectedCheckpointsAreDrainedInThePauses) {
  AggregateStore store = of(ssd, 140, 20);
  store.capacity = Bytes(1'750'000'000);
  store.checkpoints = 5;
  store.drain_every = 1;
  store.pause = long_duration(30);
  store.drain_from = 1;
  const StoreResult in_time = checkpoint_into(store);
  EXPECT_EQ(in_time.drained, Bytes(4 * 35'000'000'000));  // of the last one nothing yet
  EXPECT_EQ(in_time.waits, 0u);
  EXPECT_EQ(in_time.paused, Seconds(30));
  store.pause = LongDuration();
  EXPECT_NEAR(checkpoint_into(store).last_bytes_per_second / 1e6, 20 * 85, 10);
  store.pause = long_duration(30);
  store.capacity = Bytes(4'000'000'000);
  store.drain_every = 2;
  EXPECT_EQ(checkpoint_into(store).drained, Bytes(2 * 35'000'000'000));  // the second and the fourth
}

// The SSD of one node writes a chunk in 10 ms, and reads one that is drained in 10 ms, in turn.
TEST(AggregateStoreTest, SsdThatIsDrainedWritesLess) {
  AggregateStore one = of(ssd, 2, 1);
  one.nodes = 1;
  one.ssd = one.ssd_read = 100_MBps;
  one.disk = 1'000_MBps;
  one.capacity = Bytes(5'000'000);
  EXPECT_NEAR(megabytes_a_second(one), 50, 2);
}

// Passes of a byte through a node's memory: 2 for the copy into the store, 1 for the hash, 1 to the SSD, 2
// for the copy into a benefactor's memory.
TEST(AggregateStoreTest, PassesThroughMemoryShareItsBandwidth) {
  AggregateStore store = of(ssd, 120, 20);
  const double free = megabytes_a_second(store);
  store.memory = 100'000_MBps;
  EXPECT_NEAR(megabytes_a_second(store), free, 1);
  store.memory = 300_MBps;
  EXPECT_NEAR(megabytes_a_second(store), 20 * 100, 10);
  store.duplicates = 0.2;
  store.fp_cores = 2;
  store.memory = 380_MBps;
  EXPECT_NEAR(megabytes_a_second(store), 20 * 100, 10);
  AggregateStore in_memory = of(memory, 80, 20);
  in_memory.memory = 400_MBps;
  EXPECT_NEAR(megabytes_a_second(in_memory), 20 * 100, 10);
}

// One of two nodes has the benefactor. Half of the data passes its memory twice for the network and the SSD,
// the other half three times.
TEST(AggregateStoreTest, WhatArrivesPassesTheMemoryOfTheBenefactor) {
  AggregateStore store = of(ssd, 12, 1);
  store.nodes = 2;
  store.copy = store.ssd = 10'000_MBps;
  store.memory = 500_MBps;
  EXPECT_NEAR(megabytes_a_second(store), 200, 4);
}

// A program that uses all of the memory's 1000 MB/s, beside an SSD that is drained at 85 MB/s through a
// buffer: T = 1 s + T 170 / 1000.
TEST(AggregateStoreTest, DrainingSlowsAProgramThatNeedsAllOfTheMemory) {
  AggregateStore store = of(ssd, 140, 20);
  store.checkpoints = 2;
  store.drain_every = 1;
  store.pause = long_duration(1);
  store.memory = 1'000_MBps;
  store.traffic = Bytes(1'000'000'000);
  EXPECT_NEAR(checkpoint_into(store).paused.count(), 1 / (1 - 0.17), 0.01);
  store.traffic = Bytes(800'000'000);  // leaves a fifth
  EXPECT_NEAR(checkpoint_into(store).paused.count(), 1, 1e-9);
}

TEST(AggregateStoreTest, EveryByteOfASeriesArrivesOnceWhateverTheShape) {
  for (const StoreKind kind : {ssd, memory, disk})
    for (const std::uint32_t every : {0u, 1u, 2u})
      for (const std::uint32_t benefactors : {1u, 4u, 9u}) {
        AggregateStore store = of(kind, 7, benefactors);
        store.nodes = 3;
        store.cores = 6;
        store.fp_cores = 2;
        store.checkpoint = Bytes(7'300'000);
        store.capacity = Bytes(3'000'000);
        store.checkpoints = 4;
        store.drain_every = every;
        const StoreResult r = checkpoint_into(store);
        EXPECT_EQ(r.written, store.checkpoint * store.clients * 4);
        EXPECT_LE(r.drained, r.written);
      }
}

TEST(AggregateStoreTest, RefusesWhatIsNoStore) {
  const auto problem = [](const auto& change) {
    AggregateStore store;
    change(store);
    return thrown<std::invalid_argument>([&] { check_aggregate_store(store); });
  };
  using Store = AggregateStore;
  EXPECT_EQ(problem([](Store&) {}), "none");
  EXPECT_EQ(problem([](Store& s) { s.fp_cores = 8; }),
            "a node has more cores than FP cores: the others compute");
  EXPECT_EQ(problem([](Store& s) { s.fp_cores = 9; }),
            "a node has more cores than FP cores: the others compute");
  EXPECT_EQ(problem([](Store& s) { s.clients = 141; }), "there are no more clients than cores that compute");
  EXPECT_EQ(problem([](Store& s) { s.nodes = 0; }), "a store has nodes, cores, clients and buffers");
  EXPECT_EQ(problem([](Store& s) { s.benefactors = 0; }), "an aggregate store has benefactors");
  EXPECT_EQ(problem([](Store& s) { s.fp_cores = 0; }), "without FP cores a node writes to its own disk");
  EXPECT_EQ(problem([](Store& s) {
              s.fp_cores = 0;
              s.kind = disk;
              s.duplicates = 0.5;
            }),
            "without FP cores nothing looks for duplicates");
  EXPECT_EQ(problem([](Store& s) { s.chunk = Bytes(); }), "checkpoints and chunks have a size");
  EXPECT_EQ(problem([](Store& s) { s.checkpoints = 0; }), "there is at least one checkpoint");
  EXPECT_EQ(problem([](Store& s) {
              s.drain = false;
              s.drain_every = 2;
            }),
            "no checkpoint is selected to be drained without draining");
  EXPECT_EQ(problem([](Store& s) { s.memory = Bandwidth(); }), "a server has a bandwidth");
  EXPECT_EQ(problem([](Store& s) { s.duplicates = -0.1; }), "a share of duplicates is within 0 and 1");
  EXPECT_EQ(problem([](Store& s) { s.drain_from = 2; }), "a share of the capacity is within 0 and 1");
  EXPECT_EQ(problem([](Store& s) { s.ssd = Bandwidth(); }), "a server has a bandwidth");
  EXPECT_EQ(problem([](Store& s) { s.capacity = Bytes(999'999); }), "a benefactor holds at least one chunk");
  EXPECT_EQ(problem([](Store& s) {
              s.drain = false;
              s.capacity = Bytes(1'499'000'000);
            }),
            "without draining, the benefactors together hold the checkpoint");
  EXPECT_EQ(problem([](Store& s) {
              s.drain = false;
              s.capacity = Bytes(1'500'000'000);
            }),
            "none");
}

}  // namespace
}  // namespace asterism
