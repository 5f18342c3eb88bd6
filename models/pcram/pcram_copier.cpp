#include "pcram/pcram_copier.h"

#include <algorithm>

namespace asterism {
namespace {

constexpr std::uint64_t lines = PcramCells::lines_per_page;

}  // namespace

PcramCopier::PcramCopier(const PcramConfig& config, const PcramPart& part, AddressRange memory_range,
                         MemoryPort& memory, Sink& sink, std::string name, EventLog& events)
    : memory_range_(memory_range),
      memory_(memory),
      sink_(sink),
      name_(std::move(name)),
      events_(events),
      array_(part, pcram_timing(config, part, memory_range.size), config.suppress),
      layer_pages_(config.kind == PcramKind::stack ? memory_range.size / page : 0),
      dirty_(layer_pages_ == 0 ? 0 : pages(), true) {}

// ---- commands ----

bool PcramCopier::is_valid(const Command& c) const {
  const bool is_known = c.operation == static_cast<std::uint32_t>(Operation::save) ||
                        c.operation == static_cast<std::uint32_t>(Operation::load);
  if (!is_known || c.pages == 0 || c.memory.value() % page.count() != 0) return false;
  if (!memory_range_.contains(c.memory, page * c.pages)) return false;
  if (c.place >= pages() || c.pages > pages() - c.place) return false;
  return layer_pages_ == 0 || c.place % layer_pages_ == (c.memory - memory_range_.first) / page;
}

void PcramCopier::command(Picoseconds now, const Command& command) {
  refused_ = busy();
  if (refused_) return;
  error_ = Error::none;
  bad_index_ = no_index;
  copied_ = 0;
  job_.emplace(Job{.command = command});
  if (!is_valid(command)) fail(Error::bad_argument, no_index);
  step_at_ = now;
}

void PcramCopier::fail(Error error, std::uint32_t index) {
  job_->stopped = true;
  if (error_ != Error::none && index >= bad_index_) return;
  error_ = error;
  bad_index_ = index;
}

void PcramCopier::step(Picoseconds now) {
  step_at_.reset();
  Job& job = *job_;
  while (!job.stopped && job.next < job.command.pages && job.under_way < array_.timing().parallel_pages() &&
         job.in_memory == 0) {
    start_page(now);
    end_accesses(now);
  }
  finish_if_done(now);
}

// Starts the next page, if it has to be copied.
void PcramCopier::start_page(Picoseconds now) {
  Job& job = *job_;
  const std::uint32_t index = job.next++;
  const std::uint64_t place = job.command.place + index;
  if (job.command.operation == static_cast<std::uint32_t>(Operation::load)) {
    array_.read(now, place * lines, lines, index);
    ++job.under_way;
    return;
  }
  if (job.command.incremental && is_clean(place)) {
    ++skipped_;
    return;
  }
  ++job.under_way, ++job.in_memory;
  memory_.read(now, job.command.memory + page * index, page, on_end(index, true));
}

// ---- accesses to memory ----

OnAccessEnd PcramCopier::on_end(std::uint32_t index, bool is_fetch) {
  return [this, index, is_fetch](const AccessEnd& end) {
    ended_.push_back({end.at, index, is_fetch, end.ok, {end.data.begin(), end.data.end()}});
  };
}

void PcramCopier::end_accesses(Picoseconds now) {
  while (!ended_.empty() && ended_.front().at <= now) {
    const Ended access = std::move(ended_.front());
    ended_.pop_front();
    --job_->in_memory;
    access.is_fetch ? fetched(now, access) : stored(access);
    step_at_ = now;
  }
}

void PcramCopier::fetched(Picoseconds now, const Ended& access) {
  if (!access.ok) {
    --job_->under_way;
    return fail(Error::bus_error, access.index);
  }
  const std::uint64_t place = job_->command.place + access.index;
  if (layer_pages_ != 0) dirty_[place] = false;
  array_.write(now, place * lines, access.data, access.index);
}

void PcramCopier::stored(const Ended& access) {
  --job_->under_way;
  if (!access.ok) return fail(Error::bus_error, access.index);
  ++loaded_;
  ++copied_;
  if (layer_pages_ == 0) return;
  written(job_->command.memory + page * access.index);
  dirty_[job_->command.place + access.index] = false;
}

void PcramCopier::finish_if_done(Picoseconds now) {
  const Job& job = *job_;
  if (job.under_way != 0 || (!job.stopped && job.next < job.command.pages)) return;
  const Command command = job.command;
  job_.reset();
  const bool is_save = command.operation == static_cast<std::uint32_t>(Operation::save);
  if (error_ == Error::none) {
    ++(is_save ? saves_ : loads_);
    if (is_save)
      events_.record(now, name_, "pcram_save",
                     {{"place", command.place},
                      {"pages", std::uint64_t{command.pages}},
                      {"copied", std::uint64_t{copied_}}});
    else
      events_.record(now, name_, "pcram_load",
                     {{"place", command.place}, {"pages", std::uint64_t{command.pages}}});
  }
  sink_.completed(now);
}

// ---- reports of the array ----

void PcramCopier::written(Picoseconds at, PcramArray::Tag tag, std::uint32_t worn_lines) {
  --job_->under_way;
  const auto index = static_cast<std::uint32_t>(tag);
  if (worn_lines != 0) {
    if (layer_pages_ != 0) dirty_[job_->command.place + index] = true;
    fail(Error::worn_out, index);
  } else {
    ++saved_;
    ++copied_;
  }
  step_at_ = at;
}

void PcramCopier::read_done(Picoseconds at, PcramArray::Tag tag, const PcramArray::Read& read) {
  const auto index = static_cast<std::uint32_t>(tag);
  step_at_ = at;
  if (read.uncorrectable != 0) {
    --job_->under_way;
    return fail(Error::uncorrectable, index);
  }
  ++job_->in_memory;
  memory_.write(at, job_->command.memory + page * index, read.data, on_end(index, false));
}

void PcramCopier::written(Address where) {
  if (layer_pages_ == 0 || !memory_range_.contains(where)) return;
  for (std::uint64_t at = (where - memory_range_.first) / page; at < dirty_.size(); at += layer_pages_)
    dirty_[at] = true;
}

std::array<std::byte, PcramCopier::page.count()> PcramCopier::peek(std::uint64_t number) const {
  std::array<std::byte, page.count()> data;
  for (std::uint64_t i = 0; i < lines; ++i)
    std::ranges::copy(array_.peek(number * lines + i), data.begin() + static_cast<std::ptrdiff_t>(i * 64));
  return data;
}

// ---- time ----

std::optional<Picoseconds> PcramCopier::next_event() const {
  const std::optional<Picoseconds> next = earlier(array_.next_event(), step_at_);
  return ended_.empty() ? next : earlier(next, ended_.front().at);
}

void PcramCopier::advance_to(Picoseconds now) {
  for (auto next = next_event(); next && *next <= now; next = next_event()) {
    array_.advance_to(*next, *this);
    end_accesses(*next);
    if (step_at_ && *step_at_ <= *next) step(*next);
  }
  array_.advance_to(now, *this);
}

void PcramCopier::reset(Reset kind) {
  array_.reset(kind);
  memory_.abandon();
  ended_.clear();
  interrupted_ += busy();
  job_.reset();
  step_at_.reset();
  refused_ = false;
  error_ = Error::none;
  bad_index_ = no_index;
  copied_ = 0;
  dirty_.assign(dirty_.size(), true);
}

void PcramCopier::report(Statistics& statistics) const {
  statistics.add("saves", saves_);
  statistics.add("loads", loads_);
  statistics.add("commands_interrupted", interrupted_);
  statistics.add("pages_saved", saved_);
  statistics.add("pages_skipped", skipped_);
  statistics.add("pages_loaded", loaded_);
  array_.report(statistics);
}

}  // namespace asterism
