#include "resilience/aggregate_store.h"

#include <gtest/gtest.h>

#include <algorithm>
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
        const std::uint64_t space = kind == disk ? UINT64_MAX : 3'000'000u * benefactors;
        EXPECT_LE(r.written.count() - r.drained.count(), space);
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
