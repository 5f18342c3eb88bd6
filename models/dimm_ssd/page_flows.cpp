#include "dimm_ssd/page_flows.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace asterism {
namespace {

// An entry of the record with more flows would be of no use to a reader.
constexpr std::size_t flows_of_an_instant = 1024;

}  // namespace

PageFlows::PageFlows(ActivityLog& activity, const std::string& device)
    : activity_(activity),
      device_(device),
      device_track_(activity.track(device)),
      copies_(activity.track(device + ".copies")),
      frames_(activity.track(device + ".frames")) {}

void PageFlows::track(std::span<const Address> pages) {
  pages_.clear();
  pages_.reserve(pages.size());
  for (const Address page : pages) pages_.push_back({.address = page});
}

void PageFlows::store(Picoseconds at, std::uint32_t number, std::uint64_t phase, std::string_view by) {
  Page& page = pages_.at(number);
  const bool is_first = page.flow == 0;
  if (!is_first && (page.phase == phase || page.next != 0)) return;
  Flow& flow = is_first ? page.flow : page.next;
  flow = activity_.new_flow();
  (is_first ? page.phase : page.next_phase) = phase;
  activity_.instant(by.empty() ? device_track_ : activity_.track(by), at, "store",
                    {{"address", page.address.value()}}, std::span(&flow, 1));
}

void PageFlows::store_to_all(Picoseconds at, std::uint64_t phase) {
  std::vector<Flow> begun;
  for (Page& page : pages_) {
    if (page.flow == 0) {
      page.flow = activity_.new_flow();
      page.phase = phase;
      begun.push_back(page.flow);
    }
    if (begun.empty() || (begun.size() < flows_of_an_instant && &page != &pages_.back())) continue;
    activity_.instant(device_track_, at, "all pages", {{"pages", std::uint64_t{begun.size()}}}, begun);
    begun.clear();
  }
}

PageFlows::Flow PageFlows::take(std::uint32_t number) {
  Page& page = pages_.at(number);
  const Flow flow = page.flow != 0 ? page.flow : activity_.new_flow();
  page.flow = std::exchange(page.next, 0);
  page.phase = page.next_phase;
  return flow;
}

void PageFlows::copied(To to, Picoseconds begin, Picoseconds end, std::string_view what, std::uint32_t page,
                       std::uint64_t lines, Flow flow) {
  activity_.interval(to == To::flash ? copies_ : frames_, begin, end, what,
                     {{"address", pages_.at(page).address.value()},
                      {"lines", static_cast<std::uint64_t>(std::popcount(lines))}},
                     std::span(&flow, 1));
}

}  // namespace asterism
