// Which lines of checkpoints count: a later entry of a page covers the lines of an earlier one. All of it
// goes backwards in time (abeyratne2017 section 5.3.2.3), so that a line that was overwritten is met when a
// newer one has already been seen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dimm_ssd/checkpoint_log_directory.h"

namespace asterism {

// Lines seen so far, by page.
class LineCoverage {
 public:
  // Of these lines, those that are seen for the first time.
  std::uint64_t add(std::uint32_t page, std::uint64_t lines) {
    if (page >= seen_.size()) seen_.resize(std::size_t{page} + 1 + seen_.size() / 2);
    const std::uint64_t fresh = lines & ~seen_[page];
    seen_[page] |= lines;
    return fresh;
  }

 private:
  std::vector<std::uint64_t> seen_;
};

// The entries of one checkpoint that stands for these, oldest first. An entry with a line that counts is kept
// as it is, with its covered lines: what covers them is kept, too.
std::vector<LogEntry> merge_entries(std::span<const CheckpointBody* const> bodies);

// A part of an image: lines of an entry.
struct ImagePiece {
  LogEntry entry;
  std::uint64_t lines;  // those that count, at least one
};
// Every line of the image once, in the order of data pages.
std::vector<ImagePiece> image_of(std::span<const CheckpointBody* const> bodies);

// Lines that count of each entry within its own checkpoint.
std::vector<std::uint64_t> lines_that_count(const CheckpointBody& body);

// Of an entry's lines, as they lie in `stored`, those in `lines`, packed behind `out`.
void append_lines(std::span<const std::byte> stored, const LogEntry& entry, std::uint64_t lines,
                  std::size_t line_bytes, std::vector<std::byte>& out);

}  // namespace asterism
