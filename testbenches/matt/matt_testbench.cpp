// Compares rtl/matt with Matt: each operation goes to both, and their complete answers are compared.
//
// Operations are random for tables and buffers of several sizes, and also come in an order that fills the
// queue of waiting pages. They reach every kind of outcome.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/parameter_name.h"
#include "base/random.h"
#include "cosim/rtl_matt.h"
#include "testbenches/matt/mutants.h"
#include "testbenches/operation_pair.h"

namespace asterism {
namespace {

constexpr const char* matt = "rtl/matt/block.json";
constexpr std::uint64_t all_lines = ~std::uint64_t{0};

using Kind = MattOperation::Kind;

struct Case {
  std::uint32_t pages = 200;
  MattConfig config = {};

  std::vector<std::string> overrides(std::vector<std::string> more = {}) const {
    return overrides_of(RtlMatt::parameters(config, pages), std::move(more));
  }
};

class Pair : public OperationPair<Matt, MattPorts, MattOperation, MattAnswer> {
 public:
  Pair(const std::string& block, const Case& shape, const std::vector<std::string>& overrides = {})
      : OperationPair(Matt(shape.config, shape.pages), block, shape.overrides(overrides)), shape_(shape) {}

  using OperationPair::run;
  bool run(Kind kind, std::uint32_t page = 0, std::uint64_t lines = 0, bool flag = false) {
    return run({kind, page, lines, flag});
  }
  const Case& shape() const { return shape_; }

 private:
  MattAnswer ask_model(const MattOperation& operation) override {
    const bool buffered = model_.is_buffered(operation.page),
               ready = model_.peek(operation.page) == Matt::Answer::ready;
    const Matt::Entry before = model_.entry(operation.page);
    MattAnswer answer;
    switch (operation.kind) {
      case Kind::track:
        model_.track(operation.page, operation.flag);
        break;
      case Kind::mark:
        model_.mark(operation.page);
        break;
      case Kind::write:
        answer.yes = model_.write(operation.page, operation.lines) == Matt::Answer::ready;
        break;
      case Kind::peek:
        answer.yes = model_.peek(operation.page) == Matt::Answer::ready;
        break;
      case Kind::begin_phase:
        model_.begin_phase();
        break;
      case Kind::next:
        answer.choice = model_.next(operation.flag);
        answer.yes = answer.choice.has_value();
        break;
      case Kind::take:
        answer.choice = model_.take(operation.page);
        answer.yes = answer.choice.has_value();
        break;
      case Kind::copied:
        answer.yes = model_.copied(operation.page);
        break;
    }
    answer.work = {model_.pending(), model_.has_candidates()};
    count(operation, answer, before, buffered, ready);
    return answer;
  }

  MattAnswer read(const MattOperation& operation) override { return ports().answer(operation.kind); }

  void count(const MattOperation& operation, const MattAnswer& answer, const Matt::Entry& before,
             bool buffered, bool ready) {
    switch (operation.kind) {
      case Kind::write:
        writes_.hit(!before.valid ? 0 : buffered ? 1 : ready ? 2 : before.modified ? 3 : 4);
        break;
      case Kind::track:
        tracks_.hit(buffered ? 0 : ready ? 1 : before.modified ? 2 : 3);
        break;
      case Kind::mark:
        marks_.hit(!before.valid ? 0 : !ready ? 1 : buffered ? 2 : before.modified ? 3 : 4);
        break;
      case Kind::peek:
        peeks_.hit(answer.yes);
        break;
      case Kind::next:
        nexts_.hit(answer.choice ? 1 + static_cast<std::size_t>(answer.choice->reason) : 0);
        break;
      case Kind::take:
        takes_.hit(answer.yes ? before.priority ? 2 : 1 : 0);
        break;
      case Kind::copied:
        copies_.hit(ready || before.modified ? 0 : answer.yes ? 2 : 1);
        break;
      case Kind::begin_phase:
        phases_.hit(answer.work.pending != 0);
        break;
    }
  }

  Case shape_;
  Coverage::Group& writes_ =
      coverage_.group("writes", {"untracked", "buffered", "brought in", "to pending", "to locked"});
  Coverage::Group& tracks_ = coverage_.group("tracks", {"buffered", "free", "pending", "locked"});
  Coverage::Group& marks_ =
      coverage_.group("marks", {"untracked", "blocked", "buffered", "modified", "clean"});
  Coverage::Group& peeks_ = coverage_.group("peeks", {"not ready", "ready"});
  Coverage::Group& nexts_ = coverage_.group("nexts", {"none", "priority", "pending", "candidate"});
  Coverage::Group& takes_ = coverage_.group("takes", {"none", "pending", "waited for"});
  Coverage::Group& copies_ = coverage_.group("copies", {"not locked", "nothing waited", "a write waited"});
  Coverage::Group& phases_ = coverage_.group("phases", {"nothing pending", "pending"});
};

// Makes random operations that use some pages more than others.
bool at_random(Pair& pair, std::uint64_t seed, unsigned operations) {
  Random random(seed);
  std::vector<std::uint32_t> chosen;
  const std::uint32_t pages = pair.shape().pages, busy = std::min(pages, 80u);
  for (unsigned i = 0; i < operations; ++i) {
    const std::uint64_t choice = random.below(1000);
    MattOperation operation{
        .kind = choice < 600   ? Kind::write
                : choice < 650 ? Kind::peek
                : choice < 770 ? Kind::track
                : choice < 780 ? Kind::mark
                : choice < 900 ? Kind::next
                : choice < 925 ? Kind::take
                : choice < 990 ? Kind::copied
                               : Kind::begin_phase,
        .page = static_cast<std::uint32_t>(random.below(random.below(2) ? pages : busy)),
        .lines = random.below(10) ? std::uint64_t{1} << random.below(64) : random.next() | 1,
        .flag = random.below(8) != 0};
    if (operation.kind == Kind::copied && !chosen.empty() && random.below(20)) {
      operation.page = chosen.back();
      chosen.pop_back();
    }
    if (!pair.run(operation)) return false;
    if (pair.answer().choice) chosen.push_back(pair.answer().choice->page);
    if (random.below(2000) == 0) pair.reset(static_cast<unsigned>(random.below(3)));
  }
  return true;
}

// Makes more pages have a waiting write than the queue holds, and removes some from its middle.
bool fill_the_queue(Pair& pair) {
  const std::uint32_t pages = pair.shape().pages;
  for (std::uint32_t page = 0; page < pages; ++page)
    if (!pair.run(Kind::track, page, 0, true) || !pair.run(Kind::write, page, 2)) return false;
  if (!pair.run(Kind::begin_phase)) return false;
  for (std::uint32_t page = 0; page < pages; ++page)
    if (!pair.run(Kind::write, (page * 7 + 3) % pages, 4)) return false;
  for (std::uint32_t page = 0; page < pages; page += 5)
    if (!pair.run(Kind::take, page)) return false;
  if (!pair.run(Kind::track, 3 % pages)) return false;
  for (std::uint32_t page = 0; page <= pages; ++page)
    if (!pair.run(Kind::next)) return false;
  for (std::uint32_t page = 0; page < pages; ++page)
    if (!pair.run(Kind::copied, page)) return false;
  return true;
}

// Makes 256 requests to a page in the buffer, and 256 in two parts that are merged in the table. A count of 8
// bits that overflows would be 0.
bool count_up(Pair& pair) {
  const std::uint32_t pages = pair.shape().pages,
                      others = std::min(pages, pair.shape().config.buffer_entries + 3);
  for (std::uint32_t page = 0; page < others; ++page)
    if (!pair.run(Kind::track, page, 0, true)) return false;
  for (const unsigned part : {4, 2, 2}) {
    for (unsigned i = 0; i < part; ++i)
      if (!pair.run(Kind::write, 0, all_lines)) return false;
    for (std::uint32_t page = 1; page < others; ++page)
      if (!pair.run(Kind::write, page, 1)) return false;
    if (part == 4 && (!pair.run(Kind::track, 0, 0, true))) return false;
  }
  return true;
}

bool everything(Pair& pair, unsigned operations) {
  if (!fill_the_queue(pair)) return false;
  pair.reset();
  if (!count_up(pair)) return false;
  pair.reset();
  return at_random(pair, 1, operations);
}

const Case shapes[] = {{1, {.phase_bits = 2, .buffer_entries = 1, .early_writes = 1}},
                       {65, {.phase_bits = 2, .buffer_entries = 3, .early_writes = 200}},
                       {200, {.phase_bits = 3, .buffer_entries = 16, .early_writes = 8}},
                       {5000, {.phase_bits = 16, .buffer_entries = 2, .early_writes = 1}},
                       {10'000, {.phase_bits = 13, .buffer_entries = 128, .early_writes = 4}}};
const Case &tiny = shapes[0], &small = shapes[1], &usual = shapes[2], &large = shapes[3];

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.pages << " pages " << c.config.buffer_entries << " entries";
}

class ShapeTest : public testing::TestWithParam<Case> {};

TEST_P(ShapeTest, AnswersAsTheModel) {
  Pair pair(matt, GetParam());
  everything(pair, GetParam().config.buffer_entries > 64 ? 5'000 : 20'000);
  EXPECT_EQ(pair.difference(), "");
  EXPECT_TRUE(pair.idle_was_honest());
  for (const std::string& group : pair.coverage().text()) std::cout << "  reached " << group << '\n';
}

INSTANTIATE_TEST_SUITE_P(Matt, ShapeTest, testing::ValuesIn(shapes), ParameterName());

TEST(MattTest, EveryOutcomeIsReached) {
  Pair pair(matt, usual);
  EXPECT_TRUE(everything(pair, 50'000));
  for (const Coverage::Group& group : pair.coverage().groups())
    EXPECT_EQ(group.reached(), group.points()) << group.name();
}

TEST(MattTest, ItsPropertiesHold) {
  for (const Case& shape : {tiny, usual}) {
    Pair pair(matt, shape, {"assertions=true"});
    everything(pair, 5'000);
    EXPECT_EQ(pair.difference(), "");
  }
}

TEST(MattTest, OperationsTakeTheCyclesThatTheModuleSays) {
  Pair pair(matt, large);
  pair.run(Kind::peek, 1);  // after this the table is empty
  const auto cycles = [&](Kind kind, std::uint32_t page = 0, bool flag = false) {
    EXPECT_TRUE(pair.run(kind, page, 1, flag)) << pair.difference();
    return pair.cycles();
  };
  EXPECT_EQ(cycles(Kind::next, 0, true), 2u);
  for (const std::uint32_t page : {1, 2, 3, 4, 4500}) EXPECT_EQ(cycles(Kind::track, page, true), 3u);
  EXPECT_EQ(cycles(Kind::write, 9), 3u);  // page 9 is not tracked
  EXPECT_EQ(cycles(Kind::write, 1), 3u);  // page 1 enters the buffer
  EXPECT_EQ(cycles(Kind::write, 1), 2u);  // page 1 is in the buffer
  EXPECT_EQ(cycles(Kind::write, 4500), 3u);
  EXPECT_EQ(cycles(Kind::write, 2), 5u);  // page 2 evicts another one
  EXPECT_EQ(cycles(Kind::peek, 2), 3u);
  EXPECT_EQ(cycles(Kind::mark, 3), 4u);
  EXPECT_EQ(cycles(Kind::mark, 9), 3u);
  EXPECT_EQ(cycles(Kind::begin_phase), 3u + 2 * 3 + 2 * 79);  // two pages in the buffer, 79 groups
  EXPECT_EQ(cycles(Kind::write, 3), 3u);                      // page 3 is not ready
  EXPECT_EQ(cycles(Kind::next), 4u);                          // page 3
  EXPECT_EQ(cycles(Kind::next), 6u);                          // page 1
  EXPECT_EQ(cycles(Kind::take, 2), 4u);
  EXPECT_EQ(cycles(Kind::take, 2), 3u);
  EXPECT_EQ(cycles(Kind::next), 12u);  // page 4500, past the first 4096
  EXPECT_EQ(cycles(Kind::copied, 1), 3u);
}

TEST(MattTest, AnOperationRightAfterAResetWaitsUntilTheTableIsEmpty) {
  Pair pair(matt, large);
  ASSERT_TRUE(pair.run(Kind::track, 4999, 0, true));
  ASSERT_TRUE(pair.run(Kind::mark, 4999));
  for (unsigned pause = 70; pause < 90; ++pause) {  // emptying the table takes 79 cycles
    pair.reset(pause);
    ASSERT_TRUE(pair.run(Kind::mark, 4999)) << pair.difference();
    EXPECT_FALSE(pair.answer().work.candidates);
    ASSERT_TRUE(pair.run(Kind::track, 4999, 0, true)) << pair.difference();
  }
}

TEST(MattTest, ItIsIdleOnceTheTableIsEmptied) {
  Pair pair(matt, large);
  pair.reset();
  EXPECT_EQ(pair.cycles_until_idle(), 79u);
  ASSERT_TRUE(pair.run(Kind::track, 4999, 0, true)) << pair.difference();
  EXPECT_EQ(pair.cycles_until_idle(), 0u);
}

TEST(MattTest, AResetDropsWhatIsInProgress) {
  Pair pair(matt, usual);
  pair.ports().ask({.kind = Kind::begin_phase});
  pair.rtl().run(3);
  pair.reset();
  EXPECT_TRUE(at_random(pair, 5, 2'000)) << pair.difference();
}

TEST(MattTest, APageBeyondTheTableIsNotTracked) {
  Pair pair(matt, small);
  const auto yes = [&](const MattOperation& operation) { return pair.ask_rtl(operation).value().yes; };
  for (const std::uint32_t page : {65u, 127u, 128u, 0xFFFF'FFFFu}) {
    yes({.kind = Kind::track, .page = page, .flag = true});
    EXPECT_TRUE(yes({.kind = Kind::write, .page = page, .lines = all_lines}));
    EXPECT_FALSE(yes({.kind = Kind::take, .page = page}));
    EXPECT_FALSE(yes({.kind = Kind::copied, .page = page}));
  }
  yes({.kind = Kind::begin_phase});
  EXPECT_FALSE(yes({.kind = Kind::next, .flag = true}));
}

// ---- mutants ----

class RtlMutantTest : public testing::TestWithParam<Mutant> {};

TEST_P(RtlMutantTest, IsFound) {
  Pair pair(mutant_of("matt", GetParam()), usual);
  EXPECT_FALSE(everything(pair, 50'000));
  std::cout << "  " << pair.difference() << '\n';
}

INSTANTIATE_TEST_SUITE_P(Matt, RtlMutantTest, testing::ValuesIn(matt_mutants), ParameterName());

}  // namespace
}  // namespace asterism
