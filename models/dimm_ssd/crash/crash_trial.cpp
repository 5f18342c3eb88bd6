#include "dimm_ssd/crash/crash_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/fields.h"
#include "base/random.h"
#include "dimm_ssd/checkpointer.h"
#include "dimm_ssd/crash/crash_history.h"
#include "dimm_ssd/crash/crash_memory.h"
#include "dimm_ssd/crash/crash_setup.h"

namespace asterism {

static_assert(member_count<CrashTrialConfig>() == 6);
void describe(Fields& f, CrashTrialConfig& c) {
  f("method", c.method, "How checkpoints are taken", one_of<CrashMethod>());
  f("contents", c.contents, "What stands for a line of memory", one_of<CrashContents>());
  f("pages", c.pages, "Of the memory; more make longer checkpoints, that are cut more often; 0: by the seed",
    within(0, 4096));
  f("blocks", c.blocks, "Of each plane of the flash; fewer are collected and wear out more; 0: by the seed",
    within(0, 4096));
  f("trial_cuts", c.cuts, "Of a trial; the later ones meet an older flash", within(1, 1'000'000));
  f("plant", c.plant, "A fault of the trial itself, which must be found", one_of<CrashPlant>());
}

CrashCounts& CrashCounts::operator+=(const CrashCounts& o) {
  for (const auto member :
       {&CrashCounts::cuts,        &CrashCounts::in_program,     &CrashCounts::in_erase,
        &CrashCounts::in_merge,    &CrashCounts::in_collection,  &CrashCounts::in_recovery,
        &CrashCounts::in_restore,  &CrashCounts::durable,        &CrashCounts::newer,
        &CrashCounts::restored,    &CrashCounts::given_up,       &CrashCounts::no_space,
        &CrashCounts::worn_out,    &CrashCounts::memory_errors,  &CrashCounts::aborts,
        &CrashCounts::discards,    &CrashCounts::merges,         &CrashCounts::compactions,
        &CrashCounts::collections, &CrashCounts::blocks_retired, &CrashCounts::lost})
    this->*member += o.*member;
  return *this;
}

namespace {

constexpr std::uint64_t most_steps_to_rest = 1'000'000;

class Trial final : private Checkpointer::Sink, private CheckpointLog::RestoreSink {
 public:
  Trial(const CrashTrialConfig& config, std::uint64_t seed)
      : config_(config),
        random_(seed),
        setup_(make_crash_setup(config, random_)),
        image_(setup_.geometry),
        memory_(setup_.memory, random_.next()) {
    histories_[0].name = "program";
    histories_[1].name = "other";
    make_device();
  }

  CrashCounts run() {
    power_up();
    while (counts_.cuts < config_.cuts && cuts_worn_out_ < 4) {
      live();
      cut();
      recover();
    }
    count_work();
    return counts_;
  }

 private:
  CrashHistory& history() { return histories_[active_]; }

  void make_device() {
    device_ = std::make_unique<Checkpointer>(setup_.checkpointer, setup_.part, image_, setup_.memory.pages,
                                             memory_, static_cast<Checkpointer::Sink&>(*this));
  }

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw CrashFailure(fmt::format("after {} cuts, at {} ps: ", counts_.cuts, now_.count()) +
                       fmt::format(format, std::forward<Args>(args)...));
  }

  // ---- between two cuts ----

  void live() {
    std::uint64_t steps = 1 + random_.below(std::uint64_t{2} << random_.below(12));
    if (random_.below(8) == 0) rest();
    if (!device_->tracking()) track();
    while (steps-- > 0) step();
    if (random_.below(16) == 0) rest();
  }

  void step() {
    const std::uint64_t kind = random_.below(64);
    if (kind < 30 || device_->stopped()) return next_event();
    if (kind < 56) return write_somewhere();
    if (kind < 60) return pass(Picoseconds(random_.below(2'000'000)));
    if (kind < 62) return end_interval();
    if (random_.below(6) != 0) return;
    switch (random_.below(8)) {
      case 0:
        return abort(random_.below(2) == 0);
      case 1:
      case 2:
        return discard();
      default:
        return flip_bits();
    }
  }

  void next_event() {
    const auto next = device_->next_event();
    if (!next) return pass(1_us);
    now_ = std::max(now_, *next);
    device_->advance_to(now_);
    check_readable();
    retry();
  }
  // A version that counts as lost while its flash is good is dropped by the next root, or when space is short.
  void check_readable() const {
    if (has_lost_pages_) return;
    for (const CheckpointLog::Stored& stored : device_->log().stored())
      if (stored.visible && !stored.readable)
        fail("\"{}\": version {} cannot be read, and no bit error says why", stored.name, stored.version);
  }
  void pass(Picoseconds time) {
    const Picoseconds until = now_ + time;
    for (auto next = device_->next_event(); next && *next <= until; next = device_->next_event())
      next_event();
    now_ = until;
  }

  void track() {
    device_->track(now_, history().name, setup_.memory.pages);
    memory_.end_interval();
  }

  void write_somewhere() {
    if (held_.size() >= 4) return next_event();
    const std::uint32_t near = 1 + static_cast<std::uint32_t>(random_.below(setup_.memory.pages));
    const auto page = static_cast<std::uint32_t>(random_.below(near));
    std::uint64_t lines = std::uint64_t{1} << random_.below(64);
    if (random_.below(4) == 0) lines |= random_.next() & random_.next();
    write(page, lines);
  }

  void write(std::uint32_t page, std::uint64_t lines) {
    if (memory_.asks(page)) {
      const bool expected = device_->is_ready(page);
      const Checkpointer::Answer answer = device_->write(now_, page, lines);
      if (answer.ready && !expected) fail("a write is ready that was told not to be");
      if (!answer.ready) {
        held_.push_back({page, lines});
        if (config_.plant != CrashPlant::writes_do_not_wait) return;
      }
    }
    memory_.write(page, lines);
  }

  void retry() {
    while (!released_.empty()) {
      const std::uint32_t page = released_.front();
      released_.pop_front();
      std::vector<HeldWrite> again;
      std::erase_if(held_, [&](const HeldWrite& held) {
        if (held.page == page) again.push_back(held);
        return held.page == page;
      });
      for (const HeldWrite& held : again) write(held.page, held.lines);
    }
  }

  void end_interval() {
    if (!device_->tracking()) return track();
    const std::uint64_t version = history().next_version++;
    history().images[version] = memory_.bytes();
    history().open.push_back(version);
    if (config_.plant == CrashPlant::reported_too_early) history().durable.insert(version);
    memory_.end_interval();
    if (setup_.changes_method) device_->set_method(any_method(random_));
    device_->end_interval(now_, version);
  }

  void abort(bool changes_program) {
    ++counts_.aborts;
    device_->abort(now_);
    if (!history().open.empty()) fail("abort told nothing of version {}", history().open.front());
    retry();
    if (!held_.empty()) fail("a write is held of page {}, and nothing is tracked", held_.front().page);
    if (changes_program) active_ = 1 - active_;
    track();
  }

  void discard() {
    CrashHistory& of = histories_[random_.below(2)];
    if (of.durable.empty()) return;
    auto at = of.durable.begin();
    std::advance(at, random_.below(of.durable.size()));
    const std::uint64_t version = *at;
    const bool is_there = device_->log().find(of.name, version) != nullptr;
    if (device_->log().discard(now_, of.name, version) != is_there) fail("discard of what is not there");
    if (!is_there) return;
    of.durable.erase(version);
    of.discarding.insert(version);
    discarding_.push_back({&of, version});
    ++counts_.discards;
  }

  void flip_bits() {
    if (setup_.bit_errors == BitErrors::none) return;
    const FlashAddress at = any_page(random_, setup_.geometry);
    if (image_.state(at) != FlashImage::PageState::programmed) return;
    const std::uint32_t correctable = setup_.part.correctable_bits;
    const bool beyond = setup_.bit_errors == BitErrors::beyond_correction && random_.below(4) == 0;
    if (beyond) {
      image_.add_bit_errors(at, correctable + 1);
      has_lost_pages_ = true;
    } else if (image_.bit_errors(at) < correctable) {
      image_.add_bit_errors(at, 1);
    }
  }

  // Lets the device do all it wants to: then nothing waits for it any more.
  void rest() {
    for (std::uint64_t steps = 0; device_->next_event(); ++steps) {
      if (steps > most_steps_to_rest) fail("the device does not come to rest");
      next_event();
    }
    if (device_->stopped()) fail("software waits for ever");
    if (!held_.empty() && config_.plant == CrashPlant::none)
      fail("a write to page {} waits for ever", held_.front().page);
    if (!history().open.empty()) fail("version {} is neither durable nor given up", history().open.front());
    if (!discarding_.empty()) fail("a discard does not end");
  }

  // ---- cuts ----

  void cut() {
    if (device_->log().is_collecting()) ++counts_.in_merge;
    if (device_->log().translation().is_collecting()) ++counts_.in_collection;
    if (!device_->ready()) ++counts_.in_recovery;
    if (restoring_) ++counts_.in_restore;
    const TornPages before(image_);
    device_->reset(Reset::power_loss);
    const TornPages after(image_);
    if (after.whole_blocks > before.whole_blocks) ++counts_.in_erase;
    if (after.pages > before.pages) ++counts_.in_program;
    ++counts_.cuts;
    cuts_worn_out_ += counts_.worn_out > 0 ? 1 : 0;
    held_.clear();
    released_.clear();
    restoring_ = nullptr;
    discarding_.clear();
    for (CrashHistory& history : histories_) history.open.clear();
    if (config_.plant == CrashPlant::losing_page) {
      const FlashAddress at = any_page(random_, setup_.geometry);
      if (image_.state(at) == FlashImage::PageState::programmed)
        image_.add_bit_errors(at, setup_.part.correctable_bits + 1);
    }
    if (random_.below(4) != 0) return;
    count_work();
    make_device();
  }

  void power_up() {
    recovered_ = false;
    device_->power_up(now_);
    for (std::uint64_t steps = 0; !recovered_; ++steps) {
      if (!device_->next_event() || steps > most_steps_to_rest) fail("recovery does not end");
      next_event();
    }
  }

  // Up to three more cuts come while the device recovers, and as many while it reads back what it holds.
  void recover() {
    for (int again = 0; again < 3 && random_.below(3) == 0; ++again) {
      device_->power_up(now_);
      for (std::uint64_t steps = random_.below(60); steps > 0 && device_->next_event(); --steps) next_event();
      cut();
    }
    power_up();
    if (!check_what_is_there()) return recover();
    CrashHistory& mine = history();
    memory_.restart(mine.durable.empty() ? nullptr : &mine.images.at(*mine.durable.rbegin()));
  }

  // False: the power was cut again.
  bool check_what_is_there() {
    std::array<CrashHistory::Versions, 2> there;
    for (std::size_t i = 0; i < histories_.size(); ++i) {
      CrashHistory& history = histories_[i];
      there[i] = versions_of(history.name, true);
      if (const std::uint64_t version = history.stranger(there[i]))
        fail("\"{}\": there is a version {} that never was", history.name, version);
      const std::uint64_t revenant = history.revenant(there[i]);
      const std::uint64_t missing = history.missing(there[i], setup_.checkpointer.log.versions);
      if (has_lost_pages_)
        counts_.lost += missing != 0 ? 1 : 0;
      else if (revenant != 0)
        fail("\"{}\": version {} was discarded and is back", history.name, revenant);
      else if (missing != 0)
        fail("\"{}\": version {} was durable and is gone", history.name, missing);
      if (!there[i].empty() && (history.durable.empty() || *there[i].rbegin() > *history.durable.rbegin()))
        ++counts_.newer;
      const CheckpointLog::Stored* newest = device_->log().newest(history.name, ~std::uint64_t{0});
      if ((newest != nullptr) != !there[i].empty() || (newest && newest->version != *there[i].rbegin()))
        fail("\"{}\": the newest version is not found", history.name);
    }
    for (std::size_t i = 0; i < histories_.size(); ++i)
      for (const std::uint64_t version : CrashHistory::Versions(there[i])) {
        if (random_.below(40) == 0) return cut_while_restoring(histories_[i], version);
        if (!restore(histories_[i], version)) there[i].erase(version);
      }
    for (std::size_t i = 0; i < histories_.size(); ++i)
      histories_[i].restart(there[i], versions_of(histories_[i].name, false));
    return true;
  }

  CrashHistory::Versions versions_of(const std::string& name, bool only_usable) const {
    CrashHistory::Versions versions;
    for (const CheckpointLog::Stored& stored : device_->log().stored())
      if (stored.name == name && (!only_usable || (stored.visible && stored.readable)))
        versions.insert(stored.version);
    return versions;
  }

  void begin_restore(CrashHistory& history, std::uint64_t version) {
    restored_image_.assign(memory_.bytes().size(), std::byte(0));
    restored_lines_.assign(setup_.memory.pages, 0);
    restore_error_.reset();
    restoring_ = &history;
    if (!device_->log().restore(now_, history.name, version, *this))
      fail("\"{}\": version {} is there and cannot be restored", history.name, version);
  }

  bool cut_while_restoring(CrashHistory& history, std::uint64_t version) {
    begin_restore(history, version);
    for (std::uint64_t steps = random_.below(60); steps > 0 && !restore_error_; --steps) next_event();
    cut();
    return false;
  }

  // False: it is lost.
  bool restore(CrashHistory& history, std::uint64_t version) {
    begin_restore(history, version);
    while (!restore_error_) {
      if (!device_->next_event()) fail("the restore of version {} does not end", version);
      next_event();
    }
    restoring_ = nullptr;
    if (*restore_error_ != CheckpointLog::Error::none) {
      if (!has_lost_pages_) fail("\"{}\": version {} cannot be read", history.name, version);
      ++counts_.lost;
      return false;
    }
    if (!std::ranges::all_of(restored_lines_, [](std::uint64_t lines) { return ~lines == 0; }))
      fail("\"{}\": version {} is restored with holes", history.name, version);
    const CrashHistory::Image& image = history.images.at(version);
    const auto difference = std::ranges::mismatch(restored_image_, image);
    if (difference.in1 != restored_image_.end()) {
      const auto at = static_cast<std::uint64_t>(difference.in1 - restored_image_.begin());
      const std::uint64_t page_bytes = std::uint64_t{64} * setup_.memory.line;
      fail("\"{}\": version {} differs from what it was in line {} of page {}", history.name, version,
           at % page_bytes / setup_.memory.line, at / page_bytes);
    }
    ++counts_.restored;
    return true;
  }

  void count_work() {
    Statistics statistics;
    device_->report(statistics);
    const auto add = [&](std::uint64_t& count, std::string_view group, std::string_view name) {
      count += find_count(statistics, group, name);
    };
    add(counts_.merges, "log", "merges");
    add(counts_.compactions, "log", "compactions");
    add(counts_.collections, "translation", "collections");
    add(counts_.blocks_retired, "translation", "blocks_retired");
    counts_.memory_errors = memory_.silences();
  }

  // ---- what the device says ----

  void recovered(Picoseconds) override { recovered_ = true; }
  void durable(Picoseconds, std::uint64_t version) override {
    CrashHistory& mine = history();
    if (mine.open.empty() || mine.open.front() != version) fail("version {} is durable out of turn", version);
    mine.open.pop_front();
    mine.durable.insert(version);
    ++counts_.durable;
  }
  void failed(Picoseconds, std::uint64_t version, Checkpointer::Error error) override {
    CrashHistory& mine = history();
    const auto first = std::ranges::find(mine.open, version);
    if (first == mine.open.end()) fail("version {} fails, which is not open", version);
    counts_.given_up += static_cast<std::uint64_t>(mine.open.end() - first);
    mine.open.erase(first, mine.open.end());
    counts_.no_space += error == Checkpointer::Error::no_space ? 1 : 0;
    counts_.worn_out += error == Checkpointer::Error::worn_out ? 1 : 0;
  }
  void released(Picoseconds, std::uint32_t page) override { released_.push_back(page); }
  void resumed(Picoseconds) override {
    if (device_->stopped()) fail("software is told to go on, and to wait");
  }
  void discarded(Picoseconds) override {
    if (discarding_.empty()) fail("a discard ends that was not asked for");
    const auto [of, version] = discarding_.front();
    discarding_.pop_front();
    if (device_->log().translation().read_only()) return;  // it lasts until the power is cut
    of->discarding.erase(version);
    of->discarded.insert(version);
  }

  void restored(Picoseconds, std::uint32_t page, std::uint64_t lines,
                std::span<const std::byte> data) override {
    if (page >= setup_.memory.pages || (restored_lines_[page] & lines) != 0)
      fail("lines of page {} are restored twice, or there is no such page", page);
    restored_lines_[page] |= lines;
    std::size_t from = 0;
    for (unsigned line = 0; line < 64; ++line) {
      if ((lines >> line & 1) == 0) continue;
      std::memcpy(&restored_image_[(std::size_t{page} * 64 + line) * setup_.memory.line], &data[from],
                  setup_.memory.line);
      from += setup_.memory.line;
    }
  }
  void piece_ended(Picoseconds at) override { device_->log().next_piece(at); }
  void restore_ended(Picoseconds, CheckpointLog::Error error) override { restore_error_ = error; }

  struct HeldWrite {
    std::uint32_t page;
    std::uint64_t lines;
  };
  struct Discard {
    CrashHistory* of;
    std::uint64_t version;
  };

  CrashTrialConfig config_;
  Random random_;
  CrashSetup setup_;
  FlashImage image_;
  CrashMemory memory_;
  std::unique_ptr<Checkpointer> device_;
  Picoseconds now_;
  std::array<CrashHistory, 2> histories_;
  std::size_t active_ = 0;

  bool recovered_ = false;
  bool has_lost_pages_ = false;
  std::uint32_t cuts_worn_out_ = 0;
  std::vector<HeldWrite> held_;
  std::deque<std::uint32_t> released_;
  std::deque<Discard> discarding_;
  CrashHistory* restoring_ = nullptr;
  CrashHistory::Image restored_image_;
  std::vector<std::uint64_t> restored_lines_;
  std::optional<CheckpointLog::Error> restore_error_;
  CrashCounts counts_;
};

}  // namespace

CrashCounts run_crash_trial(const CrashTrialConfig& config, std::uint64_t seed) {
  return Trial(config, seed).run();
}

}  // namespace asterism
