#include "dimm_ssd/crash/crash_trial.h"

#include <algorithm>

#include "base/fields.h"
#include "dimm_ssd/crash/crash_trial_state.h"

namespace asterism {

static_assert(member_count<CrashTrialConfig>() == 7);
void describe(Fields& f, CrashTrialConfig& c) {
  f("method", c.method, "The checkpoint method of the trials.", one_of<CrashMethod>());
  f("contents", c.contents,
    "The contents of a line of memory. Tags give more pages and versions in the same time.",
    one_of<CrashContents>());
  f("pages", c.pages,
    "The number of pages of memory, or 0 to draw it by the seed. More pages make longer checkpoints, which "
    "power failures hit more often.",
    within(0, 4096));
  f("blocks", c.blocks,
    "The number of blocks per plane of the flash, or 0 to draw it by the seed. Fewer blocks are collected "
    "more often and wear out sooner.",
    within(0, 4096));
  f("trial_power_failures", c.power_failures,
    "The number of power failures in one trial. Later ones find an older flash.", within(1, 1'000'000));
  f("mutant", c.mutant,
    "A seeded bug of the trial or of the table of modified pages, which the trials must detect.",
    one_of<CrashMutant>());
  f("aim", c.aim,
    "How the trials choose their actions: directed at the listed states, or at random, which seldom reaches "
    "rare states.",
    one_of<CrashAim>());
}

CrashCounts& CrashCounts::operator+=(const CrashCounts& o) {
  for (const auto member :
       {&CrashCounts::power_failures, &CrashCounts::in_program,     &CrashCounts::in_erase,
        &CrashCounts::in_merge,       &CrashCounts::in_collection,  &CrashCounts::in_recovery,
        &CrashCounts::in_restore,     &CrashCounts::durable,        &CrashCounts::newer,
        &CrashCounts::restored,       &CrashCounts::abandoned,      &CrashCounts::no_space,
        &CrashCounts::worn_out,       &CrashCounts::memory_errors,  &CrashCounts::aborts,
        &CrashCounts::discards,       &CrashCounts::merges,         &CrashCounts::compactions,
        &CrashCounts::collections,    &CrashCounts::blocks_retired, &CrashCounts::lost,
        &CrashCounts::audited})
    this->*member += o.*member;
  return *this;
}

CrashTrial::CrashTrial(const CrashTrialConfig& config, std::uint64_t seed, CrashStates* states)
    : config_(config),
      random_(seed),
      setup_(make_crash_setup(config, random_)),
      image_(setup_.geometry),
      memory_(setup_.memory, random_.next()),
      audit_(image_, setup_.memory.line),
      tracked_(setup_.memory.pages),
      states_(states),
      next_method_(setup_.checkpointer.method) {
  if (MattMutant::implements(config.mutant)) matt_mutant_.emplace(config.mutant, setup_.memory.pages);
  histories_[0].name = "program";
  histories_[1].name = "other";
  make_device();
}

CrashCounts CrashTrial::run() {
  power_up();
  while (counts_.power_failures < config_.power_failures && failures_when_worn_out_ < 4) {
    if (config_.aim == CrashAim::states)
      run_aimed();
    else
      run_at_random();
    fail_power();
    recover();
  }
  count_work();
  return counts_;
}

void CrashTrial::make_device() {
  device_ = std::make_unique<Checkpointer>(setup_.checkpointer, setup_.part, image_, setup_.memory.pages,
                                           memory_, static_cast<Checkpointer::Sink&>(*this));
  if (matt_mutant_) device_->matt().attach_hook(&*matt_mutant_);
  next_method_ = setup_.checkpointer.method;
}

// ---- power failures ----

void CrashTrial::fail_power() {
  audit();
  record(CrashEvent::power_failure);
  if (states_)
    for (const auto& phase : enum_names(DevicePhase{}))
      if (phases() >> static_cast<unsigned>(phase.value) & 1)
        states_->power_failure(next_method_, phase.value);
  if (device_->log().is_collecting()) ++counts_.in_merge;
  if (device_->log().translation().is_collecting()) ++counts_.in_collection;
  if (!device_->ready()) ++counts_.in_recovery;
  if (restoring_) ++counts_.in_restore;
  const TornPages before(image_);
  device_->reset(Reset::power_loss);
  const TornPages after(image_);
  if (after.whole_blocks > before.whole_blocks) ++counts_.in_erase;
  if (after.pages > before.pages) ++counts_.in_program;
  ++counts_.power_failures;
  failures_when_worn_out_ += counts_.worn_out > 0 ? 1 : 0;
  forget_what_was_under_way();
  why_no_base_ = BaseFate::power_failure;
  if (config_.mutant == CrashMutant::losing_page) {
    const FlashAddress at = any_page(random_, setup_.geometry);
    if (image_.state(at) == FlashImage::PageState::programmed)
      image_.add_bit_errors(at, setup_.part.correctable_bits + 1);
  }
  if (random_.below(4) != 0) return;
  count_work();
  make_device();
}

void CrashTrial::forget_what_was_under_way() {
  held_.clear();
  released_.clear();
  restoring_ = nullptr;
  discarding_.clear();
  for (CrashHistory& history : histories_) history.open.clear();
  count_outcomes(0, CrashOutcome::power_failure);
  interval_ = {};
  base_.reset();
}

void CrashTrial::power_up() {
  recovered_ = false;
  device_->power_up(now_);
  for (std::uint64_t steps = 0; !recovered_; ++steps) {
    if (!next_due() || steps > max_steps_to_drain) fail("recovery does not end");
    next_event();
  }
}

// Up to three more power failures occur while the device recovers, and as many while the versions are read
// back.
void CrashTrial::recover() {
  for (int again = 0; again < 3 && random_.below(3) == 0; ++again) {
    device_->power_up(now_);
    for (std::uint64_t steps = random_.below(60); steps > 0 && next_due(); --steps) next_event();
    fail_power();
  }
  power_up();
  if (!check_what_is_there()) return recover();
  CrashHistory& mine = history();
  const bool is_there = !mine.durable.empty();
  const CrashHistory::Image* const image = is_there ? &mine.images.at(*mine.durable.rbegin()) : nullptr;
  memory_.restart(image);
  if (image) tracked_ = static_cast<std::uint32_t>(image->size() / (std::size_t{64} * setup_.memory.line));
}

// Returns false if the power has failed again.
bool CrashTrial::check_what_is_there() {
  std::array<CrashHistory::Versions, 2> there;
  for (std::size_t i = 0; i < histories_.size(); ++i) {
    CrashHistory& history = histories_[i];
    there[i] = versions_of(history.name, true);
    if (const std::uint64_t version = history.first_unknown(there[i]))
      fail("\"{}\": version {} is there and was never taken", history.name, version);
    const std::uint64_t resurrected = history.first_resurrected(there[i]);
    const std::uint64_t missing = history.first_missing(there[i], setup_.checkpointer.log.versions);
    if (has_lost_pages_)
      counts_.lost += missing != 0 ? 1 : 0;
    else if (resurrected != 0)
      fail("\"{}\": version {} was discarded and has returned", history.name, resurrected);
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
      if (random_.below(40) == 0) return fail_power_while_restoring(histories_[i], version);
      if (!restore(histories_[i], version)) there[i].erase(version);
    }
  for (std::size_t i = 0; i < histories_.size(); ++i)
    histories_[i].restart(there[i], versions_of(histories_[i].name, false));
  return true;
}

CrashHistory::Versions CrashTrial::versions_of(const std::string& name, bool only_usable) const {
  CrashHistory::Versions versions;
  for (const CheckpointLog::Stored& stored : device_->log().stored())
    if (stored.name == name && (!only_usable || (stored.visible && stored.readable)))
      versions.insert(stored.version);
  return versions;
}

void CrashTrial::begin_restore(CrashHistory& history, std::uint64_t version) {
  const std::size_t bytes = history.images.at(version).size();
  restored_image_.assign(bytes, std::byte(0));
  restored_lines_.assign(bytes / (std::size_t{64} * setup_.memory.line), 0);
  restore_error_.reset();
  restoring_ = &history;
  if (!device_->log().restore(now_, history.name, version, *this))
    fail("\"{}\": version {} is there and cannot be restored", history.name, version);
}

bool CrashTrial::fail_power_while_restoring(CrashHistory& history, std::uint64_t version) {
  begin_restore(history, version);
  for (std::uint64_t steps = random_.below(60); steps > 0 && !restore_error_; --steps) next_event();
  fail_power();
  return false;
}

// Returns false if the version is lost.
bool CrashTrial::restore(CrashHistory& history, std::uint64_t version) {
  begin_restore(history, version);
  while (!restore_error_) {
    if (!next_due()) fail("the restore of version {} does not end", version);
    next_event();
  }
  restoring_ = nullptr;
  if (*restore_error_ != CheckpointLog::Error::none) {
    if (!has_lost_pages_) fail("\"{}\": version {} cannot be read", history.name, version);
    ++counts_.lost;
    return false;
  }
  if (!std::ranges::all_of(restored_lines_, [](std::uint64_t lines) { return ~lines == 0; }))
    fail("\"{}\": version {} is restored with lines missing", history.name, version);
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

// Compares every version that is there with the flash image as it is now.
void CrashTrial::audit() {
  if (has_lost_pages_ || config_.mutant == CrashMutant::losing_page || !device_->ready()) return;
  const std::vector<CheckpointLog::Stored>& stored = device_->log().stored();
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (!stored[i].visible) continue;
    const CrashHistory& of = histories_[stored[i].name == histories_[0].name ? 0 : 1];
    const auto image = of.images.find(stored[i].version);
    if (image == of.images.end())
      fail("\"{}\": version {} is there and was never taken", of.name, stored[i].version);
    if (const auto fault = audit_.fault(device_->log(), i, image->second))
      fail("\"{}\": version {}, in flash: {}", of.name, stored[i].version, *fault);
    ++counts_.audited;
  }
}

void CrashTrial::count_work() {
  Statistics statistics;
  device_->report(statistics);
  const auto add = [&](std::uint64_t& count, std::string_view group, std::string_view name) {
    count += find_count(statistics, group, name);
  };
  add(counts_.merges, "log", "merges");
  add(counts_.compactions, "log", "compactions");
  add(counts_.collections, "translation", "collections");
  add(counts_.blocks_retired, "translation", "blocks_retired");
  counts_.memory_errors = memory_.failed_reads();
}

// ---- reports of the device ----

void CrashTrial::durable(Picoseconds, std::uint64_t version) {
  note_open();
  CrashHistory& mine = history();
  if (mine.open.empty() || mine.open.front() != version)
    fail("version {} becomes durable out of order", version);
  mine.open.pop_front();
  mine.durable.insert(version);
  ++counts_.durable;
  const Interval interval = intervals_.front();
  intervals_.pop_front();
  check_kind(version, *interval.fate);
  audit();
  count_durable(interval);
}

// A version that was committed together with newer ones may expire at once: then it is hidden or gone.
void CrashTrial::check_kind(std::uint64_t version, BaseFate fate) {
  const CrashHistory& mine = history();
  const auto& all = device_->log().stored();
  const auto stored = std::ranges::find_if(
      all, [&](const CheckpointLog::Stored& s) { return s.name == mine.name && s.version == version; });
  if (stored == all.end()) {
    if (mine.first_missing(versions_of(mine.name, true), setup_.checkpointer.log.versions) == version &&
        !has_lost_pages_)
      fail("\"{}\": version {} is durable and is not there", mine.name, version);
  } else if (stored->full != is_full(fate)) {
    fail("\"{}\": version {} is stored as {}, and the one before it was {}", mine.name, version,
         stored->full ? "a full one" : "an increment", to_text(fate));
  }
}

void CrashTrial::failed(Picoseconds, std::uint64_t version, Checkpointer::Error error) {
  note_open();
  CrashHistory& mine = history();
  const auto first = std::ranges::find(mine.open, version);
  if (first == mine.open.end()) fail("version {} fails and was not open", version);
  const auto place = static_cast<std::size_t>(first - mine.open.begin());
  counts_.abandoned += static_cast<std::uint64_t>(mine.open.end() - first);
  mine.open.erase(first, mine.open.end());
  counts_.no_space += error == Checkpointer::Error::no_space ? 1 : 0;
  counts_.worn_out += error == Checkpointer::Error::worn_out ? 1 : 0;
  interval_ = {.method = interval_.method, .copied_by = interval_.copied_by, .fate = {}};
  base_.reset();
  why_no_base_ = BaseFate::failed;
  switch (error) {
    case Checkpointer::Error::none:
      fail("version {} fails without an error", version);
    case Checkpointer::Error::no_space:
      record(CrashEvent::no_space);
      return count_outcomes(place, CrashOutcome::no_space);
    case Checkpointer::Error::memory:
      record(CrashEvent::memory_error);
      return count_outcomes(place, CrashOutcome::memory);
    case Checkpointer::Error::worn_out:
      record(CrashEvent::worn_out);
      return count_outcomes(place, CrashOutcome::worn_out);
    case Checkpointer::Error::aborted:
      return count_outcomes(place, CrashOutcome::aborted);
    case Checkpointer::Error::uncorrectable:
      if (!has_lost_pages_) fail("version {} has no base", version);
      record(CrashEvent::uncorrectable);
      return count_outcomes(place, CrashOutcome::uncorrectable);
  }
}

void CrashTrial::discarded(Picoseconds) {
  if (discarding_.empty()) fail("a discard ends that was not requested");
  const auto [of, version] = discarding_.front();
  discarding_.pop_front();
  if (device_->log().translation().read_only()) return;  // the discard lasts until the power fails
  of->discarding.erase(version);
  of->discarded.insert(version);
  audit();
}

void CrashTrial::restored(Picoseconds, std::uint32_t page, std::uint64_t lines,
                          std::span<const std::byte> data) {
  if (page >= restored_lines_.size() || (restored_lines_[page] & lines) != 0)
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

// ---- states ----

BaseFate CrashTrial::fate() {
  if (!base_) return why_no_base_;
  if (!history().open.empty() && base_ == history().open.back()) return BaseFate::pending;
  if (history().discarding.contains(*base_)) return BaseFate::discarding;
  if (history().discarded.contains(*base_)) return BaseFate::discarded;
  const CheckpointLog::Stored* stored = device_->log().find(history().name, *base_);
  return stored != nullptr && !stored->readable ? BaseFate::unreadable : BaseFate::durable;
}

// Called after everything that may have opened the checkpoint of this interval, or abandoned it before it had
// a version.
void CrashTrial::note_open() {
  if (!interval_.fate && device_->is_open()) {
    interval_.fate = fate();
    interval_.is_early = true;
  } else if (interval_.fate && !device_->is_open()) {
    interval_ = {.method = interval_.method, .copied_by = interval_.copied_by, .fate = {}};
    base_.reset();
    why_no_base_ = BaseFate::failed;
  }
}

std::uint32_t CrashTrial::phases() const {
  const CheckpointLog::Activity log = device_->log().activity();
  std::uint32_t phases = 0;
  const auto add = [&](DevicePhase phase, bool is_now) {
    if (is_now) phases |= 1u << static_cast<unsigned>(phase);
  };
  add(DevicePhase::recovery, !device_->ready());
  add(DevicePhase::restore, restoring_ != nullptr);
  add(DevicePhase::early_copy, device_->copies_early_now());
  add(DevicePhase::late_copy, device_->copies_late_now());
  add(DevicePhase::data, log.data);
  add(DevicePhase::metadata, log.metadata);
  add(DevicePhase::commit, log.commits);
  add(DevicePhase::discard, log.discards);
  add(DevicePhase::merge, log.merges);
  add(DevicePhase::compaction, log.compacts);
  add(DevicePhase::collection, device_->log().translation().is_collecting());
  return phases == 0 ? 1u << static_cast<unsigned>(DevicePhase::idle) : phases;
}

void CrashTrial::record(CrashEvent event) {
  if (!states_) return;
  states_->under(event, phases());
  if (last_event_) states_->pair(*last_event_, event);
  last_event_ = event;
}

// Counts the outcome of the open versions from this place on, and closes them.
void CrashTrial::count_outcomes(std::size_t first, CrashOutcome outcome) {
  for (std::size_t i = first; i < intervals_.size(); ++i)
    if (states_) states_->outcome(intervals_[i].copied_by, outcome);
  intervals_.resize(std::min(first, intervals_.size()));
}

void CrashTrial::count_durable(const Interval& interval) {
  if (!states_) return;
  record(is_full(*interval.fate) ? CrashEvent::full : CrashEvent::increment);
  states_->outcome(interval.copied_by, CrashOutcome::durable);
  states_->copied(interval.copied_by, *interval.fate);
  states_->change(interval.method, interval.copied_by);
  if (interval.is_early) states_->early(interval.method, *interval.fate, interval.after);
}

CrashCounts run_crash_trial(const CrashTrialConfig& config, std::uint64_t seed, CrashStates* states) {
  return CrashTrial(config, seed, states).run();
}

}  // namespace asterism
