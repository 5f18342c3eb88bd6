// Fuzzes the reader of memory traces. The accesses of an accepted trace must be within the memory and in the
// order of time, and must be accepted again when they are written out. The corpus is in
// tests/fuzz/dram_trace.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "memory/dram_trace.h"

using namespace asterism;

namespace {

constexpr Bytes size = 1_MiB;

std::vector<DramAccess> accesses(const std::string& text) {
  DramTraceSource source(std::make_unique<std::istringstream>(text), "fuzz", size);
  std::vector<DramAccess> accesses;
  while (const auto access = source.next()) accesses.push_back(*access);
  return accesses;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t length) {
  try {
    const std::vector<DramAccess> read = accesses(std::string(data, data + length));
    std::string again;
    Picoseconds last;
    for (const DramAccess& access : read) {
      if (access.block >= size / 64_B || access.earliest < last) std::abort();
      last = access.earliest;
      again += fmt::format("{} {:x} {}\n", access.is_write ? 'W' : 'R', access.block * 64,
                           access.earliest.count());
    }
    if (accesses(again) != read) std::abort();
  } catch (const DramTraceError&) {
  }
  return 0;
}
