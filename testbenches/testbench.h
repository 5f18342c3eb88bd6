// Common parts of the testbenches: the library of a block by the path of its block.json, which is built if it
// does not exist yet, and mutants, which are copies of blocks with a bug.
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
#include "testbenches/mutant.h"

namespace asterism {

// Makes a mutant of rtl/<block> and returns the path of its block.json, for library_of().
inline std::string mutant_of(const std::string& block, const Mutant& mutant) {
  const std::filesystem::path source = ASTERISM_SOURCE,
                              copies = std::filesystem::path(ASTERISM_CACHE) / "../mutants";
  return make_mutant(source / "rtl" / block, copies / (block + "-" + mutant.name), mutant.changes).string();
}

// Returns parameters, and further overrides, in the form that library_of() takes.
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
