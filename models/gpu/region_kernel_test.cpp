#include "gpu/region_kernel.h"

#include <gtest/gtest.h>

#include <set>

namespace asterism {
namespace {

std::vector<DeviceAccess> all_of(RegionKernel& kernel, std::uint32_t pipeline) {
  std::vector<DeviceAccess> all, some(7);
  while (const std::size_t count = kernel.next(pipeline, some))
    all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
  return all;
}

constexpr RegionKernelArguments arguments{.first = 1024,
                                          .bytes = 4096,
                                          .seed = 3,
                                          .accesses = 20,
                                          .gap = 50_ns,
                                          .writes = 500,
                                          .pattern = RegionKernelArguments::Pattern::random};

TEST(RegionKernel, PipelinesStayInTheirPartsOfTheRegion) {
  RegionKernel kernel(arguments, 4);
  EXPECT_EQ(kernel.footprint(), Bytes(1024 + 4096));
  kernel.begin_kernel(0);
  for (std::uint32_t pipeline = 0; pipeline < 4; ++pipeline) {
    const auto accesses = all_of(kernel, pipeline);
    EXPECT_EQ(accesses.size(), 20u);
    for (const DeviceAccess& access : accesses) {
      EXPECT_EQ((access.address - 1024) / 1024, pipeline);
      EXPECT_EQ(access.address % 128, 0u);
      EXPECT_EQ(access.size, 128u);
      EXPECT_EQ(access.gap, 50_ns);
    }
  }
}

TEST(RegionKernel, ASequenceTakesLineAfterLineAndRestarts) {
  RegionKernelArguments in_order = arguments;
  in_order.pattern = RegionKernelArguments::Pattern::sequential;
  RegionKernel kernel(in_order, 4);
  kernel.begin_kernel(0);
  const auto accesses = all_of(kernel, 1);
  EXPECT_EQ(accesses[0].address, 2048u);
  EXPECT_EQ(accesses[1].address, 2048u + 128);
  EXPECT_EQ(accesses[8].address, 2048u);
}

TEST(RegionKernel, SeedAndPipelineDecideWhatIsWritten) {
  RegionKernel kernel(arguments, 2), same(arguments, 2);
  kernel.begin_kernel(0);
  same.begin_kernel(0);
  const auto first = all_of(kernel, 0);
  EXPECT_EQ(first, all_of(same, 0));
  EXPECT_NE(first, all_of(same, 1));
  std::set<bool> kinds;
  for (const DeviceAccess& access : first) kinds.insert(access.write);
  EXPECT_EQ(kinds.size(), 2u);
  kernel.begin_kernel(1);
  EXPECT_EQ(all_of(kernel, 0), first);
}

}  // namespace
}  // namespace asterism
