#include "dimm_ssd/crash/crash_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace asterism {
namespace {

constexpr std::size_t lines_of_page = 64;

}  // namespace

std::optional<std::string> CrashAudit::fault(const CheckpointLog& log, std::size_t place,
                                             std::span<const std::byte> image) {
  const std::vector<StoredCheckpoint>& stored = log.stored();
  links_.clear();
  for (std::size_t at = place + 1; at-- > 0 && (links_.empty() || !stored[links_.back()].full);)
    if (stored[at].name == stored[place].name) links_.push_back(at);
  if (!stored[links_.back()].full) return "no full one is before it";
  const std::size_t page_bytes = lines_of_page * line_;
  if (stored[place].memory_pages * page_bytes != image.size()) return "it is of another number of pages";

  image_.resize(image.size());
  seen_.assign(stored[place].memory_pages, 0);
  for (auto link = links_.rbegin(); link != links_.rend(); ++link)
    for (const LogEntry& entry : log.directory().body(*link).entries)
      if (!overlay(log, entry)) return fmt::format("what is stored of page {} is not in flash", entry.page);
  for (std::size_t page = 0; page < seen_.size(); ++page)
    for (std::size_t line = 0; line < lines_of_page; ++line) {
      const std::size_t at = page * page_bytes + line * line_;
      if ((seen_[page] >> line & 1) == 0) return fmt::format("line {} of page {} is not stored", line, page);
      if (std::memcmp(&image_[at], &image[at], line_) != 0)
        return fmt::format("line {} of page {} differs from what it was", line, page);
    }
  return std::nullopt;
}

bool CrashAudit::overlay(const CheckpointLog& log, const LogEntry& entry) {
  const auto at = log.translation().place(entry.data_page);
  if (!at || flash_.state(*at) != FlashImage::PageState::programmed || entry.page >= seen_.size())
    return false;
  const std::span<const std::byte> data = flash_.page(*at);
  std::size_t from = entry.first_line * line_;
  for (std::size_t line = 0; line < lines_of_page; ++line) {
    if ((entry.lines() >> line & 1) == 0) continue;
    std::memcpy(&image_[(entry.page * lines_of_page + line) * line_], &data[from], line_);
    from += line_;
  }
  seen_[entry.page] |= entry.lines();
  return true;
}

}  // namespace asterism
