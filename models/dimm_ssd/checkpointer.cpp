#include "dimm_ssd/checkpointer.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "base/fields.h"

namespace asterism {
namespace {

Checkpointer::Error to_error(CheckpointLog::Error error) {
  switch (error) {
    case CheckpointLog::Error::none:
      return Checkpointer::Error::none;
    case CheckpointLog::Error::no_space:
      return Checkpointer::Error::no_space;
    case CheckpointLog::Error::uncorrectable:
      return Checkpointer::Error::uncorrectable;
    case CheckpointLog::Error::worn_out:
      return Checkpointer::Error::worn_out;
  }
  return Checkpointer::Error::none;
}

}  // namespace

static_assert(member_count<CheckpointerConfig>() == 5);
void describe(Fields& f, CheckpointerConfig& c) {
  f("method", c.method, "The method by which checkpoints are taken.", one_of<CheckpointMethod>());
  f("page_buffers", c.page_buffers,
    "The number of flash page buffers between memory and flash. With one, copying and transfer alternate.",
    within(1, 64));
  f("shadow_frames", c.shadow_frames,
    "The number of 4 KiB pages of DRAM that copy_on_write may fill. If none is free, a write waits as with "
    "late.",
    within(0, 1u << 28));
  f("matt", c.matt, "The table of modified pages (MATT).");
  f("log", c.log, "The layout of checkpoints in flash.");
}

Checkpointer::Checkpointer(const CheckpointerConfig& config, const FlashPart& part, FlashImage& image,
                           std::uint32_t pages, Memory& memory, Sink& sink)
    : config_(config),
      memory_(memory),
      sink_(sink),
      log_(config.log, part, image, *this),
      matt_(config.matt, pages),
      keeps_contents_(image.keeps_contents()),
      lines_per_buffer_(log_.lines_per_data_page()),
      method_(config.method),
      next_method_(config.method),
      free_buffers_(config.page_buffers),
      is_held_(pages),
      pages_per_flash_page_(lines_per_buffer_ + 1) {}

Checkpointer::~Checkpointer() = default;

void Checkpointer::record_in(ActivityLog& activity, const std::string& device, PageFlows& flows) {
  flows_ = &flows;
  log_.record_in(activity, device);
}

void Checkpointer::power_up(Picoseconds now) {
  log_.power_up(now);
  work(now);
}

// ---- tracking ----

void Checkpointer::require_ready(const char* what) const {
  if (!ready()) throw std::logic_error(std::string(what) + " before recovery has ended");
}

void Checkpointer::track(Picoseconds now, const std::string& name, std::uint32_t pages) {
  require_ready("track");
  if (pages == 0 || pages > matt_.pages())
    throw std::logic_error("track: the set of pages is empty or too large");
  abort(now);
  name_ = name;
  tracked_pages_ = pages;
  tracking_ = true;
  method_ = next_method_;
  mark_all(now);
  shadow_frames_ = config_.shadow_frames;
  next_frame_ = 0;
  work(now);
}

// All pages count as modified: the next checkpoint is full.
void Checkpointer::mark_all(Picoseconds now) {
  for (std::uint32_t page = 0; page < tracked_pages_; ++page) {
    matt_.track(page, true);
    matt_.mark(page);
  }
  if (flows_) flows_->store_to_all(now, current_.phase);
}

void Checkpointer::end_interval(Picoseconds now, std::uint64_t version) {
  if (!tracking_ || stopped()) throw std::logic_error("end_interval: nothing is tracked, or software waits");
  open_current(now);
  const std::uint32_t pending_before = matt_.pending();
  matt_.begin_phase();
  current_.version = version;
  current_.uncopied = matt_.pending() - pending_before;
  intervals_.push_back(current_);
  current_ = {};
  current_.phase = matt_.phase();
  base_ = version;
  ++counts_.intervals;

  method_ = next_method_;
  early_blocked_ = false;
  // Held writes wait until all pages are copied, even if another method follows.
  const bool has_work = !std::ranges::all_of(intervals_, is_copied);
  holds_all_ = has_work && (holds_all_ || method_ == CheckpointMethod::stop_and_copy_hardware);
  if (must_stop()) {
    stopped_since_ = now;
    ++counts_.stops;
  }
  work(now);
}

bool Checkpointer::must_stop() const {
  if (method_ == CheckpointMethod::copy_on_write) return intervals_.size() > 1;
  const bool waits = !copies_late(method_) && method_ != CheckpointMethod::stop_and_copy_hardware;
  if (waits) return !intervals_.empty();
  const auto oldest = std::ranges::find_if_not(intervals_, is_copied);
  const std::uint64_t most = (std::uint64_t{1} << config_.matt.phase_bits) - 2;
  return oldest != intervals_.end() && current_.phase - oldest->phase > most;
}

Checkpointer::Interval& Checkpointer::interval_of(std::uint64_t phase) {
  if (phase == current_.phase) return current_;
  const auto at = std::ranges::lower_bound(intervals_, phase, {}, &Interval::phase);
  if (at == intervals_.end() || at->phase != phase)
    throw std::logic_error("a page belongs to a phase that is over");
  return *at;
}

std::uint64_t Checkpointer::whole_phase(std::uint32_t modulo) const {
  const std::uint64_t mask = (std::uint64_t{1} << config_.matt.phase_bits) - 1;
  return matt_.phase() - ((matt_.phase() - modulo) & mask);
}

// Without a readable base an increment would be useless, so that the checkpoint becomes full. Nothing is
// pending then: a pending page belongs to an open checkpoint, and that would be the base. Nothing is locked
// either: a page that is being copied would not be marked, and would be stored with the lines of an increment
// only. From here on the log keeps the base for this checkpoint.
void Checkpointer::open_current(Picoseconds now) {
  if (current_.handle) return;
  if (base_ && intervals_.empty() && !log_.can_continue(name_, *base_)) {
    base_.reset();
    for (std::uint32_t page = 0; page < tracked_pages_; ++page) matt_.mark(page);
    if (flows_) flows_->store_to_all(now, current_.phase);
  }
  const bool full = !base_;
  counts_.full += full ? 1 : 0;
  current_.handle = log_.open(name_, tracked_pages_, full);
}

// ---- writes ----

Checkpointer::Answer Checkpointer::write_slowly(Picoseconds now, std::uint32_t page, std::uint64_t lines) {
  if (!holds_all_ && method_ == CheckpointMethod::copy_on_write)
    if (const auto answer = copy_to_shadow(now, page, lines)) return *answer;
  hold(now, page);
  return {false, Picoseconds(0)};
}

// Returns nullopt if the page is being copied to flash or no frame is free.
std::optional<Checkpointer::Answer> Checkpointer::copy_to_shadow(Picoseconds now, std::uint32_t page,
                                                                 std::uint64_t lines) {
  constexpr Answer later{false, Picoseconds(0)};
  if (std::ranges::count(asides_, page, &Aside::page) != 0) return later;
  if (!has_free_frame()) return std::nullopt;
  const auto choice = matt_.take(page);
  if (!choice) return std::nullopt;
  const std::uint32_t frame = std::exchange(next_frame_, (next_frame_ + 1) % shadow_frames_);
  asides_.push_back({.frame = frame,
                     .page = page,
                     .phase = whole_phase(choice->phase),
                     .flow = take_flow(page),
                     .begun = now});
  memory_.written_lines(page);
  memory_.copy_to_frame(now, page, whole_page, frame, [this, page](const AccessEnd& end) {
    Aside& aside = *std::ranges::find(asides_, page, &Aside::page);
    aside.ended_at = end.at;
    aside.ok = end.ok;
  });
  Aside& aside = asides_.back();
  if (!aside.ended_at) {
    aside.is_late = true;
    return later;
  }
  const Picoseconds ended = *aside.ended_at;
  finish_asides(now);
  if (holds_all_ || matt_.write(page, lines) == Matt::Answer::not_ready) return std::nullopt;
  return Answer{true, ended - now};
}

// If the end of a copy was known when it began, its write has the delay already.
void Checkpointer::finish_asides(Picoseconds now) {
  const auto is_over = [now](const Aside& aside) {
    return aside.ended_at && (!aside.is_late || *aside.ended_at <= now);
  };
  for (auto at = std::ranges::find_if(asides_, is_over); at != asides_.end();
       at = std::ranges::find_if(asides_, is_over)) {
    const Aside aside = *at;
    asides_.erase(at);
    if (!aside.ok) {
      failure_ = {aside.phase, Error::memory, false};
      if (aside.is_late) released_.push_back(aside.page);
      work(now);
      return;
    }
    frames_.push_back({aside.frame, aside.page, whole_page, aside.phase, *aside.ended_at, aside.flow});
    if (flows_)
      flows_->copied(PageFlows::To::frame, aside.begun, *aside.ended_at, "copy to a frame", aside.page,
                     whole_page, aside.flow);
    ++counts_.frame_copies;
    counts_.max_frames = std::max(counts_.max_frames, frames_.size());
    matt_.copied(aside.page);
    if (is_held_[aside.page])
      release(now, aside.page);
    else if (aside.is_late)
      released_.push_back(aside.page);
    wake_at_ = earlier(wake_at_, *aside.ended_at);
  }
}

void Checkpointer::hold(Picoseconds now, std::uint32_t page) {
  if (is_held_[page]) return;
  is_held_[page] = true;
  held_.push_back({page, now});
  ++counts_.writes_held;
}

void Checkpointer::release(Picoseconds now, std::uint32_t page) {
  const auto at = std::ranges::find(held_, page, &HeldWrite::page);
  counts_.held += now - at->since;
  held_.erase(at);
  is_held_[page] = false;
  released_.push_back(page);
}

void Checkpointer::release_all(Picoseconds now) {
  for (const HeldWrite& held : std::exchange(held_, {})) {
    counts_.held += now - held.since;
    is_held_[held.page] = false;
    released_.push_back(held.page);
  }
}

bool Checkpointer::is_ready(std::uint32_t page) const {
  if (holds_all_) return false;
  if (matt_.peek(page) == Matt::Answer::ready) return true;
  return method_ == CheckpointMethod::copy_on_write && has_free_frame() &&
         !(copy_ && copy_->reason != Reason::frame && copy_->page == page) &&
         std::ranges::count(asides_, page, &Aside::page) == 0;
}

// ---- copying ----

bool Checkpointer::may_copy_early() const {
  if (!copies_early(method_) || early_blocked_) return false;
  // A page that is locked while it waits for a buffer would hold writes needlessly.
  const bool fits = buffer_.taken && lines_per_buffer_ - buffer_.lines >= Matt::lines_per_page;
  return fits || free_buffers_ > 0;
}

void Checkpointer::pump(Picoseconds now) {
  awaits_candidate_ = false;
  if (!tracking_ || failure_ || is_copying_) return;
  if (!buffer_.taken && free_buffers_ == 0) return;
  if (copy_ || choose(now))
    start_copy(now);
  else
    awaits_candidate_ = may_copy_early();
}

bool Checkpointer::choose(Picoseconds now) {
  if (held_.empty() && choose_frame(now)) return true;
  const bool early = may_copy_early();
  // A candidate is next. Which of its lines are copied depends on whether its checkpoint is full.
  if (early && matt_.pending() == 0 && matt_.has_candidates()) open_current(now);
  const auto choice = matt_.next(early);
  if (!choice) return !held_.empty() && choose_frame(now);
  const std::uint64_t phase = whole_phase(choice->phase);
  if (!interval_of(phase).handle) throw std::logic_error("a page is copied whose checkpoint is not open");
  const std::uint64_t lines = choice->lines | memory_.written_lines(choice->page);
  copy_ = Copy{.page = choice->page,
               .lines = saves_lines(method_) ? lines : whole_page,
               .phase = phase,
               .reason = static_cast<Reason>(choice->reason),
               .flow = take_flow(choice->page)};
  return true;
}

bool Checkpointer::choose_frame(Picoseconds now) {
  if (frames_.empty()) return false;
  const Frame& frame = frames_.front();
  if (frame.filled_at > now) {
    wake_at_ = earlier(wake_at_, frame.filled_at);
    return false;
  }
  copy_ = Copy{.page = frame.page,
               .lines = frame.lines,
               .phase = frame.phase,
               .reason = Reason::frame,
               .frame = frame.number,
               .flow = frame.flow};
  return true;
}

// Returns false if the copy has to wait for a buffer.
bool Checkpointer::start_copy(Picoseconds now) {
  const auto lines = static_cast<std::uint32_t>(std::popcount(copy_->lines));
  if (buffer_.taken && lines_per_buffer_ - buffer_.lines < lines) send_buffer(now);
  if (failure_) return false;
  if (!buffer_.taken) {
    if (free_buffers_ == 0) return false;
    --free_buffers_;
    buffer_.taken = true;
    if (keeps_contents_) buffer_.data.resize(log_.page_size().count());
  }
  is_copying_ = true;
  copy_->begun = now;
  const auto ended = [this](const AccessEnd& end) { copied(end); };
  if (copy_->reason == Reason::frame)
    memory_.read_frame(now, copy_->frame, copy_->lines, ended);
  else
    memory_.read_lines(now, copy_->page, copy_->lines, ended);
  return true;
}

void Checkpointer::copied(const AccessEnd& end) {
  copy_->ok = end.ok;
  copied_at_ = end.at;
  if (!keeps_contents_ || !end.ok) return;
  const std::uint64_t first = buffer_.lines * config_.log.line.count();
  std::ranges::copy(end.data, buffer_.data.begin() + static_cast<std::ptrdiff_t>(first));
}

void Checkpointer::finish_copy(Picoseconds now) {
  const Copy copy = *copy_;
  copy_.reset();
  is_copying_ = false;
  copied_at_.reset();
  if (!copy.ok) {
    failure_ = {copy.phase, Error::memory, false};
    return;
  }
  Interval& interval = interval_of(copy.phase);
  const auto lines = static_cast<std::uint32_t>(std::popcount(copy.lines));
  buffer_.entries.push_back({*interval.handle, copy.page, copy.lines, copy.flow});
  buffer_.lines += lines;
  interval.in_buffer = true;
  if (&interval != &current_) --interval.uncopied;
  const auto reason = static_cast<std::size_t>(copy.reason);
  ++counts_.pages[reason];
  counts_.lines[reason] += lines;
  if (flows_) {
    constexpr std::array names = {"awaited copy", "copy", "early copy", "copy of a frame"};  // by Reason
    flows_->copied(PageFlows::To::flash, copy.begun, now, names[reason], copy.page, copy.lines, copy.flow);
  }
  if (copy.reason == Reason::frame) {
    frames_.pop_front();
  } else {
    matt_.copied(copy.page);
  }
  if (buffer_.lines == lines_per_buffer_) send_buffer(now);
  close_copied(now);
  if (copy.reason != Reason::frame && !holds_all_ && is_held_[copy.page]) release(now, copy.page);
}

void Checkpointer::send_buffer(Picoseconds now) {
  const std::uint64_t tag = counts_.flash_pages++;
  ++pages_per_flash_page_[buffer_.entries.size()];
  current_.in_buffer = false;
  for (Interval& interval : intervals_) interval.in_buffer = false;
  Buffer sent = std::exchange(buffer_, {});
  log_.write(now, sent.entries, std::move(sent.data), tag);
}

// Closes intervals in order, so that the last pages of an interval that cannot be closed yet share their
// flash page with those of the next one.
void Checkpointer::close_copied(Picoseconds now) {
  for (Interval& interval : intervals_) {
    if (failure_) return;
    if (interval.closed) continue;
    if (!is_copied(interval)) return;
    if (interval.in_buffer) send_buffer(now);
    if (failure_) return;
    interval.closed = true;
    log_.close(now, *interval.handle, interval.version);
  }
  if (!holds_all_) return;
  holds_all_ = false;
  release_all(now);
}

// ---- events and reports ----

void Checkpointer::advance_to(Picoseconds now) {
  for (auto t = next_event(); t && *t <= now; t = next_event()) {
    wake_at_.reset();
    log_.advance_to(*t);
    if (copied_at_ && *copied_at_ <= *t) finish_copy(*t);
    finish_asides(*t);
    work(*t);
  }
}

std::optional<Picoseconds> Checkpointer::next_event() const {
  std::optional<Picoseconds> next = earlier(earlier(copied_at_, wake_at_), log_.next_event());
  for (const Aside& aside : asides_) next = earlier(next, aside.ended_at);
  return next;
}

void Checkpointer::work(Picoseconds now) {
  do {
    close_copied(now);
    pump(now);
  } while (deliver_report(now));
}

// Delivers one pending report to the sink. The sink may call back, so that the report is removed before.
bool Checkpointer::deliver_report(Picoseconds now) {
  if (std::exchange(reports_recovery_, false)) return sink_.recovered(now), true;
  if (commits_ > 0) {
    --commits_;
    const std::uint64_t version = intervals_.front().version;
    intervals_.pop_front();
    ++counts_.durable;
    return sink_.durable(now, version), true;
  }
  if (const auto failure = std::exchange(failure_, {})) return abandon(now, *failure), true;
  if (!released_.empty()) {
    const std::uint32_t page = released_.front();
    released_.pop_front();
    return sink_.released(now, page), true;
  }
  if (discards_to_report_ > 0) return --discards_to_report_, sink_.discarded(now), true;
  if (!stopped() || must_stop()) return false;
  counts_.stopped += now - *stopped_since_;
  stopped_since_.reset();
  return sink_.resumed(now), true;
}

void Checkpointer::abandon(Picoseconds now, const Failure& failure) {
  const auto first = std::ranges::find_if(
      intervals_, [&](const Interval& i) { return i.phase >= failure.phase || !i.closed; });
  const bool has_ended = first != intervals_.end();
  const Interval& oldest = has_ended ? *first : current_;
  const std::uint64_t version = oldest.version;
  if (oldest.handle && !(failure.gone_in_log && oldest.phase == failure.phase))
    log_.abandon(now, *oldest.handle);
  ++counts_.failures;
  counts_.abandoned += static_cast<std::uint64_t>(intervals_.end() - first);
  intervals_.erase(first, intervals_.end());
  drop_copies();
  release_all(now);
  current_ = {};
  current_.phase = matt_.phase();
  base_.reset();
  early_blocked_ = true;
  mark_all(now);
  if (has_ended) sink_.failed(now, version, failure.error);
}

void Checkpointer::drop_copies() {
  if (buffer_.taken) ++free_buffers_;
  buffer_ = {};
  copy_.reset();
  is_copying_ = false;
  copied_at_.reset();
  frames_.clear();
  for (const Aside& aside : std::exchange(asides_, {})) released_.push_back(aside.page);
  memory_.abandon_accesses();
  holds_all_ = false;
}

void Checkpointer::abort(Picoseconds now) {
  while (deliver_report(now)) continue;
  if (!tracking_) return;
  const bool has_ended = !intervals_.empty();
  const Interval oldest = has_ended ? intervals_.front() : current_;
  if (oldest.handle) log_.abandon(now, *oldest.handle);
  counts_.abandoned += intervals_.size();
  intervals_.clear();
  drop_copies();
  release_all(now);
  stop_tracking(Reset::warm);
  if (has_ended) sink_.failed(now, oldest.version, Error::aborted);
  while (deliver_report(now)) continue;
}

void Checkpointer::stop_tracking(Reset kind) {
  matt_.reset(kind);
  tracking_ = false;
  awaits_candidate_ = false;
  early_blocked_ = false;
  base_.reset();
  current_ = {};
}

void Checkpointer::reset(Reset kind) {
  intervals_.clear();
  drop_copies();
  held_.clear();
  is_held_.assign(is_held_.size(), false);
  stop_tracking(kind);
  log_.reset(kind);
  free_buffers_ = config_.page_buffers;
  wake_at_.reset();
  stopped_since_.reset();
  reports_recovery_ = false;
  discards_to_report_ = 0;
  commits_ = 0;
  released_.clear();
  failure_.reset();
}

void Checkpointer::recovered(Picoseconds) { reports_recovery_ = true; }
void Checkpointer::left_buffer(Picoseconds, CheckpointLog::Tag) { ++free_buffers_; }
void Checkpointer::committed(Picoseconds, Handle checkpoint) {
  const std::size_t place = commits_;
  if (place < intervals_.size() && intervals_[place].handle == checkpoint)
    ++commits_;  // otherwise it was abandoned
}
void Checkpointer::discarded(Picoseconds) { ++discards_to_report_; }

void Checkpointer::failed(Picoseconds, Handle checkpoint, CheckpointLog::Error error) {
  const auto at = std::ranges::find(intervals_, std::optional(checkpoint), &Interval::handle);
  if (at == intervals_.end() && current_.handle != checkpoint) return;  // it was abandoned with an older one
  const std::uint64_t phase = at == intervals_.end() ? current_.phase : at->phase;
  if (!failure_ || phase < failure_->phase) failure_ = {phase, to_error(error), true};
}

void Checkpointer::report(Statistics& statistics, Picoseconds now) const {
  statistics.add("checkpoints_ended", counts_.intervals);
  statistics.add("checkpoints_durable", counts_.durable);
  statistics.add("checkpoints_abandoned", counts_.abandoned);
  statistics.add("full_checkpoints", counts_.full);
  statistics.add("failures", counts_.failures);
  statistics.add("stops", counts_.stops);
  statistics.add("stopped", counts_.stopped);
  statistics.add("writes_held", counts_.writes_held);
  statistics.add("pages_pending", std::uint64_t{matt_.pending()});
  statistics.add("held", counts_.held);
  constexpr std::array reasons = {"priority", "pending", "candidate", "frame"};
  Statistics& pages = statistics.group("pages_copied");
  for (std::size_t i = 0; i < reasons.size(); ++i) pages.add(reasons[i], counts_.pages[i]);
  Statistics& lines = statistics.group("lines_copied");
  for (std::size_t i = 0; i < reasons.size(); ++i) lines.add(reasons[i], counts_.lines[i]);
  statistics.add("copies_to_frames", counts_.frame_copies);
  statistics.add("max_frames_filled", std::uint64_t{counts_.max_frames});
  statistics.add("flash_pages", counts_.flash_pages);
  Statistics& density = statistics.group("pages_per_flash_page");
  for (std::size_t i = 1; i < pages_per_flash_page_.size(); ++i)
    if (pages_per_flash_page_[i] != 0) density.add(std::to_string(i), pages_per_flash_page_[i]);
  matt_.report(statistics.group("matt"));
  log_.report(statistics.group("log"), now);
}

}  // namespace asterism
