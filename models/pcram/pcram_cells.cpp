#include "pcram/pcram_cells.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "pcram/word_code.h"

namespace asterism {

static_assert(std::endian::native == std::endian::little);

PcramWord PcramWord::encode(std::span<const std::byte, 64> bytes) {
  PcramWord word;
  std::memcpy(word.data.data(), bytes.data(), bytes.size());
  for (unsigned i = 0; i < word.data.size(); ++i)
    word.check |= std::uint64_t{WordCode::check(word.data[i])} << 8 * i;
  return word;
}

PcramWord::Decoded PcramWord::decode() const {
  Decoded decoded;
  PcramWord corrected = *this;
  for (unsigned i = 0; i < data.size(); ++i) {
    const auto result = WordCode::correct(corrected.data[i], static_cast<std::uint8_t>(check >> 8 * i));
    decoded.corrected += result == WordCode::Result::corrected;
    decoded.uncorrectable += result == WordCode::Result::uncorrectable;
  }
  std::memcpy(decoded.bytes.data(), corrected.data.data(), decoded.bytes.size());
  return decoded;
}

const PcramCells::Line& PcramCells::line(std::uint64_t number) const {
  static const Line never_written;
  const auto found = pages_.find(number / lines_per_page);
  return found == pages_.end() ? never_written : (*found->second)[number % lines_per_page];
}

PcramCells::Page& PcramCells::page(std::uint64_t number) {
  if (last_ != nullptr && last_number_ == number) return *last_;
  std::unique_ptr<Page>& page = pages_[number];
  if (!page) page = std::make_unique<Page>();
  last_ = page.get();
  last_number_ = number;
  return *last_;
}

std::uint32_t PcramCells::max_wear() const {
  std::uint32_t most = 0;
  for (const auto& [number, page] : pages_)
    for (const Line& line : *page) most = std::max(most, line.wear);
  return most;
}

void PcramCells::report_wear(PageMap::Counts& to) const {
  std::map<std::uint64_t, std::uint32_t> wear;
  for (const auto& [number, page] : pages_)
    wear.emplace(number, std::ranges::max(*page, {}, &Line::wear).wear);
  for (const auto& [number, most] : wear) to.add(number, most);
}

}  // namespace asterism
