// A CXL expander in a node whose firmware saves its work there: after a power failure, and with poison in a
// checkpoint, the result has the same bits as that of an undisturbed run.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::Not;

struct CxlNodeTest : CommandTest {
  Ended stencil(const std::string& faults = "", const std::string& args = "", const Arguments& more = {}) {
    Arguments all{"run",
                  "cxl",
                  "args=columns=32 rows=24 sweeps=12 interval=2 " + args,
                  "faults=[" + faults + "]",
                  "expect={}",
                  "--out",
                  "run"};
    all.insert(all.end(), more.begin(), more.end());
    return asterism(all);
  }
  std::string result() const { return contents("run/files/result.txt"); }
  std::string recovered_from() const {
    for (const auto& event : events())
      if (event["kind"] == "recovery") return event["from"];
    return "";
  }
  // Of the last run; the firmware begins to sweep late.
  std::uint64_t late() const {
    return json("run/stats.json")["simulated_time_ps"].get<std::uint64_t>() * 19 / 20;
  }
};

TEST_F(CxlNodeTest, ResumesFromTheExpanderAfterALossOfPower) {
  ASSERT_EQ(stencil().status, 0);
  const std::string undisturbed = result();
  const std::string loss = fmt::format(R"({{"at":"{}ps","kind":"power_loss"}})", late());
  const Ended ended = stencil(loss);
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("cxl: resumes from sweep"));
  EXPECT_EQ(recovered_from(), "cxl");
  EXPECT_EQ(result(), undisturbed);
  // With the supply of the node its contents are lost, and nothing else has the checkpoints.
  const Ended lost = stencil(loss, "", {"node.devices.cxl.supply=node"});
  EXPECT_EQ(lost.status, 0) << lost.out;
  EXPECT_THAT(lost.out, Not(HasSubstr("resumes")));
  EXPECT_EQ(result(), undisturbed);
}

// A checkpoint of 55,320 bytes occupies 15 pages with its header, and two of them the end of the expander.
TEST_F(CxlNodeTest, PoisonLosesOneCheckpointAndNoMore) {
  ASSERT_EQ(stencil().status, 0);
  const std::string undisturbed = result();
  const std::uint64_t late_in_run = late(), slot = 15 * 4096;
  for (const std::string errors : {"serror", "abort"}) {
    unsigned lost = 0;
    for (const std::uint64_t from_end : {2 * slot, slot}) {
      const Ended ended = stencil(
          fmt::format(
              R"({{"at":"{}ps","kind":"power_loss"}},{{"at":"{}ps","kind":"poison","offset":"{:#x}"}})",
              late_in_run, late_in_run + 1, (256u << 20) - from_end + 0x2000),
          "", {"node.cores.load_errors=" + errors});
      EXPECT_EQ(ended.status, 0) << ended.out;
      EXPECT_EQ(result(), undisturbed);
      EXPECT_EQ(recovered_from(), "cxl");
      lost += ended.out.find("uncorrectable memory error") != std::string::npos;
    }
    EXPECT_EQ(lost, 1u) << "one of the slots has the newest checkpoint; " << errors;
  }
}

// Programs have numbers, people write digits of base 16.
TEST_F(CxlNodeTest, TheOffsetOfPoisonIsANumberOrHexadecimal) {
  const auto offset = [&](const std::string& text) {
    const Ended ended = stencil(R"({"at":"1us","kind":"poison","offset":)" + text + "}");
    EXPECT_EQ(ended.status, 0) << ended.err;
    for (const auto& event : events())
      if (event["kind"] == "cxl_poison") return event["address"].get<std::uint64_t>();
    return std::uint64_t{0};
  };
  EXPECT_EQ(offset("267550720"), 0x20'0ff2'8000u);
  EXPECT_EQ(offset("\"0xff2_8000\""), 0x20'0ff2'8000u);
}

TEST_F(CxlNodeTest, ALoadFromItTakesTheLinkLonger) {
  const auto latency = [&](const Arguments& more, const char* place) {
    Arguments all{"run",
                  "hello",
                  "node.use=cxl_node",
                  "firmware=memory_timing",
                  "node.cores.caches.l2.size=64KiB",
                  fmt::format("args=latency from=262144 to=262144 loads=1 {}", place),
                  "--out",
                  "run"};
    all.insert(all.end(), more.begin(), more.end());
    const Ended ended = asterism(all);
    EXPECT_EQ(ended.status, 0) << ended.out;
    const std::string console = contents("run/console.log");
    const auto verdict = console.find("\nmemory_timing latency: data verified");
    EXPECT_NE(verdict, std::string::npos) << console;
    return std::stod(console.substr(console.rfind(' ', verdict)));
  };
  const double local = latency({}, ""), asic = latency({}, "cxl=on");
  const double fpga = latency({"node.devices.cxl.expander=fpga"}, "cxl=on");
  EXPECT_GT(asic - local, 130);
  EXPECT_LT(asic - local, 190);
  EXPECT_NEAR(fpga - asic, 90, 6);
}

// Of a CXL SSD: what was flushed is there again, and a checkpoint that was under way is not.
TEST_F(CxlNodeTest, ResumesFromACxlSsdAfterALossOfPower) {
  const auto run = [&](const std::string& faults, const Arguments& more = {}) {
    Arguments all{"run",
                  "cxl_ssd",
                  "args=columns=32 rows=24 sweeps=12 interval=2",
                  "faults=[" + faults + "]",
                  "expect={}",
                  "--out",
                  "run"};
    all.insert(all.end(), more.begin(), more.end());
    return asterism(all);
  };
  ASSERT_EQ(run("").status, 0);
  const std::string undisturbed = result();
  const std::string loss = fmt::format(R"({{"at":"{}ps","kind":"power_loss"}})", late());
  const Ended ended = run(loss);
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("cxl_ssd: resumes from sweep"));
  EXPECT_EQ(recovered_from(), "cxl");
  EXPECT_EQ(result(), undisturbed);
  // With a reserve of energy nothing waits for flash.
  const std::uint64_t flushing = late();
  ASSERT_EQ(run("", {"node.devices.cxl_ssd.power_loss_protection=true"}).status, 0);
  EXPECT_LT(2 * late(), flushing);
  const Ended saved = run(fmt::format(R"({{"at":"{}ps","kind":"power_loss"}})", late()),
                          {"node.devices.cxl_ssd.power_loss_protection=true"});
  EXPECT_THAT(saved.out, HasSubstr("cxl_ssd: resumes from sweep"));
  EXPECT_EQ(result(), undisturbed);
}

// After the power is back, its lines are poisoned when a restore reads them. Before, the page is taken for
// one that was being programmed, and the checksum finds what is missing.
TEST_F(CxlNodeTest, AFlashPageThatCannotBeReadLosesOneCheckpointAndNoMore) {
  const auto run = [&](const Arguments& more) {
    Arguments all{"run", "cxl_ssd_bad_page", "--out", "run"};
    all.insert(all.end(), more.begin(), more.end());
    const Ended ended = asterism(all);
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_EQ(json("run/stats.json")["node"]["cxl_ssd"]["flash_faults"], 1);
    return ended;
  };
  const Ended poisoned = run({});
  EXPECT_THAT(poisoned.out, HasSubstr("checkpoint of sweep 12: uncorrectable error"));
  EXPECT_THAT(poisoned.out, HasSubstr("resumes from sweep 8"));
  EXPECT_THAT(poisoned.out, HasSubstr("1 flash page lost"));
  const std::string right = result();
  const Ended missing = run({"faults.1.at=20.9ms", "expect.result_equals=null"});
  EXPECT_THAT(missing.out, HasSubstr("checkpoint of sweep 12: contents are not what was written"));
  EXPECT_THAT(missing.out, HasSubstr("resumes from sweep 8"));
  EXPECT_EQ(result(), right);
  const Ended corrected = run({"faults.1.page_bits=54", "expect.result_equals=null"});
  EXPECT_THAT(corrected.out, HasSubstr("resumes from sweep 12"));
  EXPECT_EQ(result(), right);
}

TEST_F(CxlNodeTest, FaultsOfFlashNeedACxlSsd) {
  const auto refused = [&](const char* scenario, const std::string& keys) {
    const Ended ended = asterism({"check", std::string("scenarios/") + scenario,
                                  R"(faults=[{"at":"1ms","kind":"flash",)" + keys + "}]"});
    EXPECT_EQ(ended.status, 65);
    return ended.err;
  };
  EXPECT_THAT(refused("cxl", R"("offset":0,"page_bits":1)"),
              HasSubstr("faults.0.kind: this node has no device in which flash can occur"));
  EXPECT_THAT(refused("cxl_ssd", R"("offset":"0x1000_0000","page_bits":1)"),
              HasSubstr("faults.0.offset: expected an offset below 0x10000000"));
  EXPECT_THAT(refused("cxl_ssd", R"("offset":0)"),
              HasSubstr("faults.0.page_bits: expected a value that is above 0"));
  EXPECT_THAT(refused("cxl_ssd", R"("offset":0,"page_bits":1,"covers":"die")"),
              HasSubstr("faults.0.page_bits"));
}

// Those of the copy, and of two checkpoints.
TEST_F(CxlNodeTest, ADumpSaysHowManyBytesItsPagesNeed) {
  const Ended ended =
      asterism({"run", "level_dump", "node.use=cxl_ssd_node", "node.devices.cxl_ssd.size=16MiB",
                "args=level=cxl_ssd pages=1300", "expect={}", "--out", "run"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_THAT(ended.out, HasSubstr("level_dump: 1300 pages need a CXL SSD with 16806400 bytes"));
}

TEST_F(CxlNodeTest, ANodeWithoutAnExpanderHasNone) {
  const Ended ended = asterism({"run", "hello", "--firmware", "cxl", "expect={}", "--out", "run"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_THAT(ended.out, HasSubstr("cxl: this machine has no CXL expander"));
}

}  // namespace
}  // namespace asterism
