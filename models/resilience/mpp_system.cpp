#include "resilience/mpp_system.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "base/fields.h"

namespace asterism {
namespace {

constexpr double first_year = 2008, last_year = 2017;  // Table XII

}  // namespace

static_assert(member_count<MppSpecification>() == 7);
void describe(Fields& f, MppSpecification& s) {
  f("sockets", s.sockets, "The number of sockets of the machine. More of them fail more often.",
    within(1.0, 1e9));
  f("memory_gb", s.memory_gb, "The memory of a socket in GB. A checkpoint is a share of it.",
    within(0.001, 1e6));
  f("pcram_gbps", s.pcram_gbps,
    "The bandwidth of a socket's PCRAM DIMMs in GB/s. It bounds a local checkpoint.", within(0.001, 1e6));
  f("network_gbps", s.network_gbps,
    "The bandwidth of a socket's network in GB/s. It bounds a checkpoint to a neighbour.",
    within(0.001, 1e9));
  f("file_system_gbps", s.file_system_gbps,
    "The bandwidth of the machine's file system in GB/s. It bounds a checkpoint to disks.",
    within(0.001, 1e9));
  f("soft_errors", s.soft_errors, "The rate of soft errors of a socket over that of the petaflops machine.",
    within(0.0, 1e6));
  f("reboot_s", s.reboot_s,
    "The seconds of a recovery besides reading the checkpoint. The values are fitted.", within(0.0, 1e6));
}

static_assert(member_count<MppSystemConfig>() == 13);
void describe(Fields& f, MppSystemConfig& c) {
  f("petaflops_system", c.petaflops, "The machine of one petaflops.");
  f("exaflops_system", c.exaflops,
    "The machine of one exaflops. Other machines are on the line through both.");
  f("hardware", c.causes.hardware, "The number of failures counted whose cause is the hardware.",
    within(0, 1'000'000'000'000));
  f("software", c.causes.software, "The number whose cause is software.", within(0, 1'000'000'000'000));
  f("network", c.causes.network, "The number whose cause is the network.", within(0, 1'000'000'000'000));
  f("human", c.causes.human, "The number whose cause is people.", within(0, 1'000'000'000'000));
  f("facilities", c.causes.facilities, "The number whose cause is power or cooling.",
    within(0, 1'000'000'000'000));
  f("undetermined", c.causes.undetermined,
    "The number whose cause is unknown. They are taken to need a global checkpoint.",
    within(1, 1'000'000'000'000));
  f("soft_share", c.causes.soft_share, "The share of the hardware's failures that a reboot ends.",
    within(0.0, 1.0));
  f("socket_mttf_years", c.socket_mttf_years,
    "The mean time to a failure of a socket of the petaflops machine, in years.", within(1e-6, 1e6));
  f("soft_errors_2004", c.soft_errors_2004,
    "The rate of soft errors of the petaflops machine over the rate at which failures were counted.",
    within(0.0, 1e6));
  f("year_of_10_petaflops", c.year_of_10_petaflops,
    "The year of the machine of 10 petaflops. That of one petaflops is of 2008, that of one exaflops of "
    "2017.",
    within(first_year, last_year));
  f("year_of_100_petaflops", c.year_of_100_petaflops, "The year of the machine of 100 petaflops.",
    within(first_year, last_year));
  f.check([&] { return c.year_of_10_petaflops <= c.year_of_100_petaflops; }, "year_of_10_petaflops",
          "is no later than year_of_100_petaflops");
  f("sockets_growth", c.sockets, "How the number of sockets grows from the first machine to the other.");
  f("network_growth", c.network, "How the network's bandwidth grows.");
  f("file_system_growth", c.file_system, "How the file system's bandwidth grows.");
  f("compute_share", c.compute_share,
    "The share of all nodes that are compute nodes, which have a checkpoint.", within(0.0, 1.0));
  f("stack_copy_s", c.stack_copy_s, "The seconds to copy DRAM into PCRAM stacked on it, whatever its size.",
    within(0.0, 1e6));
  f("coordination_s", c.coordination_s, "The seconds to begin a coordinated checkpoint.", within(0.0, 1e6));
}

namespace {

double between(double first, double last, double share, Growth growth) {
  const bool is_linear = growth == Growth::linear || first <= 0 || last <= 0;
  return is_linear ? first + (last - first) * share : first * std::pow(last / first, share);
}

// Soft errors and reboots may be none.
void check(const MppSpecification& s) {
  const char* none = s.sockets <= 0            ? "sockets"
                     : s.memory_gb <= 0        ? "memory_gb"
                     : s.pcram_gbps <= 0       ? "pcram_gbps"
                     : s.network_gbps <= 0     ? "network_gbps"
                     : s.file_system_gbps <= 0 ? "file_system_gbps"
                     : s.soft_errors < 0       ? "soft_errors"
                     : s.reboot_s < 0          ? "reboot_s"
                                               : nullptr;
  if (none != nullptr)
    throw std::invalid_argument(std::string("the line of ") + none +
                                " does not reach to a machine of this speed");
}

}  // namespace

double year_of(const MppSystemConfig& c, double petaflops) {
  const std::array<double, 4> years = {first_year, c.year_of_10_petaflops, c.year_of_100_petaflops,
                                       last_year};  // of 1, 10, 100 and 1000 petaflops
  const double decade = std::log10(petaflops), before = std::clamp(std::floor(decade), 0.0, 2.0);
  const auto at = static_cast<std::size_t>(before);
  return years[at] + (years[at + 1] - years[at]) * (decade - before);
}

MppSystem mpp_system(const MppSystemConfig& c, double petaflops) {
  const double share = (year_of(c, petaflops) - first_year) / (last_year - first_year);
  const auto growth_of = [&](double MppSpecification::*member) {
    if (member == &MppSpecification::sockets) return c.sockets;
    if (member == &MppSpecification::network_gbps) return c.network;
    return member == &MppSpecification::file_system_gbps ? c.file_system : Growth::geometric;
  };
  MppSystem system;
  for (double MppSpecification::*member :
       {&MppSpecification::sockets, &MppSpecification::memory_gb, &MppSpecification::pcram_gbps,
        &MppSpecification::network_gbps, &MppSpecification::file_system_gbps, &MppSpecification::soft_errors,
        &MppSpecification::reboot_s})
    system.specification.*member = between(c.petaflops.*member, c.exaflops.*member, share, growth_of(member));
  const MppSpecification& s = system.specification;
  check(s);
  const FailureSplit first = failure_split(c.causes, c.soft_errors_2004 * c.petaflops.soft_errors),
                     split = failure_split(c.causes, c.soft_errors_2004 * s.soft_errors);
  system.locally_recoverable = split.locally_recoverable;
  system.degradation = s.sockets / c.petaflops.sockets * split.failures / first.failures;
  constexpr double year = 365.0 * 86'400;
  system.mttf = Seconds(c.socket_mttf_years * year / c.petaflops.sockets / system.degradation);
  return system;
}

LocalGlobalCheckpoint checkpoint_of(const MppSystemConfig& c, const MppSystem& system, CheckpointMedia media,
                                    double memory_usage, double volume) {
  const MppSpecification& s = system.specification;
  const double gigabytes = s.memory_gb * memory_usage * volume;
  const auto taking = [&](double seconds) { return Seconds(seconds + c.coordination_s); };
  const Seconds disks = taking(c.compute_share * s.sockets * gigabytes / s.file_system_gbps),
                neighbour = taking(gigabytes / s.network_gbps), dimm = taking(gigabytes / s.pcram_gbps),
                stack = taking(c.stack_copy_s);
  const auto with = [&](Seconds local, Seconds global) {
    const Seconds reboot(s.reboot_s);
    return LocalGlobalCheckpoint{local,
                                 global,
                                 local + reboot,
                                 global + reboot,
                                 system.locally_recoverable,
                                 system.mttf,
                                 Seconds(c.coordination_s)};
  };
  switch (media) {
    case CheckpointMedia::pure_hdd:
      return with(disks, disks);
    case CheckpointMedia::dimm_hdd:
      return with(dimm, disks);
    case CheckpointMedia::dimm_dimm:
      return with(dimm, neighbour);
    case CheckpointMedia::pcram_3d:
      return with(stack, neighbour);
  }
  return {};
}

}  // namespace asterism
