// The number of kernels' accesses per second that the model of a GPU processes in one thread, and the time of
// snapshots of its 32 GiB.
//
//   gpu_bench [--check] [--accesses N] [--only NAME]
//
// Pipelines and channels are those of gpu_config.h; memory has contents only if a pattern says so. The
// accesses of the patterns are issued as fast as memory accepts them:
//   hot      random lines of 2 MiB, which the L2 holds; a third are stores
//   stencil  two loads of 128 bytes and a store, each pipeline through its own part of 4 GiB
//   random   sectors anywhere in 4 GiB; a third are stores
//   stores   128 bytes, each pipeline through its own part of 4 GiB: each displaces a dirty line, which a
//            monitor checks
//   filled   like stores, in accesses of 512 bytes
//   open     like filled, while a snapshot is open in which only zones that are written to are preserved
// Snapshots of 32 GiB with tracking: the first one blocks; then the device takes an increment of 4 GiB while
// kernels run. The snapshots with contents come first, because the largest resident set of the process is
// measured: full snapshots of 32 GiB of which 16 MiB, then 256 MiB all over the memory, were written; the
// host's copy is compared with the device's memory. Times are processor time; those of a pattern are the
// median of three rounds. N: accesses of a round, 15 million by default.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/engine.h"
#include "base/random.h"
#include "figures.h"
#include "gpu/gpu.h"

namespace asterism {
namespace {

constexpr std::uint32_t all_pipelines = 80;

class PatternKernel final : public KernelSource {
 public:
  struct Shape {
    std::uint64_t first, size;  // the part of memory that is used
    std::uint32_t access;       // bytes
    unsigned stores, of;        // `stores` of `of` accesses are stores
    bool random;
    Picoseconds gap{};
  };
  PatternKernel(const Shape& shape, std::uint64_t accesses)
      : shape_(shape), accesses_(accesses / all_pipelines) {}

  std::uint32_t pipelines() const override { return all_pipelines; }
  Bytes footprint() const override { return Bytes(shape_.first + shape_.size); }
  void begin_kernel(std::uint64_t) override {
    slots_ = shape_.size / shape_.access;
    for (std::uint32_t i = 0; i < all_pipelines; ++i)
      states_[i] = {0, i * (slots_ / all_pipelines), i * 0x9E3779B97F4A7C15u, 0};
  }
  std::size_t next(std::uint32_t pipeline, std::span<DeviceAccess> accesses) override {
    State& state = states_[pipeline];
    std::size_t count = 0;
    for (; count < accesses.size() && state.done < accesses_; ++count, ++state.done) {
      std::uint64_t slot = state.slot++;
      if (shape_.random) {
        state.random = state.random * 6364136223846793005u + 1442695040888963407u;
        slot = (state.random >> 32) * slots_ >> 32;
      } else if (state.slot == slots_) {
        state.slot = 0;
      }
      DeviceAccess& access = accesses[count];
      access.gap = shape_.gap;
      access.address = shape_.first + slot * shape_.access;
      access.size = shape_.access;
      access.write = state.position < shape_.stores;
      if (++state.position == shape_.of) state.position = 0;
    }
    return count;
  }

 private:
  struct State {
    std::uint64_t done, slot, random;
    unsigned position;
  };
  Shape shape_;
  std::uint64_t accesses_, slots_ = 0;
  State states_[all_pipelines] = {};
};

struct NoMemory final : Gpu::HostMemory {
  void write(Picoseconds now, Address, std::span<const std::byte>, OnAccessEnd ended) override {
    ended({now});
  }
  void read(Picoseconds now, Address, Bytes, OnAccessEnd ended) override { ended({now}); }
};

// A preservation buffer that stores only zones with contents; all other zones are zero, since they were never
// written.
struct SparseMemory final : Gpu::HostMemory {
  std::map<std::uint64_t, std::vector<std::byte>> zones;  // by the address of the zone
  const Bytes zone = GpuConfig{}.zone;
  void write(Picoseconds now, Address to, std::span<const std::byte> data, OnAccessEnd ended) override {
    for (std::uint64_t at = 0; at < data.size(); at += zone.count()) {
      const auto part = data.subspan(at, zone.count());
      zones[to.value() + at].assign(part.begin(), part.end());
    }
    ended({now});
  }
  void write_zeros(Picoseconds now, Address to, Bytes size, OnAccessEnd ended) override {
    zones.erase(zones.lower_bound(to.value()), zones.lower_bound((to + size).value()));
    ended({now});
  }
  void read(Picoseconds now, Address from, Bytes size, OnAccessEnd ended) override {
    const auto found = zones.find(from.value());
    ended({now, true, found != zones.end() ? found->second : std::vector<std::byte>(size.count())});
  }
};

// Advances a GPU from event to event; the GPU has contents if a host's memory is given.
class RunningGpu final : Gpu::Sink {
 public:
  explicit RunningGpu(const GpuConfig& config, Gpu::HostMemory* host = nullptr)
      : link_({}, 1),
        gpu(config, host ? MemoryContents::bytes : MemoryContents::none, 0, link_, host ? *host : host_,
            *this) {
    gpu.allocate(config.memory);
    gpu.track(true);
  }
  void run(KernelSource& kernel) {
    launch(kernel);
    while (gpu.running()) step();
  }
  void launch(KernelSource& kernel) { gpu.launch(now_, kernel, kernel_++); }
  void begin(SnapshotKind kind, Offloader by) { gpu.begin_snapshot(now_, kind, by, Address(0)); }
  bool step() {
    const auto next = earlier(gpu.next_event(), link_.next_event());
    if (!next) return false;
    now_ = *next;
    for ([[maybe_unused]] const std::uint32_t ended : link_.advance_to(now_)) gpu.transferred(now_);
    gpu.advance_to(now_);
    return true;
  }
  std::uint64_t checked() const {
    std::uint64_t writes = 0;
    for (std::uint32_t channel = 0; channel < gpu.config().channels; ++channel)
      writes += gpu.monitor(channel).counts().writes;
    return writes;
  }
  Picoseconds now() const { return now_; }
  // The zones of all snapshots, in the order in which they arrived.
  const std::vector<Zone>& zones() const { return zones_; }

 private:
  void kernel_ended(Picoseconds) override {}
  void zone_waits(Picoseconds, Zone) override {}
  void arrived(Picoseconds, std::span<const Zone> zones) override {
    zones_.insert(zones_.end(), zones.begin(), zones.end());
  }
  void snapshot_taken(Picoseconds) override {}
  void snapshot_failed(Picoseconds, Gpu::Failure) override {}
  void copied_in(Picoseconds) override {}

  Picoseconds now_{};
  std::uint64_t kernel_ = 0;
  std::vector<Zone> zones_;
  HostLink link_;
  NoMemory host_;

 public:
  Gpu gpu;
};

struct Pattern {
  const char* name;
  PatternKernel::Shape shape;
  double accesses, checks;  // the least number a second; 0 for no limit
  bool open = false;
};

void measure_pattern(const Pattern& pattern, std::uint64_t accesses) {
  std::vector<double> a_second, checks;
  for (unsigned round = 0; round < 3; ++round) {
    GpuConfig config;
    if (pattern.open) config.buffer = 32_GiB;
    RunningGpu running(config);
    PatternKernel kernel(pattern.shape, accesses);
    if (pattern.open) running.begin(SnapshotKind::full, Offloader::device);
    const std::uint64_t before = running.checked();
    const double seconds = seconds_of([&] { running.run(kernel); });
    a_second.push_back(static_cast<double>(accesses) / seconds);
    checks.push_back(static_cast<double>(running.checked() - before) / seconds);
  }
  const auto add = [&](const char* what, double measured, double least) {
    figures.add(fmt::format("{}: {}", pattern.name, what), fmt::format("{:.1f} M/s", measured / 1e6),
                measured >= least, least == 0 ? "" : fmt::format(">= {:.0f}", least / 1e6));
  };
  add("accesses", median(a_second), pattern.accesses);
  add("writes checked", median(checks), pattern.checks);
}

void measure_snapshots() {
  RunningGpu running({});
  const auto taken = [&] {
    while (running.gpu.snapshot_open()) running.step();
  };
  const auto seconds_text = [](double seconds) { return fmt::format("{:.1f} s", seconds); };
  const double full = seconds_of([&] {
    running.begin(SnapshotKind::full, Offloader::device);
    taken();
  });
  figures.add("a full snapshot of 32 GiB", seconds_text(full), full < 60, "< 60 s");

  // All of 4 GiB is written; then a third of it again while the snapshot is taken.
  const PatternKernel::Shape shape{0, 4ull << 30, 512, 1, 3, false, 30_ns};
  PatternKernel before({0, 4ull << 30, 512, 1, 1, false, 0_ns}, (4ull << 30) / 512),
      during(shape, 20'000'000);
  const double dirtied = seconds_of([&] { running.run(before); });
  figures.add("4 GiB written", seconds_text(dirtied));
  const double increment = seconds_of([&] {
    running.begin(SnapshotKind::increment, Offloader::device);
    running.launch(during);
    taken();
    while (running.gpu.running()) running.step();
  });
  figures.add(fmt::format("an increment of {} zones of it, while kernels run", running.gpu.snapshot_zones()),
              seconds_text(increment), increment < 60, "< 60 s");
}

// Writes runs of 1 MiB, `written` in all, evenly over the memory, and takes a full snapshot. The host's copy
// must equal the device's memory: the contents of written zones, and zeros in all others.
void measure_contents(Bytes written) {
  SparseMemory host;
  RunningGpu running({}, &host);
  const GpuConfig& config = running.gpu.config();
  for (Bytes done{}; done < written; done += 1_MiB) {
    PatternKernel kernel({(config.memory / written * done).count(), 1 << 20, 512, 1, 1, false}, 2048);
    running.run(kernel);
  }
  const double seconds = seconds_of([&] {
    running.begin(SnapshotKind::full, Offloader::device);
    while (running.gpu.snapshot_open()) running.step();
  });
  std::uint64_t kept = 0;
  bool is_true = running.zones().size() == config.zones();
  std::vector<std::byte> contents(config.zone.count());
  for (std::uint64_t number = 0; number < running.zones().size(); ++number) {
    const Zone zone = running.zones()[number];
    const auto found = host.zones.find(number * config.zone.count());
    running.gpu.memory().read({zone.channel, zone.index * config.zone.count()}, contents);
    is_true = is_true && (found != host.zones.end() ? contents == found->second
                                                    : std::ranges::count(contents, std::byte{0}) ==
                                                          static_cast<std::ptrdiff_t>(contents.size()));
    kept += found != host.zones.end() ? 1 : 0;
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto mib = [](Bytes size) { return size / 1_MiB; };
  figures.add(fmt::format("32 GiB with contents, {} MiB written: a full snapshot", mib(written)),
              fmt::format("{:.1f} s", seconds), is_true && seconds < 60, "true, < 60 s");
  const Bytes touched = running.gpu.memory().touched(), stored = config.zone * kept;
  const Bytes resident = 1_KiB * static_cast<std::uint64_t>(used.ru_maxrss);
  figures.add(
      fmt::format("  {} MiB held by the device, {} MiB by the host: resident set", mib(touched), mib(stored)),
      fmt::format("{} MiB", mib(resident)), resident < touched + stored + 128_MiB,
      fmt::format("< {} MiB", mib(touched + stored + 128_MiB)));
}

void measure(std::uint64_t accesses, const std::string& only) {
  if (only.empty() || only == "contents")
    for (const Bytes written : {16_MiB, 256_MiB}) measure_contents(written);
  const std::uint64_t large = 4ull << 30;
  const Pattern patterns[] = {
      {"hot", {0, 2 << 20, 32, 1, 3, true}, 0, 0},       {"stencil", {0, large, 128, 1, 3, false}, 20e6, 0},
      {"random", {0, large, 32, 1, 3, true}, 0, 0},      {"stores", {0, large, 128, 1, 1, false}, 0, 0},
      {"filled", {0, large, 512, 1, 1, false}, 0, 30e6}, {"open", {0, large, 512, 1, 1, false}, 0, 0, true}};
  for (const Pattern& pattern : patterns)
    if (only.empty() || only == pattern.name) measure_pattern(pattern, accesses);
  if (only.empty() || only == "snapshots") measure_snapshots();
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) {
  CLI::App app;
  std::uint64_t accesses = 15'000'000;
  std::string only;
  app.add_option("--accesses", accesses, "Of a round");
  app.add_option("--only", only, "A pattern, snapshots, or contents");
  return asterism::bench_main(argc, argv, app, [&] { asterism::measure(accesses, only); });
}
