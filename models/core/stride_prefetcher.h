// A stride prefetcher (engine): the lines that a core will probably ask for, from those that it asked for.
//
// A stream is what a core asks for in one page of 4 KiB, because pages that follow each other in virtual
// addresses may be anywhere in physical ones. When two distances between its lines in a row are the same, it
// is prefetched up to `distance` lines ahead, at most `degree` lines at a time, until the end of the page.
//
//   StridePrefetcher prefetcher{config};
//   for (const std::uint64_t line : prefetcher.asked_for(line)) ...
//
// Source of the method: Baer and Chen, An Effective On-Chip Preloading Scheme to Reduce Data Access Penalty,
// Supercomputing 1991; by page instead of by instruction.
#pragma once

#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <vector>

#include "core/cache_config.h"

namespace asterism {

class StridePrefetcher {
 public:
  explicit StridePrefetcher(const PrefetchConfig& config)
      : distance_(config.distance), streams_(config.streams) {}

  static constexpr std::size_t degree = 2;
  using Lines = boost::container::static_vector<std::uint64_t, degree>;
  // Lines are their addresses / 64.
  Lines asked_for(std::uint64_t line);
  void reset();

 private:
  static constexpr std::uint64_t lines_of_page = 64, no_page = ~std::uint64_t{0};
  static constexpr unsigned trained = 2;
  struct Stream {
    std::uint64_t page = no_page;
    std::int64_t last = 0, stride = 0;  // lines
    std::int64_t ahead = 0;             // strides that are prefetched already
    unsigned same = 0;                  // how often the stride was seen in a row
    std::uint64_t used = 0;
  };
  Stream& stream_of(std::uint64_t line);

  const std::int64_t distance_;
  std::vector<Stream> streams_;
  std::uint64_t time_ = 0;
};

}  // namespace asterism
