#include "pcram/pcram_copier.h"

#include <algorithm>

namespace asterism {
namespace {

constexpr std::uint64_t lines = PcramCells::lines_per_page;

}  // namespace

PcramCopier::PcramCopier(const PcramConfig& config, const PcramPart& part, AddressRange memory_range,
                         Memory& memory, Sink& sink, std::string name, EventLog& events)
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
  job_.emplace(Job{.command = command, .next = 0, .under_way = 0, .memory_free = now, .stopped = false});
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
  while (!job.stopped && job.next < job.command.pages && job.under_way < array_.timing().parallel_pages()) {
    if (job.memory_free > now) {
      step_at_ = job.memory_free;
      return;
    }
    start_page(now);
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
  std::array<std::byte, page.count()> data;
  const Memory::Outcome outcome = memory_.read_page(now, job.command.memory + page * index, data);
  if (!outcome.ok) return fail(Error::bus_error, index);
  const Picoseconds there = layer_pages_ == 0 ? now + outcome.time : now;
  job.memory_free = there;
  if (layer_pages_ != 0) dirty_[place] = false;
  array_.write(there, place * lines, data, index);
  ++job.under_way;
}

void PcramCopier::finish_if_done(Picoseconds now) {
  const Job& job = *job_;
  if (job.under_way != 0 || (!job.stopped && job.next < job.command.pages)) return;
  if (job.memory_free > now) {
    step_at_ = job.memory_free;
    return;
  }
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
  --job_->under_way;
  const auto index = static_cast<std::uint32_t>(tag);
  step_at_ = at;
  if (read.uncorrectable != 0) return fail(Error::uncorrectable, index);
  const Address where = job_->command.memory + page * index;
  const Memory::Outcome outcome = memory_.write_page(at, where, read.data);
  if (!outcome.ok) return fail(Error::bus_error, index);
  if (layer_pages_ == 0) job_->memory_free = std::max(job_->memory_free, at) + outcome.time;
  ++loaded_;
  ++copied_;
  if (layer_pages_ == 0) return;
  written(where);
  dirty_[job_->command.place + index] = false;
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

std::optional<Picoseconds> PcramCopier::next_event() const { return earlier(array_.next_event(), step_at_); }

void PcramCopier::advance_to(Picoseconds now) {
  for (auto next = next_event(); next && *next <= now; next = next_event()) {
    array_.advance_to(*next, *this);
    if (step_at_ && *step_at_ <= *next) step(*next);
  }
  array_.advance_to(now, *this);
}

void PcramCopier::reset(Reset kind) {
  array_.reset(kind);
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
