// The fixture of tests of EccMemory: a small memory with faults.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "memory/ecc_memory.h"

namespace asterism {

// The memory of 2 MiB has two ranks of eight banks of 16 rows of 128 blocks; the part has as many rows above
// them.
constexpr DramGeometry small_geometry{.channels = 1, .ranks = 2, .banks = 8, .rows = 16, .columns = 128};
constexpr std::uint32_t small_part_rows = 32;

struct SmallEccMemory {
  EccConfig config;
  Dram cells{small_geometry.size(), 1};
  AddressMapping mapping;
  EccMemory memory;
  std::vector<MemoryError> errors;
  std::vector<AddressRange> changes;

  explicit SmallEccMemory(const EccConfig& c = {}, const char* order = "RoRaBaCoCh",
                          std::uint32_t part_rows = small_part_rows)
      : config(c), mapping(order, small_geometry), memory(config, cells, mapping, part_rows, 1) {
    memory.on_error = [this](const MemoryError& error, bool) { errors.push_back(error); };
    memory.direct_changed = [this](AddressRange range) { changes.push_back(range); };
  }

  static constexpr Bytes at(std::uint64_t block) { return Bytes(block * block_bytes); }
  std::uint64_t block(const BlockLocation& location) const { return mapping.block_at(location); }

  BlockAccess write(std::uint64_t block, unsigned char value, unsigned first = 0,
                    unsigned count = block_bytes) {
    std::array<std::byte, block_bytes> data;
    data.fill(std::byte(value));
    return memory.write(1_us, at(block) + Bytes(first), std::span(data).first(count));
  }
  BlockAccess read(std::uint64_t block, std::array<std::byte, block_bytes>& data) {
    return memory.read(2_us, at(block), data);
  }
  BlockAccess read(std::uint64_t block) {
    std::array<std::byte, block_bytes> data;
    return read(block, data);
  }
  // Whether all bytes of the block are read as `value`.
  bool holds(std::uint64_t block, unsigned char value) {
    std::array<std::byte, block_bytes> data, expected;
    expected.fill(std::byte(value));
    read(block, data);
    return data == expected;
  }
  RangeProblem set_strong(Bytes first, Bytes size, unsigned index = 0) {
    return memory.set_range(0_ps, index, EccRange{{Address(first.count()), size}, EccMode::strong});
  }
  std::uint64_t count(std::string_view name) const {
    Statistics statistics;
    memory.report(statistics);
    for (const auto& [key, value] : statistics.entries())
      if (key == name) return std::get<std::uint64_t>(value);
    ADD_FAILURE() << "there are no statistics " << name;
    return 0;
  }
};

inline MemoryFault fault_at(MemoryFaultKind kind, const BlockLocation& at, std::uint32_t chip = 3,
                            Persistence persistence = Persistence::stuck, std::uint32_t bit = 9) {
  return {.kind = kind, .persistence = persistence, .at = at, .chip = chip, .bit = bit};
}

}  // namespace asterism
