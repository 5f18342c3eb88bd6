#include "gpu/workload/kernel_ranks.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace asterism {
namespace {

// Kernel n of it reads the sector n mod `kernels`, by each of two pipelines.
class OneSectorKernels final : public KernelProgram {
 public:
  OneSectorKernels(std::uint32_t kernels, Bytes footprint) : kernels_(kernels), footprint_(footprint) {}
  std::uint32_t pipelines() const override { return 2; }
  Bytes footprint() const override { return footprint_; }
  std::uint32_t kernels() const override { return kernels_; }
  void begin_kernel(std::uint64_t number) override {
    address_ = number % kernels_ * 32;
    left_ = {1, 1};
  }
  std::size_t next(std::uint32_t pipeline, std::span<DeviceAccess> accesses) override {
    if (left_[pipeline]-- <= 0) return 0;
    accesses[0] = {.gap = {}, .address = address_, .size = 32, .write = false};
    return 1;
  }

 private:
  std::uint32_t kernels_;
  Bytes footprint_;
  std::uint64_t address_ = 0;
  std::array<int, 2> left_{};
};

KernelRanks three_ranks() {
  std::vector<std::unique_ptr<KernelProgram>> ranks(3);
  for (auto& rank : ranks) rank = std::make_unique<OneSectorKernels>(4, 100_KiB);
  return {std::move(ranks), 64_KiB};
}

TEST(KernelRanksTest, EachRankHasItsOwnMemory) {
  const KernelRanks ranks = three_ranks();
  EXPECT_EQ(ranks.footprint(), 2 * 128_KiB + 100_KiB);  // 100 KiB are two units
  EXPECT_EQ(ranks.kernels(), 12u);
  EXPECT_EQ(ranks.pipelines(), 2u);
}

TEST(KernelRanksTest, RanksTakeTurnsKernelByKernel) {
  KernelRanks ranks = three_ranks();
  std::array<DeviceAccess, 4> some;
  for (std::uint64_t kernel = 0; kernel < 24; ++kernel) {
    ranks.begin_kernel(kernel);
    for (std::uint32_t pipeline = 0; pipeline < 2; ++pipeline) {
      ASSERT_EQ(ranks.next(pipeline, some), 1u);
      EXPECT_EQ(some[0].address, kernel % 3 * 128 * 1024 + kernel / 3 % 4 * 32);
      EXPECT_EQ(ranks.next(pipeline, some), 0u);
    }
  }
}

TEST(KernelRanksTest, RefusesRanksOfDifferentPrograms) {
  std::vector<std::unique_ptr<KernelProgram>> ranks;
  EXPECT_THROW(KernelRanks(std::move(ranks), 64_KiB), std::invalid_argument);
  std::vector<std::unique_ptr<KernelProgram>> two;
  two.push_back(std::make_unique<OneSectorKernels>(4, 1_MiB));
  two.push_back(std::make_unique<OneSectorKernels>(5, 1_MiB));
  EXPECT_THROW(KernelRanks(std::move(two), 64_KiB), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
