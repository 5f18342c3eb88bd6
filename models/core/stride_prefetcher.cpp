#include "core/stride_prefetcher.h"

#include <algorithm>

namespace asterism {

StridePrefetcher::Lines StridePrefetcher::asked_for(std::uint64_t line) {
  Lines lines;
  Stream& stream = stream_of(line);
  stream.used = ++time_;
  const auto at = static_cast<std::int64_t>(line % lines_of_page);
  const std::int64_t by = at - stream.last;
  stream.last = at;
  if (by == 0) return lines;
  if (by != stream.stride) {
    stream.stride = by;
    stream.same = 1;
    stream.ahead = 0;
    return lines;
  }
  ++stream.same;
  stream.ahead = std::max<std::int64_t>(stream.ahead - 1, 0);
  if (stream.same < trained) return lines;
  while (stream.ahead < distance_ && lines.size() < degree) {
    const std::int64_t next = at + (stream.ahead + 1) * by;
    if (next < 0 || next >= static_cast<std::int64_t>(lines_of_page)) break;
    ++stream.ahead;
    lines.push_back(line / lines_of_page * lines_of_page + static_cast<std::uint64_t>(next));
  }
  return lines;
}

// A new one takes the place of the one that was not used for the longest time.
StridePrefetcher::Stream& StridePrefetcher::stream_of(std::uint64_t line) {
  const std::uint64_t page = line / lines_of_page;
  const auto found = std::ranges::find(streams_, page, &Stream::page);
  if (found != streams_.end()) return *found;
  Stream& oldest = *std::ranges::min_element(streams_, {}, &Stream::used);
  oldest = {.page = page, .last = static_cast<std::int64_t>(line % lines_of_page)};
  return oldest;
}

void StridePrefetcher::reset() { std::ranges::fill(streams_, Stream{}); }

}  // namespace asterism
