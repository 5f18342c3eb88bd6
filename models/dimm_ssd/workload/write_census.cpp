#include "dimm_ssd/workload/write_census.h"

#include <array>
#include <bit>
#include <vector>

namespace asterism {

WriteCensus take_census(WriteSource& source, std::uint32_t intervals) {
  struct Page {
    std::uint64_t lines = 0, writes = 0;
  };
  WriteCensus census;
  std::vector<Page> pages(source.pages());
  std::vector<std::uint32_t> modified;
  std::array<WriteRequest, 1024> requests;
  for (std::uint32_t interval = 0; interval < intervals; ++interval) {
    source.begin_interval(interval);
    while (const std::size_t made = source.next(requests)) {
      census.requests += made;
      for (std::size_t i = 0; i < made; ++i) {
        Page& page = pages[requests[i].page];
        if (page.writes++ == 0) modified.push_back(requests[i].page);
        page.lines |= std::uint64_t{1} << requests[i].line;
      }
    }
    census.pages += modified.size();
    for (const std::uint32_t number : modified) {
      Page& page = pages[number];
      census.lines += static_cast<std::uint64_t>(std::popcount(page.lines));
      census.pages_below_8 += page.writes < 8;
      census.pages_below_64 += page.writes < 64;
      census.pages_above_64 += page.writes > 64;
      page = {};
    }
    modified.clear();
  }
  return census;
}

}  // namespace asterism
