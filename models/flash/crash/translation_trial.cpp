#include "flash/crash/translation_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/random.h"
#include "flash/crash/flash_reading.h"
#include "flash/translation_layer.h"

namespace asterism {
namespace {

using Outcome = NandArray::Outcome;

class Trial final : private TranslationLayer::Sink {
 public:
  Trial(std::uint64_t seed, TranslationStates& states)
      : random_(seed),
        states_(states),
        wears_(one_in(3)),
        errs_(one_in(3)),
        geometry_(any_geometry()),
        config_(any_config()) {
    config_.pace_writes = seed % 2 == 1;
    part_.endurance = wears_ ? 1 + random_.below(12) : 0;
    part_.cache_register = one_in(2);
    image_.emplace(geometry_);
    flash_.emplace(*image_, part_.correctable_bits);
    make_layer();
    pages_.resize(layer_->pages());
  }

  TranslationTrialCounts run(std::uint64_t power_failures) {
    power_up();
    recover_undisturbed();
    is_checked_ = true;
    for (unsigned rounds_read_only = 0; counts_.power_failures < power_failures && rounds_read_only < 4;) {
      run_round();
      if (!had_power_failure_) fail_power();
      recover();
      rounds_read_only += layer_->read_only() ? 1 : 0;
    }
    finish();
    return counts_;
  }

 private:
  // The versions of a page are counted from 1.
  struct Page {
    std::uint64_t given = 0;    // the last version that was requested
    std::uint64_t current = 0;  // the current version, as reported; 0: not mapped
    std::set<std::uint64_t> under_way;
    std::uint64_t trims = 0, losses = 0;
    bool is_trimmed = false;  // trimmed, and not written since
    bool is_lost = false;     // its copy, or one of them, is unreadable
    bool was_lost = false;    // some copy of it was unreadable
  };
  struct Request {
    std::uint32_t page;
    std::uint64_t version;  // of a write; for a read, the version of the page when it came; 0: not certain
    std::uint64_t trims, losses;  // of the page, when the request came
  };
  static constexpr std::uint64_t unreadable = ~std::uint64_t{0};

  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw TranslationFailure(
        fmt::format("after {} power failures, at {} ps: ", counts_.power_failures, now_.count()) +
        fmt::format(format, std::forward<Args>(args)...));
  }

  void make_layer() { layer_.emplace(config_, part_, *image_, static_cast<TranslationLayer::Sink&>(*this)); }

  FlashGeometry any_geometry() {
    FlashGeometry g{.channels = 1,
                    .packages = 1,
                    .dies = 1,
                    .planes = 1,
                    .blocks = static_cast<std::uint32_t>(5 + random_.below(4)),
                    .pages_per_block = static_cast<std::uint32_t>(3 + random_.below(6)),
                    .page = Bytes(256)};
    if (one_in(5)) g.channels = 2;
    if (one_in(5)) g.planes = 2;
    if (one_in(4)) {  // the list takes two to four pages
      g.page = Bytes(32);
      g.pages_per_block = static_cast<std::uint32_t>(6 + random_.below(6));
    }
    return g;
  }
  TranslationConfig any_config() {
    TranslationConfig c{.over_provisioning = static_cast<std::uint32_t>(one_in(2) ? 0 : random_.below(500)),
                        .garbage_policy = static_cast<GarbagePolicy>(random_.below(3)),
                        .garbage_threshold = static_cast<std::uint32_t>(1 + random_.below(2)),
                        .dynamic_wear_levelling = one_in(2),
                        .static_wear_difference =
                            static_cast<std::uint32_t>(wears_ ? 1 + random_.below(2) : random_.below(4))};
    if (wears_) {  // some blocks may fail before too few are left
      geometry_.blocks += 3;
      c.over_provisioning = static_cast<std::uint32_t>(400 + random_.below(400));
    }
    return c;
  }

  // ---- actions between two power failures ----

  void run_round() {
    is_storm_ = false;
    if (last_works_.contains(FlashWork::idle) && one_in(2)) return storm();
    if (storms_left_ == 0 && one_in(80)) storms_left_ = 1 + random_.below(20);
    if (storms_left_ != 0) return --storms_left_, storm();
    if (one_in(24)) calls_until_power_failure_ = 1 + random_.below(20);
    switch (random_.below(9)) {
      case 0:
        return fill();
      case 1:
      case 8:
        return drain();
      case 2:
      case 3:
        return storm();
      case 4:
        return burst(1 + random_.below(60), 8);
      case 5:
        return aim_at(wears_ && !one_in(4) ? FlashJob::retire : FlashJob::level);
      default:
        return aim_at_collection();
    }
  }

  void fill() {
    for (std::uint32_t page = 0; page < pages_.size() && !had_power_failure_; ++page) {
      write(page);
      steps(random_.below(4));
    }
    burst(random_.below(20), 8);
  }

  // Without requests: the layer only does its own work.
  void storm() {
    is_storm_ = true;
    lose_some_pages();
    steps(random_.below(one_in(2) ? 8 : 60));
  }

  void drain() {
    steps(100'000);
    lose_some_pages();
    for (std::uint64_t left = random_.below(4); left != 0 && !had_power_failure_; --left) {
      act();
      if (one_in(2)) steps(100'000);
    }
  }

  void burst(std::uint64_t requests, std::uint64_t max_steps) {
    for (; requests != 0 && !had_power_failure_; --requests) {
      act();
      steps(random_.below(max_steps));
    }
  }

  void aim_at_collection() {
    for (unsigned left = 200; left != 0 && !had_power_failure_ && !layer_->is_collecting(); --left) {
      write(any_page());
      steps(random_.below(3));
    }
    burst(random_.below(12), 4);
    steps(random_.below(30));
  }

  // A job that is otherwise very rare.
  void aim_at(FlashJob job) {
    for (unsigned left = 150; left != 0 && !had_power_failure_; --left) {
      act();
      for (std::uint64_t events = random_.below(6); events != 0 && step(); --events)
        if (job_ == job && one_in(4)) return steps(random_.below(6));
    }
  }

  void act() {
    const std::uint64_t dice = random_.below(20);
    if (dice < 13)
      write(any_page());
    else if (dice < 15)
      trim();
    else if (dice < 17)
      read(any_page());
    else if (errs_)
      err();
  }

  std::uint32_t any_page() {
    const std::uint64_t hot = 1 + pages_.size() / 6;  // three of four requests
    return static_cast<std::uint32_t>(random_.below(one_in(4) ? pages_.size() : hot));
  }

  void steps(std::uint64_t most) {
    while (most-- != 0 && step()) continue;
  }

  bool step() {
    const auto next = had_power_failure_ ? std::nullopt : layer_->next_event();
    if (!next) return false;
    if (*next < now_) fail("time goes back");
    layer_->advance_to(now_ = *next);
    if (had_power_failure_) return false;
    note_changes();
    if (is_checked_) {
      note_read_only(FlashOutcome::read_only);
      if (one_in(4)) check_all();
      if (one_in(16)) check_flash();
    }
    return true;
  }

  // ---- requests ----

  void note_request(FlashRequest request) {
    ++counts_.requests;
    const auto in = [&](FlashPhase phase) { states_.request(request, phase); };
    if (layer_->read_only()) in(FlashPhase::read_only);
    if (!layer_->next_event()) in(FlashPhase::idle);
    if (layer_->next_event() && !layer_->is_collecting()) in(FlashPhase::busy);
    if (layer_->is_collecting() && flash_->is_without_erased_block()) in(FlashPhase::no_erased_block);
    if (geometry_.all_planes() != 1) return;
    if (job_ == FlashJob::collect) in(FlashPhase::collect);
    if (job_ == FlashJob::level) in(FlashPhase::level);
    if (job_ == FlashJob::retire) in(FlashPhase::retire);
    if (layer_->is_collecting()) recent_.push_back({now_, request});
    if (recent_.size() > 64) recent_.pop_front();
  }

  void write(std::uint32_t number) {
    Page& page = pages_[number];
    note_request(page.under_way.empty() ? FlashRequest::write : FlashRequest::write_again);
    const std::uint64_t version = ++page.given;
    page.under_way.insert(version);
    requests_[tag_] = {number, version, page.trims, page.losses};
    layer_->write(now_, number, data_of(number, version), tag_++);
    if (layer_->is_collecting() != (job_ != FlashJob::none)) note_job();
  }

  void trim() {
    const std::uint32_t number = any_page();
    Page& page = pages_[number];
    note_request(page.under_way.empty() ? FlashRequest::trim : FlashRequest::trim_under_write);
    ++page.trims;
    page.current = 0;
    page.is_trimmed = true;
    page.is_lost = false;
    layer_->trim(number);
  }

  void read(std::uint32_t number) {
    const Page& page = pages_[number];
    note_request(page.under_way.empty() ? FlashRequest::read : FlashRequest::read_under_write);
    requests_[tag_] = {number, page.is_lost ? 0 : page.current, page.trims, page.losses};
    layer_->read(now_, number, tag_++);
  }

  // ---- bit errors ----

  void err() {
    switch (random_.below(4)) {
      case 0:
        return lose_list();
      default:
        return lose_page();
    }
  }
  void spoil(FlashAddress at) { image_->add_bit_errors(at, part_.correctable_bits + 1); }

  void lose_some_pages() {
    for (std::uint64_t pages = errs_ && one_in(2) ? 4 : 0; pages != 0; --pages) lose_page();
  }

  // In a block without a list it would look like one that a power failure has torn.
  void lose_page() {
    const auto number = static_cast<std::uint32_t>(random_.below(pages_.size()));
    const auto at = layer_->place(number);
    if (!at || !flash_->has_list(at->whole_block()) || !flash_->is_readable(*at)) return;
    if (image_->spare(*at).kind != FlashReading::data) return;
    spoil(*at);
    pages_[number].is_lost = pages_[number].was_lost = true;
    ++pages_[number].losses;
    has_lost_pages_ = true;
  }

  // In a block without lost pages.
  void lose_list() {
    const auto blocks = flash_->blocks();
    const FlashBlock block = blocks[random_.below(blocks.size())];
    if (!flash_->has_list(block)) return;
    for (std::uint32_t page = 0; page < flash_->data_pages(); ++page) {
      const FlashAddress at{block.plane, block.block, page};
      if (!flash_->is_readable(at)) return;
    }
    spoil({block.plane, block.block,
           flash_->data_pages() + static_cast<std::uint32_t>(random_.below(flash_->list_pages()))});
  }

  // One of two copies of a write: the other one is valid.
  void lose_copy() {
    const auto copies = flash_->copies();
    if (copies.empty()) return;
    const std::uint64_t first = random_.below(copies.size());
    for (std::uint64_t i = 0; i < copies.size(); ++i) {
      const FlashReading::Copy& copy = copies[(first + i) % copies.size()];
      const auto other = copy.is_readable ? flash_->other_copy(copy.at) : std::nullopt;
      if (!other || !other->is_readable) continue;
      spoil(copy.at);
      pages_[copy.spare.logical].was_lost = true;
      has_lost_pages_ = true;
      return;
    }
  }

  // ---- power failures ----

  void fail_power() {
    const bool is_in_recovery = !layer_->ready();
    const bool is_idle = !layer_->next_event();
    layer_->reset(one_in(2) ? Reset::power_loss : Reset::warm);
    had_power_failure_ = true;
    ++counts_.power_failures;
    count_power_failure(is_in_recovery, is_idle);
    if (errs_ && one_in(3)) lose_copy();
  }

  void recover() {
    for (std::uint32_t row = 0;;) {
      power_up();
      if (one_in(3)) fail_power_while_recovering();
      if (!had_power_failure_) recover_undisturbed();
      if (!had_power_failure_) return check_after_power_failure();
      ++counts_.recovery_power_failures;
      states_.row(++row);
    }
  }

  void power_up() {
    note_found();
    if (one_in(2)) make_layer();
    requests_.clear();
    recent_.clear();
    failed_.clear();
    job_ = FlashJob::none;
    jobs_ = {};
    was_read_only_ = recovered_ = had_power_failure_ = is_checked_ = false;
    calls_until_power_failure_ = 0;
    layer_->power_up(now_);
  }

  void fail_power_while_recovering() {
    is_storm_ = true;
    for (std::uint64_t left = random_.below(50); left != 0 && !recovered_; --left) step();
    if (!recovered_) fail_power();
  }

  void recover_undisturbed() {
    while (!recovered_ && step()) continue;
    if (!recovered_) fail("a recovery does not end");
    note_job();
    note_read_only(FlashOutcome::read_only_at_recovery);
  }

  // Lets all requests end, checks all pages, and does so again after another recovery.
  void finish() {
    is_storm_ = false;
    steps(~std::uint64_t{0});
    for (std::uint32_t page = 0; page < pages_.size(); ++page) read(page);
    steps(~std::uint64_t{0});
    if (!requests_.empty()) fail("a request for page {} never ends", requests_.begin()->second.page);
    fail_power();
    power_up();
    recover_undisturbed();
    check_after_power_failure();
    if (!may_be_read_only() && layer_->read_only()) fail("the layer is read-only without a reason");
  }

  // ---- checks ----

  // An unreadable page may have one copy, or its mark, in the last block of the plane: this can then no
  // longer be discarded, and each power failure costs it a page.
  bool may_be_read_only() const { return wears_ || has_lost_pages_; }

  std::vector<std::byte> data_of(std::uint32_t page, std::uint64_t version) const {
    std::vector<std::byte> data(geometry_.page.count());
    std::memcpy(data.data(), &version, sizeof version);
    std::memcpy(data.data() + 8, &page, sizeof page);
    std::memcpy(data.data() + data.size() - 8, &version, sizeof version);
    return data;
  }
  std::uint64_t version_in(std::uint32_t page, std::span<const std::byte> data) const {
    std::uint64_t first = 0, last = 0;
    std::uint32_t named = 0;
    std::memcpy(&first, data.data(), sizeof first);
    std::memcpy(&named, data.data() + 8, sizeof named);
    std::memcpy(&last, data.data() + data.size() - 8, sizeof last);
    if (first != last || named != page) fail("page {} holds something else", page);
    return first;
  }

  // The version of a page according to the mapping; 0: it is not mapped.
  std::uint64_t read_version(std::uint32_t page) const {
    const auto at = layer_->place(page);
    if (!at) return 0;
    const PageSpare spare = image_->spare(*at);
    if (!flash_->is_readable(*at) || spare.kind != FlashReading::data) return unreadable;
    if (spare.logical != page) fail("page {} leads to page {}", page, spare.logical);
    return version_in(page, image_->page(*at));
  }
  static std::string text(std::uint64_t version) {
    return version == unreadable ? "not readable" : fmt::format("version {}", version);
  }

  void check_all() {
    for (std::uint32_t number = 0; number < pages_.size(); ++number) {
      const Page& page = pages_[number];
      const std::uint64_t seen = read_version(number);
      ++counts_.checked;
      if (seen != page.current && !(page.is_lost && seen == unreadable))
        fail("page {} was reported as version {}, and is {}", number, page.current, text(seen));
    }
  }

  // Checks the newest copy of each page in flash, independently of the mapping.
  void check_flash() {
    std::vector<const FlashReading::Copy*> newest(pages_.size(), nullptr);
    const auto copies = flash_->copies();
    for (const FlashReading::Copy& copy : copies) {
      if (copy.spare.logical >= pages_.size()) fail("there is a page {} in flash", copy.spare.logical);
      // It cannot be distinguished from one that a power failure has torn: after a trim an older one may be
      // back.
      if (!copy.is_readable && !flash_->is_listed(copy.at)) continue;
      const FlashReading::Copy*& best = newest[copy.spare.logical];
      const bool is_same = best != nullptr && copy.spare.sequence == best->spare.sequence;
      if (best == nullptr || copy.spare.sequence > best->spare.sequence ||
          (is_same && copy.is_readable && !best->is_readable))
        best = &copy;
    }
    for (std::uint32_t number = 0; number < pages_.size(); ++number) {
      const Page& page = pages_[number];
      if (page.current == 0 || page.is_lost) continue;
      const FlashReading::Copy* copy = newest[number];
      if (copy == nullptr) fail("page {} was reported as version {}, and is nowhere", number, page.current);
      if (!copy->is_readable || copy->spare.kind != FlashReading::data)
        fail("page {} was reported as version {}, and its newest copy cannot be read", number, page.current);
      const std::uint64_t seen = version_in(number, image_->page(copy->at));
      if (seen != page.current && !page.under_way.contains(seen))
        fail("page {} was reported as version {}, and its newest copy is {}", number, page.current, seen);
    }
  }

  bool may_be(const Page& page, std::uint64_t seen) const {
    if (page.current == 0) {  // never reported, or trimmed: any of its contents is valid
      if (seen == unreadable) return page.was_lost;
      return seen <= page.given;
    }
    if (seen == unreadable) return page.is_lost;
    return seen == page.current || page.under_way.contains(seen);
  }

  void check_after_power_failure() {
    for (std::uint32_t number = 0; number < pages_.size(); ++number) {
      Page& page = pages_[number];
      const std::uint64_t seen = read_version(number);
      ++counts_.checked;
      if (!may_be(page, seen))
        fail("page {} was reported as version {}{}, and is {} after a power failure", number, page.current,
             page.is_lost ? ", lost" : "", text(seen));
      count_after_power_failure(page, seen);
      page.is_lost = seen == unreadable;
      if (!page.is_lost) page.current = seen;
      if (page.is_lost && page.current == 0) page.current = unreadable;
      page.is_trimmed = false;
      page.under_way.clear();
    }
    is_checked_ = true;
    check_flash();
  }

  // ---- reports of the layer ----

  void maybe_fail_power() {
    if (calls_until_power_failure_ != 0 && --calls_until_power_failure_ == 0) fail_power();
  }

  void recovered(Picoseconds) override { recovered_ = true; }
  void left_buffer(Picoseconds, NandArray::Tag) override { maybe_fail_power(); }

  void written(Picoseconds, NandArray::Tag tag, Outcome outcome) override {
    const Request request = requests_.at(tag);
    requests_.erase(tag);
    Page& page = pages_[request.page];
    if (page.under_way.empty() || *page.under_way.begin() != request.version)
      fail("writes of page {} end out of order", request.page);
    page.under_way.erase(request.version);
    if (outcome == Outcome::failed) {
      if (!may_be_read_only() || !layer_->read_only())
        fail("a write of page {} is refused without a reason", request.page);
      states_.outcome(FlashOutcome::refused);
      return;
    }
    ++counts_.written;
    states_.outcome(FlashOutcome::written);
    if (request.trims == page.trims) {
      page.current = request.version;
      page.is_lost = page.is_trimmed = false;
      if (read_version(request.page) != request.version)
        fail("page {} was reported and is not there", request.page);
    }
    maybe_fail_power();
  }

  void read_done(Picoseconds, NandArray::Tag tag, bool is_readable,
                 std::span<const std::byte> data) override {
    const Request request = requests_.at(tag);
    requests_.erase(tag);
    const Page& page = pages_[request.page];
    const bool is_certain =
        request.trims == page.trims && request.losses == page.losses && request.version != 0;
    if (is_certain && !is_readable) fail("page {} cannot be read", request.page);
    const std::uint64_t seen = is_readable ? version_in(request.page, data) : 0;
    if (seen > page.given || (is_certain && seen < request.version))
      fail("page {} reads as version {}", request.page, seen);
    states_.outcome(is_readable         ? FlashOutcome::read
                    : page.current != 0 ? FlashOutcome::read_lost
                                        : FlashOutcome::read_unwritten);
    maybe_fail_power();
  }

  // ---- states ----

  void note_job(bool has_ended = false) {
    const auto before = jobs_;
    jobs_ = jobs_so_far();
    if (!layer_->is_collecting())
      job_ = FlashJob::none;
    else if (jobs_[0] != before[0])
      job_ = FlashJob::collect;
    else if (jobs_[1] != before[1])
      job_ = FlashJob::level;
    else if (job_ == FlashJob::none || has_ended)
      job_ = FlashJob::retire;
  }
  // Collections, levellings and retired blocks of this layer since power_up().
  std::array<std::uint64_t, 3> jobs_so_far() const {
    Statistics statistics;
    layer_->report(statistics);
    std::array<std::uint64_t, 3> counts{};
    for (const auto& [name, value] : statistics.entries()) {
      if (name == "collections") counts[0] = std::get<std::uint64_t>(value);
      if (name == "wear_levellings") counts[1] = std::get<std::uint64_t>(value);
      if (name == "blocks_retired") counts[2] = std::get<std::uint64_t>(value);
    }
    return counts;
  }

  FlashWork work_of(FlashAddress at) const {
    const PageSpare spare = image_->spare(at);
    if (spare.kind == FlashReading::list) return FlashWork::list;
    if (flash_->other_copy(at)) return FlashWork::copy_program;
    return spare.kind == FlashReading::lost ? FlashWork::lost_mark : FlashWork::user_program;
  }

  void note_changes() {
    const FlashReading::Changes changes = flash_->changes(false);
    const bool is_one_plane = geometry_.all_planes() == 1;
    for (const FlashAddress at : changes.torn) {
      failed_.insert(key(at.whole_block()));
      ever_failed_.insert(key(at.whole_block()));
      if (is_one_plane) states_.fail(work_of(at), job_);
    }
    for (const FlashBlock block : changes.became_bad)
      if (!failed_.contains(key(block)) && is_one_plane) states_.fail(FlashWork::erase, job_);
    for (const FlashAddress at : changes.programmed) note_moved(at);
    if (!changes.erased.empty()) {
      for (const auto& [when, request] : recent_)
        if (when + part_.erase > now_) states_.request(request, FlashPhase::erase);
      recent_.clear();
    }
    const bool has_ended = !changes.erased.empty() || !changes.became_bad.empty();
    if (has_ended || layer_->is_collecting() != (job_ != FlashJob::none)) note_job(has_ended);
  }
  std::uint64_t key(FlashBlock block) const { return std::uint64_t{block.plane} << 32 | block.block; }

  void note_moved(FlashAddress at) {
    const PageSpare spare = image_->spare(at);
    if (spare.kind == FlashReading::list) return;
    const FlashWork work = work_of(at);
    if (work == FlashWork::lost_mark) states_.moved(MovedPage::lost);
    if (work != FlashWork::copy_program || !layer_->ready()) return;
    const auto place = layer_->place(static_cast<std::uint32_t>(spare.logical));
    if (!place)
      states_.moved(MovedPage::trimmed);
    else if (!(*place == at))
      states_.moved(MovedPage::rewritten);
    else
      states_.moved(pages_[spare.logical].under_way.empty() ? MovedPage::still : MovedPage::under_write);
  }

  void count_power_failure(bool is_in_recovery, bool is_idle) {
    const FlashReading::Changes changes = flash_->changes(true);
    std::set<FlashWork> works;
    for (const FlashAddress at : changes.torn) {
      works.insert(work_of(at));
      if (work_of(at) == FlashWork::list) note_list(at.page - flash_->data_pages());
    }
    if (!changes.torn_by_erase.empty()) works.insert(FlashWork::erase);
    if (works.empty())
      works.insert(is_in_recovery ? FlashWork::recovery : is_idle ? FlashWork::idle : FlashWork::reads);
    for (const FlashWork work : works) {
      if (geometry_.all_planes() == 1) states_.power_failure(work, job_);
      for (const FlashWork before : last_works_)
        if (is_storm_) states_.pair(before, work);
    }
    last_works_ = std::move(works);
  }
  void note_list(std::uint32_t page) {
    const std::uint32_t pages = flash_->list_pages();
    states_.list(pages == 1          ? ListPlace::only
                 : page == 0         ? ListPlace::first
                 : page + 1 == pages ? ListPlace::last
                                     : ListPlace::middle);
  }

  void note_found() {
    const auto found = [&](FoundInFlash what, bool is_there = true) {
      if (is_there) states_.found(what);
    };
    const auto copies = flash_->copies();
    found(FoundInFlash::nothing, copies.empty());
    found(FoundInFlash::no_erased_block, flash_->is_without_erased_block());
    note_found_copies(copies);
    std::vector<std::uint32_t> partial(geometry_.all_planes(), 0);
    for (const FlashBlock block : flash_->blocks()) {
      const std::uint32_t next = image_->next_page(block), data = flash_->data_pages();
      if (image_->is_bad(block)) {
        found(FoundInFlash::bad_block);
        continue;
      }
      found(FoundInFlash::failed_block, ever_failed_.contains(key(block)));
      if (next != 0 && next < data) ++partial[block.plane];
      if (next == 0) continue;
      const auto state = [&](std::uint32_t page) { return image_->state({block.plane, block.block, page}); };
      bool is_sound = false;
      for (std::uint32_t page = 0; page < next; ++page)
        is_sound = is_sound || state(page) == FlashImage::PageState::programmed;
      found(FoundInFlash::torn_erase, !is_sound && next == geometry_.pages_per_block);
      found(FoundInFlash::torn_list,
            is_sound && next > data && state(next - 1) == FlashImage::PageState::torn);
      found(FoundInFlash::half_list, next > data && next < geometry_.pages_per_block &&
                                         state(next - 1) == FlashImage::PageState::programmed);
      bool has_errors = false;
      for (std::uint32_t page = data; page < next; ++page)
        has_errors = has_errors || (state(page) == FlashImage::PageState::programmed &&
                                    !flash_->is_readable({block.plane, block.block, page}));
      found(FoundInFlash::unreadable_list, has_errors);
    }
    for (const std::uint32_t blocks : partial) {
      found(FoundInFlash::one_partial, blocks == 1);
      found(FoundInFlash::two_partial, blocks == 2);
      found(FoundInFlash::more_partial, blocks > 2);
    }
  }

  void note_found_copies(const std::vector<FlashReading::Copy>& copies) {
    std::vector<bool> has_list(copies.size());
    for (std::size_t i = 0; i < copies.size(); ++i)
      has_list[i] = flash_->has_list(copies[i].at.whole_block());
    for (std::size_t i = 0; i < copies.size(); ++i)
      for (std::size_t j = 0; j < copies.size(); ++j) {
        const FlashReading::Copy &copy = copies[i], &other = copies[j];
        if (i == j || copy.spare.logical != other.spare.logical) continue;
        if (copy.spare.sequence == other.spare.sequence)
          states_.found(copy.is_readable && other.is_readable ? FoundInFlash::copies
                                                              : FoundInFlash::copy_unreadable);
        else if (!has_list[i] && !has_list[j])
          states_.found(FoundInFlash::older_and_newer);
      }
  }

  void count_after_power_failure(const Page& page, std::uint64_t seen) {
    if (page.is_trimmed)
      states_.outcome(seen == 0 ? FlashOutcome::trimmed_stays : FlashOutcome::trimmed_back);
    else if (page.is_lost && seen == unreadable)
      states_.outcome(FlashOutcome::lost_stays);
    else if (!page.under_way.empty() && seen == page.current)
      states_.outcome(FlashOutcome::newer_gone);
  }

  void note_read_only(FlashOutcome how) {
    if (layer_->read_only() && !was_read_only_) states_.outcome(how);
    was_read_only_ = layer_->read_only();
  }

  Random random_;
  TranslationStates& states_;
  bool wears_, errs_;
  FlashGeometry geometry_;
  TranslationConfig config_;
  FlashPart part_;
  std::optional<FlashImage> image_;
  std::optional<FlashReading> flash_;
  std::optional<TranslationLayer> layer_;
  Picoseconds now_;
  std::vector<Page> pages_;
  std::map<NandArray::Tag, Request> requests_;
  NandArray::Tag tag_ = 1;
  bool recovered_ = false, is_checked_ = false, had_power_failure_ = false, was_read_only_ = false,
       is_storm_ = false;
  bool has_lost_pages_ = false;
  std::uint64_t calls_until_power_failure_ = 0;
  std::uint64_t storms_left_ = 0;  // each power failure uses up the space that a collection has left

  FlashJob job_ = FlashJob::none;
  std::array<std::uint64_t, 3> jobs_{};
  std::deque<std::pair<Picoseconds, FlashRequest>>
      recent_;  // during a job: an erase may turn out to have been under way
  std::set<std::uint64_t> failed_, ever_failed_;  // blocks that failed while pages were programmed
  std::set<FlashWork> last_works_;
  TranslationTrialCounts counts_;
};

}  // namespace

TranslationTrialCounts run_translation_trial(std::uint64_t seed, std::uint64_t power_failures,
                                             TranslationStates* states) {
  TranslationStates unheard;
  try {
    return Trial(seed, states != nullptr ? *states : unheard).run(power_failures);
  } catch (const std::logic_error& error) {
    throw TranslationFailure(fmt::format("the layer gives up: {}", error.what()));
  }
}

}  // namespace asterism
