// Compares random requests, with power failures at random instants, with a model that records what was
// reported as written.
//
// A seed determines the geometry, configuration, requests and power failures of a trial. ASTERISM_SEED=n runs
// that trial only, ASTERISM_TRIALS=n runs the seeds from 1 to n.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/random.h"
#include "flash/translation_fixture.h"

namespace asterism {
namespace {

using Outcome = NandArray::Outcome;

enum class Mode {
  healthy,      // nothing fails, so that every write must succeed in the end
  worn,         // blocks fail one after the other, until writes are refused
  loses_pages,  // bit errors make pages unreadable
};

struct Problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class TortureRun : public TranslationLayer::Sink {
 public:
  TortureRun(std::uint64_t seed, Mode mode)
      : random_(seed), mode_(mode), geometry_(draw_geometry()), config_(draw_config()) {
    part_.endurance = mode == Mode::worn ? 10 + random_.below(20) : 0;
    part_.cache_register = random_.below(2) != 0;
    const bool bare = random_.below(3) == 0 && mode != Mode::loses_pages;
    const auto contents = bare ? FlashImage::Contents::none : FlashImage::Contents::kept;
    image_ = std::make_unique<FlashImage>(geometry_, contents);
    power_up(true);
    pages_.resize(layer_->pages());
  }

  void run(unsigned power_failures) {
    while (recover(), power_failures_ < power_failures) {
      for (std::uint64_t left = 1 + random_.below(120); left != 0 && !had_power_failure_; --left) act();
      if (!had_power_failure_) fail_power();
      if (random_.below(8) == 0) storm();
    }
    drain();
    check_all_by_reads();
    if (mode_ == Mode::healthy && layer_->read_only()) throw Problem("read-only although no block is bad");
  }

  unsigned power_failures() const { return power_failures_; }
  unsigned recovery_power_failures() const { return recovery_power_failures_; }
  const Statistics report() const {
    Statistics statistics;
    layer_->report(statistics);
    return statistics;
  }

 private:
  // The versions of a page are counted; without contents, they are the sequence numbers of its copies.
  struct Page {
    std::uint64_t given = 0;     // the last version that was requested
    std::uint64_t expected = 0;  // what the next read returns; 0 if the page is not readable
    std::uint64_t reported = 0;  // 0 if there is none, or if the page was trimmed
    std::uint64_t trims = 0;
    bool lost = false;           // the newest copy may be unreadable
    bool any_copy_lost = false;  // some copy may be unreadable
    std::set<std::uint64_t> in_flight;
  };
  struct Request {
    std::uint32_t page;
    std::uint64_t version;
    std::uint64_t trims;
  };
  static constexpr std::uint64_t unreadable = ~std::uint64_t{0};

  FlashGeometry draw_geometry() {
    FlashGeometry g{.channels = static_cast<std::uint32_t>(1 + random_.below(2)),
                    .packages = static_cast<std::uint32_t>(1 + random_.below(2)),
                    .dies = static_cast<std::uint32_t>(1 + random_.below(2)),
                    .planes = static_cast<std::uint32_t>(1 + random_.below(2)),
                    .blocks = static_cast<std::uint32_t>(6 + random_.below(5)),
                    .pages_per_block = static_cast<std::uint32_t>(4 + random_.below(5)),
                    .page = Bytes(512)};
    if (random_.below(2) == 0) g.channels = g.packages = g.dies = 1;
    if (random_.below(8) == 0) g.page = Bytes(32);  // the list takes several pages
    if (g.page == Bytes(32)) g.pages_per_block += 4;
    return g;
  }
  TranslationConfig draw_config() {
    return {.over_provisioning = static_cast<std::uint32_t>(random_.below(500)),
            .garbage_policy = static_cast<GarbagePolicy>(random_.below(3)),
            .garbage_threshold = static_cast<std::uint32_t>(1 + random_.below(3)),
            .dynamic_wear_levelling = random_.below(2) != 0,
            .static_wear_difference = static_cast<std::uint32_t>(random_.below(3) * 2)};
  }

  // ---- what happens ----

  void act() {
    const std::uint64_t dice = random_.below(100);
    if (dice < 45) {
      write();
    } else if (dice < 50) {
      trim();
    } else if (dice < 55) {
      read();
    } else if (dice < 56 && mode_ == Mode::loses_pages) {
      lose_page();
    } else if (dice < 57) {
      calls_until_power_failure_ = 1 + random_.below(30);
    } else if (dice < 59) {
      for (unsigned i = 0; i < 400 && step(); ++i) continue;
    } else {
      step();
    }
  }

  bool step() {
    const auto next = had_power_failure_ ? std::nullopt : layer_->next_event();
    if (!next) return false;
    if (*next < now_) throw Problem("an event is in the past");
    layer_->advance_to(now_ = *next);
    return !had_power_failure_;
  }

  std::uint32_t draw_page() {
    const std::uint64_t hot = 1 + pages_.size() / 4;  // half of all requests are for these pages
    return static_cast<std::uint32_t>(random_.below(random_.below(2) != 0 ? hot : pages_.size()));
  }

  void write() {
    const std::uint32_t number = draw_page();
    Page& page = pages_[number];
    const std::uint64_t version = ++page.given;
    page.expected = version;
    page.in_flight.insert(version);
    requests_[tag_] = {number, version, page.trims};
    layer_->write(now_, number, data_of(number, version), tag_++);
  }

  void trim() {
    const std::uint32_t number = draw_page();
    Page& page = pages_[number];
    ++page.trims;
    page.expected = page.reported = 0;
    layer_->trim(number);
  }

  void read() {
    const std::uint32_t number = draw_page();
    requests_[tag_] = {number, pages_[number].expected, pages_[number].trims};
    layer_->read(now_, number, tag_++);
  }

  void lose_page() {
    if (random_.below(4) == 0) return lose_list();
    const std::uint32_t number = draw_page();
    const auto place = layer_->place(number);
    if (!place) return;
    image_->add_bit_errors(*place, part_.correctable_bits + 1);
    pages_[number].lost = pages_[number].any_copy_lost = true;
  }

  void lose_list() {
    const auto plane = static_cast<std::uint32_t>(random_.below(geometry_.all_planes()));
    const auto block = static_cast<std::uint32_t>(random_.below(geometry_.blocks));
    const FlashAddress last{plane, block, geometry_.pages_per_block - 1};
    if (image_->state(last) == FlashImage::PageState::programmed)
      image_->add_bit_errors(last, part_.correctable_bits + 1);
  }

  // Whether the last pages of its block are a readable list.
  bool is_listed(FlashAddress place) const {
    const TranslationList list(geometry_.page, geometry_.pages_per_block);
    for (place.page = list.data_pages(); place.page < geometry_.pages_per_block; ++place.page)
      if (!is_readable(place)) return false;
    return true;
  }
  bool is_readable(FlashAddress at) const {
    return image_->state(at) == FlashImage::PageState::programmed &&
           image_->bit_errors(at) <= part_.correctable_bits;
  }

  void fail_power() {
    // An older copy may replace a lost page in a block without a list, as recovery cannot notice the loss.
    for (std::uint32_t page = 0; page < pages_.size(); ++page) {
      const auto place = layer_->place(page);
      if (pages_[page].lost && place && !is_readable(*place) && !is_listed(*place)) pages_[page].reported = 0;
    }
    layer_->reset(random_.below(2) != 0 ? Reset::power_loss : Reset::warm);
    had_power_failure_ = true;
  }

  void power_up(bool anew) {
    if (anew) layer_ = std::make_unique<TranslationLayer>(config_, part_, *image_, *this);
    requests_.clear();
    recovered_ = had_power_failure_ = false;
    calls_until_power_failure_ = 0;
    layer_->power_up(now_);
  }

  // Runs until a recovery completes without a power failure.
  void recover() {
    if (had_power_failure_) {
      ++power_failures_;
      power_up(random_.below(2) != 0);
      for (std::uint64_t trials = random_.below(4); trials != 0; --trials) {
        for (std::uint64_t events = random_.below(60); events != 0 && !recovered_; --events) step();
        if (recovered_) break;
        fail_power();
        ++power_failures_;
        ++recovery_power_failures_;
        power_up(random_.below(2) != 0);
      }
    }
    while (!recovered_ && step()) continue;
    if (!recovered_) throw Problem("the recovery does not end");
    for (std::uint32_t page = 0; page < pages_.size(); ++page) check_after_power_failure(page);
  }

  // The power fails repeatedly, each time after a few events of the layer.
  void storm() {
    for (std::uint64_t failures = random_.below(30); failures != 0; --failures) {
      recover();
      for (std::uint64_t events = random_.below(40); events != 0 && step(); --events) continue;
      if (!had_power_failure_) fail_power();
    }
  }

  // Waits until all requests have ended, then recovers once more.
  void drain() {
    while (step()) continue;
    if (had_power_failure_) return recover(), drain();
    for (const auto& [tag, request] : requests_)
      throw Problem(fmt::format("a request for page {} never ends", request.page));
    fail_power();
    recover();
  }

  // ---- what is seen ----

  std::vector<std::byte> data_of(std::uint32_t page, std::uint64_t version) const {
    std::vector<std::byte> data(image_->keeps_contents() ? geometry_.page.count() : 0);
    if (data.empty()) return data;
    std::memcpy(data.data(), &version, sizeof version);
    std::memcpy(data.data() + 8, &page, sizeof page);
    std::memcpy(data.data() + data.size() - 8, &version, sizeof version);
    return data;
  }
  static std::uint64_t version_in(std::uint32_t page, std::span<const std::byte> data) {
    std::uint64_t first = 0, last = 0;
    std::uint32_t named = 0;
    std::memcpy(&first, data.data(), sizeof first);
    std::memcpy(&named, data.data() + 8, sizeof named);
    std::memcpy(&last, data.data() + data.size() - 8, sizeof last);
    if (first != last || named != page) throw Problem(fmt::format("page {} holds something else", page));
    return first;
  }

  // The contents of a page according to the mapping, without a read.
  std::uint64_t look(std::uint32_t page) const {
    const auto place = layer_->place(page);
    if (!place) return 0;
    const PageSpare spare = image_->spare(*place);
    if (!is_readable(*place) || spare.kind != static_cast<std::uint32_t>(TranslationPage::data))
      return unreadable;
    if (spare.logical != page) throw Problem(fmt::format("page {} is mapped to {}", page, spare.logical));
    return image_->keeps_contents() ? version_in(page, image_->page(*place)) : spare.sequence;
  }

  bool may_be(const Page& page, std::uint64_t seen) const {
    if (seen == unreadable) return page.lost || (page.reported == 0 && page.any_copy_lost);
    if (page.reported == 0)
      return seen == 0 || (page.given != 0 && (!image_->keeps_contents() || seen <= page.given));
    if (!image_->keeps_contents()) return seen >= page.reported;
    return seen == page.reported || page.in_flight.contains(seen);
  }

  void check_after_power_failure(std::uint32_t number) {
    Page& page = pages_[number];
    const std::uint64_t seen = look(number);
    if (!may_be(page, seen))
      throw Problem(fmt::format("page {} was reported as {}, and is {} after power failure {}", number,
                                page.reported, seen == unreadable ? -1 : static_cast<std::int64_t>(seen),
                                power_failures_));
    page.lost = seen == unreadable;
    if (!page.lost) page.reported = seen;
    page.expected = page.lost ? 0 : seen;
    page.in_flight.clear();
  }

  void check_all_by_reads() {
    for (std::uint32_t page = 0; page < pages_.size(); ++page) {
      requests_[tag_] = {page, pages_[page].expected, pages_[page].trims};
      layer_->read(now_, page, tag_++);
    }
    while (step()) continue;
    if (!requests_.empty()) throw Problem("a read never ends");
  }

  void maybe_fail_power() {
    if (calls_until_power_failure_ != 0 && --calls_until_power_failure_ == 0) fail_power();
  }

  void recovered(Picoseconds) override { recovered_ = true; }
  void left_buffer(Picoseconds, NandArray::Tag) override { maybe_fail_power(); }

  void written(Picoseconds, NandArray::Tag tag, Outcome outcome) override {
    const Request request = requests_.at(tag);
    requests_.erase(tag);
    Page& page = pages_[request.page];
    if (page.in_flight.empty() || *page.in_flight.begin() != request.version)
      throw Problem(fmt::format("writes of page {} end out of order", request.page));
    page.in_flight.erase(request.version);
    if (outcome == Outcome::failed) {
      if (mode_ != Mode::worn || !layer_->read_only()) throw Problem("a write failed");
      page.expected = page.reported;
      return;
    }
    if (request.trims != page.trims) return maybe_fail_power();
    page.lost = false;
    page.reported = image_->keeps_contents() ? request.version : look(request.page);
    if (look(request.page) != page.reported) throw Problem("a written page is missing");
    maybe_fail_power();
  }

  void read_done(Picoseconds, NandArray::Tag tag, bool is_readable,
                 std::span<const std::byte> data) override {
    const Request request = requests_.at(tag);
    requests_.erase(tag);
    const Page& page = pages_[request.page];
    const bool is_certain = request.trims == page.trims && !page.lost && mode_ == Mode::healthy;
    const bool is_expected = request.version != 0;
    const bool is_same =
        !is_readable || data.empty() || version_in(request.page, data) == request.version || !is_expected;
    if (is_readable && !data.empty() && version_in(request.page, data) > page.given)
      throw Problem("a read returns a version that was never written");
    if (is_certain && (is_readable != is_expected || !is_same))
      throw Problem(fmt::format("page {} does not read as written", request.page));
    maybe_fail_power();
  }

  Random random_;
  Mode mode_;
  FlashGeometry geometry_;
  FlashPart part_;
  TranslationConfig config_;
  std::unique_ptr<FlashImage> image_;
  std::unique_ptr<TranslationLayer> layer_;
  Picoseconds now_;
  std::vector<Page> pages_;
  std::map<NandArray::Tag, Request> requests_;
  NandArray::Tag tag_ = 1;
  bool recovered_ = false, had_power_failure_ = false;
  std::uint64_t calls_until_power_failure_ = 0;
  unsigned power_failures_ = 0, recovery_power_failures_ = 0;
};

std::uint64_t from_environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : 0;
}

// Stops at the first seed that fails, and prints it.
void torture(Mode mode, std::uint64_t trials, unsigned power_failures_each) {
  std::uint64_t first = 1, last = trials, power_failures = 0, recovery_power_failures = 0;
  if (const std::uint64_t seed = from_environment("ASTERISM_SEED")) first = last = seed;
  if (const std::uint64_t more = from_environment("ASTERISM_TRIALS")) last = more;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    try {
      TortureRun run(seed, mode);
      run.run(power_failures_each);
      power_failures += run.power_failures();
      recovery_power_failures += run.recovery_power_failures();
    } catch (const std::exception& problem) {
      FAIL() << "ASTERISM_SEED=" << seed << ": " << problem.what();
    }
  }
  EXPECT_GE(power_failures, (last - first + 1) * power_failures_each);
  EXPECT_GT(recovery_power_failures, 0u);
}

TEST(TranslationTorture, KeepsWhatItReportedThroughPowerFailures) { torture(Mode::healthy, 1000, 40); }
TEST(TranslationTorture, KeepsWhatItReportedWhileBlocksFail) { torture(Mode::worn, 500, 40); }
TEST(TranslationTorture, KeepsWhatItReportedAmongUnreadablePages) { torture(Mode::loses_pages, 500, 40); }

}  // namespace
}  // namespace asterism
