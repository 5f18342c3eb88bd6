// The program of a crash trial: writes, intervals, and everything that can happen to the versions that are
// there.
#include <algorithm>

#include "dimm_ssd/crash/crash_trial_state.h"

namespace asterism {

// ---- at random ----

void CrashTrial::run_at_random() {
  std::uint64_t steps = 1 + random_.below(std::uint64_t{2} << random_.below(12));
  if (random_.below(8) == 0) drain();
  if (!device_->tracking()) track(why_no_base_);
  while (steps-- > 0) step();
  if (random_.below(16) == 0) drain();
}

void CrashTrial::step() {
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
      return discard_any();
    default:
      return flip_bits();
  }
}

void CrashTrial::write_somewhere() {
  if (held_.size() >= 4) return next_event();
  const std::uint32_t near = 1 + static_cast<std::uint32_t>(random_.below(setup_.memory.pages));
  const auto page = static_cast<std::uint32_t>(random_.below(near));
  std::uint64_t lines = std::uint64_t{1} << random_.below(64);
  if (random_.below(4) == 0) lines |= random_.next() & random_.next();
  write(page, lines);
  retry();
}

void CrashTrial::flip_bits() {
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

// ---- directed at states ----

void CrashTrial::run_aimed() {
  if (!device_->tracking()) track(why_no_base_);
  for (std::uint64_t intervals = 1 + random_.below(4); intervals > 0; --intervals) interval_aimed();
  const auto phase = static_cast<DevicePhase>(random_.below(enum_names(DevicePhase{}).size()));
  if (random_.below(2) == 0) lose_base();
  write_aimed();
  if (phase != DevicePhase::idle) return run_to(phase);
  if (random_.below(2) == 0) drain();
}

void CrashTrial::interval_aimed() {
  if (random_.below(3) == 0) lose_base();
  write_aimed();
  if (random_.below(3) == 0) {
    lose_base();
    write_aimed();
  }
  if (random_.below(16) == 0) memory_.fail_next_read();
  while (device_->stopped()) next_event();
  end_interval();
  if (random_.below(4) == 0) flip_bits();
  switch (random_.below(8)) {
    case 0:
    case 1:
    case 2:
      return wait_until_durable();
    case 3:
      discard_newest();
      break;
    case 4:
      return drain();
    case 5:
      if (setup_.bit_errors == BitErrors::beyond_correction) lose_flash_page_of_base();
      break;
    default:
      break;
  }
  some_events(12);
}

// Writes few lines of few pages repeatedly; the events between the writes let the table find a candidate and
// the device copy it.
void CrashTrial::write_aimed() {
  const std::uint32_t few = 1 + static_cast<std::uint32_t>(random_.below(tracked_));
  for (std::uint64_t writes = random_.below(10); writes > 0; --writes) {
    if (held_.size() < 4) {
      std::uint64_t lines = std::uint64_t{1} << random_.below(64);
      if (random_.below(4) == 0) lines |= random_.next() & random_.next();
      write(static_cast<std::uint32_t>(random_.below(few)), lines);
      retry();
    }
    if (random_.below(2) == 0) some_events(6);
  }
}

void CrashTrial::lose_base() {
  switch (random_.below(12)) {
    case 0:
    case 1:
      discard_newest();
      return;
    case 2:
      if (discard_newest())
        while (!discarding_.empty() && next_due()) next_event();
      return;
    case 3:
      while (discard_newest()) continue;
      return some_events(30);
    case 4:
      return discard_any();
    case 5:
      return abort(false);
    case 6:
      return abort(true);
    case 7:
      return change_pages();
    case 8:
      return restore_while_on();
    case 9:
      return warm_reset();
    case 10:
      if (setup_.bit_errors == BitErrors::beyond_correction) return lose_flash_page_of_base();
      memory_.fail_next_read();
      return;
    default:
      if (setup_.bit_errors == BitErrors::beyond_correction) return lose_flash_page_of_base();
      return read_back();
  }
}

bool CrashTrial::discard_newest() {
  if (history().durable.empty()) return false;
  discard(history(), *history().durable.rbegin());
  return true;
}

// Flips more bits than the page code corrects in one of the pages that the newest durable version needs; a
// read then detects it.
void CrashTrial::lose_flash_page_of_base() {
  const CheckpointLog& log = device_->log();
  if (history().durable.empty()) return;
  const std::uint64_t version = *history().durable.rbegin();
  const CheckpointLog::Stored* stored = log.find(history().name, version);
  if (stored == nullptr || !stored->readable) return;
  const auto& entries = log.directory().body(log.directory().index_of(stored->sequence)).entries;
  if (entries.empty()) return;
  const auto place = log.translation().place(entries[random_.below(entries.size())].data_page);
  if (!place) return;
  image_.add_bit_errors(*place, setup_.part.correctable_bits + 1);
  has_lost_pages_ = true;
  restore(history(), version);
}

void CrashTrial::change_pages() {
  record(CrashEvent::other_pages);
  device_->abort(now_);
  retry();
  tracked_ = 1 + static_cast<std::uint32_t>(random_.below(setup_.memory.pages));
  track(BaseFate::other_pages);
}

// Acts as a program that goes back to an older version.
void CrashTrial::restore_while_on() {
  const CrashHistory::Versions there = versions_of(history().name, true);
  if (there.empty()) return;
  record(CrashEvent::restore);
  device_->abort(now_);
  retry();
  auto version = there.begin();
  std::advance(version, random_.below(there.size()));
  if (!device_->log().find(history().name, *version) || !restore(history(), *version))
    return track(BaseFate::aborted);
  const CrashHistory::Image& image = history().images.at(*version);
  memory_.restart(&image);
  tracked_ = static_cast<std::uint32_t>(image.size() / (std::size_t{64} * setup_.memory.line));
  track(BaseFate::restored);
}

// Restores any readable version while the program is tracked.
void CrashTrial::read_back() {
  CrashHistory& of = histories_[random_.below(2)];
  const CrashHistory::Versions there = versions_of(of.name, true);
  if (there.empty()) return;
  auto version = there.begin();
  std::advance(version, random_.below(there.size()));
  restore(of, *version);
}

void CrashTrial::warm_reset() {
  record(CrashEvent::warm_reset);
  device_->reset(Reset::warm);
  forget_what_was_under_way();
  power_up();
  if (!check_what_is_there()) {
    recover();
    return track(why_no_base_);
  }
  memory_.restart(nullptr);
  track(BaseFate::warm_reset);
}

void CrashTrial::run_to(DevicePhase phase) {
  const std::uint32_t bit = 1u << static_cast<unsigned>(phase);
  std::uint64_t matches = 1 + random_.below(4);
  for (int steps = 0; steps < 120 && next_due(); ++steps) {
    if ((phases() & bit) != 0 && --matches == 0) return;
    if (steps == 8 && !device_->stopped()) end_interval();
    next_event();
  }
}

void CrashTrial::wait_until_durable() {
  while (!history().open.empty() && next_due()) next_event();
}

// ---- used by both ----

void CrashTrial::next_event() {
  const auto next = next_due();
  if (!next) return pass(1_us);
  now_ = std::max(now_, *next);
  memory_.end_accesses(now_);
  device_->advance_to(now_);
  note_open();
  check_readable();
  retry();
}

void CrashTrial::some_events(std::uint64_t most) {
  for (std::uint64_t events = random_.below(most); events > 0 && next_due(); --events) next_event();
}

// A version that counts as lost although its flash is good is dropped by the next root, or when space is
// short.
void CrashTrial::check_readable() const {
  if (has_lost_pages_) return;
  for (const CheckpointLog::Stored& stored : device_->log().stored())
    if (stored.visible && !stored.readable)
      fail("\"{}\": version {} cannot be read, although there were no bit errors", stored.name,
           stored.version);
}

void CrashTrial::pass(Picoseconds time) {
  const Picoseconds until = now_ + time;
  for (auto next = next_due(); next && *next <= until; next = next_due()) next_event();
  now_ = until;
}

void CrashTrial::track(BaseFate why) {
  why_no_base_ = why;
  base_.reset();
  interval_ = {.method = next_method_, .fate = {}};
  device_->track(now_, history().name, tracked_);
  memory_.end_interval();
  note_open();
}

void CrashTrial::write(std::uint32_t page, std::uint64_t lines) {
  if (memory_.asks(page)) {
    const bool expected = device_->is_ready(page);
    const Checkpointer::Answer answer = device_->write(now_, page, lines);
    note_open();
    if (answer.ready && !expected) fail("a write is allowed that is_ready() denied");
    if (!answer.ready) {
      held_.push_back({page, lines});
      if (config_.mutant != CrashMutant::writes_do_not_wait) return;
    }
  }
  memory_.write(page, lines);
}

// Writes are released at events, and also during calls of the device: when a copy to a frame fails, versions
// are abandoned.
void CrashTrial::retry() {
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

void CrashTrial::end_interval() {
  if (!device_->tracking()) return track(why_no_base_);
  const std::uint64_t version = history().next_version++;
  const auto image_bytes = static_cast<std::ptrdiff_t>(std::size_t{tracked_} * 64 * setup_.memory.line);
  history().images[version].assign(memory_.bytes().begin(), memory_.bytes().begin() + image_bytes);
  history().open.push_back(version);
  if (config_.mutant == CrashMutant::reported_too_early) history().durable.insert(version);
  memory_.end_interval();
  if (setup_.changes_method) {
    const CheckpointMethod method = any_method(random_);
    if (method != next_method_) record(CrashEvent::method_change);
    next_method_ = method;
    device_->set_method(method);
  }
  if (!interval_.fate) interval_.fate = fate();
  interval_.copied_by = next_method_;
  intervals_.push_back(interval_);
  interval_ = {.method = next_method_, .copied_by = next_method_, .fate = {}};
  base_ = version;
  device_->end_interval(now_, version);
  note_open();
  retry();
}

void CrashTrial::abort(bool changes_program) {
  ++counts_.aborts;
  record(changes_program ? CrashEvent::other_name : CrashEvent::abort);
  device_->abort(now_);
  if (!history().open.empty()) fail("abort did not report version {}", history().open.front());
  retry();
  if (!held_.empty()) fail("a write to page {} is held although nothing is tracked", held_.front().page);
  if (changes_program) active_ = 1 - active_;
  track(changes_program ? BaseFate::other_name : BaseFate::aborted);
}

void CrashTrial::discard_any() {
  CrashHistory& of = histories_[random_.below(2)];
  if (of.durable.empty()) return;
  auto at = of.durable.begin();
  std::advance(at, random_.below(of.durable.size()));
  discard(of, *at);
}

void CrashTrial::discard(CrashHistory& of, std::uint64_t version) {
  const bool is_there = device_->log().find(of.name, version) != nullptr;
  if (is_there)
    record(version == *of.durable.rbegin() ? CrashEvent::discard_newest : CrashEvent::discard_older);
  if (device_->log().discard(now_, of.name, version) != is_there)
    fail("discard of a version that is not there");
  if (!is_there) {
    if (!has_lost_pages_ &&
        of.first_missing(versions_of(of.name, true), setup_.checkpointer.log.versions) == version)
      fail("\"{}\": version {} was durable and is gone", of.name, version);
    if (config_.aim == CrashAim::states) of.durable.erase(version);
    return;
  }
  of.durable.erase(version);
  of.discarding.insert(version);
  discarding_.push_back({&of, version});
  ++counts_.discards;
  if (&of != &history()) return;
  // It may be the base of a checkpoint that has begun early, or of the oldest one that is not durable.
  if (base_ == version && interval_.fate) interval_.after = BaseAfter::discarded_within;
  if (!intervals_.empty() && of.durable.upper_bound(version) == of.durable.end())
    intervals_.front().after = std::max(intervals_.front().after, BaseAfter::discarded_after);
}

// Lets the device finish all its work: nothing may be pending afterwards.
void CrashTrial::drain() {
  for (std::uint64_t steps = 0; next_due(); ++steps) {
    if (steps > max_steps_to_drain) fail("the device never becomes idle");
    next_event();
  }
  if (device_->stopped()) fail("software is never resumed");
  if (!held_.empty() && config_.mutant == CrashMutant::none)
    fail("a write to page {} is never released", held_.front().page);
  if (!history().open.empty()) fail("version {} is neither durable nor abandoned", history().open.front());
  if (!discarding_.empty()) fail("a discard does not end");
}

}  // namespace asterism
