#include "gpu/workload/kernel_profile.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/fields.h"

namespace asterism {
namespace {

constexpr Bytes row = 256_KiB, piece = 16_KiB;  // for four channels

GpuConfig small_gpu() {
  GpuConfig gpu;
  gpu.memory = 64_MiB;
  gpu.channels = 4;
  gpu.pipelines = 5;
  return gpu;
}
KernelProfile profile() {
  KernelProfile p;
  p.footprint = 10 * row;
  p.dirty_zones = 0.5;
  p.dirty_pieces = 0.25;
  p.reads = 3_GBps;
  return p;
}

// Returns the accesses of a kernel by pipeline.
std::vector<std::vector<DeviceAccess>> accesses_of(KernelProgram& source, std::uint64_t kernel,
                                                   std::size_t batch = 7) {
  std::vector<std::vector<DeviceAccess>> all(source.pipelines());
  std::vector<DeviceAccess> some(batch);
  source.begin_kernel(kernel);
  for (std::uint32_t pipeline = 0; pipeline < source.pipelines(); ++pipeline)
    while (const std::size_t made = source.next(pipeline, some))
      all[pipeline].insert(all[pipeline].end(), some.begin(),
                           some.begin() + static_cast<std::ptrdiff_t>(made));
  return all;
}
// Returns how often each address is written.
std::map<std::uint64_t, int> writes_of(const std::vector<std::vector<DeviceAccess>>& accesses) {
  std::map<std::uint64_t, int> writes;
  for (const auto& pipeline : accesses)
    for (const DeviceAccess& access : pipeline)
      if (access.write) ++writes[access.address];
  return writes;
}

struct KernelOrderTest : testing::TestWithParam<AccessOrder> {};

TEST_P(KernelOrderTest, DirtiesTheSharesThatAreGiven) {
  KernelProfile p = profile();
  p.order = GetParam();
  ProfileKernels source(p, small_gpu());
  std::set<std::uint64_t> rows, pieces;
  const auto writes = writes_of(accesses_of(source, 0));
  for (const auto& [address, count] : writes) {
    EXPECT_EQ(count, 1) << address;  // pipelines write to different addresses
    rows.insert(address / row.count());
    pieces.insert(address / piece.count());
  }
  EXPECT_EQ(rows.size(), 5u);
  EXPECT_EQ(pieces.size(), 5u * 4);
  EXPECT_EQ(writes.size(), 5u * 4 * piece.count() / 512);  // whole pieces
  EXPECT_EQ(source.written_rows(), rows.size());
  EXPECT_EQ(source.written_pieces(), pieces.size());
}

TEST_P(KernelOrderTest, ReadsAreInTheRatioThatIsGivenAndInTheFootprint) {
  KernelProfile p = profile();
  p.order = GetParam();
  ProfileKernels source(p, small_gpu());
  for (const auto& pipeline : accesses_of(source, 0)) {
    std::uint64_t reads = 0, writes = 0;
    for (const DeviceAccess& access : pipeline) {
      ++(access.write ? writes : reads);
      EXPECT_LE(Bytes(access.address + access.size), source.footprint());
      EXPECT_EQ(access.gap, 640_ns);  // five pipelines' accesses of 512 bytes at 4 GB/s
    }
    EXPECT_EQ(reads, 3 * writes);
    EXPECT_GT(writes, 100u);
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, KernelOrderTest,
                         testing::Values(AccessOrder::stream, AccessOrder::strided, AccessOrder::random),
                         [](const auto& info) {
                           return std::string(enum_names(AccessOrder{})[static_cast<int>(info.param)].name);
                         });

TEST(KernelProfileTest, DescribesItself) { EXPECT_EQ(description_problem<KernelProfile>(), ""); }

TEST(KernelProfileTest, TheKernelsOfAnIterationShareTheMemory) {
  KernelProfile p = profile();
  p.kernels = 4;
  ProfileKernels source(p, small_gpu()), whole(profile(), small_gpu());
  std::map<std::uint64_t, int> all;
  for (std::uint64_t kernel = 0; kernel < 4; ++kernel) {
    const auto writes = writes_of(accesses_of(source, kernel));
    EXPECT_GT(writes.size(), 0u);
    for (const auto& [address, count] : writes) all[address] += count;
  }
  EXPECT_EQ(all, writes_of(accesses_of(whole, 0)));
}

TEST(KernelProfileTest, TheNextIterationDoesTheSame) {
  KernelProfile p = profile();
  p.kernels = 3;
  p.order = AccessOrder::random;
  ProfileKernels source(p, small_gpu()), another(p, small_gpu());
  EXPECT_EQ(accesses_of(source, 1, 1), accesses_of(another, 4, 1000));
}

TEST(KernelProfileTest, ABlockIsSweptBeforeTheWalkContinues) {
  KernelProfile p = profile();
  p.dirty_zones = p.dirty_pieces = 1;
  p.reads = {};
  p.block = row;
  p.sweeps = 3;
  GpuConfig gpu = small_gpu();
  gpu.pipelines = 1;
  ProfileKernels source(p, gpu);
  const auto accesses = accesses_of(source, 0).at(0);
  const std::uint64_t in_block = row.count() / 512;
  ASSERT_EQ(accesses.size(), 10 * 3 * in_block);
  for (std::uint64_t i = 0; i < accesses.size(); ++i)
    EXPECT_EQ(accesses[i].address / row.count(), i / (3 * in_block)) << i;
}

TEST(KernelProfileTest, PartsWithoutDirtyZonesAreKernelsWithoutAccesses) {
  KernelProfile p = profile();
  p.dirty_zones = 0.1;
  p.kernels = 10;
  ProfileKernels source(p, small_gpu());
  int kernels = 0;
  for (std::uint64_t kernel = 0; kernel < 10; ++kernel) kernels += !accesses_of(source, kernel)[0].empty();
  EXPECT_EQ(kernels, 1);
}

TEST(KernelProfileTest, ScalesFootprintAndBlock) {
  KernelProfile p = profile();
  p.block = 2_MiB;
  EXPECT_EQ(p.scaled(0.25).block, 512_KiB);
  EXPECT_EQ(ProfileKernels(p.scaled(0.25), small_gpu()).footprint(), 3 * row);  // whole rows
  EXPECT_EQ(ProfileKernels(p.scaled(1e-9), small_gpu()).footprint(), row);
}

}  // namespace
}  // namespace asterism
