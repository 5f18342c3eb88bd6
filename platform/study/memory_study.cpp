// DRAM alone: bandwidth, latency and energy under a pattern of accesses or a trace
// (models/memory/dram_system.h).
#include <fstream>
#include <optional>

#include "ecc/decoder_times.h"
#include "fabric/traffic/latency_histogram.h"
#include "memory/dram_system.h"
#include "memory/dram_trace.h"
#include "memory/dram_traffic.h"
#include "memory/ecc_cache.h"
#include "memory/memory_config.h"
#include "memory/parity_translation.h"
#include "platform/config/config.h"
#include "platform/study/share.h"
#include "platform/study/study_kind.h"

namespace asterism {

constexpr auto enum_names(DramPattern) {
  return std::to_array<EnumName<DramPattern>>(
      {{DramPattern::sequential, "sequential", "one block after the other"},
       {DramPattern::random, "random", "any block, all equally likely"},
       {DramPattern::stride, "stride", "every `stride` bytes, wrapping around"},
       {DramPattern::copy, "copy",
        "whole pages of 4 KiB at random places, as a copy to a DIMM-SSD reads them"}});
}

namespace {

DramConfig one_rank() {
  DramConfig dram;
  dram.ranks = 1;
  dram.part = "ddr3_1600_2gb_x8";
  return dram;
}

struct MemoryStudy {
  DramConfig dram = one_rank();
  std::optional<Bytes> size;
  Bytes access = 64_B;
  EccMode ecc = EccMode::none;
  Bytes ecc_cache = 64_KiB;
  std::uint32_t ecc_cache_ways = 8;
  std::filesystem::path trace;
  DramPattern pattern = DramPattern::random;
  Share writes;
  std::optional<Bytes> footprint;
  Bytes stride = 4_KiB;
  std::uint64_t requests = 1'000'000;
  std::uint32_t outstanding = 32;
  Cycles turnaround = 1_cycles;
  std::uint64_t seed = 1;
};
static_assert(member_count<MemoryStudy>() == 15);
void describe(Fields& f, MemoryStudy& c) {
  describe(f, c.dram);
  f("size", c.size, "The size of the memory. Without it, all rows of all ranks.", at_least(1_MiB));
  f("access", c.access,
    "The size of a request. 32 bytes are a burst of HBM or LPDDR5, of which a block of 64 bytes takes two.",
    one_of({32_B, 64_B}));
  f("ecc", c.ecc,
    "The code. Every code but none needs x4 chips; strong also needs two ranks, and costs extra accesses for "
    "writes.",
    one_of<EccMode>());
  f.when("ecc", c.ecc, EccMode::strong, [&] { describe_ecc_cache(f, c.ecc_cache, c.ecc_cache_ways); });
  f("trace", c.trace, "A file of lines `R|W address [time]`, which takes the place of a pattern.");
  f.when("trace", c.trace, std::filesystem::path(), [&] {
    f("pattern", c.pattern, "Which blocks are accessed. More hits of open rows are faster.",
      one_of<DramPattern>());
    f("writes", c.writes,
      "The share of writes. Each change of the bus between reads and writes costs bandwidth.",
      at_most(Share(1'000'000)));
    f("footprint", c.footprint,
      "The size of the pattern from the beginning of the memory. Without it, all of the memory.",
      at_least(4_KiB));
    f.when("pattern", c.pattern, DramPattern::stride,
           [&] { f("stride", c.stride, "The distance from one access to the next.", at_least(64_B)); });
    f("requests", c.requests, "The number of requests. More of them make a steadier mean.",
      within(1, 1'000'000'000));
    f("seed", c.seed, "The seed of the random numbers. Another one shows how much of the result is chance.");
  });
  f("outstanding", c.outstanding,
    "The number of requests under way. More of them hide latency and find row hits.", within(1, 4096));
  f("turnaround", c.turnaround,
    "The time from an answer to the next request in its place, in cycles of the part's clock.",
    at_most(1'000'000_cycles));
  f.check([&] { return c.stride % 64_B == Bytes(0); }, "stride", "is a multiple of 64 B");
  f.check([&] { return c.access == 64_B || c.ecc == EccMode::none; }, "access",
          "is 64 B where ecc is not none: codes are of blocks of 64 bytes");
  f.check([&] { return c.footprint.value_or(4_KiB) % 4_KiB == Bytes(0); }, "footprint",
          "is a multiple of 4 KiB");
}

class MemoryPoint final : public StudyPointOf<MemoryStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    part_ = load_config<DramPart>(library, "dram", config_.dram.part);
    size_ = config_.size.value_or(all_rows());
    if (const auto problem = part_problem(config_.dram, part_))
      throw StudyMistake(std::string(problem->key), problem->words);
    if (config_.access < part_.atom())
      throw StudyMistake("access", "expected " + to_text(part_.atom()) + ", which a burst of " +
                                       config_.dram.part + " moves, got " + to_text(config_.access));
    EccConfig code;
    code.mode = config_.ecc;
    if (const auto problem = ecc_problem(code, config_.dram.part, part_, geometry()))
      throw StudyMistake(std::string(problem->key), problem->words);
    if (config_.footprint && *config_.footprint > size_)
      throw StudyMistake("footprint", "expected at most the memory's " + to_text(size_) + ", got " +
                                          to_text(*config_.footprint));
    if (!config_.trace.empty()) read_trace();
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    DramSystem system(config_.dram, part_, size_, {}, config_.access);
    EccCache cache(config_.ecc_cache, config_.ecc_cache_ways);
    LatencyHistogram latency;
    DramTraffic traffic(system, config_.outstanding, part_.timing.tck * config_.turnaround.count());
    traffic.on_read = [&](std::uint64_t, Picoseconds time) { latency.add(time); };
    traffic.stop = [&] { return stop.stop_requested(); };
    traffic.after_read = syndromes_time(config_.ecc);
    if (config_.ecc == EccMode::strong) {
      traffic.extra_of = [&, geometry = system.mapping().geometry()](const BlockLocation& at, bool is_write,
                                                                     std::vector<DramRequest>& extra) {
        if (!is_write) return;  // RS(18,16) finds no error, so the third symbols are not read
        const BlockLocation parity = parity_place(geometry, at).block;
        const EccCache::Use use = cache.use(parity, true);
        if (!use.hit) extra.push_back({0, parity, false});
        if (use.written_back) extra.push_back({0, *use.written_back, true});
      };
    }
    const std::unique_ptr<DramAccessSource> source = make_source();
    try {
      const DramTrafficResult result = traffic.run(*source);
      return row(result, latency, system);
    } catch (const DramTraceError& error) {
      throw StudyMistake("trace", error.what());
    }
  }

 private:
  Bytes all_rows() const {
    const std::uint64_t ranks = std::uint64_t{config_.dram.controllers} * config_.dram.channels *
                                config_.dram.ranks * part_.pseudo_channels;
    const Bytes row = part_.row() * part_.banks * ranks;
    if (config_.ecc != EccMode::strong) return row * part_.rows();
    DramGeometry geometry{.rows = part_.rows()};  // the memory also holds its own parity
    return row * (part_.rows() - parity_rows(geometry));
  }

  DramGeometry geometry() const try {
    return DramSystem(config_.dram, part_, size_, {}, config_.access).mapping().geometry();
  } catch (const std::invalid_argument& error) {
    throw StudyMistake("size", error.what());
  }

  std::unique_ptr<DramAccessSource> open_trace() const {
    auto file = std::make_unique<std::ifstream>(config_.trace, std::ios::binary);
    if (!*file) throw StudyFileMissing("trace", config_.trace.string() + ": cannot be opened");
    return std::make_unique<DramTraceSource>(std::move(file), config_.trace.string(), size_, config_.access);
  }
  // Reads the whole trace to find its errors.
  void read_trace() const try {
    const std::unique_ptr<DramAccessSource> source = open_trace();
    if (!source->next()) throw StudyMistake("trace", config_.trace.string() + ": has no access");
    while (source->next()) continue;
  } catch (const DramTraceError& error) {
    throw StudyMistake("trace", error.what());
  }

  std::unique_ptr<DramAccessSource> make_source() const {
    if (!config_.trace.empty()) return open_trace();
    DramPatternSettings settings;
    settings.pattern = config_.pattern;
    settings.blocks = config_.footprint.value_or(size_) / config_.access;
    settings.stride = config_.stride / config_.access;
    settings.page_blocks = 4_KiB / config_.access;
    settings.writes = static_cast<double>(config_.writes.count()) / 1e6;
    settings.requests = config_.requests;
    settings.seed = config_.seed;
    return std::make_unique<DramPatternSource>(settings);
  }

  std::vector<Cell> row(const DramTrafficResult& result, const LatencyHistogram& latency,
                        const DramSystem& system) const {
    const auto number = [](auto count) { return static_cast<double>(count); };
    const auto when = [](bool known, double value) { return known ? Cell(value) : Cell(); };
    const auto nanoseconds = [&](auto time) { return number(time) / 1000; };
    const std::uint64_t all = result.reads + result.writes;
    const double elapsed = number(result.elapsed.count());
    const DramSystem::Summary s = system.summary();
    const bool read = latency.count() != 0;
    const double bytes = number(config_.access.count() * all);
    return {when(elapsed > 0, 1e3 * bytes / elapsed),
            when(read, nanoseconds(latency.mean())),
            when(read, nanoseconds(latency.percentile(5000).count())),
            when(read, nanoseconds(latency.percentile(9900).count())),
            when(read, nanoseconds(latency.max().count())),
            s.row_hits,
            s.row_misses,
            s.row_conflicts,
            when(all != 0, s.energy.total() / (8 * bytes)),
            result.reads,
            result.writes,
            elapsed / 1e6,
            when(s.writes_stored != 0, nanoseconds(s.write_latency_sum.count()) / number(s.writes_stored)),
            when(s.writes_stored != 0, nanoseconds(s.write_latency_max.count())),
            s.forwarded,
            s.merged,
            s.activates,
            s.refreshes,
            s.energy.total() / 1e6,
            result.extra_reads,
            result.extra_writes,
            when(result.extra_reads != 0,
                 nanoseconds(result.extra_read_time.count()) / number(result.extra_reads))};
  }

  DramPart part_;
  Bytes size_;
};

const RegisteredStudy memory_study{
    {.name = "memory",
     .meaning =
         "DRAM under a pattern of accesses or a trace: bandwidth, latency, row hits, energy, extra accesses "
         "of ECC",
     .coordinates = {"pattern", "writes", "outstanding"},
     .columns = {{"bandwidth_gb_per_s", "bandwidth", "GB/s",
                  "The bandwidth of the requests, reads and writes", 3},
                 {"latency_ns", "mean", "ns",
                  "The mean time of a read, from its request to its last beat, decoded", 2},
                 {"latency_p50_ns", "p50", "ns", "The median time of a read", 2},
                 {"latency_p99_ns", "p99", "ns", "The time that 99% of the reads do not exceed", 2},
                 {"latency_max_ns", "max", "ns", "The longest time of a read", 1},
                 {"row_hits", "hits", "", "Requests that found their row open"},
                 {"row_misses", "misses", "", "Requests that found their bank closed"},
                 {"row_conflicts", "conflicts", "", "Requests that found another row open"},
                 {"energy_pj_per_bit", "energy", "pJ/bit", "The energy of all chips for a requested bit", 2},
                 {"reads", "", "", "Reads requested"},
                 {"writes_done", "", "", "Writes requested"},
                 {"elapsed_us", "", "us", "The time until the last answer"},
                 {"write_latency_ns", "", "ns",
                  "The mean time of a write, from the queue to the last beat in the chips"},
                 {"write_latency_max_ns", "", "ns", "The longest time of a write"},
                 {"reads_from_write_queue", "", "", "Reads of a block whose write was in the write queue"},
                 {"writes_merged", "", "", "Writes of a block whose write was in the write queue"},
                 {"activates", "", "", "Rows opened"},
                 {"refreshes", "", "", "Refreshes of all ranks"},
                 {"energy_uj", "", "uJ", "The energy of all chips, by command counts"},
                 {"extra_reads", "", "", "Reads of third parity symbols that the ECC cache did not hold"},
                 {"extra_writes", "", "", "Writes of third parity symbols that the ECC cache evicted"},
                 {"extra_read_latency_ns", "", "ns", "The mean time of an extra read"}},
     .x = "outstanding",
     .y = "bandwidth_gb_per_s",
     .x_key = "outstanding",
     .x_label = "requests under way",
     .bars = {"bandwidth_gb_per_s", "latency_ns"},
     .make = make_study_point<MemoryPoint>}};

}  // namespace
}  // namespace asterism
