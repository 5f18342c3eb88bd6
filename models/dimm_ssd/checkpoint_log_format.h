// The format of the flash pages of a checkpoint log (checkpoint_log.h describes their use). All data are
// little-endian and packed as below.
//
// Entry, 20 bytes (abeyratne2017 section 5.3.2.3): page (4 of the chapter's 6 bytes), bitmap of its lines
// (8), place of the lines (6: data page, first line in it), and in the remaining 2 bytes of the page's 6 a
// check of the lines. The check is needed because a translation layer that has lost the newest copy of a page
// may find an older one with other contents, which must be refused.
//
// Metadata page: next page of the chain and its CRC-32, number of entries, entries. A chain is thus checked
// from the root on: only the very page that was committed is accepted.
//
// Root page: a header with a CRC-32 over the used part, names, and a record of each checkpoint in the order
// of commits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace asterism {

// The layout is the same in memory and in flash.
struct LogEntry {
  std::uint32_t page = 0;
  std::uint32_t data_page = 0;  // logical
  std::uint32_t lines_low = 0, lines_high = 0;
  std::uint16_t first_line = 0;  // in the data page
  std::uint16_t check = 0;       // of the lines' contents

  constexpr std::uint64_t lines() const { return std::uint64_t{lines_high} << 32 | lines_low; }
  constexpr void set_lines(std::uint64_t lines) {
    lines_low = static_cast<std::uint32_t>(lines);
    lines_high = static_cast<std::uint32_t>(lines >> 32);
  }
  constexpr std::uint32_t line_count() const { return static_cast<std::uint32_t>(std::popcount(lines())); }
  bool operator==(const LogEntry&) const = default;
};
static_assert(sizeof(LogEntry) == 20);

struct RootRecord {
  std::string name;
  std::uint64_t version = 0;
  std::uint64_t sequence = 0;
  std::uint32_t memory_pages = 0;
  std::uint32_t entries = 0;
  std::uint32_t metadata_pages = 0;
  std::uint32_t first_metadata = 0;
  std::uint32_t metadata_crc = 0;  // of the first page
  bool full = false;
  bool visible = true;
  bool lost = false;  // the metadata could not be read
  bool operator==(const RootRecord&) const = default;
};

struct Root {
  static constexpr std::size_t name_bytes = 32;  // with its terminating zero
  static constexpr std::size_t header_bytes = 40;
  static constexpr std::size_t record_bytes = 40;

  std::uint64_t generation = 0;     // grows with every root
  std::uint64_t next_sequence = 1;  // of commits
  std::uint32_t line_bytes = 0;
  std::vector<RootRecord> records;
  bool operator==(const Root&) const = default;
};

std::size_t root_bytes(const Root& root);
// Throws std::length_error if it does not fit.
std::vector<std::byte> encode_root(const Root& root, std::size_t page_bytes);
// Returns nullopt if the page holds no valid root.
std::optional<Root> decode_root(std::span<const std::byte> page);

struct MetadataPage {
  static constexpr std::size_t header_bytes = 16;

  std::uint32_t next = 0;  // logical page; 0: this is the last
  std::uint32_t next_crc = 0;
  std::vector<LogEntry> entries;
};

std::uint32_t entries_per_metadata_page(std::size_t page_bytes);
std::vector<std::byte> encode_metadata(std::span<const LogEntry> entries, std::uint32_t next,
                                       std::uint32_t next_crc, std::size_t page_bytes);
// Returns nullopt if the page does not have this checksum.
std::optional<MetadataPage> decode_metadata(std::span<const std::byte> page, std::uint32_t crc);

std::uint32_t page_crc(std::span<const std::byte> page);
std::uint16_t lines_check(std::span<const std::byte> lines);

}  // namespace asterism
