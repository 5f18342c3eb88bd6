// The latency and bandwidth of an NVMe disk under a load, with garbage collection
// (models/nvme/nvme_workload.h).
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "base/quantity_text.h"
#include "nvme/nvme_workload.h"
#include "platform/config/config.h"
#include "platform/study/study_kind.h"
#include "platform/study/study_units.h"

namespace asterism {
namespace {

// An array of flash that the host can model: 40 bytes for each page.
constexpr std::uint64_t max_studied_pages = 1u << 26;

struct NvmeStudy {
  NvmeConfig disk = {};
  std::filesystem::path trace;
  NvmeWorkloadConfig load = {};
};
static_assert(member_count<NvmeStudy>() == 3);
void describe(Fields& f, NvmeStudy& c) {
  describe_disk(f, c.disk);
  f("trace", c.trace,
    "A file of lines `time device sector sectors type` in MQSim's form, whose requests come at their times. "
    "Without one, requests follow from the other keys.");
  f.when("trace", c.trace, std::filesystem::path(), [&] { describe_requests(f, c.load); });
  describe_preparation(f, c.load);
  f.check([&] { return c.load.depth <= c.disk.queues * NvmeWorkload::requests_per_queue; }, "depth",
          "is at most 1023 for each of the queues");
}

double microseconds(Picoseconds time) { return number(time.count()) / 1e6; }

// The smallest value that is not below this share of all.
Cell percentile(const std::vector<Picoseconds>& sorted, std::uint64_t per_mille) {
  if (sorted.empty()) return {};
  const std::size_t rank = (sorted.size() * per_mille + 999) / 1000;
  return microseconds(sorted[std::max<std::size_t>(rank, 1) - 1]);
}

Cell mean_of(const std::vector<Picoseconds>& latencies) {
  if (latencies.empty()) return {};
  std::uint64_t sum = 0;
  for (const Picoseconds each : latencies) sum += each.count();
  return number(sum) / 1e6 / number(latencies.size());
}

// How many latencies are in each quarter of a power of two of nanoseconds.
nlohmann::ordered_json histogram_of(const std::vector<Picoseconds>& sorted) {
  nlohmann::ordered_json bins = nlohmann::ordered_json::array();
  std::uint64_t limit = 1000, step = 250;
  std::size_t at = 0;
  for (unsigned quarter = 0; at < sorted.size(); ++quarter) {
    if (quarter % 4 == 0 && quarter != 0) step *= 2;
    limit += step;
    const std::size_t first = at;
    while (at < sorted.size() && sorted[at].count() < limit) ++at;
    if (at != first) bins.push_back({{"below_us", number(limit) / 1e6}, {"requests", at - first}});
  }
  return bins;
}

// The latency that a share of the requests does not exceed, against the nines of this share, in quarters, as
// far as there are requests: at 1 that of 90%, at 2 that of 99%.
nlohmann::ordered_json percentiles_of(const std::vector<Picoseconds>& sorted) {
  constexpr double quarters[] = {1, 0.562341325190349, 0.316227766016838, 0.177827941003892};
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  const double all = number(sorted.size());
  double longer = all;  // requests beyond this number of nines; exact where it is whole
  for (unsigned nines = 0; longer >= 1; ++nines, longer /= 10)
    for (unsigned quarter = 0; quarter < 4 && longer * quarters[quarter] >= 1; ++quarter) {
      const double rank = std::max(std::ceil(all - longer * quarters[quarter]), 1.0);
      points.push_back({nines + quarter / 4.0, microseconds(sorted[static_cast<std::size_t>(rank) - 1])});
    }
  return points;
}

class NvmePoint final : public StudyPointOf<NvmeStudy> {
 public:
  double share_done() const override { return share_; }

  void prepare(const ConfigLibrary& library) override {
    part_ = load_config<FlashPart>(library, "flash", config_.disk.flash.part);
    if (part_.page % NvmeDisk::block != 0_B || part_.page > 128_KiB)
      throw StudyMistake("part", "expected a part whose page is a multiple of 4KiB up to 128KiB, got " +
                                     config_.disk.flash.part + " with a page of " + to_text(part_.page));
    const FlashGeometry flash = config_.disk.flash.geometry(part_);
    if (flash.all_pages() > max_studied_pages)
      throw StudyMistake("blocks", fmt::format("the flash has {} pages; expected at most {}",
                                               flash.all_pages(), max_studied_pages));
    if (config_.trace.empty()) return;
    std::ifstream file(config_.trace);
    if (!file) throw StudyFileMissing("trace", config_.trace.string() + ": cannot be opened");
    try {
      requests_ = read_nvme_trace(file);
    } catch (const NvmeTraceError& error) {
      throw StudyMistake("trace", config_.trace.string() + ": " + error.what());
    }
    if (requests_.empty())
      throw StudyMistake("trace", config_.trace.string() + ": there is no request in it");
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    NvmeWorkload workload(config_.disk, part_, config_.load);
    const auto stopped = [&] {
      share_ = workload.share_done();
      return stop.stop_requested();
    };
    const NvmeWorkloadResult result =
        requests_.empty() ? workload.run(stopped) : workload.run(requests_, stopped);
    share_ = 0;
    if (result.stopped) return empty_row("nvme");
    detail_ = nlohmann::ordered_json{
        {"reads", histogram_of(result.reads)},
        {"writes", histogram_of(result.writes)},
        {"percentiles",
         {{"reads", percentiles_of(result.reads)}, {"writes", percentiles_of(result.writes)}}}};
    return row(result);
  }

  std::string detail() const override { return detail_.dump(); }

 private:
  std::vector<Cell> row(const NvmeWorkloadResult& r) const {
    const double seconds = number(r.time.count()) / 1e12;
    std::vector<Picoseconds> all;
    all.reserve(r.reads.size() + r.writes.size());
    std::ranges::merge(r.reads, r.writes, std::back_inserter(all));
    const double written = number(r.written.count()) / number(part_.page.count());
    return {number(all.size()) / seconds,
            number(r.moved.count()) / 1e6 / seconds,
            mean_of(all),
            percentile(all, 500),
            percentile(all, 990),
            percentile(all, 999),
            written == 0 ? Cell() : Cell(number(r.programs) / written),
            mean_of(r.reads),
            percentile(r.reads, 500),
            percentile(r.reads, 990),
            percentile(r.reads, 999),
            mean_of(r.writes),
            percentile(r.writes, 500),
            percentile(r.writes, 990),
            percentile(r.writes, 999),
            percentile(all, 900),
            percentile(all, 1000),
            std::uint64_t{all.size()},
            r.collections,
            r.errors};
  }

  FlashPart part_;
  std::vector<NvmeRequest> requests_;
  nlohmann::ordered_json detail_;
  std::atomic<double> share_ = 0;  // while it runs
};

const RegisteredStudy nvme_study{
    {.name = "nvme",
     .meaning = "The latency and bandwidth of an NVMe disk under a load, with garbage collection",
     .coordinates = {"pattern", "reads", "size", "depth"},
     .columns = {{"iops", "IOPS", "1/s", "The requests that end in a second", 0},
                 {"bandwidth_mbps", "bandwidth", "MB/s", "The data of these requests in a second", 1},
                 {"mean_us", "mean", "us", "The mean latency of all requests", 1},
                 {"p50_us", "p50", "us", "The latency that half of the requests do not exceed", 1},
                 {"p99_us", "p99", "us", "The latency that 99% of the requests do not exceed", 1},
                 {"p999_us", "p99.9", "us", "The latency that 99.9% of the requests do not exceed", 1},
                 {"write_amplification", "WA", "",
                  "Programs of flash pages, over those that the host's data fill", 2},
                 {"read_mean_us", "", "us", "The mean latency of reads", 1},
                 {"read_p50_us", "", "us", "The latency that half of the reads do not exceed", 1},
                 {"read_p99_us", "", "us", "The latency that 99% of the reads do not exceed", 1},
                 {"read_p999_us", "", "us", "The latency that 99.9% of the reads do not exceed", 1},
                 {"write_mean_us", "", "us", "The mean latency of writes", 1},
                 {"write_p50_us", "", "us", "The latency that half of the writes do not exceed", 1},
                 {"write_p99_us", "", "us", "The latency that 99% of the writes do not exceed", 1},
                 {"write_p999_us", "", "us", "The latency that 99.9% of the writes do not exceed", 1},
                 {"p90_us", "", "us", "The latency that 90% of the requests do not exceed", 1},
                 {"max_us", "", "us", "The longest latency", 1},
                 {"requests", "", "", "The requests that were measured"},
                 {"collections", "", "", "The blocks that garbage collection emptied in that time"},
                 {"errors", "", "", "The requests that ended with an error"}},
     .x = "depth",
     .y = "mean_us",
     .x_key = "depth",
     .bars = {"mean_us", "p99_us", "p999_us"},
     .logarithmic = {"p99_us", "p999_us"},
     .of_detail = {{"percentiles", "nines of the share of requests: 1 is 90%, 2 is 99%", "latency (us)",
                    true}},
     .make = make_study_point<NvmePoint>}};

}  // namespace
}  // namespace asterism
