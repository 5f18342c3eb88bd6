// What the testbenches share: a block's library by the path of its block.json, built when it is not there yet, and copies of
// blocks with bugs in them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cosim/rtl_library.h"
#include "platform/rtl/block_build.h"
#include "testbenches/planted.h"

namespace asterism {

struct PlantedBug {
  const char* name;
  std::vector<Change> changes;
};
inline void PrintTo(const PlantedBug& bug, std::ostream* out) { *out << bug.name; }

// A copy of rtl/<block> with a bug planted, for library_of().
inline std::string planted(const std::string& block, const PlantedBug& bug) {
  const std::filesystem::path source = ASTERISM_SOURCE,
                              copies = std::filesystem::path(ASTERISM_CACHE) / "../planted";
  return plant(source / "rtl" / block, copies / (block + "-" + bug.name), bug.changes).string();
}

// Parameters as overrides for library_of(), and more of these.
inline std::vector<std::string> overrides_of(const std::map<std::string, std::uint64_t>& parameters,
                                             std::vector<std::string> more = {}) {
  for (const auto& [name, value] : parameters)
    more.push_back("parameters." + name + "=" + std::to_string(value));
  return more;
}

// `block` is relative to the root of the source: "rtl/lrg_arbiter/block.json".
inline std::shared_ptr<const RtlLibrary> library_of(const std::string& block,
                                                    const std::vector<std::string>& overrides) {
  const BlockRequest request{
      .file = std::filesystem::path(ASTERISM_SOURCE) / block, .overrides = overrides, .radix = {}};
  setenv("ASTERISM_RTL_CACHE", ASTERISM_CACHE, 0);
  return RtlLibrary::open(
      build_block(request, [](const std::string& line) { std::cerr << line << '\n'; }).library);
}

}  // namespace asterism
