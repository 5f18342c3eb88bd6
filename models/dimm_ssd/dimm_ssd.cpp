#include "dimm_ssd/dimm_ssd.h"

#include <algorithm>
#include <bit>

namespace asterism {
namespace {

constexpr std::uint64_t count(std::uint64_t lines) {
  return static_cast<std::uint64_t>(std::popcount(lines));
}

DimmSsd::Error to_error(Checkpointer::Error error) {
  switch (error) {
    case Checkpointer::Error::none:
      return DimmSsd::Error::none;
    case Checkpointer::Error::no_space:
      return DimmSsd::Error::no_space;
    case Checkpointer::Error::memory:
      return DimmSsd::Error::bus_error;
    case Checkpointer::Error::worn_out:
      return DimmSsd::Error::worn_out;
    case Checkpointer::Error::aborted:
      return DimmSsd::Error::aborted;
    case Checkpointer::Error::uncorrectable:
      return DimmSsd::Error::uncorrectable;
  }
  return DimmSsd::Error::none;
}

}  // namespace

DimmSsd::DimmSsd(const DimmSsdConfig& config, const FlashPart& part, FlashImage& image,
                 AddressRange memory_range, Memory& memory, Sink& sink, std::string name, EventLog& events)
    : config_(config),
      memory_range_(memory_range),
      memory_(memory),
      sink_(sink),
      name_(std::move(name)),
      events_(events),
      image_(image),
      checkpointer_(checkpointer_config(config), part, image,
                    static_cast<std::uint32_t>(memory_range.size / memory_page), *this, *this) {
  ActivityLog* const activity = events.activity_log();
  if (activity) checkpointer_.record_in(*activity, name_, flows_.emplace(*activity, name_));
}

void DimmSsd::power_up(Picoseconds now) { checkpointer_.power_up(now); }

void DimmSsd::command(Picoseconds now, std::uint32_t operation, Address descriptor) {
  const bool aborts = operation == static_cast<std::uint32_t>(Operation::abort);
  refused_ = job_ && (!aborts || job_->stage == Stage::discarding);
  if (refused_) return;
  if (aborts) {
    ++commands_;
    return abort(now);
  }
  begin_job(now, static_cast<Operation>(operation), descriptor);
  const bool known = operation >= 1 && operation <= 4;
  if (!known || descriptor.value() % 8 != 0) return finish(Error::bad_descriptor);
}

void DimmSsd::command(Picoseconds now, Operation operation, RequestDescriptor request) {
  refused_ = job_.has_value();
  if (refused_) return;
  begin_job(now, operation, Address());
  job_->request = std::move(request);
  job_->is_fetched = true;
}

void DimmSsd::begin_job(Picoseconds now, Operation operation, Address descriptor) {
  ++commands_;
  error_ = Error::none;
  result_version_ = 0;
  result_pages_ = 0;
  bad_index_ = no_index;
  job_.emplace(operation, descriptor);
  if (!checkpointer_.ready()) return;
  job_->stage = Stage::fetching;
  step_at_ = now;
}

std::optional<Picoseconds> DimmSsd::next_event() const {
  if (completed_) return Picoseconds(0);
  return earlier(step_at_, checkpointer_.next_event());
}

void DimmSsd::advance_to(Picoseconds now) {
  if (std::exchange(completed_, false)) sink_.completed(now);
  for (auto t = next_event(); t && *t <= now; t = next_event()) {
    checkpointer_.advance_to(*t);
    read_ahead(*t);
    if (step_at_ && *step_at_ <= *t) {
      step_at_.reset();
      step(*t);
    }
    if (std::exchange(completed_, false)) sink_.completed(*t);
  }
}

// A memory access has ended; the next one begins.
void DimmSsd::step(Picoseconds now) {
  const bool arrived = std::exchange(job_->in_flight, false);
  if (arrived && !job_->ok) {
    if (job_->stage == Stage::restoring) checkpointer_.log().stop_restore();
    return finish(Error::bus_error);
  }
  if (job_->stage == Stage::flushing) return end_interval(now);
  if (job_->stage == Stage::fetching && job_->is_fetched) return start_operation(now);
  if (job_->stage == Stage::fetching) return arrived ? fetched(now) : fetch_line(now);
  if (job_->stage == Stage::restoring) return arrived ? piece_written(now) : write_piece(now);
}

// An access has ended, or will at a known time.
void DimmSsd::accessed(const AccessEnd& end) {
  job_->ok = end.ok;
  step_at_ = end.at;
}

// ---- the descriptor ----

void DimmSsd::fetch_line(Picoseconds now) {
  Job& job = *job_;
  const Address next = job.descriptor + Bytes(job.raw.size());
  const std::uint64_t in_page = next.value() % memory_page.count();
  const std::uint64_t skip = next.value() % line.count();
  ++lines_read_;
  job.in_flight = true;
  memory_.read_lines(Part::command, now, next - Bytes(in_page), std::uint64_t{1} << in_page / line.count(),
                     [this, skip](const AccessEnd& end) {
                       const auto data = end.data.subspan(end.ok ? skip : end.data.size());
                       job_->raw.insert(job_->raw.end(), data.begin(), data.end());
                       accessed(end);
                     });
}

// The header of the descriptor gives the number of its lines.
void DimmSsd::fetched(Picoseconds now) {
  Job& job = *job_;
  if (job.raw.size() < RequestDescriptor::header_bytes) return fetch_line(now);
  const std::uint64_t pages = decode_request(job.raw).page_count;
  if (pages > checkpointer_.matt().pages()) return finish(Error::bad_descriptor);
  if (job.raw.size() < RequestDescriptor::header_bytes + 8 * pages) return fetch_line(now);
  job.request = decode_request(job.raw);
  start_operation(now);
}

void DimmSsd::start_operation(Picoseconds now) {
  const Job& job = *job_;
  const bool moves_pages = job.operation == Operation::checkpoint || job.operation == Operation::restore;
  if (!has_name(job.request) || moves_pages == job.request.pages.empty())
    return finish(Error::bad_descriptor);
  if (const auto bad = first_bad_page(job.request.pages, memory_range_))
    return finish(Error::bad_descriptor, *bad);
  switch (job.operation) {
    case Operation::checkpoint:
      return start_checkpoint(now);
    case Operation::find:
      return find();
    case Operation::restore:
      return start_restore(now);
    case Operation::discard:
      return start_discard(now);
    case Operation::abort:
      return;  // has no descriptor
  }
}

// ---- checkpoints ----

bool DimmSsd::continues_tracked_list(const RequestDescriptor& request) const {
  return tracking() && request.name == tracked_name_ && request.pages == tracked_pages_;
}

void DimmSsd::start_checkpoint(Picoseconds now) {
  Job& job = *job_;
  const RequestDescriptor& request = job.request;
  auto method = method_of(request, config_.method);
  if (!method) return finish(Error::bad_descriptor);
  const bool continues = continues_tracked_list(request);
  if (!continues && open() > 0) return finish(Error::busy);
  if (!continues && !shadow_fits(request.pages)) return finish(Error::bad_descriptor);
  if (!continues)
    if (const auto conflict = memory_.conflict(request.pages, next_shadow_))
      return finish(Error::bad_descriptor, conflict->index);
  events_.record(
      now, name_, "checkpoint_begin",
      {{"name", request.name}, {"version", request.version}, {"pages", std::uint64_t{request.pages.size()}}});
  job.stage = Stage::flushing;
  if (!continues) track(now, request);
  // Writes that are not observed cannot wait.
  method_in_use_ = sees_writes_ ? *method : CheckpointMethod::stop_and_copy;
  end_interval(now);
}

// Checked with the first checkpoint of a list, whatever its method: a later one may use copy_on_write.
bool DimmSsd::shadow_fits(std::span<const Address> pages) const {
  if (next_shadow_.size == 0_B) return true;
  return next_shadow_.first.value() % memory_page.count() == 0 &&
         memory_range_.contains(next_shadow_.first, next_shadow_.size) &&
         std::ranges::none_of(pages, [&](Address page) { return next_shadow_.contains(page); });
}

void DimmSsd::end_interval(Picoseconds now) {
  if (!memory_.flush_writes(now)) return;
  const std::uint64_t version = job_->request.version;
  job_->stage = Stage::copying;
  checkpointer_.set_method(method_in_use_);
  open_versions_.push_back(version);
  memory_.interval_ended();
  checkpointer_.end_interval(now, version);
  if (job_ && !checkpointer_.stopped()) finish(Error::none);
}

void DimmSsd::flushed(Picoseconds now) {
  if (job_ && job_->stage == Stage::flushing) step_at_ = now;
}

void DimmSsd::track(Picoseconds now, const RequestDescriptor& request) {
  tracked_name_ = request.name;
  tracked_pages_ = request.pages;
  const auto [low, high] = std::ranges::minmax(tracked_pages_);
  first_tracked_ = low;
  indices_.assign((high - low) / memory_page + 1, no_index);
  for (std::uint32_t i = 0; i < tracked_pages_.size(); ++i)
    indices_[(tracked_pages_[i] - low) / memory_page] = i;
  shadow_ = next_shadow_;
  checkpointer_.set_shadow_frames(static_cast<std::uint32_t>(next_shadow_.size / memory_page));
  durable_version_ = 0;
  if (flows_) flows_->track(tracked_pages_);
  checkpointer_.track(now, tracked_name_, static_cast<std::uint32_t>(tracked_pages_.size()));
  sees_writes_ = memory_.watch(tracked_pages_);
}

void DimmSsd::stop_tracking(Picoseconds now) {
  checkpointer_.abort(now);
  memory_.watch({});
  forget_list();
}

void DimmSsd::forget_list() {
  tracked_name_.clear();
  tracked_pages_.clear();
  indices_.clear();
  sees_writes_ = false;
  if (flows_) flows_->forget();
}

void DimmSsd::durable(Picoseconds at, std::uint64_t version) {
  open_versions_.pop_front();
  durable_version_ = version;
  ++checkpoints_;
  events_.record(at, name_, "checkpoint_commit", {{"name", tracked_name_}, {"version", version}});
  sink_.durable(at, version);
}

// The version of a command under way is the last open one.
void DimmSsd::failed(Picoseconds at, std::uint64_t version, Checkpointer::Error error) {
  const auto first = std::ranges::find(open_versions_, version);
  auto handed_over = open_versions_.end() - first;
  for (auto abandoned = first; abandoned != open_versions_.end(); ++abandoned)
    events_.record(at, name_, "checkpoint_failed",
                   {{"name", tracked_name_},
                    {"version", *abandoned},
                    {"error", static_cast<std::uint64_t>(to_error(error))}});
  open_versions_.erase(first, open_versions_.end());
  if (job_ && job_->stage == Stage::copying) {
    --handed_over;
    finish(to_error(error));
  }
  if (handed_over == 0) return;
  failed_version_ = version;
  failed_error_ = to_error(error);
  sink_.failed(at, version, failed_error_);
}

void DimmSsd::resumed(Picoseconds) {
  if (job_ && job_->stage == Stage::copying) finish(Error::none);
}

void DimmSsd::released(Picoseconds at, std::uint32_t page) {
  if (page < tracked_pages_.size()) sink_.released(at, tracked_pages_[page]);
}

void DimmSsd::abort(Picoseconds now) {
  const bool interrupts = job_.has_value();
  if (interrupts && job_->stage == Stage::restoring) checkpointer_.log().stop_restore();
  stop_tracking(now);
  if (interrupts && !job_) return;  // reported as a failure
  drop_job();
  job_.emplace(Operation::abort, Address());
  finish(interrupts ? Error::aborted : Error::none);
}

// ---- stored versions ----

void DimmSsd::find() {
  const CheckpointLog::Stored* stored = checkpointer_.log().newest(job_->request.name, job_->request.version);
  if (stored == nullptr) return finish(Error::not_found);
  result_version_ = stored->version;
  result_pages_ = stored->memory_pages;
  finish(Error::none);
}

void DimmSsd::start_discard(Picoseconds now) {
  job_->stage = Stage::discarding;
  if (!checkpointer_.log().discard(now, job_->request.name, job_->request.version)) finish(Error::not_found);
}

void DimmSsd::discarded(Picoseconds) {
  if (job_ && job_->stage == Stage::discarding) finish(Error::none);
}

void DimmSsd::start_restore(Picoseconds now) {
  const RequestDescriptor& request = job_->request;
  const CheckpointLog::Stored* stored = checkpointer_.log().find(request.name, request.version);
  if (stored == nullptr || !stored->visible) return finish(Error::not_found);
  if (stored->memory_pages != request.pages.size()) return finish(Error::bad_descriptor);
  if (open() > 0) return finish(Error::busy);
  stop_tracking(now);
  job_->stage = Stage::restoring;
  if (!checkpointer_.log().restore(now, request.name, request.version, *this)) finish(Error::uncorrectable);
}

void DimmSsd::restored(Picoseconds at, std::uint32_t page, std::uint64_t lines,
                       std::span<const std::byte> data) {
  job_->restored_lines += count(lines);
  job_->pieces.push_back({page, lines, {data.begin(), data.end()}});
  if (!job_->in_flight) step_at_ = at;
}

void DimmSsd::piece_ended(Picoseconds) {
  Job& job = *job_;
  job.next_is_asked = false;
  if (job.pieces.empty()) return;
  job.pieces.back().ends_flash_page = true;
  ++job.buffers;
}

// The next flash page is read while the one before goes to memory, as long as there are buffers.
void DimmSsd::read_ahead(Picoseconds now) {
  if (!job_ || job_->stage != Stage::restoring || job_->next_is_asked || job_->ending) return;
  if (job_->buffers >= config_.page_buffers) return;
  job_->next_is_asked = true;
  checkpointer_.log().next_piece(now);
}

void DimmSsd::restore_ended(Picoseconds at, CheckpointLog::Error error) {
  // Each line comes once, so that their number shows whether one is missing. The image is then incomplete,
  // whatever was read.
  const std::uint64_t lines = job_->request.pages.size() * Matt::lines_per_page;
  const bool is_whole = error == CheckpointLog::Error::none && job_->restored_lines == lines;
  job_->ending = is_whole ? Error::none : Error::uncorrectable;
  if (!job_->in_flight) step_at_ = at;
}

void DimmSsd::write_piece(Picoseconds now) {
  Job& job = *job_;
  if (job.pieces.empty()) {
    if (!job.ending) return;  // restored() continues
    if (*job.ending == Error::none) {
      ++restores_;
      events_.record(now, name_, "restore", {{"name", job.request.name}, {"version", job.request.version}});
    }
    return finish(*job.ending);
  }
  const Piece& piece = job.pieces.front();
  lines_written_ += count(piece.lines);
  job.in_flight = true;
  memory_.write_lines(Part::command, now, job.request.pages[piece.page], piece.lines, piece.data,
                      [this](const AccessEnd& end) { accessed(end); });
}

void DimmSsd::piece_written(Picoseconds now) {
  if (job_->pieces.front().ends_flash_page) --job_->buffers;
  job_->pieces.pop_front();
  read_ahead(now);
  write_piece(now);
}

// ---- writes of other masters, and copies ----

void DimmSsd::set_shadow(Address first, std::uint32_t pages) { next_shadow_ = {first, memory_page * pages}; }

Checkpointer::Answer DimmSsd::write(Picoseconds now, Address page, std::uint64_t lines) {
  const std::uint32_t index = index_of(page);
  if (index == no_index || !sees_writes_) return {true, Picoseconds(0)};
  const Checkpointer::Answer answer = checkpointer_.write(now, index, lines);
  if (flows_ && answer.ready) flows_->store(now + answer.delay, index, checkpointer_.phase(), {});
  return answer;
}

void DimmSsd::store_begins(Picoseconds at, Address page, std::string_view core) {
  const std::uint32_t index = index_of(page);
  if (flows_ && index != no_index && sees_writes_) flows_->store(at, index, checkpointer_.phase(), core);
}

bool DimmSsd::is_write_allowed(Address page) const {
  const std::uint32_t index = index_of(page);
  return index == no_index || !sees_writes_ ||
         (checkpointer_.is_ready(index) && checkpointer_.matt().peek(index) == Matt::Answer::ready);
}

void DimmSsd::read_lines(Picoseconds now, std::uint32_t page, std::uint64_t lines, OnAccessEnd ended) {
  lines_read_ += count(lines);
  lines_copied_ += count(lines);
  memory_.read_preimage(Part::copy, now, tracked_pages_[page], lines, std::move(ended));
}

std::uint64_t DimmSsd::written_lines(std::uint32_t page) {
  return sees_writes_ ? memory_.written_lines(tracked_pages_[page]) : 0;
}

void DimmSsd::copy_to_frame(Picoseconds now, std::uint32_t page, std::uint64_t lines, std::uint32_t frame,
                            OnAccessEnd ended) {
  lines_read_ += count(lines);
  lines_copied_ += count(lines);
  const Address to = shadow_.first + memory_page * frame;
  memory_.read_preimage(Part::frame, now, tracked_pages_[page], lines,
                        [this, to, lines, ended = std::move(ended)](const AccessEnd& read) {
                          if (!read.ok) return ended(read);
                          lines_written_ += count(lines);
                          memory_.write_lines(Part::frame, read.at, to, lines, read.data, ended);
                        });
}

void DimmSsd::read_frame(Picoseconds now, std::uint32_t frame, std::uint64_t lines, OnAccessEnd ended) {
  lines_read_ += count(lines);
  memory_.read_lines(Part::copy, now, shadow_.first + memory_page * frame, lines, std::move(ended));
}

void DimmSsd::abandon_accesses() {
  memory_.abandon(Part::copy);
  memory_.abandon(Part::frame);
}

// ---- the rest ----

std::uint32_t DimmSsd::checkpoints() const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      checkpointer_.log().stored(), [](const auto& s) { return s.visible && s.readable; }));
}

void DimmSsd::recovered(Picoseconds at) {
  events_.record(at, name_, "ssd_ready", {{"checkpoints", std::uint64_t{checkpoints()}}});
  if (!job_) return;
  job_->stage = Stage::fetching;
  step_at_ = at;
}

bool DimmSsd::inject(Picoseconds now, const FlashFault& fault) {
  const CheckpointLog& log = checkpointer_.log();
  const auto page = log.ready() ? logical_page(fault, log.directory()) : std::nullopt;
  const auto place = page ? log.translation().place(*page) : std::nullopt;
  ++(place ? flash_faults_ : flash_faults_missed_);
  if (!place) return false;
  image_.add_bit_errors(*place, fault.bits);
  events_.record(now, name_, "flash_fault",
                 {{"holds", std::string(to_text(fault.holds))},
                  {"plane", std::uint64_t{place->plane}},
                  {"block", std::uint64_t{place->block}},
                  {"page", std::uint64_t{place->page}},
                  {"bits", std::uint64_t{fault.bits}}});
  return true;
}

void DimmSsd::drop_job() {
  if (job_ && job_->in_flight) memory_.abandon(Part::command);
  job_.reset();
  step_at_.reset();
}

void DimmSsd::finish(Error error, std::uint32_t bad_index) {
  error_ = error;
  bad_index_ = bad_index;
  drop_job();
  completed_ = true;
}

void DimmSsd::reset(Reset kind) {
  checkpoints_interrupted_ += open_versions_.size();
  open_versions_.clear();
  drop_job();
  completed_ = false;
  error_ = Error::none;
  refused_ = false;
  result_version_ = 0;
  result_pages_ = 0;
  bad_index_ = no_index;
  durable_version_ = failed_version_ = 0;
  failed_error_ = Error::none;
  next_shadow_ = {};
  checkpointer_.reset(kind);
  forget_list();
}

void DimmSsd::report(Statistics& statistics, Picoseconds now) const {
  statistics.add("commands", commands_);
  statistics.add("checkpoints_committed", checkpoints_);
  statistics.add("checkpoints_interrupted", checkpoints_interrupted_);
  statistics.add("restores", restores_);
  statistics.add("lines_read", lines_read_);
  statistics.add("lines_written", lines_written_);
  statistics.add("checkpoints_held", std::uint64_t{checkpoints()});
  statistics.add("flash_faults", flash_faults_);
  statistics.add("flash_faults_missed", flash_faults_missed_);
  checkpointer_.report(statistics.group("checkpointer"), now);
}

}  // namespace asterism
