#include "dimm_ssd/flash_fault.h"

#include <algorithm>
#include <vector>

#include "dimm_ssd/checkpoint_log_pages.h"

namespace asterism {
namespace {

// Each once, in the order in which the version's entries name them first.
std::vector<std::uint32_t> data_pages(const CheckpointBody& body) {
  std::vector<std::uint32_t> pages;
  for (const LogEntry& entry : body.entries)
    if (std::ranges::find(pages, entry.data_page) == pages.end()) pages.push_back(entry.data_page);
  return pages;
}

}  // namespace

std::optional<std::uint32_t> logical_page(const FlashFault& fault, const CheckpointDirectory& directory) {
  if (fault.holds == FlashHold::root)
    return fault.page < LogPages::roots ? std::optional(fault.page) : std::nullopt;
  const auto& stored = directory.stored();
  for (std::size_t i = stored.size(); i-- > 0;) {
    if (!stored[i].visible || !stored[i].readable) continue;
    if (fault.version != 0 && stored[i].version != fault.version) continue;
    const CheckpointBody& body = directory.body(i);
    const auto pages = fault.holds == FlashHold::data ? data_pages(body) : body.metadata;
    return fault.page < pages.size() ? std::optional(pages[fault.page]) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace asterism
