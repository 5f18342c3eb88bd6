// What a host gets of a CXL SSD: the latency of hits and misses, and the bandwidth, by how much of what it
// uses is in the cache (models/cxl/cxl_ssd_traffic.h).
#include <fmt/format.h>

#include <atomic>

#include "base/quantity_text.h"
#include "cxl/cxl_ssd_traffic.h"
#include "platform/config/config.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

CxlSsdConfig ssd_of_study() {
  CxlSsdConfig ssd;
  ssd.size = 128_MiB;
  ssd.dram.ranks = 1;
  ssd.dram.part = "ddr5_5600_16gb_x8";
  return ssd;
}

struct CxlSsdStudy {
  CxlSsdLoad load;
  Picoseconds path;
  CxlSsdConfig ssd = ssd_of_study();
};
static_assert(member_count<CxlSsdStudy>() == 3);
static_assert(member_count<CxlSsdLoad>() == 6);
void describe(Fields& f, CxlSsdStudy& c) {
  f("program", c.load.program, "What the host does.", one_of<CxlSsdProgram>());
  f("working_set", c.load.working_set,
    "The memory that the host uses, at most `size`, which is in flash before. What exceeds the cache is read "
    "from flash.",
    within(1_MiB, 1_TiB));
  f("outstanding", c.load.outstanding,
    "The requests under way. More of them wait for several flash pages side by side.", within(1, 4096));
  f.when("program", c.load.program, CxlSsdProgram::random, [&] {
    f("write_permille", c.load.write_permille,
      "How many of a thousand requests write a line. Their pages are programmed when they leave the cache.",
      within(0, 1000));
    f("requests", c.load.requests, "The number of lines. More of them make a steadier mean.",
      within(1000, 1'000'000'000));
    f("seed", c.load.seed, "The seed of the places.");
  });
  f("path", c.path,
    "The time that a request takes within the host, to its CXL port and back. It adds to every one.",
    within(0_ns, 10_us));
  describe_cxl_ssd(f, c.ssd);
  // Otherwise the first requests, which are not measured, are not answered before the others are issued.
  f.check(
      [&] { return c.load.program != CxlSsdProgram::random || c.load.outstanding <= c.load.requests / 4; },
      "outstanding", "is at most a quarter of the requests");
}

class CxlSsdPoint final : public StudyPointOf<CxlSsdStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    flash_ = load_config<FlashPart>(library, "flash", config_.ssd.flash.part);
    dram_ = load_config<DramPart>(library, "dram", config_.ssd.dram.part);
    link_ = load_config<CxlPart>(library, "cxl", config_.ssd.expander);
    if (config_.load.working_set > config_.ssd.size)
      throw StudyMistake("working_set",
                         fmt::format("expected at most {}, the `size` of the SSD, got {}",
                                     to_text(config_.ssd.size), to_text(config_.load.working_set)));
    if (const auto problem = problem_of(config_.ssd, flash_, dram_))
      throw StudyMistake(problem->key, problem->text);
  }

  double share_done() const override { return share_; }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const CxlSsdLoadResult result = measure(stop);
    share_ = 0;
    if (stop.stop_requested()) return empty_row("cxl_ssd");
    const auto ns = [](Picoseconds time) { return static_cast<double>(time.count()) / 1000; };
    const double all = static_cast<double>(result.hits + result.misses);
    const double page = static_cast<double>(flash_.page.count()) / 64;
    return {static_cast<double>(result.hits) / all,
            ns(result.hit),
            ns(result.miss),
            static_cast<double>(result.lines) * 64 / (ns(result.elapsed)),
            static_cast<double>(result.pages_written),
            result.pages_written == 0 ? 0
                                      : static_cast<double>(result.lines_written) /
                                            (page * static_cast<double>(result.pages_written))};
  }

 private:
  CxlSsdLoadResult measure(const std::stop_token& stop) try {
    return asterism::run(config_.load, config_.ssd, link_, flash_, dram_, config_.path, [&](double share) {
      share_ = share;
      return stop.stop_requested();
    });
  } catch (const CxlSsdWornOut& error) {
    const bool is_random = config_.load.program == CxlSsdProgram::random;
    throw StudyMistake(is_random ? "requests" : "working_set", error.what());
  }

  std::atomic<double> share_ = 0;  // while it runs
  FlashPart flash_;
  DramPart dram_;
  CxlPart link_;
};

const RegisteredStudy cxl_ssd_study{
    {.name = "cxl_ssd",
     .meaning = "Latency and bandwidth of flash as memory behind a CXL link and a cache",
     .coordinates = {"program", "working_set", "write_permille"},
     .columns = {{"hit_rate", "hits", "", "The share of requests that did not wait for flash", 4},
                 {"hit_ns", "hit", "ns", "The mean time of these, from issue to answer", 1},
                 {"miss_ns", "miss", "ns", "The mean time of those that waited for flash", 0},
                 {"bandwidth_gbps", "bandwidth", "GB/s",
                  "The bandwidth of all lines; of a checkpoint with its flush", 4},
                 {"pages_written", "pages", "", "The flash pages that were programmed with written lines", 0},
                 {"new_share", "new", "", "The share of these pages that was written lines", 4}},
     .x = "hit_rate",
     .y = "bandwidth_gbps",
     .x_key = "working_set",
     .bars = {"bandwidth_gbps"},
     .make = make_study_point<CxlSsdPoint>}};

}  // namespace
}  // namespace asterism
