// The write behaviour of a program, described by a few numbers: pages per interval, writes, lines of each
// page, their order and time. Files are in configs/write_profiles.
//
// A profile has regions of consecutive pages. A region is walked from its first page to its last, `sweeps`
// times in an interval. Its classes give the number of its pages by how often they are written; pages of all
// classes are interleaved. Within a sweep, blocks of as many pages as the L2 cache holds are written line by
// line and page by page, repeatedly until each page has had its writes of this sweep: a line is written to
// memory again only after the cache has evicted it. A page with fewer writes than the interval has sweeps
// takes part in some of them.
//
// Over `intervals` intervals the number of requests is exactly the sum of the classes' `writes`; in every
// interval all pages of a region are written, each with exactly the `lines` of its class. The totals of a
// profile are given, not drawn.
//
// Sources: abeyratne2017 Table 5.2 (totals), section 5.3.2.2 (writes per page), section 5.3.3 (order and
// time).
#pragma once

#include <cstdint>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"
#include "dimm_ssd/workload/write_source.h"

namespace asterism {

class Fields;

enum class PageReuse { fixed, fresh };
constexpr auto enum_names(PageReuse) {
  return std::to_array<EnumName<PageReuse>>(
      {{PageReuse::fixed, "fixed", "every interval writes the same pages"},
       {PageReuse::fresh, "fresh", "every interval continues where the one before has ended"}});
}

struct WriteClass {
  std::uint32_t pages = 0;
  std::uint32_t lines = 64;  // of each page
  std::uint64_t writes = 0;  // over all intervals of the profile
};
void describe(Fields& f, WriteClass& c);

struct WriteRegion {
  PageReuse reuse = PageReuse::fixed;
  std::uint32_t sweeps = 1;  // an interval
  // Begin and end of the walk, in thousandths of the time of a sweep.
  std::uint32_t from = 0;
  std::uint32_t to = 1000;
  std::vector<WriteClass> classes;

  std::uint32_t pages() const;  // an interval
};
void describe(Fields& f, WriteRegion& r);

struct WriteProfile {
  Picoseconds interval = 1_s;  // time of the program without checkpoints
  std::uint32_t intervals = 5;
  std::uint64_t instructions = 1'000'000'000;  // an interval
  double l2_mpki = 0;                          // reads of memory per 1,000 instructions
  std::uint32_t block_pages = 512;             // pages that the L2 cache holds
  std::vector<WriteRegion> regions;

  // Numbers per interval.
  std::uint64_t reads() const;
  std::uint32_t pages() const;
  std::uint64_t lines() const;
  std::uint64_t writes(std::uint32_t interval) const;
  // The number of distinct pages that a run of so many intervals writes.
  std::uint64_t footprint(std::uint32_t run) const;
};
void describe(Fields& f, WriteProfile& p);

// The requests of a run of so many intervals. If these are more than the profile has, the run continues in
// the same way. The footprint is at most max_written_pages.
class ProfileWrites final : public WriteSource {
 public:
  ProfileWrites(const WriteProfile& profile, std::uint32_t intervals);
  ~ProfileWrites() override;

  std::uint32_t pages() const override { return pages_; }
  Picoseconds interval() const override { return interval_; }
  void begin_interval(std::uint32_t index) override;
  std::size_t next(std::span<WriteRequest> requests) override;

 private:
  class Walk;  // the walk of a region in an interval

  Picoseconds interval_;
  std::uint32_t pages_ = 0;
  std::vector<Walk> walks_;
};

}  // namespace asterism
