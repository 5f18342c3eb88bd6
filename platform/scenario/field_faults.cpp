#include "platform/scenario/field_faults.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"

namespace asterism {
namespace {

constexpr std::uint64_t nanoseconds_per_hour = 3'600'000'000'000, sector = 32, data_bits = 256;
constexpr double most_faults = 100'000;  // a scenario has each of them among its faults

struct Kind {
  const char* name;
  GpuMemoryShape shape;
  Persistence persistence;
};
constexpr Kind kinds[] = {{"corrected", GpuMemoryShape::bit, Persistence::transient},
                          {"uncorrectable", GpuMemoryShape::row, Persistence::stuck}};

// The probability of an error of this kind in a nanosecond.
double probability(const FieldFaultsConfig& config, const FaultRates& rates, const char* name) {
  const auto found = std::ranges::find(rates.errors, name, &FieldErrors::name);
  if (found == rates.errors.end() || rates.device_hours == 0) return 0;
  return static_cast<double>(found->count) / static_cast<double>(rates.device_hours) /
         static_cast<double>(nanoseconds_per_hour) * config.acceleration;
}

FaultConfig fault_of(const Kind& kind, Picoseconds at, std::uint32_t gpu, std::uint64_t address) {
  FaultConfig fault{.at = at, .kind = FaultKind::gpu_memory, .persistence = kind.persistence, .gpu = gpu};
  fault.gpu_cells.shape = kind.shape;
  fault.gpu_cells.address = address;
  return fault;
}

}  // namespace

FaultConfig last_field_fault(const FieldFaultsConfig& config) {
  return fault_of(kinds[0], config.from, config.gpus - 1, config.memory.count() - 1);
}

std::string problem_of(const FieldFaultsConfig& config, const FaultRates& rates) {
  bool has_any = false;
  double expected = 0;
  for (const Kind& kind : kinds) {
    const double p = probability(config, rates, kind.name);
    has_any = has_any || p > 0;
    expected += p * config.gpus * static_cast<double>((config.until - config.from) / 1_ns);
    if (p >= 0.001)
      return fmt::format(
          "the {} errors of a GPU would be more frequent than one in a microsecond: lower the "
          "acceleration",
          kind.name);
  }
  if (expected > most_faults)
    return fmt::format(
        "there would be about {:.0f} errors, and at most {:.0f} are expected: lower the acceleration or "
        "until",
        expected, most_faults);
  return has_any
             ? ""
             : fmt::format("\"{}\" has no errors that are called corrected or uncorrectable", config.rates);
}

std::vector<FaultConfig> field_faults(const FieldFaultsConfig& config, const FaultRates& rates,
                                      std::uint64_t seed) {
  std::vector<FaultConfig> faults;
  for (std::uint32_t gpu = 0; gpu < config.gpus; ++gpu)
    for (const Kind& kind : kinds) {
      const double p = probability(config, rates, kind.name);
      if (p < Geometric::least) continue;  // less than one in three days of simulated time
      const Geometric gap(p);
      Random random(Random(seed).at(2 * gpu + (kind.shape == GpuMemoryShape::row ? 1 : 0)));
      for (Picoseconds at = config.from;;) {
        at += 1_ns + gap.draw(random) * 1_ns;
        if (at >= config.until) break;
        FaultConfig fault = fault_of(kind, at, gpu, random.below(config.memory.count() / sector) * sector);
        fault.gpu_cells.bit = static_cast<std::uint32_t>(random.below(data_bits));
        faults.push_back(fault);
      }
    }
  std::ranges::stable_sort(faults, {}, &FaultConfig::at);
  return faults;
}

}  // namespace asterism
