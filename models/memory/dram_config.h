// The DRAM of a node or a study: its channels, its part, and the scheduling of its controllers.
#pragma once

#include <string>

#include "base/enum_names.h"
#include "base/units.h"

namespace asterism {

class Fields;

enum class PagePolicy { open, open_adaptive, closed };
constexpr auto enum_names(PagePolicy) {
  return std::to_array<EnumName<PagePolicy>>(
      {{PagePolicy::open, "open", "a row stays open until another one of its bank is needed"},
       {PagePolicy::open_adaptive, "open_adaptive",
        "a row closes when requests wait for its bank and none of them for the row"},
       {PagePolicy::closed, "closed", "a row closes when no request waits for it"}});
}

enum class RefreshMode { all_bank, by_banks, none };
constexpr auto enum_names(RefreshMode) {
  return std::to_array<EnumName<RefreshMode>>(
      {{RefreshMode::all_bank, "all_bank", "a refresh takes a rank, in which nothing else happens meanwhile"},
       {RefreshMode::by_banks, "by_banks",
        "a refresh takes one bank of each bank group, or a single bank, and the others can be used, as the "
        "bank_refresh of the part says"},
       {RefreshMode::none, "none", "no time is lost to refreshes, but no real memory works so"}});
}

struct DramConfig {
  std::uint32_t controllers = 1;
  std::uint32_t channels = 1;             // of a controller
  std::uint32_t ranks = 2;                // of a channel or pseudo-channel
  std::string part = "ddr3_1600_1gb_x4";  // configs/dram
  std::string mapping = "RoRaBaCoCh";     // address_mapping.h
  bool hash = false;                      // of the channel and the bank
  PagePolicy page_policy = PagePolicy::open_adaptive;
  std::uint32_t read_queue = 32, write_queue = 64;  // of a channel
  std::uint32_t write_high = 54, write_low = 32;    // queued writes at which the write drain begins and ends
  Picoseconds starvation_limit = 2_us;              // for which a read may be passed by younger ones
  RefreshMode refresh = RefreshMode::all_bank;
  std::uint32_t postponed_refreshes = 0;  // of each bank, while requests wait for it
};
void describe(Fields& f, DramConfig& config);

}  // namespace asterism
