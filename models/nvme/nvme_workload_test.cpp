#include "nvme/nvme_workload.h"

#include <gtest/gtest.h>

#include <sstream>

namespace asterism {
namespace {

constexpr FlashPart workload_part{.page = 16_KiB, .pages_per_block = 16, .dies = 1, .planes = 1};

NvmeConfig disk_with(unsigned queues) {
  return {.flash = {.channels = 2, .packages = 1, .blocks = 16}, .queues = queues, .cache = 256_KiB};
}
bool never() { return false; }

std::string mistake_in(const std::string& trace) {
  std::istringstream file(trace);
  try {
    read_nvme_trace(file);
  } catch (const NvmeTraceError& error) {
    return error.what();
  }
  return "";
}

TEST(NvmeWorkloadTest, FillsItsQueuesAndNoMore) {
  for (const std::uint32_t queues : {1u, 2u}) {
    const std::uint32_t most = queues * NvmeWorkload::requests_per_queue;
    NvmeWorkload full(disk_with(queues), workload_part, {.depth = most, .used = 10, .duration = 2_ms});
    const NvmeWorkloadResult result = full.run(never);
    EXPECT_GT(result.reads.size(), most);
    EXPECT_EQ(result.errors, 0u);
    EXPECT_THROW(NvmeWorkload(disk_with(queues), workload_part, {.depth = most + 1}), std::invalid_argument);
  }
}

// 1,500 reads at once wait for the one queue.
TEST(NvmeWorkloadTest, TheLatencyOfATracedRequestIsFromItsArrival) {
  NvmeWorkload workload(disk_with(1), workload_part, {.used = 10});
  const NvmeWorkloadResult result = workload.run(std::vector<NvmeRequest>(1500), never);
  ASSERT_EQ(result.reads.size(), 1500u);
  EXPECT_EQ(result.reads.back(), result.time);
}

TEST(NvmeWorkloadTest, ARequestMayHaveTheSizeOfTheUsedPart) {
  NvmeWorkload workload(disk_with(1), workload_part, {.used = 1});
  ASSERT_EQ(workload.used_blocks(), 32u);
  const NvmeWorkloadResult result = workload.run({{.first = 100, .blocks = 32}}, never);
  EXPECT_EQ(result.reads.size(), 1u);
  EXPECT_EQ(result.errors, 0u);
}

TEST(NvmeWorkloadTest, ATraceHasTimesAndSectorsThatCanBeCounted) {
  EXPECT_EQ(mistake_in("0 0 0 8 1\n5 0 8 8 0\n"), "");
  EXPECT_EQ(mistake_in("0 0 0 8 1\n18446744073709552 0 0 8 1\n"),
            "line 2: expected a time of at most 8640000000000000 ns, got 18446744073709552");
  EXPECT_EQ(mistake_in("0 0 18446744073709551615 8 1\n"),
            "line 1: expected sectors below 36028797018963967, got 8 from 18446744073709551615 on");
  EXPECT_EQ(mistake_in("5 0 0 8 1\n4 0 0 8 1\n"), "line 2: the time is before that of the line before");
}

}  // namespace
}  // namespace asterism
