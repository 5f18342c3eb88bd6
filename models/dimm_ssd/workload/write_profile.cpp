#include "dimm_ssd/workload/write_profile.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/fields.h"
#include "base/file_kind.h"
#include "matt/matt.h"

namespace asterism {

namespace {
// One part of a total that is divided evenly, without remainder.
constexpr std::uint64_t part(std::uint64_t total, std::uint64_t index, std::uint64_t parts) {
  return total * (index + 1) / parts - total * index / parts;
}
}  // namespace

static_assert(member_count<WriteClass>() == 3);
void describe(Fields& f, WriteClass& c) {
  f("pages", c.pages, "The number of pages of this class that are written in an interval.",
    within(1, max_written_pages), required());
  f("lines", c.lines,
    "The number of lines of each page that an interval modifies: consolidation copies only these.",
    within(1, Matt::lines_per_page), required());
  f("writes", c.writes, "The number of write requests to these pages over all intervals of the profile.",
    within(1, 10'000'000'000), required());
}

static_assert(member_count<WriteRegion>() == 5);
void describe(Fields& f, WriteRegion& r) {
  f("reuse", r.reuse,
    "The pages that the next interval writes. With fresh ones, copies may take all later intervals.",
    one_of<PageReuse>());
  f("sweeps", r.sweeps,
    "The number of walks over the region in an interval. More sweeps shorten the time for which a page is "
    "cold.",
    within(1, 1000));
  f("from", r.from, "The thousandth of the time of a sweep at which the walk begins.", at_most(999));
  f("to", r.to,
    "The thousandth of the time of a sweep at which the walk ends. In the rest the region is cold.",
    within(1, 1000));
  f("classes", r.classes,
    "Classes of pages by how often they are written. Pages of all classes are interleaved.", required());
  f.check([&] { return r.from < r.to; }, "to", "is above from");
  f.check([&] { return !r.classes.empty(); }, "classes", "has a class");
}

static_assert(member_count<WriteProfile>() == 6);
void describe(Fields& f, WriteProfile& p) {
  f.sourced();
  f("interval", p.interval, "The time of the program between two checkpoints, without delays.",
    within(1_us, 100_s), required());
  f("intervals", p.intervals, "The number of intervals over which the writes of the classes are counted.",
    within(1, max_intervals));
  f("instructions", p.instructions,
    "The number of instructions of an interval. With l2_mpki they give the number of reads.",
    within(1000, 1'000'000'000'000));
  f("l2_mpki", p.l2_mpki, "Misses of the last-level cache per 1,000 instructions: the reads of memory.",
    within(0.0, 1000.0));
  f("block_pages", p.block_pages,
    "The number of pages that the L2 cache holds. They are rewritten before the walk continues.",
    within(1, 65'536));
  f("regions", p.regions, "The regions of the memory, in the order of their addresses.", required());
  f.check([&] { return !p.regions.empty(); }, "regions", "has a region");
  f.check(
      [&] {
        return std::ranges::all_of(p.regions, [&](const WriteRegion& r) {
          return std::ranges::all_of(r.classes, [&](const WriteClass& c) {
            return c.writes / p.intervals >= std::uint64_t{c.pages} * c.lines;
          });
        });
      },
      "regions", "has at least one write for each line in every interval");
  f.check([&] { return p.pages() <= max_written_pages; }, "regions", "has at most 4194304 pages");
}
const RegisteredFileKind<WriteProfile> profile_files{
    "write_profile", "write_profiles", "Asterism write profile", {"block_pages", "regions", "l2_mpki"}};

std::uint32_t WriteRegion::pages() const {
  std::uint64_t sum = 0;
  for (const WriteClass& c : classes) sum += c.pages;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, max_written_pages + 1));
}

std::uint64_t WriteProfile::reads() const {
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): engines use no libm, and the product is far below 2^53
  return static_cast<std::uint64_t>(l2_mpki * static_cast<double>(instructions) / 1000 + 0.5);
}
std::uint32_t WriteProfile::pages() const {
  std::uint64_t sum = 0;
  for (const WriteRegion& r : regions) sum += r.pages();
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, max_written_pages + 1));
}
std::uint64_t WriteProfile::lines() const {
  std::uint64_t sum = 0;
  for (const WriteRegion& r : regions)
    for (const WriteClass& c : r.classes) sum += std::uint64_t{c.pages} * c.lines;
  return sum;
}
std::uint64_t WriteProfile::writes(std::uint32_t interval) const {
  std::uint64_t sum = 0;
  for (const WriteRegion& r : regions)
    for (const WriteClass& c : r.classes) sum += part(c.writes, interval, intervals);
  return sum;
}
std::uint64_t WriteProfile::footprint(std::uint32_t run) const {
  std::uint64_t sum = 0;
  for (const WriteRegion& r : regions)
    sum += std::uint64_t{r.pages()} * (r.reuse == PageReuse::fresh ? run : 1);
  return sum;
}

// Walks a block of pages at a time: the remaining writes of each page in this sweep, and the position of the
// walk.
class ProfileWrites::Walk {
 public:
  Walk(const WriteRegion& region, std::uint32_t first_page, const WriteProfile& profile)
      : region_(region),
        interval_(profile.interval),
        intervals_(profile.intervals),
        block_pages_(profile.block_pages),
        first_page_(first_page),
        pages_(region.pages()) {
    // Steps of about the golden ratio spread every class over the region.
    stride_ = std::max<std::uint32_t>(static_cast<std::uint32_t>(std::uint64_t{pages_} * 618 / 1000), 1);
    while (std::gcd(stride_, pages_) != 1) ++stride_;
    rates_.resize(region.classes.size());
  }

  void begin_interval(std::uint32_t index) {
    for (std::size_t c = 0; c < rates_.size(); ++c) {
      const WriteClass& of = region_.classes[c];
      const std::uint64_t writes = part(of.writes, index, intervals_);
      rates_[c] = {.writes = writes / of.pages, .more = static_cast<std::uint32_t>(writes % of.pages)};
    }
    base_ = first_page_ + (region_.reuse == PageReuse::fresh ? index * pages_ : 0);
    sweep_ = 0;
    next_page_ = 0;
    begin_sweep();
    find();
  }

  // The time of the next request; nullopt if the interval has no more.
  std::optional<Picoseconds> time() const {
    if (at_ == rest_.size()) return std::nullopt;
    return block_from_ + Picoseconds(tick_ >> tick_bits);
  }

  // Requests up to and including `until`, at least one.
  std::size_t next(std::span<WriteRequest> requests, Picoseconds until) {
    std::size_t made = 0;
    while (made < requests.size() && at_ < rest_.size()) {
      const std::size_t before = made;
      made += run(requests.subspan(made), until, made != 0);
      if (made == before) break;
    }
    return made;
  }

 private:
  static constexpr unsigned tick_bits = 16;  // an interval of 100 s has 47

  struct Rate {
    std::uint64_t writes = 0;  // writes of a page in this interval
    std::uint32_t more = 0;    // number of pages with one more write
  };
  struct Rest {
    std::uint32_t page;
    std::uint32_t lines, line, first;  // the next line is number `line`, counted from `first`
    std::uint64_t writes;              // remaining in this sweep
  };

  // Writes to one page of the block in this round.
  std::size_t run(std::span<WriteRequest> requests, Picoseconds until, bool bounded) {
    Rest& rest = rest_[at_];
    const std::size_t most = std::min<std::uint64_t>(round_left_, requests.size());
    std::size_t made = 0;
    for (; made < most; ++made) {
      const Picoseconds time = block_from_ + Picoseconds(tick_ >> tick_bits);
      if ((bounded || made != 0) && time > until) break;
      requests[made] = {time, rest.page, (rest.first + rest.line) % Matt::lines_per_page};
      if (++rest.line == rest.lines) rest.line = 0;
      tick_ += tick_step_;
    }
    rest.writes -= made;
    round_left_ -= made;
    if (round_left_ == 0) next_page_of_round();
    return made;
  }

  void next_page_of_round() {
    const Rest done = rest_[at_++];
    if (done.writes != 0) rest_[kept_++] = done;
    if (at_ == rest_.size()) {
      rest_.resize(kept_);
      at_ = kept_ = 0;
      if (rest_.empty()) return find();
    }
    begin_page();
  }
  void begin_page() { round_left_ = std::min<std::uint64_t>(rest_[at_].writes, rest_[at_].lines); }

  // The next block with a write in this interval.
  void find() {
    rest_.clear();
    at_ = kept_ = 0;
    while (rest_.empty()) {
      if (next_page_ == pages_) {
        if (++sweep_ == region_.sweeps) return;
        next_page_ = 0;
        begin_sweep();
      }
      fill_block();
    }
    begin_page();
  }

  void begin_sweep() {
    place_ = 0;
    const std::uint64_t parts = std::uint64_t{region_.sweeps} * 1000;
    sweep_from_ = Picoseconds(scale(interval_.count(), sweep_ * 1000ull + region_.from, parts));
    sweep_to_ = Picoseconds(scale(interval_.count(), sweep_ * 1000ull + region_.to, parts));
  }

  Picoseconds time_of(std::uint32_t page) const {
    return sweep_from_ + Picoseconds(scale((sweep_to_ - sweep_from_).count(), page, pages_));
  }

  void fill_block() {
    const std::uint32_t end = std::min(pages_, next_page_ + block_pages_);
    std::uint64_t writes = 0;
    block_from_ = time_of(next_page_);
    const Picoseconds span = time_of(end) - block_from_;
    for (; next_page_ < end; ++next_page_) {
      add_page();
      if (!rest_.empty() && rest_.back().page == base_ + next_page_) writes += rest_.back().writes;
      place_ += stride_;
      if (place_ >= pages_) place_ -= pages_;
    }
    tick_ = 0;
    tick_step_ = writes != 0 ? (span.count() << tick_bits) / writes : 0;
  }

  // The share of this sweep in the writes of the page, from where the previous sweep ended.
  void add_page() {
    std::uint32_t place = place_;
    std::size_t c = 0;
    while (place >= region_.classes[c].pages) place -= region_.classes[c++].pages;
    const std::uint64_t writes = rates_[c].writes + (place < rates_[c].more);
    std::uint64_t before = 0, now = writes;
    if (region_.sweeps > 1) {
      const std::uint64_t phase = place % region_.sweeps;
      before = (writes * sweep_ + phase) / region_.sweeps;
      now = (writes * (sweep_ + 1) + phase) / region_.sweeps - before;
      if (now == 0) return;
    }
    const std::uint32_t page = base_ + next_page_, lines = region_.classes[c].lines;
    rest_.push_back(
        {page, lines, static_cast<std::uint32_t>(before % lines), (page * 0x9E3779B1u) >> 26, now});
  }

  WriteRegion region_;
  Picoseconds interval_;
  std::uint32_t intervals_, block_pages_, first_page_, pages_, stride_ = 1;

  std::vector<Rate> rates_;  // by class
  std::uint32_t base_ = 0;   // page of the interval
  std::uint32_t sweep_ = 0;
  Picoseconds sweep_from_, sweep_to_;
  std::uint32_t next_page_ = 0;  // of the region, after the block
  std::uint32_t place_ = 0;      // its number among all pages sorted by class

  std::vector<Rest> rest_;  // of the block: from at_ on this round's, before kept_ the next round's
  std::size_t at_ = 0, kept_ = 0;
  std::uint64_t round_left_ = 0;  // writes to the page at at_
  Picoseconds block_from_;
  std::uint64_t tick_ = 0, tick_step_ = 0;  // time since block_from_
};

ProfileWrites::ProfileWrites(const WriteProfile& profile, std::uint32_t intervals)
    : interval_(profile.interval) {
  for (const WriteRegion& region : profile.regions) {
    walks_.emplace_back(region, pages_, profile);
    pages_ += region.pages() * (region.reuse == PageReuse::fresh ? intervals : 1);
  }
}
ProfileWrites::~ProfileWrites() = default;

void ProfileWrites::begin_interval(std::uint32_t index) {
  for (Walk& walk : walks_) walk.begin_interval(index);
}

std::size_t ProfileWrites::next(std::span<WriteRequest> requests) {
  std::size_t made = 0;
  while (made < requests.size()) {
    Walk* first = nullptr;
    Picoseconds time = Picoseconds(~0ull), until = time;  // of the first walk and of the next one
    for (Walk& walk : walks_) {
      const auto at = walk.time();
      if (!at) continue;
      if (!first || *at < time) {
        until = first ? time : until;
        first = &walk;
        time = *at;
      } else {
        until = std::min(until, *at);
      }
    }
    if (!first) break;
    made += first->next(requests.subspan(made), until);
  }
  return made;
}

}  // namespace asterism
