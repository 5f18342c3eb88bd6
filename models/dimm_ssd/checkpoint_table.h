// The directory of a DIMM-SSD: which complete checkpoints it holds and in which rows of blocks their pages
// lie. One table fits one flash page, so that programming that page commits all of it or none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace asterism {

struct CheckpointEntry {
  static constexpr std::size_t name_bytes = 32;  // with its terminating zero

  std::string name;
  std::uint64_t version = 0;
  std::uint32_t memory_pages = 0;  // of 4 KiB
  std::uint32_t crc = 0;           // CRC-32 of the contents
  std::vector<std::uint32_t> rows;
};

class CheckpointTable {
 public:
  std::uint64_t sequence = 0;            // grows with every commit
  std::vector<CheckpointEntry> entries;  // in the order of their commits

  // The newest version under `name` that is not above `limit`; nullptr when there is none.
  const CheckpointEntry* newest(const std::string& name, std::uint64_t limit) const;
  const CheckpointEntry* find(const std::string& name, std::uint64_t version) const;
  // Puts an entry in place of one of the same name and version, then drops all of the name but the `versions`
  // committed last: a job that counts from 1 again does not lose its checkpoints to those of the one before.
  void put(CheckpointEntry entry, std::size_t versions);
  void remove(const std::string& name, std::uint64_t version);
  bool uses_row(std::uint32_t row) const;

  // nullopt when the table does not fit `page_bytes`.
  std::optional<std::vector<std::byte>> to_page(std::size_t page_bytes) const;
  // nullopt when the page holds no valid table (torn, erased, or of another kind).
  static std::optional<CheckpointTable> from_page(std::span<const std::byte> page);
};

}  // namespace asterism
