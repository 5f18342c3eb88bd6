// Determines the valid lines of checkpoints: a later entry of a page overrides the lines of an earlier one.
// Entries are processed backwards in time (abeyratne2017 section 5.3.2.3), so that a newer line is found
// before the one that it overwrote.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dimm_ssd/checkpoint_log_directory.h"

namespace asterism {

// Lines seen so far, by page.
class LineCoverage {
 public:
  // Adds lines, and returns those that are seen for the first time.
  std::uint64_t add(std::uint32_t page, std::uint64_t lines) {
    if (page >= seen_.size()) seen_.resize(std::size_t{page} + 1 + seen_.size() / 2);
    const std::uint64_t fresh = lines & ~seen_[page];
    seen_[page] |= lines;
    return fresh;
  }

 private:
  std::vector<std::uint64_t> seen_;
};

// The entries of one checkpoint that replaces these, oldest first. An entry with a valid line is kept
// unchanged, including its overridden lines, because the entries that override them are kept, too.
std::vector<LogEntry> merge_entries(std::span<const CheckpointBody* const> bodies);

// A part of an image: lines of an entry.
struct ImagePiece {
  LogEntry entry;
  std::uint64_t lines;  // the valid ones, at least one
};
// Every line of the image once, in the order of data pages.
std::vector<ImagePiece> image_of(std::span<const CheckpointBody* const> bodies);

// The valid lines of each entry within its own checkpoint.
std::vector<std::uint64_t> lines_that_count(const CheckpointBody& body);

// Appends those of an entry's lines in `stored` that are in `lines` to `out`.
void append_lines(std::span<const std::byte> stored, const LogEntry& entry, std::uint64_t lines,
                  std::size_t line_bytes, std::vector<std::byte>& out);

}  // namespace asterism
