// The speed of the study of the methods of chapter V: write requests of the ten profiles of
// configs/write_profiles through the bitmap buffer and the tracking table of a DIMM-SSD, including all other
// work of the method.
//
//   dimm_ssd_bench [--check]
//
// With --check the exit status is 1 when a figure misses its limit.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "dimm_ssd/workload/checkpointed_run.h"
#include "dimm_ssd/workload/write_profile.h"
#include "figures.h"
#include "platform/config/config.h"

namespace asterism {
namespace {

constexpr double million = 1e6;

struct Load {
  std::uint64_t requests = 0;
  double seconds = 0;
  double per_second() const { return static_cast<double>(requests) / seconds; }
  void add(const Load& other) { requests += other.requests, seconds += other.seconds; }
};

Load run(const ConfigLibrary& library, const std::string& name, CheckpointMethod method) {
  const auto profile = load_config<WriteProfile>(library, "write_profiles", name);
  const auto part = load_config<FlashPart>(library, "flash", "samsung_2016_vnand_16k");
  const double start = cpu_seconds();
  ProfileWrites source(profile, profile.intervals);
  FlashGeometry geometry;
  geometry.blocks = 256;  // 16 GiB
  FlashImage image(geometry, FlashImage::Contents::none);
  CheckpointerConfig checkpointer;
  checkpointer.method = method;
  if (method == CheckpointMethod::copy_on_write) checkpointer.shadow_frames = source.pages();
  CheckpointedRunConfig config;
  config.intervals = profile.intervals;
  config.reads = profile.reads();
  config.writes = profile.writes(0);
  CheckpointedRun run(config, checkpointer, part, image, source);
  const CheckpointedRunResult result = run.run();
  if (result.failure) throw std::runtime_error(name + ": the run has failed");
  return {result.traffic.writes, cpu_seconds() - start};
}

std::uint64_t max_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) / 1024;
}

void measure() {
  const ConfigLibrary library(std::string(ASTERISM_SOURCE) + "/configs");
  using enum CheckpointMethod;
  run(library, "mcf", early_late_consolidate);
  const std::uint64_t memory = max_memory();
  figures.add("MiB of the host, mcf, early_late+consolidate", std::to_string(memory), memory < 2048,
              "< 2048");
  Load all;
  for (const CheckpointMethod method :
       {stop_and_copy, copy_on_write, consolidate, late, early_late, early_late_consolidate}) {
    Load ten, slowest;
    for (const std::string& name : library.list("write_profiles")) {
      const Load load = run(library, name, method);
      ten.add(load);
      // The other profiles end in less than a second, most of which prepares the flash.
      if (load.requests > 20'000'000 && (slowest.requests == 0 || load.per_second() < slowest.per_second()))
        slowest = load;
    }
    all.add(ten);
    figures.add(fmt::format("M write requests/s, ten profiles, {}", to_text(method)),
                fmt::format("{:.1f}", ten.per_second() / million), ten.per_second() >= 20 * million, ">= 20");
    figures.add("  the slowest of the five large ones",
                fmt::format("{:.1f}", slowest.per_second() / million));
  }
  figures.add("seconds of the processor, ten profiles, six methods", fmt::format("{:.0f}", all.seconds),
              all.seconds < 300, "< 300");
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) { return asterism::bench_main(argc, argv, asterism::measure); }
