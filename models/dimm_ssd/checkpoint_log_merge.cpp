#include "dimm_ssd/checkpoint_log_merge.h"

#include <algorithm>
#include <bit>

namespace asterism {
namespace {

// Calls visit(entry, valid lines), newest first.
template <class Visit>
void backwards(std::span<const CheckpointBody* const> bodies, Visit visit) {
  LineCoverage coverage;
  for (auto body = bodies.rbegin(); body != bodies.rend(); ++body)
    for (auto entry = (*body)->entries.rbegin(); entry != (*body)->entries.rend(); ++entry)
      visit(*entry, coverage.add(entry->page, entry->lines()));
}

}  // namespace

std::vector<LogEntry> merge_entries(std::span<const CheckpointBody* const> bodies) {
  std::vector<LogEntry> kept;
  backwards(bodies, [&](const LogEntry& entry, std::uint64_t lines) {
    if (lines != 0) kept.push_back(entry);
  });
  std::ranges::reverse(kept);
  kept.shrink_to_fit();
  return kept;
}

std::vector<ImagePiece> image_of(std::span<const CheckpointBody* const> bodies) {
  std::vector<ImagePiece> pieces;
  backwards(bodies, [&](const LogEntry& entry, std::uint64_t lines) {
    if (lines != 0) pieces.push_back({entry, lines});
  });
  std::ranges::sort(pieces, [](const ImagePiece& a, const ImagePiece& b) {
    return a.entry.data_page != b.entry.data_page ? a.entry.data_page < b.entry.data_page
                                                  : a.entry.first_line < b.entry.first_line;
  });
  return pieces;
}

std::vector<std::uint64_t> lines_that_count(const CheckpointBody& body) {
  std::vector<std::uint64_t> counts(body.entries.size());
  const CheckpointBody* const bodies[] = {&body};
  std::size_t i = body.entries.size();
  backwards(bodies, [&](const LogEntry&, std::uint64_t lines) { counts[--i] = lines; });
  return counts;
}

void append_lines(std::span<const std::byte> stored, const LogEntry& entry, std::uint64_t lines,
                  std::size_t line_bytes, std::vector<std::byte>& out) {
  std::size_t at = entry.first_line * line_bytes;
  for (std::uint64_t left = entry.lines(); left != 0; left &= left - 1, at += line_bytes) {
    if ((lines & left & -left) == 0) continue;
    const auto line = stored.subspan(at, line_bytes);
    out.insert(out.end(), line.begin(), line.end());
  }
}

}  // namespace asterism
