#include "platform/command/version.h"

#include <capstone/capstone.h>
#include <elfutils/version.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tinyxml2.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include <CLI/Version.hpp>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>
#include <systemc>
#include <vector>
#ifdef __x86_64__
#include <xbyak/xbyak.h>
#endif

#include "base/wrapped_text.h"
#include "core/a64/fast_float.h"
#include "core/core_config.h"
#include "ecc/ddr5_codec.h"
#include "ecc/page_codec.h"
#include "fabric/fabric_config.h"
#include "memory/memory_config.h"
#include "platform/report/page.h"
#include "tlm/device.h"

namespace asterism {
namespace {

struct Library {
  std::string name, version, licence;
};

std::string dotted(int major, int minor, int patch) { return fmt::format("{}.{}.{}", major, minor, patch); }

// Every library whose code is in the process, and those of the two files that it starts or loads on demand.
// NOTICE says the same in words.
std::vector<Library> libraries() {
  return {
      {"SystemC", dotted(SC_VERSION_MAJOR, SC_VERSION_MINOR, SC_VERSION_PATCH), "Apache-2.0"},
      {"Boost", dotted(BOOST_VERSION / 100'000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100), "BSL-1.0"},
      {"fmt", dotted(FMT_VERSION / 10'000, FMT_VERSION / 100 % 100, FMT_VERSION % 100), "MIT"},
      {"spdlog", ASTERISM_SPDLOG_VERSION, "MIT"},
      {"CLI11", CLI11_VERSION, "BSD-3-Clause"},
      {"nlohmann-json",
       dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH), "MIT"},
#ifdef __x86_64__
      {"Xbyak", fmt::format("{:x}.{:02x}", Xbyak::VERSION >> 12, Xbyak::VERSION >> 4 & 0xff), "BSD-3-Clause"},
#endif
      {"Capstone", dotted(CS_API_MAJOR, CS_API_MINOR, CS_VERSION_EXTRA), "BSD-3-Clause"},
      {"elfutils", fmt::format("0.{}", _ELFUTILS_VERSION), "LGPL-3.0-or-later or GPL-2.0-or-later"},
      {"libfdt", "", "BSD-2-Clause or GPL-2.0-or-later"},
      {"zlib", ZLIB_VERSION, "Zlib"},
      {"zstd", ZSTD_VERSION_STRING, "BSD-3-Clause or GPL-2.0"},
      {"xxHash", dotted(XXH_VERSION_MAJOR, XXH_VERSION_MINOR, XXH_VERSION_RELEASE), "BSD-2-Clause"},
      {"yaml-cpp", ASTERISM_YAML_CPP_VERSION, "MIT"},
      {"TinyXML-2", dotted(TINYXML2_MAJOR_VERSION, TINYXML2_MINOR_VERSION, TINYXML2_PATCH_VERSION), "Zlib"},
      {"GTKWave FST", "", "MIT"},
      {"uPlot", std::string(page_plots_version), "MIT"},
#ifdef ASTERISM_SIMGRID_VERSION
      {"SimGrid", ASTERISM_SIMGRID_VERSION, "LGPL-2.1, in asterism_cluster only"},
#endif
#ifdef ASTERISM_MPI_VERSION
      {"MPI", ASTERISM_MPI_VERSION, "of your MPI, in libasterism_mpi.so only"},
#endif
  };
}

template <class E>
std::string names_of() {
  std::vector<std::string> names;
  for (const auto& each : enum_names(E{})) names.emplace_back(each.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string cores() {
  std::string text = "A64 at EL0 and EL1: an interpreter";
#ifdef __x86_64__
  text += fmt::format(", and a translator to x86-64, which needs no extension and uses FMA ({} here)",
                      a64::fast_float::host_has_fma() ? "available" : "not available");
#endif
  return text + ". Caches: " + names_of<CacheModel>();
}

std::string codec() {
  std::vector<std::string> paths;
  for (const CodecPath path : codec_paths()) paths.emplace_back(to_text(path));
  return fmt::format(
      "Reed-Solomon (36,32) and (19,16), for which this processor can use {}; of DDR5 ranks {}",
      fmt::join(paths, ", "), names_of<Ddr5Code>());
}

}  // namespace

std::string version_text() {
  constexpr std::size_t column = 17;
  std::string text = fmt::format("asterism {}\nLicence: BSD-3-Clause\n\nEngines:\n", ASTERISM_VERSION);
  const auto row = [&](const std::string& name, const std::string& what) {
    text += wrapped("  " + name, what, column);
  };
  row("cores", cores());
  row("fabric", names_of<Fidelity>() + "; topologies: " + names_of<TopologyKind>());
  row("memory", names_of<MemoryFidelity>());
  row("memory's code", codec());
  row("devices", fmt::format("{}", fmt::join(DeviceTypes::names(), ", ")));
  text += "\nLibraries:\n";
  for (const Library& each : libraries())
    row(each.name, fmt::format("{:<9} {}", each.version.empty() ? "-" : each.version, each.licence));
  return text.substr(0, text.size() - 1);
}

}  // namespace asterism
