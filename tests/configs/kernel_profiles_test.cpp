#include <gtest/gtest.h>

#include <array>
#include <set>
#include <span>

#include "base/parameter_name.h"
#include "gpu/workload/kernel_profile.h"
#include "platform/config/config.h"

namespace asterism {
namespace {

const ConfigLibrary library(ASTERISM_SOURCE_CONFIGS);

// The numbers by which models/gpu/workload/README.md interprets the words of lee2019: per cent of zones, and
// sixteenths of a zone.
struct Words {
  const char* name;
  int dirty_percent, dirty_pieces;
};
void PrintTo(const Words& words, std::ostream* out) { *out << words.name; }

struct KernelProfilesTest : testing::TestWithParam<Words> {};

TEST_P(KernelProfilesTest, GenerateWhatTheirWordsStandFor) {
  const GpuConfig gpu;
  const auto profile = load_config<KernelProfile>(library, "kernel_profiles", GetParam().name);
  const ProfileKernels whole(profile, gpu);
  EXPECT_EQ(whole.footprint(), profile.footprint);
  const double rows = static_cast<double>(profile.footprint / (64_KiB * gpu.channels));
  EXPECT_NEAR(static_cast<double>(whole.written_rows()), rows * GetParam().dirty_percent / 100, 0.5);
  EXPECT_EQ(whole.written_pieces(), whole.written_rows() * static_cast<unsigned>(GetParam().dirty_pieces));

  // One iteration over a sixteenth of the footprint writes all of these pieces and no others.
  ProfileKernels part(profile.scaled(1.0 / 16), gpu);
  std::set<std::uint64_t> pieces;
  std::array<DeviceAccess, 16> some{};
  for (std::uint32_t kernel = 0; kernel < part.kernels(); ++kernel) {
    part.begin_kernel(kernel);
    for (std::uint32_t pipeline = 0; pipeline < part.pipelines(); ++pipeline)
      while (const std::size_t made = part.next(pipeline, some))
        for (const DeviceAccess& access : std::span(some).first(made))
          if (access.write) pieces.insert(access.address / (4_KiB * gpu.channels).count());
  }
  EXPECT_EQ(pieces.size(), part.written_pieces());
}

INSTANTIATE_TEST_SUITE_P(MiniApps, KernelProfilesTest,
                         testing::Values(Words{"comd", 50, 4}, Words{"hpgmg", 50, 4}, Words{"snap", 95, 14},
                                         Words{"nekbone", 15, 14}, Words{"minicontact", 25, 14},
                                         Words{"miniamr", 95, 14}, Words{"lulesh", 50, 14}),
                         ParameterName());

}  // namespace
}  // namespace asterism
