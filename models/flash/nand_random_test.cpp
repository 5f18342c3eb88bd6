// Compares random operations, with power failures at random instants, with a model that performs them at once
// in their order.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

#include "base/parameter_name.h"
#include "base/random.h"
#include "flash/nand_recorder.h"

namespace asterism {

static void PrintTo(const FlashGeometry& g, std::ostream* out) {
  *out << g.channels << " channels " << g.packages << " packages " << g.dies << " dies " << g.planes
       << " planes";
}

namespace {

using State = FlashImage::PageState;

struct Cell {
  State state = State::erased;
  unsigned fill = 0;
  PageSpare spare;
};

// What the flash will hold when all requested operations are done.
class Model {
 public:
  explicit Model(const FlashGeometry& g) : g_(g), cells_(g.all_pages()), next_(g.all_blocks()) {}

  Cell& cell(FlashAddress at) { return cells_[block(at.whole_block()) * g_.pages_per_block + at.page]; }
  std::uint32_t& next(FlashBlock at) { return next_[block(at)]; }
  void program(FlashAddress at, unsigned fill, const PageSpare& spare, State state = State::programmed) {
    cell(at) = {state, fill, spare};
    next(at.whole_block()) = at.page + 1;
  }
  void erase(FlashBlock at) {
    for (std::uint32_t page = 0; page < next(at); ++page) cell({at.plane, at.block, page}) = {};
    next(at) = 0;
  }
  void tear(FlashBlock at) {
    for (std::uint32_t page = 0; page < next(at); ++page)
      cell({at.plane, at.block, page}).state = State::torn;
  }

 private:
  std::uint64_t block(FlashBlock at) const { return std::uint64_t{at.plane} * g_.blocks + at.block; }

  FlashGeometry g_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> next_;
};

// A program or erase that is not done.
struct Change {
  NandArray::Tag tag;
  FlashAddress at;
  bool is_erase;
  unsigned fill = 0;
  PageSpare spare = {};
};

class RandomRun : private NandArray::Sink {
 public:
  RandomRun(const FlashGeometry& g, const FlashPart& part, std::uint64_t seed)
      : g_(g),
        image_(g),
        array_(part, image_),
        bus_(transfer_time(g.page, part.bus)),
        random_(seed),
        planned_(g),
        done_(g),
        changes_(g.all_planes()),
        channel_free_(g.channels) {}

  void give(unsigned operations) {
    for (unsigned i = 0; i < operations; ++i) {
      give_one();
      if (random_.below(4) == 0) let_pass(Picoseconds(random_.below(400'000'000)));
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
  void finish() {
    while (auto t = array_.next_event()) advance(*t);
    for (const auto& changes : changes_) ASSERT_TRUE(changes.empty());
    ASSERT_TRUE(expected_.empty());
    compare();
  }
  // The flash must hold what was reported as done, and in each plane at most the next change as a torn one.
  void fail_power() {
    array_.reset(Reset::power_loss);
    for (const auto& changes : changes_) {
      if (changes.empty() || !is_torn(changes.front())) continue;
      const Change& torn = changes.front();
      torn.is_erase ? done_.tear(torn.at.whole_block())
                    : done_.program(torn.at, torn.fill, torn.spare, State::torn);
      ++torn_;
    }
    for (auto& changes : changes_) changes.clear();
    expected_.clear();
    planned_ = done_;
    std::ranges::fill(channel_free_, now_);
    ASSERT_TRUE(array_.idle());
    compare();
  }
  unsigned torn() const { return torn_; }

 private:
  void give_one() {
    const FlashAddress at{static_cast<std::uint32_t>(random_.below(g_.all_planes())),
                          static_cast<std::uint32_t>(random_.below(g_.blocks)),
                          static_cast<std::uint32_t>(random_.below(g_.pages_per_block))};
    const std::uint32_t next = planned_.next(at.whole_block());
    const auto kind = random_.below(8);
    if (kind < 2) return read(at, kind == 0);
    if (next == g_.pages_per_block || kind == 2) return erase(at.whole_block());
    program({at.plane, at.block, next});
  }
  void read(FlashAddress at, bool spare_only) {
    expected_[tag_] = planned_.cell(at);
    channels_[tag_] = at.plane / (g_.all_planes() / g_.channels);
    if (spare_only) spares_only_.insert(tag_);
    spare_only ? array_.read_spare(now_, at, tag_) : array_.read(now_, at, tag_);
    ++tag_;
  }
  void erase(FlashBlock block) {
    planned_.erase(block);
    changes_[block.plane].push_back({tag_, {block.plane, block.block, 0}, true});
    array_.erase(now_, block, tag_++);
  }
  void program(FlashAddress at) {
    const auto fill = static_cast<unsigned>(random_.below(256));
    const PageSpare spare{random_.next(), tag_, static_cast<std::uint32_t>(fill)};
    planned_.program(at, fill, spare);
    changes_[at.plane].push_back({tag_, at, false, fill, spare});
    channels_[tag_] = at.plane / (g_.all_planes() / g_.channels);
    array_.program(now_, at, std::vector<std::byte>(g_.page.count(), std::byte(fill)), spare, tag_++);
  }
  void let_pass(Picoseconds time) { advance(now_ + time); }
  void advance(Picoseconds to) { array_.advance_to(now_ = to, *this); }

  bool is_torn(const Change& change) {
    for (FlashAddress at = change.at; at.page < g_.pages_per_block; ++at.page)
      if (image_.state(at) == State::torn && done_.cell(at).state != State::torn) return true;
    return false;
  }

  void compare() {
    for (std::uint32_t plane = 0; plane < g_.all_planes(); ++plane)
      for (std::uint32_t block = 0; block < g_.blocks; ++block) {
        ASSERT_EQ(image_.next_page({plane, block}), done_.next({plane, block}));
        for (std::uint32_t page = 0; page < g_.pages_per_block; ++page) {
          const FlashAddress at{plane, block, page};
          const Cell& cell = done_.cell(at);
          ASSERT_EQ(image_.state(at), cell.state) << plane << ' ' << block << ' ' << page;
          if (cell.state != State::programmed) continue;
          ASSERT_EQ(image_.spare(at), cell.spare);
          ASSERT_EQ(image_.page(at).back(), std::byte(cell.fill));
        }
      }
  }

  // Checks that no two transfers of a channel overlap.
  void transfer_ended(Picoseconds at, NandArray::Tag tag) {
    Picoseconds& free = channel_free_[channels_.at(tag)];
    EXPECT_GE(at, free + bus_);
    free = at;
  }
  Change take_first(NandArray::Tag tag) {
    for (auto& changes : changes_)
      if (!changes.empty() && changes.front().tag == tag) {
        const Change change = changes.front();
        changes.pop_front();
        return change;
      }
    ADD_FAILURE() << "change " << tag << " is not the next one of its plane";
    return {};
  }
  void transferred(Picoseconds at, NandArray::Tag tag) override { transfer_ended(at, tag); }
  void programmed(Picoseconds, NandArray::Tag tag, NandArray::Outcome) override {
    const Change change = take_first(tag);
    done_.program(change.at, change.fill, change.spare);
  }
  void erased(Picoseconds, NandArray::Tag tag, NandArray::Outcome) override {
    done_.erase(take_first(tag).at.whole_block());
  }
  void read_done(Picoseconds at, NandArray::Tag tag, const NandArray::Read& read) override {
    const Cell cell = expected_.at(tag);
    expected_.erase(tag);
    EXPECT_EQ(read.is_erased, cell.state == State::erased);
    EXPECT_EQ(read.is_readable, cell.state == State::programmed);
    EXPECT_EQ(read.spare, read.is_readable ? cell.spare : PageSpare{});
    const bool has_data = read.is_readable && !spares_only_.contains(tag);
    EXPECT_EQ(read.data.empty(), !has_data);
    EXPECT_EQ(has_data ? read.data[0] : std::byte(cell.fill), std::byte(cell.fill));
    if (!spares_only_.contains(tag)) transfer_ended(at, tag);
  }

  FlashGeometry g_;
  FlashImage image_;
  NandArray array_;
  Picoseconds bus_;
  Random random_;
  Picoseconds now_;
  NandArray::Tag tag_ = 0;
  Model planned_, done_;
  std::vector<std::deque<Change>> changes_;
  std::map<NandArray::Tag, Cell> expected_;
  std::map<NandArray::Tag, std::uint32_t> channels_;
  std::set<NandArray::Tag> spares_only_;
  std::vector<Picoseconds> channel_free_;
  unsigned torn_ = 0;
};

struct NandRandomTest : testing::TestWithParam<FlashGeometry> {
  static FlashPart part(bool cache_register) {
    FlashPart part;
    part.cache_register = cache_register;
    return part;
  }
};

TEST_P(NandRandomTest, EndsAsIfDoneAtOnceInOrder) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(GetParam(), part(seed % 2), seed);
    run.give(500);
    ASSERT_NO_FATAL_FAILURE(run.finish());
  }
}

TEST_P(NandRandomTest, HasAfterAPowerFailureWhatWasDoneAndAtMostATornPagePerPlane) {
  unsigned torn = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(GetParam(), part(seed % 2), seed);
    for (int failure = 0; failure < 50; ++failure) {
      run.give(30);
      ASSERT_NO_FATAL_FAILURE(run.fail_power());
    }
    torn += run.torn();
  }
  EXPECT_GT(torn, 100u);
}

INSTANTIATE_TEST_SUITE_P(
    Geometries, NandRandomTest,
    testing::Values(FlashGeometry{.packages = 1, .blocks = 3, .pages_per_block = 4, .page = 4_KiB},
                    FlashGeometry{.packages = 8, .blocks = 2, .pages_per_block = 4, .page = 4_KiB},
                    FlashGeometry{
                        .packages = 2, .planes = 4, .blocks = 2, .pages_per_block = 4, .page = 4_KiB},
                    FlashGeometry{.channels = 2,
                                  .packages = 2,
                                  .dies = 2,
                                  .planes = 2,
                                  .blocks = 3,
                                  .pages_per_block = 3,
                                  .page = 2_KiB}),
    ParameterName());

}  // namespace
}  // namespace asterism
