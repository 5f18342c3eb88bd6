// Loads built libraries: one block executes what each request selects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>

#include "base/temporary_folder.h"
#include "base/thrown.h"
#include "cosim/rtl_library.h"
#include "platform/rtl/block_build.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

// Each bit of request_i selects an action. The module has wide ports, a tied input, and a keyword as a name.
constexpr const char* source = R"(
module probe #(parameter int unsigned Radix = 100) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic [Radix-1:0] request_i,
  output logic [Radix-1:0] grant_o,
  input  logic [69:0]      \delete ,
  output logic [2:0][3:0]  count__o
);
  logic [Radix-1:0] last_q;
  logic [11:0]      count_q;
  assign grant_o  = last_q ^ request_i;
  assign count__o = count_q;
  always_ff @(posedge clk_i) begin
    last_q  <= rst_i ? '0 : request_i;
    count_q <= rst_i ? \delete [11:0] : count_q + 12'd1;
    if (!rst_i) begin
      if (request_i[1]) $display("the request is %0h", request_i);
      if (request_i[2]) $error("no good: %0h", request_i);
      if (request_i[3]) $fatal(1, "the end");
      if (request_i[4]) $finish;
      if (request_i[5]) $stop;
      assert (!request_i[6]) else $error("bit 6");
    end
  end
endmodule
)";
constexpr const char* description = R"({
  "name": "probe", "contract": "arbiter", "sources": ["probe.sv"], "top": "probe",
  "parameters": { "Radix": 100 }, "radix": "Radix", "clock": "clk_i",
  "reset": { "port": "rst_i", "active": "high", "cycles": 3 },
  "ports": [ { "role": "request", "signal": "request_i" },
             { "role": "grant", "signal": "grant_o" },
             { "role": "input", "signal": "delete", "value": 4000 },
             { "role": "state", "signal": "count__o" } ]
})";

// The library is built once for all cases of this process.
struct BlockLibraryTest : testing::Test {
  static void SetUpTestSuite() {
    folder.emplace();
    std::ofstream(*folder / "probe.sv") << source;
    std::ofstream(*folder / "block.json") << description;
  }
  static void TearDownTestSuite() { folder.reset(); }

  static std::shared_ptr<const RtlLibrary> library(const std::vector<std::string>& overrides = {}) {
    const BlockRequest request{.file = *folder / "block.json", .overrides = overrides};
    return RtlLibrary::open(build_block(request, [](const std::string&) {}).library);
  }

  // Runs one cycle with this request.
  void cycle(RtlInstance& probe, std::uint64_t low, std::uint64_t high = 0) {
    RtlPort request = probe.port("request");
    request.set(low);
    request.set(high, 1);
    probe.settle();
    probe.edge();
  }
  // The reason for which the RTL ends itself at this request.
  std::string end_at(const std::shared_ptr<const RtlLibrary>& library, std::uint64_t request) {
    RtlInstance probe(library, "node.probe");
    probe.reset();
    return thrown<RtlError>([&] { cycle(probe, request); });
  }

  static inline std::optional<TemporaryFolder> folder;
};

TEST_F(BlockLibraryTest, SaysWhatItIs) {
  const auto probe = library();
  EXPECT_EQ(probe->name(), "probe");
  EXPECT_EQ(probe->contract(), "arbiter");
  EXPECT_EQ(probe->parameter("Radix"), 100U);
  EXPECT_EQ(probe->width("request"), 100U);
  EXPECT_EQ(probe->width("state.0"), 12U);
  EXPECT_EQ(probe->block().reset_active_high, 1U);
  EXPECT_EQ(probe->block().reset_cycles, 3U);
  EXPECT_EQ(probe->block().has_assertions, 0U);
  EXPECT_EQ(std::string(probe->block().digest).size(), 40U);
}

TEST_F(BlockLibraryTest, WidePortsAndTiedInputsReachTheModel) {
  RtlInstance probe(library(), "node.probe");
  probe.reset();
  EXPECT_EQ(probe.port("state.0").get(), 4000U);
  RtlPort request = probe.port("request"), grant = probe.port("grant");
  request.set(0x8000000000000001);
  request.set(0x800000001, 1);
  probe.settle();
  EXPECT_EQ(grant.get(), 0x8000000000000001);
  EXPECT_EQ(grant.get(1), 0x800000001U);
  probe.edge();
  probe.settle();
  EXPECT_EQ(grant.get(1), 0U);
  probe.run(10);
  EXPECT_EQ(probe.port("state.0").get(), 4011U);
}

TEST_F(BlockLibraryTest, AnEndIsAFailureThatSaysWhereAndWhy) {
  const auto probe = library();
  EXPECT_THAT(end_at(probe, 1U << 2),
              EndsWith("probe.sv:19: Assertion failed in node.probe.probe: no good: 4"));
  EXPECT_THAT(end_at(probe, 1U << 3), EndsWith("probe.sv:20: Assertion failed in node.probe.probe: the end"));
  EXPECT_THAT(end_at(probe, 1U << 4), EndsWith("probe.sv:21: Verilog $finish"));
  EXPECT_THAT(end_at(probe, 1U << 5), EndsWith("probe.sv:22: Verilog $stop"));
}

TEST_F(BlockLibraryTest, WhatTheModelDisplaysGoesToStandardError) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(end_at(library(), 0x102), "none");
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "the request is 102\n");
}

TEST_F(BlockLibraryTest, AssertionsCountOnlyWhereTheyAreCompiled) {
  EXPECT_EQ(end_at(library(), 1U << 6), "none");
  const auto checked = library({"assertions=true", "parameters.Radix=8"});
  EXPECT_EQ(checked->block().has_assertions, 1U);
  EXPECT_EQ(checked->width("grant"), 8U);
  EXPECT_THAT(end_at(checked, 1U << 6), EndsWith("probe.sv:23: Assertion failed in node.probe.probe: bit 6"));
}

TEST_F(BlockLibraryTest, ASavedStateIsGoneOnFromByAnyInstance) {
  const auto probe = library();
  RtlInstance first(probe, "node.first"), second(probe, "node.second");
  first.reset();
  first.run(5);
  RtlInstance::Snapshot snapshot, again;
  first.save(snapshot);
  first.run(3);
  second.restore(snapshot);
  second.save(again);
  EXPECT_EQ(again, snapshot);
  EXPECT_EQ(second.port("state.0").get(), 4005U);
  second.run(3);
  EXPECT_EQ(second.port("state.0").get(), 4008U);
}

TEST_F(BlockLibraryTest, ACycleThatChangesNothingLeavesTheStateAsItWas) {
  RtlInstance probe(library(), "node.probe");
  probe.reset();
  probe.port("state.0");
  RtlInstance::Snapshot before, after;
  probe.run(4096);  // after 4096 cycles the counter has the same value
  probe.save(before);
  probe.run(4096);
  probe.save(after);
  EXPECT_EQ(before, after);
}

TEST_F(BlockLibraryTest, WhatATraceHasSeenIsNoPartOfTheState) {
  RtlInstance probe(library(), "node.probe");
  probe.reset();
  RtlInstance::Snapshot traced, untraced;
  probe.trace_open(*folder / "state.fst");
  probe.run(4096);
  probe.trace(1000);
  probe.save(traced);
  probe.run(4096);  // after 4096 cycles the counter has the same value
  probe.save(untraced);
  EXPECT_EQ(traced, untraced);
}

TEST_F(BlockLibraryTest, ATraceMayBeginInTheMiddleAndMoreThanOnce) {
  RtlInstance probe(library(), "node.probe");
  probe.reset();
  probe.run(100);
  for (const char* name : {"a.fst", "b.fst"}) {
    probe.trace_open(*folder / name);
    for (std::uint64_t i = 0; i < 10; ++i) {
      probe.run(1);
      probe.trace(1'000'000 + i * 1000);
    }
    probe.trace_close();
    EXPECT_GT(fs::file_size(*folder / name), 200U) << name;
  }
  EXPECT_THROW(probe.trace_open(*folder / "none" / "c.fst"), RtlError);
}

}  // namespace
}  // namespace asterism
