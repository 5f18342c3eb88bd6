// The pages of a checkpointed list in the record of a run (base/activity_log.h): who made a page dirty, and
// when it was copied. A flow begins with the first store to a page since its last copy, or with the
// checkpoint that takes all pages, and goes on with the copy, to a shadow frame or to flash, and with the
// flash page that holds the copy.
//
// While a page waits for its copy, a store may already belong to the next checkpoint: where memory is ahead
// of what is copied (write_protection.h). A page therefore has up to two flows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/activity_log.h"
#include "base/units.h"

namespace asterism {

class PageFlows {
 public:
  using Flow = ActivityLog::Flow;

  // `device` is the instance with the flash, "node.dimm_ssd".
  PageFlows(ActivityLog& activity, const std::string& device);

  // From now on these are the pages, and all are clean.
  void track(std::span<const Address> pages);
  // Ends all flows.
  void forget() { pages_.clear(); }
  // A store to a page. The first one since the page was copied, or in this phase (matt.h), is an instant of
  // `by`: of the core that stores, else of the device.
  void store(Picoseconds at, std::uint32_t page, std::uint64_t phase, std::string_view by);
  // All pages count as dirty from now on: an instant `all pages` of the device.
  void store_to_all(Picoseconds at, std::uint64_t phase);
  // The page is about to be copied: returns its flow.
  Flow take(std::uint32_t page);
  // A copy that has ended.
  enum class To : std::uint8_t { flash, frame };
  void copied(To to, Picoseconds begin, Picoseconds end, std::string_view what, std::uint32_t page,
              std::uint64_t lines, Flow flow);

 private:
  struct Page {
    Address address;
    Flow flow = 0, next = 0;  // 0: none
    std::uint64_t phase = 0, next_phase = 0;
  };

  ActivityLog& activity_;
  const std::string device_;
  const ActivityLog::Track device_track_, copies_, frames_;
  std::vector<Page> pages_;
};

}  // namespace asterism
