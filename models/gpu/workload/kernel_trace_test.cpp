#include "gpu/workload/kernel_trace.h"

#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "base/thrown.h"

namespace asterism {
namespace {

KernelTrace trace(const std::string& text) {
  return {std::make_unique<std::istringstream>(text), "t.txt", GpuConfig{}};
}
std::string mistake(const std::string& text) {
  return thrown<TraceError>([&] { trace(text); });
}

TEST(KernelTraceTest, ReadsAccessesByKernelAndPipeline) {
  KernelTrace source = trace(
      "# a trace\n\n0 1 0 0x1000 512 r\n0 0 12.5ns 8192 32 w  # comment\r\n0 1 7 0 64 w\n2 0 0 32 32 r");
  EXPECT_EQ(source.kernels(), 3u);
  EXPECT_EQ(source.pipelines(), 2u);
  EXPECT_EQ(source.accesses(), 4u);
  EXPECT_EQ(source.footprint(), Bytes(8192 + 32));
  std::array<DeviceAccess, 8> accesses;
  for (const std::uint64_t iteration : {0, 1}) {
    source.begin_kernel(3 * iteration);
    ASSERT_EQ(source.next(1, std::span(accesses).first(1)), 1u);
    EXPECT_EQ(accesses[0], (DeviceAccess{0_ps, 0x1000, 512, false}));
    ASSERT_EQ(source.next(0, accesses), 1u);
    EXPECT_EQ(accesses[0], (DeviceAccess{12'500_ps, 8192, 32, true}));
    ASSERT_EQ(source.next(1, accesses), 1u);
    EXPECT_EQ(accesses[0], (DeviceAccess{7_ps, 0, 64, true}));
    EXPECT_EQ(source.next(1, accesses), 0u);
    source.begin_kernel(3 * iteration + 1);
    EXPECT_EQ(source.next(0, accesses), 0u);
    source.begin_kernel(3 * iteration + 2);
    ASSERT_EQ(source.next(0, accesses), 1u);
    EXPECT_EQ(accesses[0], (DeviceAccess{0_ps, 32, 32, false}));
  }
}

TEST(KernelTraceTest, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(mistake("0 0 0 0 32 r\n0 0 0 0 32\n"),
            "t.txt:2: expected 6 fields (kernel pipeline gap address size r|w), got 5");
  EXPECT_EQ(mistake("1 0 0 0 32 r\n\n0 0 0 0 32 r"),
            "t.txt:3: expected a kernel of at least 1, that of the previous access, got 0");
  EXPECT_EQ(mistake("65536 0 0 0 32 r"), "t.txt:1: expected a kernel below 65536, got \"65536\"");
  EXPECT_EQ(mistake("0 80 0 0 32 r"), "t.txt:1: expected a pipeline below 80, got \"80\"");
  EXPECT_EQ(mistake("0 0 x 0 32 r"),
            "t.txt:1: expected a time such as 12.5ns, got \"x\": it does not begin with a number");
  EXPECT_EQ(mistake("0 0 101s 0 32 r"), "t.txt:1: expected a time of at most 100s, got 101s");
  EXPECT_EQ(mistake("0 0 0 0x800000000 32 r"),
            "t.txt:1: expected an address below 34359738368, got \"0x800000000\"");
  EXPECT_EQ(mistake("0 0 0 16 32 r"),
            "t.txt:1: expected whole sectors of 32 bytes within 512B, got 32 bytes at \"16\"");
  EXPECT_EQ(mistake("0 0 0 480 64 r"),
            "t.txt:1: expected whole sectors of 32 bytes within 512B, got 64 bytes at \"480\"");
  EXPECT_EQ(mistake("0 0 0 0 0 r"),
            "t.txt:1: expected whole sectors of 32 bytes within 512B, got 0 bytes at \"0\"");
  EXPECT_EQ(mistake("0 0 0 0 32 x"), "t.txt:1: expected r or w, got \"x\"");
  EXPECT_EQ(mistake("# nothing\n"), "t.txt: has no access");
}

}  // namespace
}  // namespace asterism
