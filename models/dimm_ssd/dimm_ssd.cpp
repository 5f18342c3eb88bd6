#include "dimm_ssd/dimm_ssd.h"

#include <algorithm>
#include <cstring>

namespace asterism {
namespace {

template <class T>
T load(const std::vector<std::byte>& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

constexpr std::uint64_t lines_per_memory_page = DimmSsd::memory_page / DimmSsd::line;

}  // namespace

DimmSsd::DimmSsd(const DimmSsdConfig& config, const FlashPart& part, FlashImage& image, Memory& memory,
                 std::string name, EventLog& events)
    : config_(config),
      store_(part, image, config.versions, *this),
      memory_(memory),
      name_(std::move(name)),
      events_(events) {}

void DimmSsd::command(Picoseconds now, std::uint32_t operation, Address descriptor) {
  if (job_) {
    error_ = Error::busy;
    return;
  }
  ++commands_;
  error_ = Error::none;
  result_version_ = 0;
  result_pages_ = 0;
  job_.emplace(static_cast<Operation>(operation), descriptor);
  const bool known = operation >= 1 && operation <= 4;
  if (!known || descriptor.value() % 8 != 0) return fail(now, Error::bad_descriptor);
  if (!store_.ready()) return;
  job_->stage = Stage::fetching;
  step_at_ = now;
}

std::optional<Picoseconds> DimmSsd::next_event() const {
  if (completed_) return Picoseconds(0);
  return earlier(step_at_, store_.next_event());
}

void DimmSsd::advance_to(Picoseconds now, Sink& sink) {
  sink_ = &sink;
  if (std::exchange(completed_, false)) sink.completed(now);
  for (auto t = next_event(); t && *t <= now; t = next_event()) {
    store_.advance_to(*t, *this);
    if (step_at_ == t) {
      step_at_.reset();
      step(*t);
    }
  }
  sink_ = nullptr;
}

// Each line takes two steps at one event: what the memory was asked for is there, then the next one is asked
// for.
void DimmSsd::step(Picoseconds now) {
  const bool arrived = std::exchange(job_->line_in_flight, false);
  switch (job_->stage) {
    case Stage::fetching:
      return arrived ? fetched(now) : fetch_line(now);
    case Stage::copying:
      return arrived ? copied(now) : copy_line(now);
    case Stage::restoring:
      return arrived ? restored(now) : restore_line(now);
    default:
      return;  // the other stages wait for the store
  }
}

void DimmSsd::line_asked(Picoseconds now, Memory::Outcome outcome) {
  if (!outcome.ok) return fail(now, Error::bus_error);
  job_->line_in_flight = true;
  step_at_ = now + outcome.time;
}

void DimmSsd::fetch_line(Picoseconds now) {
  Job& job = *job_;
  const Address next = job.descriptor + Bytes(job.raw.size());
  const std::uint64_t skip = next.value() % line.count();
  std::byte data[line.count()];
  const auto outcome = memory_.read_line(next - Bytes(skip), data);
  ++lines_read_;
  job.raw.insert(job.raw.end(), data + skip, data + line.count());
  line_asked(now, outcome);
}

// The descriptor's header tells how many lines it has.
void DimmSsd::fetched(Picoseconds now) {
  Job& job = *job_;
  if (job.raw.size() < descriptor_header_bytes) return fetch_line(now);
  const auto page_count = load<std::uint32_t>(job.raw, 40);
  if (page_count > store_.capacity() / memory_page) return fail(now, Error::bad_descriptor);
  if (job.raw.size() < descriptor_header_bytes + 8 * std::uint64_t{page_count}) return fetch_line(now);
  if (!parse_descriptor()) return fail(now, Error::bad_descriptor);
  start_operation(now);
}

bool DimmSsd::parse_descriptor() {
  Job& job = *job_;
  const char* name = reinterpret_cast<const char*>(job.raw.data());
  job.name.assign(name, strnlen(name, CheckpointEntry::name_bytes));
  job.version = load<std::uint64_t>(job.raw, 32);
  job.pages.resize(load<std::uint32_t>(job.raw, 40));
  for (std::size_t i = 0; i < job.pages.size(); ++i)
    job.pages[i] = Address(load<std::uint64_t>(job.raw, descriptor_header_bytes + 8 * i));
  const bool moves_pages = job.operation == Operation::checkpoint || job.operation == Operation::restore;
  return !job.name.empty() && job.name.size() < CheckpointEntry::name_bytes &&
         moves_pages == !job.pages.empty() &&
         std::ranges::all_of(job.pages, [](Address a) { return a.value() % memory_page.count() == 0; });
}

void DimmSsd::start_operation(Picoseconds now) {
  Job& job = *job_;
  switch (job.operation) {
    case Operation::checkpoint:
      events_.record(
          now, name_, "checkpoint_begin",
          {{"name", job.name}, {"version", job.version}, {"pages", std::uint64_t{job.pages.size()}}});
      return start_checkpoint(now);
    case Operation::restore:
      return start_restore(now);
    case Operation::find: {
      const CheckpointEntry* entry = table().newest(job.name, job.version);
      if (!entry) return fail(now, Error::not_found);
      result_version_ = entry->version;
      result_pages_ = entry->memory_pages;
      return finish(now, Error::none);
    }
    case Operation::discard:
      if (!table().find(job.name, job.version)) return fail(now, Error::not_found);
      job.stage = Stage::committing;
      if (!store_.discard(now, job.name, job.version)) fail(now, Error::no_space);
      return;
  }
}

void DimmSsd::start_checkpoint(Picoseconds now) {
  switch (store_.begin(flash_pages())) {
    case CheckpointStore::Space::none:
      return fail(now, Error::no_space);
    case CheckpointStore::Space::wait:
      job_->stage = Stage::waiting_for_space;
      return;
    case CheckpointStore::Space::granted:
      job_->stage = Stage::copying;
      step_at_ = now;
      return;
  }
}

std::uint64_t DimmSsd::lines_per_flash_page() const { return store_.page_size() / line; }
std::uint32_t DimmSsd::flash_pages() const {
  const std::uint64_t lines = job_->pages.size() * lines_per_memory_page;
  return static_cast<std::uint32_t>((lines + lines_per_flash_page() - 1) / lines_per_flash_page());
}
Address DimmSsd::line_address(std::uint64_t index) const {
  return job_->pages[index / lines_per_memory_page] + line * (index % lines_per_memory_page);
}

void DimmSsd::copy_line(Picoseconds now) {
  Job& job = *job_;
  if (job.buffer.empty()) {
    if (job.buffers == config_.page_buffers) return;  // page_left_buffer goes on
    ++job.buffers;
    job.buffer.reserve(store_.page_size().count());
  }
  std::byte data[line.count()];
  const auto outcome = memory_.read_line(line_address(job.lines_done), data);
  ++lines_read_;
  job.buffer.insert(job.buffer.end(), data, data + line.count());
  job.crc.process_bytes(data, sizeof data);
  line_asked(now, outcome);
}

void DimmSsd::copied(Picoseconds now) {
  Job& job = *job_;
  const bool last = ++job.lines_done == job.pages.size() * lines_per_memory_page;
  if (last) job.buffer.resize(store_.page_size().count());  // padded with zeros
  if (job.buffer.size() == store_.page_size().count())
    store_.write(now, job.pages_sent++, std::exchange(job.buffer, {}));
  if (last)
    job.stage = Stage::draining;
  else
    copy_line(now);
}

void DimmSsd::page_left_buffer(Picoseconds at) {
  Job& job = *job_;
  const bool copying_waited = job.stage == Stage::copying && job.buffers == config_.page_buffers && !step_at_;
  --job.buffers;
  if (copying_waited) step_at_ = at;
}

void DimmSsd::page_written(Picoseconds at) {
  Job& job = *job_;
  ++job.pages_done;
  if (job.stage == Stage::draining && job.pages_done == flash_pages()) return commit(at);
  if (job.stage == Stage::failing) fail(at, job.failure);
}

void DimmSsd::commit(Picoseconds now) {
  Job& job = *job_;
  job.stage = Stage::committing;
  CheckpointEntry entry{
      job.name, job.version, static_cast<std::uint32_t>(job.pages.size()), job.crc.checksum(), {}};
  if (!store_.commit(now, std::move(entry))) fail(now, Error::no_space);
}

void DimmSsd::committed(Picoseconds at) {
  Job& job = *job_;
  if (job.operation == Operation::checkpoint) {
    ++checkpoints_;
    events_.record(at, name_, "checkpoint_commit", {{"name", job.name}, {"version", job.version}});
  }
  finish(at, Error::none);
}

void DimmSsd::start_restore(Picoseconds now) {
  Job& job = *job_;
  const CheckpointEntry* entry = table().find(job.name, job.version);
  if (!entry) return fail(now, Error::not_found);
  if (entry->memory_pages != job.pages.size()) return fail(now, Error::bad_descriptor);
  job.stage = Stage::restoring;
  job.arrived.resize(flash_pages());
  ask_for_pages(now);
}

void DimmSsd::ask_for_pages(Picoseconds now) {
  Job& job = *job_;
  const CheckpointEntry& entry = *table().find(job.name, job.version);
  for (; job.buffers < config_.page_buffers && job.pages_sent < flash_pages(); ++job.buffers)
    store_.read(now, entry, job.pages_sent++);
}

void DimmSsd::page_read(Picoseconds at, std::uint32_t index, std::span<const std::byte> data) {
  Job& job = *job_;
  ++job.pages_done;
  if (job.stage == Stage::failing) return fail(at, job.failure);
  if (data.empty()) return fail(at, Error::uncorrectable);
  job.arrived[index].assign(data.begin(), data.end());
  if (!step_at_) step_at_ = at;
}

void DimmSsd::restore_line(Picoseconds now) {
  Job& job = *job_;
  const std::vector<std::byte>& page = job.arrived[job.lines_done / lines_per_flash_page()];
  if (page.empty()) return;  // page_read goes on
  const auto data =
      std::span(page).subspan(job.lines_done % lines_per_flash_page() * line.count(), line.count());
  const auto outcome = memory_.write_line(line_address(job.lines_done), data);
  ++lines_written_;
  job.crc.process_bytes(data.data(), data.size());
  line_asked(now, outcome);
}

void DimmSsd::restored(Picoseconds now) {
  Job& job = *job_;
  if (++job.lines_done == job.pages.size() * lines_per_memory_page) {
    if (job.crc.checksum() != table().find(job.name, job.version)->crc)
      return fail(now, Error::uncorrectable);
    ++restores_;
    events_.record(now, name_, "restore", {{"name", job.name}, {"version", job.version}});
    return finish(now, Error::none);
  }
  if (job.lines_done % lines_per_flash_page() == 0) {
    job.arrived[job.lines_done / lines_per_flash_page() - 1] = {};
    --job.buffers;
    ask_for_pages(now);
  }
  restore_line(now);
}

void DimmSsd::recovered(Picoseconds at) {
  events_.record(at, name_, "ssd_ready", {{"checkpoints", std::uint64_t{table().entries.size()}}});
  if (!job_) return;
  job_->stage = Stage::fetching;
  step_at_ = at;
}

void DimmSsd::space_freed(Picoseconds at) {
  if (job_ && job_->stage == Stage::waiting_for_space) start_checkpoint(at);
}

// A failed command ends when the store has answered all that it was asked, so that nothing arrives for the
// next one.
void DimmSsd::fail(Picoseconds now, Error error) {
  Job& job = *job_;
  job.stage = Stage::failing;
  job.failure = error;
  step_at_.reset();
  if (job.pages_done < job.pages_sent) return;
  if (job.operation == Operation::checkpoint) {
    events_.record(
        now, name_, "checkpoint_failed",
        {{"name", job.name}, {"version", job.version}, {"error", static_cast<std::uint64_t>(error)}});
    store_.abandon(now);
  }
  finish(now, error);
}

void DimmSsd::finish(Picoseconds now, Error error) {
  error_ = error;
  job_.reset();
  step_at_.reset();
  if (sink_)
    sink_->completed(now);
  else
    completed_ = true;
}

void DimmSsd::reset(Reset kind) {
  if (job_ && job_->operation == Operation::checkpoint) ++checkpoints_cut_;
  job_.reset();
  step_at_.reset();
  completed_ = false;
  error_ = Error::none;
  result_version_ = 0;
  result_pages_ = 0;
  store_.reset(kind);
}

void DimmSsd::report(Statistics& statistics) const {
  statistics.add("commands", commands_);
  statistics.add("checkpoints_committed", checkpoints_);
  statistics.add("checkpoints_cut", checkpoints_cut_);
  statistics.add("restores", restores_);
  statistics.add("lines_read", lines_read_);
  statistics.add("lines_written", lines_written_);
  statistics.add("checkpoints_held", std::uint64_t{table().entries.size()});
  store_.report(statistics.group("flash"));
}

}  // namespace asterism
