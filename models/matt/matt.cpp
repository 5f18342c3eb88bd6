#include "matt/matt.h"

#include <algorithm>

#include "base/fields.h"
#include "matt/matt_hook.h"

namespace asterism {

static_assert(member_count<MattConfig>() == 3);
void describe(Fields& f, MattConfig& c) {
  f("phase_bits", c.phase_bits,
    "The width of a phase number in an entry. 2^bits - 2 phases may be open before software has to wait.",
    within(2, 16));
  f("buffer_entries", c.buffer_entries,
    "The number of entries of the bitmap buffer in the memory controller. With fewer, the table is looked up "
    "and written back more often.",
    within(1, BitmapBuffer::max_entries));
  f("early_writes", c.early_writes,
    "The write requests in an interval that make a page a candidate for an early copy. With fewer, pages are "
    "copied that are written again.",
    within(1, 255));
}

Matt::Matt(const MattConfig& config, std::uint32_t pages)
    : phase_bits_(config.phase_bits),
      phase_mask_((std::uint64_t{1} << config.phase_bits) - 1),
      early_writes_(config.early_writes),
      table_(pages),
      buffer_(config.buffer_entries),
      tracked_(pages),
      free_(pages),
      modified_(pages),
      candidates_(pages),
      pending_(pages),
      locked_(pages),
      locked_now_(pages),
      waiting_(pages) {
  queue_.reserve(priority_queue);
}

Bytes Matt::size() const {
  const std::uint32_t bits = lines_per_page + phase_bits_ + 8 + 3;
  return Bytes((bits + 7) / 8) * pages();
}

// ---- tracking ----

void Matt::track(std::uint32_t page, bool tracked) {
  buffer_.remove(page);
  stop_waiting(page);
  for (PageSet* set : {&modified_, &candidates_, &pending_, &locked_, &locked_now_}) set->erase(page);
  table_[page] = {};
  if (tracked) {
    tracked_.insert(page);
    free_.insert(page);
  } else {
    tracked_.erase(page);
    free_.erase(page);
  }
  if (hook_ != nullptr) hook_->track(page, tracked, hook_work_ = own_work());
}

void Matt::mark(std::uint32_t page) {
  if (free_.contains(page)) {
    if (const auto held = buffer_.remove(page)) merge(*held);
    merge({page, lines_per_page, ~std::uint64_t{0}});
    ++marked_;
  }
  if (hook_ != nullptr) hook_->mark(page, hook_work_ = own_work());
}

// ---- writes ----

// Called for a page that is not in the buffer.
Matt::Answer Matt::look_up(std::uint32_t page, std::uint64_t lines, std::uint32_t requests) {
  ++lookups_;
  if (!free_.contains(page)) {
    if (!tracked_.contains(page)) return Answer::ready;
    ++not_ready_;
    wait_for(page);
    return Answer::not_ready;
  }
  candidates_.erase(page);
  __builtin_prefetch(&table_[page], 1);  // it is needed when the page leaves the buffer
  if (const auto left = buffer_.insert(page, lines, requests)) {
    ++writebacks_;
    merge(*left);
  }
  return Answer::ready;
}

void Matt::merge(const BitmapBuffer::Page& page) {
  Slot& slot = table_[page.number];
  if (slot.phase != phase_tag()) {
    slot.phase = phase_tag();
    slot.writes = 0;
  }
  if (slot.lines == 0) modified_.insert(page.number);
  slot.lines |= page.lines;
  slot.writes = static_cast<std::uint8_t>(
      std::min<unsigned>(unsigned{slot.writes} + page.writes, BitmapBuffer::max_writes));
  if (slot.writes >= early_writes_) candidates_.insert(page.number);
}

Matt::Answer Matt::write_with_hook(std::uint32_t page, std::uint64_t lines) {
  Answer answer = note(page, lines);
  hook_->write(page, lines, answer, hook_work_ = own_work());
  return answer;
}

Matt::Answer Matt::peek(std::uint32_t page) const {
  Answer answer = free_.contains(page) || !tracked_.contains(page) ? Answer::ready : Answer::not_ready;
  if (hook_ != nullptr) hook_->peek(page, answer);
  return answer;
}

void Matt::wait_for(std::uint32_t page) {
  if (waiting_.contains(page)) return;
  waiting_.insert(page);
  if (pending_.contains(page) && queue_.size() < priority_queue) queue_.push_back(page);
}

void Matt::stop_waiting(std::uint32_t page) {
  if (!waiting_.contains(page)) return;
  waiting_.erase(page);
  std::erase(queue_, page);
}

// ---- phases ----

void Matt::begin_phase() {
  buffer_.flush([this](const BitmapBuffer::Page& page) {
    ++writebacks_;
    merge(page);
  });
  free_.remove(modified_);
  pending_.add(modified_);
  modified_.clear();
  candidates_.clear();
  locked_now_.clear();
  ++phase_;
  if (hook_ != nullptr) hook_->begin_phase(hook_work_ = own_work());
}

Matt::Work Matt::own_work() const {
  return {pending_.count() + locked_.count() - locked_now_.count(), !candidates_.empty()};
}

// ---- copies ----

Matt::Choice Matt::lock(std::uint32_t page, Reason reason) {
  Slot& slot = table_[page];
  const Choice choice{page, slot.lines, slot.phase, reason};
  slot.lines = 0;
  locked_.insert(page);
  if (reason == Reason::candidate) {
    candidates_.erase(page);
    modified_.erase(page);
    free_.erase(page);
    locked_now_.insert(page);
  } else {
    pending_.erase(page);
  }
  const auto index = static_cast<std::size_t>(reason);
  ++chosen_[index];
  chosen_lines_[index] += static_cast<std::uint64_t>(std::popcount(choice.lines));
  return choice;
}

std::optional<Matt::Choice> Matt::choose(bool candidates_too) {
  if (!queue_.empty()) {
    const std::uint32_t page = queue_.front();
    queue_.erase(queue_.begin());
    return lock(page, Reason::priority);
  }
  if (const auto page = pending_.first_around(after_pending_)) {
    after_pending_ = *page + 1;
    return lock(*page, Reason::pending);
  }
  if (!candidates_too) return std::nullopt;
  if (const auto page = candidates_.first_around(after_candidate_)) {
    after_candidate_ = *page + 1;
    return lock(*page, Reason::candidate);
  }
  return std::nullopt;
}

std::optional<Matt::Choice> Matt::next(bool candidates_too) {
  std::optional<Choice> choice = choose(candidates_too);
  if (hook_ != nullptr) hook_->next(candidates_too, choice, hook_work_ = own_work());
  return choice;
}

std::optional<Matt::Choice> Matt::take(std::uint32_t page) {
  std::optional<Choice> choice;
  if (pending_.contains(page)) {
    std::erase(queue_, page);
    choice = lock(page, Reason::pending);
  }
  if (hook_ != nullptr) hook_->take(page, choice, hook_work_ = own_work());
  return choice;
}

bool Matt::copied(std::uint32_t page) {
  bool waited = false;
  if (locked_.contains(page)) {
    waited = waiting_.contains(page);
    waiting_.erase(page);
    locked_.erase(page);
    locked_now_.erase(page);
    free_.insert(page);
  }
  if (hook_ != nullptr) hook_->copied(page, waited, hook_work_ = own_work());
  return waited;
}

// ---- the rest ----

Matt::Entry Matt::entry(std::uint32_t page) const {
  const Slot& slot = table_[page];
  return {
      slot.lines, slot.phase, slot.writes, waiting_.contains(page), slot.lines != 0, tracked_.contains(page)};
}

void Matt::attach_hook(MattHook* hook) {
  hook_ = hook;
  hook_work_ = own_work();
}

void Matt::reset(Reset kind) {
  std::ranges::fill(table_, Slot{});
  buffer_.clear();
  for (PageSet* set :
       {&tracked_, &free_, &modified_, &candidates_, &pending_, &locked_, &locked_now_, &waiting_})
    set->clear();
  queue_.clear();
  after_pending_ = after_candidate_ = 0;
  phase_ = 0;
  hook_work_ = {};
  if (hook_ != nullptr) hook_->reset(kind);
}

void Matt::report(Statistics& statistics) const {
  statistics.add("requests", requests_);
  statistics.add("lookups", lookups_);
  statistics.add("writebacks", writebacks_);
  statistics.add("not_ready", not_ready_);
  statistics.add("marked_pages", marked_);
  statistics.add("phases", phase_);
  statistics.add("size", size());
  Statistics& choices = statistics.group("choices");
  choices.add("priority", chosen_[0]);
  choices.add("pending", chosen_[1]);
  choices.add("candidate", chosen_[2]);
  Statistics& lines = statistics.group("chosen_lines");
  lines.add("priority", chosen_lines_[0]);
  lines.add("pending", chosen_lines_[1]);
  lines.add("candidate", chosen_lines_[2]);
}

}  // namespace asterism
