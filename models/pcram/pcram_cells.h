// The cells of a PCRAM memory: their contents, and how often each line was written. Only written pages are
// stored; all other cells are 0 and unworn.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include "base/page_map.h"
#include "base/units.h"

namespace asterism {

// 64 bytes of data and the check bits of each 8 of them.
struct PcramWord {
  std::array<std::uint64_t, 8> data{};
  std::uint64_t check = 0;

  static PcramWord encode(std::span<const std::byte, 64> bytes);
  struct Decoded {
    std::array<std::byte, 64> bytes;
    std::uint32_t corrected = 0, uncorrectable = 0;  // of its eight parts
  };
  Decoded decode() const;
  bool operator==(const PcramWord&) const = default;
};

// Applies f to each part of two words.
template <class F>
PcramWord combine(const PcramWord& a, const PcramWord& b, F f) {
  PcramWord result;
  for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] = f(a.data[i], b.data[i]);
  result.check = f(a.check, b.check);
  return result;
}
// The number of cells that are 1.
inline std::uint32_t count(const PcramWord& word) {
  int ones = std::popcount(word.check);
  for (const std::uint64_t part : word.data) ones += std::popcount(part);
  return static_cast<std::uint32_t>(ones);
}

class PcramCells {
 public:
  static constexpr std::uint64_t lines_per_page = 64;

  struct Line {
    PcramWord word;
    std::uint32_t wear = 0;  // writes that have programmed one of its cells
  };

  const Line& line(std::uint64_t number) const;
  Line& line(std::uint64_t number) { return page(number / lines_per_page)[number % lines_per_page]; }
  std::uint64_t pages() const { return pages_.size(); }  // that were written
  std::uint32_t max_wear() const;
  // Adds the wear of the most worn line of each page.
  void report_wear(PageMap::Counts& to) const;

 private:
  using Page = std::array<Line, lines_per_page>;
  Page& page(std::uint64_t number);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  Page* last_ = nullptr;
  std::uint64_t last_number_ = 0;
};

}  // namespace asterism
