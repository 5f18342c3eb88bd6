// Accuracy and speed of the DRAM engine: DDR3-1600 11-11-11 with refresh, one channel of one rank, FR-FCFS,
// RoRaBaCoCh, requests of 64 bytes, each issued one clock after the answer that frees its slot.
//
//   dram_bench [--check] [--traces FOLDER]
//
// Bandwidths are compared with the results of Ramulator 2.1 and DRAMSys 5.1 for the same traces. A contended
// access is timed beside a loose one. With --check the exit status is 1 when a figure misses its limit.
//
// Parts of DDR5, HBM2E, HBM3 and LPDDR5X are compared with Ramulator 2.1 on traces of 100'000 requests of one
// burst (models/memory/README.md says how, and why some figures miss their limits): bandwidths, and mean
// latencies of reads from the clock at which a requester has one to that at which it sees the answer.
// pseudo-channel, bank group, bank of the group, row, column and address.
// --traces writes these traces for another simulator and measures nothing. Each request is a line of R or W,
// pseudo-channel, bank group, bank of the group, row, column and address.
#include <fmt/format.h>
#include <fmt/os.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "base/random.h"
#include "figures.h"
#include "memory/contended_channel.h"
#include "memory/dram_traffic.h"
#include "memory/loose_channel.h"
#include "platform/config/config.h"

namespace asterism {
namespace {

DramPart part() {  // as in configs/dram/ddr3_1600_2gb_x8.json
  DramPart part;
  part.capacity = 256_MiB, part.width = 8;
  part.timing.trfc = 128_cycles;
  return part;
}

DramConfig one_rank() {
  DramConfig config;
  config.ranks = 1;
  return config;
}

struct Run {
  double gigabytes_per_second, requests_per_second, read_nanoseconds = 0;
};
Run run(const DramConfig& config, DramPatternSettings settings, std::uint32_t outstanding,
        std::uint64_t requests) {
  DramSystem system(config, part(), 2_GiB);
  settings.blocks = system.mapping().geometry().blocks();
  settings.requests = requests;
  DramPatternSource source(settings);
  const double start = cpu_seconds();
  const DramTrafficResult result = DramTraffic(system, outstanding, part().timing.tck).run(source);
  const double seconds = cpu_seconds() - start;
  return {64e3 * static_cast<double>(requests) / static_cast<double>(result.elapsed.count()),
          static_cast<double>(requests) / seconds};
}

void compare(const std::string& name, const char* unit, double here, double theirs, double per_cent) {
  const double off = 100 * (here / theirs - 1);
  figures.add(fmt::format("{}, {} ({} there)", name, unit, theirs), fmt::format("{:.3f}", here),
              off < per_cent && off > -per_cent, fmt::format("within {}%: {:+.1f}%", per_cent, off));
}
void bandwidth(const std::string& name, const Run& run, double theirs, double per_cent) {
  compare(name, "GB/s", run.gigabytes_per_second, theirs, per_cent);
}

constexpr DramPatternSettings sequential{.pattern = DramPattern::sequential}, random_reads{},
    random_mixed{.writes = 0.33};

void measure_bandwidth() {
  bandwidth("sequential, 1 outstanding", run(one_rank(), sequential, 1, 500'000), 3.11, 1);
  bandwidth("sequential, 32", run(one_rank(), sequential, 32, 500'000), 12.49, 1);
  bandwidth("random, 1", run(one_rank(), random_reads, 1, 500'000), 1.33, 1);
  bandwidth("random, 32", run(one_rank(), random_reads, 32, 500'000), 8.21, 1);
  // The two simulators do not agree here, because their write queues and drain thresholds differ.
  const Run mixed = run(one_rank(), random_mixed, 32, 500'000);
  bandwidth("random, 33% writes, 32: Ramulator's", mixed, 7.54, 8);
  figures.add("  against DRAMSys's 7.0",
              fmt::format("{:+.1f}%", (mixed.gigabytes_per_second / 7.0 - 1) * 100));
  DramConfig shorter = one_rank();
  shorter.write_queue = 32, shorter.write_high = 26, shorter.write_low = 6;
  const Run sooner = run(shorter, random_mixed, 32, 500'000);
  bandwidth("  with 32 writes, drained from 26 to 6: Ramulator's", sooner, 7.54, 8);
  bandwidth("  the same: DRAMSys's", sooner, 7.0, 8);
}

// ---- the standards of today ----

enum class Places { stream, random, conflicts };

// A stream goes from pseudo-channel to pseudo-channel and from bank group to bank group; conflicts are rows
// of one bank of each pseudo-channel.
class PlacesSource : public DramAccessSource {
 public:
  PlacesSource(const DramPart& part, const AddressMapping& mapping, Places places, double writes)
      : part_(part), mapping_(mapping), places_(places), writes_(writes) {}

  std::optional<DramAccess> next() override {
    if (made_ == requests) return std::nullopt;
    const BlockLocation at = next_place();
    ++made_;
    const bool is_write = static_cast<double>(random_.next() >> 11) * 0x1p-53 < writes_;
    return DramAccess{mapping_.block_at(at), is_write, 0_ps};
  }
  static constexpr std::uint64_t requests = 100'000;

 private:
  BlockLocation next_place() {
    const std::uint32_t groups = part_.bank_groups, of_group = part_.banks / groups;
    const std::uint32_t rows = std::min<std::uint32_t>(part_.rows(), 8192);
    const std::uint32_t columns = part_.columns(part_.atom());
    std::uint64_t rest = made_;
    const auto take = [&](std::uint32_t radix) {
      const std::uint64_t digit = places_ == Places::random ? random_.below(radix) : rest % radix;
      rest /= radix;
      return static_cast<std::uint32_t>(digit);
    };
    BlockLocation at;
    at.rank = take(part_.pseudo_channels);
    if (places_ == Places::conflicts) {
      at.row = take(rows);
      return at;
    }
    const std::uint32_t group = take(groups);
    if (places_ == Places::stream) at.column = take(columns);
    at.bank = take(of_group) * groups + group;
    at.row = take(rows);
    if (places_ == Places::random) at.column = take(columns);
    return at;
  }

  DramPart part_;
  const AddressMapping& mapping_;
  Places places_;
  double writes_;
  std::uint64_t made_ = 0;
  Random random_{1};
};

Run run(const DramPart& part, Places places, double writes, std::uint32_t outstanding, Cycles turnaround,
        RefreshMode refresh = RefreshMode::all_bank, std::uint32_t postponed = 0) {
  DramConfig config = one_rank();
  config.page_policy = PagePolicy::open;
  config.refresh = refresh;
  config.postponed_refreshes = postponed;
  config.write_queue = 32, config.write_high = 26, config.write_low = 6;
  const Bytes size = part.row() * part.banks * part.rows() * part.pseudo_channels;
  DramSystem system(config, part, size, {}, part.atom());
  PlacesSource source(part, system.mapping(), places, writes);
  DramTraffic traffic(system, outstanding, part.timing.tck * turnaround.count());
  Picoseconds waited;
  traffic.on_read = [&](std::uint64_t, Picoseconds latency) { waited += latency; };
  const double start = cpu_seconds();
  const DramTrafficResult result = traffic.run(source);
  const double seconds = cpu_seconds() - start;
  const auto bytes = static_cast<double>(PlacesSource::requests * part.atom().count());
  return {1e3 * bytes / static_cast<double>(result.elapsed.count()), PlacesSource::requests / seconds,
          1e-3 * static_cast<double>(waited.count()) / static_cast<double>(result.reads)};
}

struct Trace {
  const char* name;
  Places places;
  double writes;
  std::uint32_t outstanding;
};
constexpr std::array traces{Trace{"stream, 1", Places::stream, 0, 1},
                            Trace{"stream, 32", Places::stream, 0, 32},
                            Trace{"random, 1", Places::random, 0, 1},
                            Trace{"random, 32", Places::random, 0, 32},
                            Trace{"conflicts, 32", Places::conflicts, 0, 32},
                            Trace{"stream, 33% writes, 32", Places::stream, 0.33, 32},
                            Trace{"random, 33% writes, 32", Places::random, 0.33, 32}};

struct Standard {
  const char* part;
  Cycles turnaround;                            // a clock of theirs
  std::array<double, traces.size()> theirs;     // Ramulator's GB/s
  std::array<double, traces.size()> latencies;  // its mean latencies of reads, ns
};
const std::array standards{Standard{"ddr5_4800_16gb_x8",
                                    1_cycles,
                                    {2.761, 17.596, 1.269, 17.143, 1.226, 16.132, 14.624},
                                    {23.18, 116.37, 50.44, 119.43, 1670.41, 189.44, 208.41}},
                           Standard{"ddr5_5600_16gb_x4",
                                    1_cycles,
                                    {2.883, 20.517, 1.293, 20.082, 1.227, 18.313, 15.613},
                                    {22.2, 99.81, 49.5, 101.94, 1668.22, 166.88, 195.04}},
                           Standard{"hbm2e_3600_16gb_8h",
                                    1_cycles,
                                    {1.634, 46.446, 0.768, 12.149, 1.213, 35.114, 11.684},
                                    {19.59, 22.04, 41.68, 84.25, 843.62, 42.86, 130.42}},
                           Standard{"hbm3_6400_16gb_8h",
                                    2_cycles,
                                    {1.774, 42.168, 0.702, 13.502, 1.293, 32.404, 12.563},
                                    {18.04, 24.28, 45.57, 75.81, 791.88, 46.42, 121.25}},
                           Standard{"lpddr5x_8533_16gb_x16",
                                    1_cycles,
                                    {1.134, 15.551, 0.508, 5.79, 0.487, 12.824, 4.819},
                                    {28.22, 65.84, 62.99, 176.82, 2101.6, 118.95, 316.38}}};

void measure_standards() {
  const ConfigLibrary library(ASTERISM_SOURCE "/configs");
  for (const Standard& standard : standards) {
    const auto part = load_config<DramPart>(library, "dram", standard.part);
    for (std::size_t i = 0; i < traces.size(); ++i) {
      const Trace& trace = traces[i];
      constexpr double per_cent = 2;
      const Run here = run(part, trace.places, trace.writes, trace.outstanding, standard.turnaround);
      const std::string name = fmt::format("{}: {}", standard.part, trace.name);
      bandwidth(name, here, standard.theirs[i], per_cent);
      // There, an answer is seen when its requester may issue the next request.
      const Picoseconds seen = part.timing.tck * standard.turnaround.count();
      compare(name, "ns a read", here.read_nanoseconds + 1e-3 * static_cast<double>(seen.count()),
              standard.latencies[i], per_cent);
      if (trace.places == Places::random && trace.outstanding > 1 && trace.writes == 0)
        figures.add("  M requests/s", fmt::format("{:.2f}", here.requests_per_second / 1e6),
                    here.requests_per_second >= 1.2e6, ">= 1.2, five times Ramulator's");
    }
  }
}

void write_traces(const std::filesystem::path& folder) {
  const ConfigLibrary library(ASTERISM_SOURCE "/configs");
  for (const Standard& standard : standards) {
    const auto part = load_config<DramPart>(library, "dram", standard.part);
    const Bytes size = part.row() * part.banks * part.rows() * part.pseudo_channels;
    const DramSystem system(one_rank(), part, size, {}, part.atom());
    for (const Trace& trace : traces) {
      if (trace.outstanding == 1) continue;  // the same requests as with 32
      PlacesSource source(part, system.mapping(), trace.places, trace.writes);
      constexpr std::array<const char*, 3> names{"stream", "random", "conflicts"};
      const std::string name =
          fmt::format("{}.{}{}.trace", standard.part, names[static_cast<int>(trace.places)],
                      trace.writes > 0 ? "_mixed" : "");
      auto file = fmt::output_file((folder / name).string());
      while (const std::optional<DramAccess> access = source.next()) {
        const BlockLocation at = system.mapping().locate(access->block);
        file.print("{} {} {} {} {} {} {}\n", access->is_write ? 'W' : 'R', at.rank,
                   at.bank % part.bank_groups, at.bank / part.bank_groups, at.row, at.column,
                   access->block * part.atom().count());
      }
    }
  }
}

// Without refreshes, with those of ranks, with those of banks, and with these postponed as far as the
// standard allows.
void measure_refreshes() {
  const ConfigLibrary library(ASTERISM_SOURCE "/configs");
  for (const Standard& standard : standards) {
    const auto part = load_config<DramPart>(library, "dram", standard.part);
    for (const Trace& trace : traces) {
      const auto gigabytes = [&](RefreshMode refresh, std::uint32_t postponed = 0) {
        return run(part, trace.places, trace.writes, trace.outstanding, standard.turnaround, refresh,
                   postponed)
            .gigabytes_per_second;
      };
      figures.add(fmt::format("{}: {}: none, ranks, banks, late, GB/s", standard.part, trace.name),
                  fmt::format("{:.3f} {:.3f} {:.3f} {:.3f}", gigabytes(RefreshMode::none),
                              gigabytes(RefreshMode::all_bank), gigabytes(RefreshMode::by_banks),
                              gigabytes(RefreshMode::by_banks, part.most_postponed(true))));
    }
  }
}

struct Arrival : DramSystem::Sink {
  Picoseconds at;
  void completed(std::uint64_t, Picoseconds time) override { at = time; }
};

void measure_latency() {
  DramSystem system(one_rank(), part(), 2_GiB);
  Picoseconds now;
  const auto access = [&](const std::string& name, const BlockLocation& location, unsigned clocks) {
    Arrival arrival;
    system.submit(now, {0, location, false});
    while (arrival.at == 0_ps) system.advance_to(*system.next_event(), arrival);
    const auto took = (arrival.at - now) / 1250_ps;
    figures.add("unloaded, clocks: " + name, std::to_string(took), took == clocks,
                fmt::format("= {}", clocks));
    now += 1_us;
  };
  access("closed bank", {.row = 1}, 26);
  access("row hit", {.row = 1, .column = 1}, 15);
  access("row conflict", {.row = 2}, 37);
}

void measure_speed() {
  const auto best = [](DramPatternSettings settings) {
    double best = 0;
    for (int round = 0; round < 5; ++round)
      best = std::max(best, run(one_rank(), settings, 32, 1'000'000).requests_per_second);
    return best / 1e6;
  };
  const double rand = best(random_reads), mixed = best(random_mixed), seq = best(sequential);
  figures.add("M requests/s, random, 32", fmt::format("{:.2f}", rand), rand >= 2, ">= 2");
  figures.add("M requests/s, random, 33% writes, 32", fmt::format("{:.2f}", mixed), mixed >= 2, ">= 2");
  figures.add("M requests/s, sequential, 32", fmt::format("{:.2f}", seq), seq >= 5, ">= 5");
}

// Nanoseconds of host time for an access of masters that each wait for their answers, and run ahead of each
// other by up to 1 us.
template <class Channel>
double nanoseconds(Channel channel, std::uint32_t masters, bool at_random, unsigned accesses) {
  constexpr Tick quantum = 800;
  struct Master {
    Tick now = 0;
    Random random{0};
    std::uint64_t block = 0;
  };
  std::vector<Master> all(masters);
  for (std::uint32_t m = 0; m < masters; ++m) all[m] = {0, Random(m), m * 12'345};
  const double start = cpu_seconds();
  unsigned made = 0;
  for (Tick from = 0; made < accesses; from += quantum)
    for (std::uint32_t m = 0; m < masters; ++m) {
      Master& master = all[m];
      while (master.now < from + quantum) {
        const std::uint64_t r = master.random.next(), block = at_random ? r : master.block++;
        const BlockLocation at{.bank = static_cast<std::uint32_t>(block / 128 % 8),
                               .row = static_cast<std::uint32_t>(block / 1024 % 4096),
                               .column = static_cast<std::uint32_t>(block % 128)};
        const typename Channel::Request request{
            .at = master.now, .master = m, .location = at, .is_write = r >> 62 == 0, .is_posted = true};
        const Tick end = channel.access(from, request);
        master.now = (request.is_write ? master.now : end) + 20;
        ++made;
      }
    }
  return 1e9 * (cpu_seconds() - start) / made;
}

// The same for one master that does not wait, and goes back in its own time now and then: as the cache of a
// CXL SSD does, which asks for hits ahead of the time at which they arrive, and for misses at that time.
double nanoseconds_going_back(unsigned accesses) {
  constexpr Tick ahead = 106;
  LooseChannel channel(one_rank(), part());
  const double start = cpu_seconds();
  for (unsigned i = 0; i < accesses; ++i) {
    const Tick now = Tick{6} * i, at = i % 16 >= 12 ? now : now + ahead;
    channel.access(now, {.at = at, .location = {.bank = i / 128 % 8, .row = i / 1024, .column = i % 128}});
  }
  return 1e9 * (cpu_seconds() - start) / accesses;
}

void measure_answers() {
  for (const bool at_random : {false, true})
    for (const std::uint32_t masters : {1u, 4u, 64u}) {
      const std::string what = fmt::format("{}, {} master{}", at_random ? "random" : "sequential", masters,
                                           masters == 1 ? "" : "s");
      const double contended =
          nanoseconds(ContendedChannel(one_rank(), part(), {}), masters, at_random, 1'000'000);
      figures.add("ns a contended access, " + what, fmt::format("{:.0f}", contended), contended <= 200,
                  "<= 200");
      if (masters > 4) continue;  // the queue of these would be full
      const double loose = nanoseconds(LooseChannel(one_rank(), part()), masters, at_random, 100'000);
      figures.add("  a loose one, times", fmt::format("{:.1f}", loose / contended));
    }
  const double few = nanoseconds_going_back(1000), many = nanoseconds_going_back(30'000);
  figures.add("ns a loose access of a master that goes back, of 30,000", fmt::format("{:.0f}", many),
              many <= 3 * few, fmt::format("<= 3 times one of 1,000: {:.1f}", many / few));
}

void measure() {
  measure_answers();
  measure_bandwidth();
  measure_standards();
  measure_refreshes();
  measure_latency();
  measure_speed();
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) {
  CLI::App app{"Accuracy and speed of the DRAM engine, beside Ramulator and DRAMSys"};
  std::string traces;
  app.add_option("--traces", traces,
                 "write the traces of the standards into this folder, and measure nothing")
      ->check(CLI::ExistingDirectory);
  return asterism::bench_main(argc, argv, app,
                              [&] { traces.empty() ? asterism::measure() : asterism::write_traces(traces); });
}
