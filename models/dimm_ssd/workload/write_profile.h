// How a program writes to its memory, told by a few numbers: so many pages an interval, so many writes, so many lines of
// each page, in which order and when. Files in configs/write_profiles.
//
// A profile has regions of pages, one after the other; a region is walked from its first page to its last, `sweeps` times
// an interval. Its classes say how many of its pages are written how often; pages of all classes lie mixed. Within a sweep
// blocks of so many pages as the L2 cache holds are written line after line, page after page, again and again until each
// page has had its writes of this sweep: a line is written to memory again only after the cache has displaced it anew. Where a page
// has fewer writes than the interval has sweeps it takes part in some of them.
//
// Over `intervals` intervals the requests are exactly the classes' `writes`, in every interval the pages are exactly all of a
// region's and the lines of each exactly its class's `lines`: a profile's totals are given, not drawn.
//
// Sources: abeyratne2017 Table 5.2 (totals), section 5.3.2.2 (writes a page), section 5.3.3 (order and time).
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
       {PageReuse::fresh, "fresh", "every interval goes on where the one before has ended"}});
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
  // When it is walked, in thousandths of the time of a sweep.
  std::uint32_t from = 0;
  std::uint32_t to = 1000;
  std::vector<WriteClass> classes;

  std::uint32_t pages() const;  // an interval
};
void describe(Fields& f, WriteRegion& r);

struct WriteProfile {
  Picoseconds interval = 1_s;  // that the program takes alone
  std::uint32_t intervals = 5;
  std::uint64_t instructions = 1'000'000'000;  // an interval
  double l2_mpki = 0;                          // reads of memory in 1,000 instructions
  std::uint32_t block_pages = 512;             // that the L2 cache holds
  std::vector<WriteRegion> regions;

  // Of an interval.
  std::uint64_t reads() const;
  std::uint32_t pages() const;
  std::uint64_t lines() const;
  std::uint64_t writes(std::uint32_t interval) const;
  // Of a run of so many intervals: pages that it writes at all.
  std::uint64_t footprint(std::uint32_t run) const;
};
void describe(Fields& f, WriteProfile& p);

// The requests of a run of so many intervals; more than the profile's go on in the same way. The footprint is at most
// max_written_pages.
class ProfileWrites final : public WriteSource {
 public:
  ProfileWrites(const WriteProfile& profile, std::uint32_t intervals);
  ~ProfileWrites() override;

  std::uint32_t pages() const override { return pages_; }
  Picoseconds interval() const override { return interval_; }
  void begin_interval(std::uint32_t index) override;
  std::size_t next(std::span<WriteRequest> requests) override;

 private:
  class Walk;  // of a region through an interval

  Picoseconds interval_;
  std::uint32_t pages_ = 0;
  std::vector<Walk> walks_;
};

}  // namespace asterism
