// What a host gets of memory beside it, and of a CXL.mem expander: the latency of a chase and the bandwidth
// of STREAM (models/cxl/cxl_traffic.h).
#include <optional>

#include "cxl/cxl_traffic.h"
#include "memory/memory_config.h"
#include "platform/config/config.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

DramConfig one_rank_of_ddr5() {
  DramConfig dram;
  dram.ranks = 1;
  dram.part = "ddr5_5600_16gb_x8";
  return dram;
}

struct CxlStudy {
  std::optional<std::string> expander;
  CxlProgram program = CxlProgram::chase;
  std::uint32_t threads = 8, outstanding = 128;
  Picoseconds path;
  Bytes array = 64_MiB;
  std::uint64_t requests = 100'000;
  std::uint64_t seed = 1;
  DramConfig dram = one_rank_of_ddr5();
};
static_assert(member_count<CxlStudy>() == 9);
void describe(Fields& f, CxlStudy& c) {
  f("expander", c.expander,
    "The link and the controller of an expander, a file in configs/cxl. Without it, the memory is beside the "
    "host.",
    names_file("cxl"));
  f("program", c.program, "What the host does.", one_of<CxlProgram>());
  f.when("program", c.program, {CxlProgram::copy, CxlProgram::add, CxlProgram::write, CxlProgram::read}, [&] {
    f("threads", c.threads,
      "The threads, each with its part of the array. More of them open more rows, which are in each other's "
      "way.",
      within(1, 1024));
    f("outstanding", c.outstanding,
      "The requests under way of all threads together. More of them hide latency.", within(1, 4096));
    f("array", c.array, "The size of an array.", within(1_MiB, 1_TiB));
  });
  f("path", c.path,
    "The time that a load takes within the host, to its memory controller or its CXL port and back. It adds "
    "to "
    "every load.",
    within(0_ns, 10_us));
  f("requests", c.requests, "The number of lines. More of them make a steadier mean.",
    within(1000, 1'000'000'000));
  f("seed", c.seed, "The seed of the places of the chase.");
  describe(f, c.dram);
  f.check([&] { return c.array % 4_KiB == Bytes(0); }, "array", "is a multiple of 4 KiB");
}

class CxlPoint final : public StudyPointOf<CxlStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    dram_ = load_config<DramPart>(library, "dram", config_.dram.part);
    if (config_.expander) expander_ = load_config<CxlPart>(library, "cxl", *config_.expander);
    if (3 * config_.array > size())
      throw StudyMistake("array", "expected at most a third of the memory's " + to_text(size()) + ", got " +
                                      to_text(config_.array));
  }

  std::vector<Cell> run(const std::stop_token&) override {
    DramSystem memory(config_.dram, dram_, size());
    std::optional<CxlLink> link;
    if (expander_) link.emplace(*expander_);
    const bool is_chase = config_.program == CxlProgram::chase;
    const CxlLoad load{.program = config_.program,
                       .threads = config_.threads,
                       .outstanding = is_chase ? 1 : config_.outstanding,
                       .array = config_.array,
                       .requests = config_.requests,
                       .seed = config_.seed};
    const CxlLoadResult result = asterism::run(load, memory, link ? &*link : nullptr, config_.path);
    const double seconds = static_cast<double>(result.elapsed.count()) / 1e12;
    const auto rate = [&](std::uint64_t lines) { return static_cast<double>(lines) * 64 / seconds / 1e9; };
    return {std::string(expander_ ? "CXL" : "local"), static_cast<double>(result.latency.count()) / 1000,
            rate(result.counted), rate(result.reads + result.writes)};
  }

 private:
  Bytes size() const {
    const DramConfig& dram = config_.dram;
    return dram_.rank_size() * (std::uint64_t{dram.ranks} * dram.channels * dram.controllers);
  }

  DramPart dram_;
  std::optional<CxlPart> expander_;
};

const RegisteredStudy cxl_study{
    {.name = "cxl",
     .meaning = "Latency and bandwidth of memory beside a host and of a CXL.mem expander",
     .coordinates = {"expander", "program", "outstanding"},
     .columns = {{"memory", "memory", "",
                  "Where the memory is: beside the host (local) or behind a link (CXL)"},
                 {"latency_ns", "latency", "ns", "The mean time of a read, from its issue to its answer", 1},
                 {"bandwidth_gbps", "bandwidth", "GB/s",
                  "The bandwidth as STREAM counts it, without the reads of lines that are written", 3},
                 {"traffic_gbps", "traffic", "GB/s", "The bandwidth of all reads and writes", 3}},
     .x = "traffic_gbps",
     .y = "latency_ns",
     .x_key = "outstanding",
     .bars = {"bandwidth_gbps"},
     .make = make_study_point<CxlPoint>}};

}  // namespace
}  // namespace asterism
