#include "gpu/gpu.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "gpu/gpu_impl.h"

namespace asterism {

namespace {

const GpuConfig& checked(const GpuConfig& config) {
  if (const auto problem = problem_of(config))
    throw std::invalid_argument("a GPU's " + std::string(problem->key) + ": expected a value that " +
                                std::string(problem->rule) + ", got " + problem->got);
  return config;
}

}  // namespace

Gpu::Impl::Impl(const GpuConfig& wanted, MemoryContents contents, std::uint32_t number, HostLink& link,
                HostMemory& host, Sink& sink)
    : config(checked(wanted)),
      swizzle(wanted.swizzle()),
      memory(wanted.channels, wanted.channel_size(), contents),
      pipelines(wanted, channels),
      number_(number),
      link_(link),
      host_(host),
      sink_(sink),
      link_moves_(wanted.channels) {
  channels.reserve(config.channels);
  offloaders_.reserve(config.channels);
  for (std::uint32_t channel = 0; channel < config.channels; ++channel) {
    channels.emplace_back(config, channel, memory, stalls, memory_errors);
    offloaders_.emplace_back(config, channels[channel]);
  }
}

// ---- memory ----

void Gpu::Impl::allocate(Bytes size) {
  if (kernel_runs || snapshot.open) throw std::logic_error("memory is allocated while a GPU works");
  if (size > config.memory) throw std::logic_error("more memory is allocated than the GPU has");
  needs_full_ = needs_full_ || size != allocated;
  allocated = size;
}

void Gpu::Impl::track(bool on) {
  for (DeviceChannel& channel : channels) {
    if (channel.monitor().tracking() != on) {
      needs_full_ = true;
      snapshot.tracked = false;
    }
    channel.monitor().track(on);
  }
}

namespace {

// Calls f(channel's address, part of the data), line by line.
template <class Byte, class F>
void for_line_parts(const AddressSwizzle& swizzle, std::uint64_t address, std::span<Byte> data, F f) {
  while (!data.empty()) {
    const std::uint64_t left = L2Slice::line.count() - address % L2Slice::line.count();
    const auto part = std::min<std::size_t>(data.size(), left);
    f(swizzle.place(address), data.first(part));
    data = data.subspan(part);
    address += part;
  }
}

}  // namespace

void Gpu::Impl::peek(std::uint64_t address, std::span<std::byte> data) const {
  for_line_parts(swizzle, address, data, [&](ChannelAddress at, std::span<std::byte> part) {
    channels[at.channel].read(at.offset, part);
  });
}

void Gpu::Impl::poke(std::uint64_t address, std::span<const std::byte> data) {
  if (kernel_runs || snapshot.open) throw std::logic_error("the host writes to memory while a GPU works");
  if (address > allocated.count() || data.size() > allocated.count() - address)
    throw std::logic_error("the host writes to memory that is not allocated");
  for_line_parts(swizzle, address, data, [&](ChannelAddress at, std::span<const std::byte> part) {
    DeviceChannel& channel = channels[at.channel];
    channel.monitor().write(static_cast<std::uint32_t>(at.offset / config.zone.count()));
    channel.write(at.offset, part);
  });
}

void Gpu::Impl::copy_in(Picoseconds now, std::span<const Zone> zones, Address from) {
  if (!may_copy_in() || snapshot.open || transfer.way != Transfer::Way::none)
    throw std::logic_error("memory is copied in while a GPU works");
  if (!std::ranges::all_of(zones, [this](Zone zone) { return is_zone(zone); }))
    throw std::logic_error("a zone is copied in that the GPU does not have");
  now_ = now;
  needs_full_ = true;
  transfer = {.way = Transfer::Way::in, .zones = {zones.begin(), zones.end()}, .contents = {}, .at = from};
  start_link(now);
}

void Gpu::Impl::transferred_in(Picoseconds now) {
  counts_.from_host += transfer_size();
  transfer = {};
  sink_.copied_in(now);
}

// ---- kernels ----

void Gpu::Impl::launch(Picoseconds now, KernelSource& source, std::uint64_t kernel) {
  if (kernel_runs) throw std::logic_error("a kernel is launched while another one runs");
  if (transfer.way == Transfer::Way::in && !config.copy_in_beside_kernels)
    throw std::logic_error("a kernel is launched while memory is copied in");
  now_ = now;
  pipelines.launch(std::max(now, snapshot.begun), source, kernel, allocated);
  kernel_runs = true;
  begin_scrubbing(now);
  look_after_pipelines();
}

void Gpu::Impl::look_after_pipelines() {
  if (const auto end = pipelines.take_end()) events_.push(*end, Event::kernel_ended);
  if (!stalls.empty()) hear_stalls();
  if (!memory_errors.empty()) hear_memory_errors();
}

// Contains the zones that have just failed, and stops the kernel that has read one. What pipelines have done
// ahead of the present is reported at its time.
void Gpu::Impl::hear_memory_errors() {
  const std::vector<MemoryError> errors = std::exchange(memory_errors, {});
  for (const MemoryError& error : errors) {
    if (error.first) {
      ++error_counts.contained;
      channels[error.zone.channel].drop(error.zone.index);
      unreported_.push_back(error);
      events_.push(std::max(now_, error.at), Event::zone_contained, error.zone);
    }
    if (error.by != GpuReader::kernel || stopped_by || !kernel_runs) continue;
    stopped_by = error.zone;
    ++error_counts.kernels_stopped;
    pipelines.reset();
    events_.drop(Event::kernel_ended);  // it may have come to its end in the same slice
    events_.push(std::max(now_, error.at), Event::kernel_ended);
  }
}

void Gpu::Impl::report_contained(Picoseconds at, Zone zone) {
  const auto found = std::ranges::find(unreported_, zone, &MemoryError::zone);
  const MemoryError error = *found;
  unreported_.erase(found);
  sink_.zone_contained(at, zone, error.offset, error.by);
}

// ---- faults ----

void Gpu::Impl::inject(const GpuMemoryFault& fault) {
  const ChannelAddress place = swizzle.place(fault.address);
  channels[place.channel].inject(fault.shape, place.offset, fault.bit, fault.stuck);
  ++error_counts.faults;
}

void Gpu::Impl::begin_scrubbing(Picoseconds now) {
  if (!config.scrub || scrubs_) return;
  scrubs_ = true;
  events_.push(now + *config.scrub / config.zones_per_channel(), Event::scrub);
}

// One zone of each channel. As addresses are spread over the channels, these are in use together.
void Gpu::Impl::scrub(Picoseconds at, std::uint32_t index) {
  if (config.zone * (std::uint64_t{index} * config.channels) < allocated)
    for (DeviceChannel& channel : channels) channel.scrub(at, index);
  if (!memory_errors.empty()) hear_memory_errors();
  events_.push(at + *config.scrub / config.zones_per_channel(), Event::scrub,
               {0, (index + 1) % config.zones_per_channel()});
}

Gpu::Retirement Gpu::Impl::retire(Picoseconds now, Zone zone) {
  if (kernel_runs || snapshot.open || transfer.way != Transfer::Way::none) return Retirement::busy;
  if (error_counts.retired == config.retirements()) return Retirement::no_spare;
  now_ = now;
  DeviceChannel& channel = channels[zone.channel];
  if (channel.is_contained(zone.index)) {
    channel.replace_lost(zone.index);
    needs_full_ = true;
  } else if (!channel.replace(now, zone.index)) {
    hear_memory_errors();
    return Retirement::uncorrectable;
  }
  ++error_counts.retired;
  return Retirement::done;
}

// ---- time ----

std::optional<Picoseconds> Gpu::Impl::next_event() const {
  return earlier(events_.next(), pipelines.next_event());
}

void Gpu::Impl::advance_to(Picoseconds now) {
  while (const auto next = next_event()) {
    if (*next > now) break;
    now_ = *next;
    if (events_.next() == next) {
      const auto event = events_.pop();
      act(event.at, event.kind, event.zone);
    } else {
      pipelines.run_slice();
      look_after_pipelines();
    }
  }
  now_ = now;
}

void Gpu::Impl::act(Picoseconds at, Event event, Zone zone) {
  switch (event) {
    case Event::host_memory:
      transfer.waits = false;
      pass_on(at);
      break;
    case Event::copy_piece:
      resume_copying(at, zone.channel);
      break;
    case Event::link_piece:
      if (const auto next = link_moves_[zone.channel].resume(channels[zone.channel], at))
        events_.push(*next, Event::link_piece, zone);
      break;
    case Event::copied_in:
      if (kernel_runs) channels[zone.channel].move_copy(at, zone.index);
      break;
    case Event::wake_offloader:
      wake(at, zone.channel);
      break;
    case Event::nothing_to_take:
      end_snapshot(at);
      break;
    case Event::watchdog:
      look_for_old_waits(at);
      break;
    case Event::zone_waits:
      sink_.zone_waits(at, zone);
      break;
    case Event::zone_contained:
      report_contained(at, zone);
      break;
    case Event::kernel_ended:
      kernel_runs = false;
      pipelines.reset();
      if (const auto by = std::exchange(stopped_by, std::nullopt))
        sink_.kernel_stopped(at, *by);
      else
        sink_.kernel_ended(at);
      break;
    case Event::scrub:
      scrub(at, zone.index);
      break;
  }
}

void Gpu::Impl::reset(Reset kind) {
  clear_transfer(now_);
  pipelines.reset();
  kernel_runs = false;
  stopped_by.reset();
  stalls.clear();
  memory_errors.clear();
  const std::vector<MemoryError> unreported = std::exchange(unreported_, {});
  stop_offloading();
  events_.clear();
  scrubs_ = false;
  for (DeviceChannel& channel : channels) channel.reset(kind);
  snapshot = {};
  host_accesses_ = {};
  needs_full_ = true;
  memory.reset(kind);
  if (kind != Reset::warm) allocated = {};
  if (kind == Reset::power_loss) return;
  // Their zones stay contained, which nobody would learn of otherwise.
  for (const MemoryError& error : unreported) sink_.zone_contained(now_, error.zone, error.offset, error.by);
}

void Gpu::Impl::report(Statistics& statistics) const {
  const KernelPipelines::Counts& kernels = pipelines.counts();
  statistics.add("kernels", kernels.kernels);
  statistics.add("reads", kernels.reads);
  statistics.add("writes", kernels.writes);
  statistics.add("pipeline_stops", kernels.stops);
  statistics.add("pipelines_stopped", kernels.stopped);
  DeviceChannel::Counts memory_counts;
  DeviceOffloader::Counts offloaded;
  ZoneMonitor::Counts monitored;
  for (const DeviceChannel& channel : channels) {
    memory_counts += channel.counts();
    monitored += channel.monitor().counts();
  }
  for (const DeviceOffloader& offloader : offloaders_) offloaded += offloader.counts();
  statistics.add("l2_hits", memory_counts.hits);
  statistics.add("l2_misses", memory_counts.misses);
  statistics.add("read_from_memory", L2Slice::sector * memory_counts.sectors_read);
  statistics.add("written_to_memory", L2Slice::sector * memory_counts.sectors_written);
  statistics.add("zone_table_traffic", L2Slice::sector * memory_counts.table_sectors);
  statistics.add("waiting_writes", memory_counts.waits);
  statistics.add("writes_waited", memory_counts.waited);
  statistics.add("snapshots", counts_.snapshots);
  statistics.add("snapshots_failed", counts_.failed);
  statistics.add("zones_taken", counts_.zones);
  statistics.add("zones_buffered", offloaded.zones);
  statistics.add("duplicates_on_write", offloaded.duplicates);
  statistics.add("transfers", counts_.transfers);
  statistics.add("to_host", counts_.to_host);
  statistics.add("from_host", counts_.from_host);
  monitored.report(statistics.group("zone_monitors"));
  if (config.ecc == SectorCode::none && error_counts.faults == 0) return;
  Statistics& errors = statistics.group("memory_errors");
  errors.add("faults", error_counts.faults);
  errors.add("corrected", memory_counts.corrected);
  errors.add("uncorrectable", memory_counts.uncorrectable);
  errors.add("silent", memory_counts.silent);
  errors.add("zones_contained", error_counts.contained);
  errors.add("zones_retired", error_counts.retired);
  errors.add("kernels_stopped", error_counts.kernels_stopped);
  errors.add("copies_failed", error_counts.copies_failed);
  if (config.ecc == SectorCode::reach) {
    errors.add("rebuilt", memory_counts.rebuilt);
    errors.add("code_traffic", L2Slice::sector * memory_counts.code_transfers);
  }
  if (config.scrub) {
    errors.add("zones_scrubbed", memory_counts.zones_scrubbed);
    errors.add("scrub_corrected", memory_counts.scrub_corrected);
    errors.add("scrub_uncorrectable", memory_counts.scrub_uncorrectable);
  }
}

// ---- public functions ----

Gpu::Gpu(const GpuConfig& config, MemoryContents contents, std::uint32_t number, HostLink& link,
         HostMemory& host, Sink& sink)
    : impl_(std::make_unique<Impl>(config, contents, number, link, host, sink)) {}
Gpu::~Gpu() = default;

const GpuConfig& Gpu::config() const { return impl_->config; }
void Gpu::allocate(Bytes size) { impl_->allocate(size); }
Bytes Gpu::allocated() const { return impl_->allocated; }
void Gpu::track(bool on) { impl_->track(on); }
void Gpu::launch(Picoseconds now, KernelSource& source, std::uint64_t kernel) {
  impl_->launch(now, source, kernel);
}
bool Gpu::running() const { return impl_->kernel_runs; }
bool Gpu::may_run_beside_copies() const { return impl_->may_run_beside_copies(); }
bool Gpu::may_copy_in() const { return impl_->may_copy_in(); }
std::uint32_t Gpu::stopped_pipelines() const { return impl_->pipelines.stopped(); }
Gpu::Refusal Gpu::refusal(SnapshotKind kind) const { return impl_->refusal(kind); }
Picoseconds Gpu::begin_snapshot(Picoseconds now, SnapshotKind kind, Offloader by, Address extent) {
  return impl_->begin_snapshot(now, kind, by, extent);
}
bool Gpu::snapshot_open() const { return impl_->snapshot.open; }
std::uint32_t Gpu::snapshot_zones() const { return impl_->snapshot.zones; }
std::uint32_t Gpu::unpreserved() const { return impl_->unpreserved(); }
std::optional<Zone> Gpu::next_unpreserved(std::uint32_t from) const { return impl_->next_unpreserved(from); }
bool Gpu::copying() const { return impl_->transfer.way != Impl::Transfer::Way::none; }
bool Gpu::awaits_copy(Zone zone) const { return impl_->awaits_copy(zone); }
bool Gpu::may_preserve(Zone zone) const { return impl_->may_preserve(zone); }
bool Gpu::may_finish() const { return impl_->may_finish(); }
void Gpu::copy_out(Picoseconds now, std::span<const Zone> zones) { impl_->copy_out(now, zones); }
void Gpu::preserve(Picoseconds now, std::span<const Zone> zones) { impl_->preserve(now, zones); }
void Gpu::finish_snapshot(Picoseconds now) { impl_->finish_snapshot(now); }
void Gpu::abort_snapshot(Picoseconds now) { impl_->give_up(now, Failure::aborted); }
void Gpu::require_full() { impl_->require_full(); }
void Gpu::copy_in(Picoseconds now, std::span<const Zone> zones, Address from) {
  impl_->copy_in(now, zones, from);
}
void Gpu::peek(std::uint64_t address, std::span<std::byte> data) const { impl_->peek(address, data); }
void Gpu::poke(std::uint64_t address, std::span<const std::byte> data) { impl_->poke(address, data); }
const DeviceMemory& Gpu::memory() const { return impl_->memory; }
void Gpu::set_clock(std::uint32_t percent) { impl_->pipelines.set_clock(percent); }
void Gpu::inject(const GpuMemoryFault& fault) { impl_->inject(fault); }
bool Gpu::is_contained(Zone zone) const { return impl_->channels.at(zone.channel).is_contained(zone.index); }
std::uint32_t Gpu::spare_zones() const {
  return impl_->config.retirements() - static_cast<std::uint32_t>(impl_->error_counts.retired);
}
std::uint64_t Gpu::corrected() const { return impl_->errors_counted().corrected; }
std::uint64_t Gpu::uncorrectable() const { return impl_->errors_counted().uncorrectable; }
Gpu::MemoryErrors Gpu::memory_errors() const {
  const DeviceChannel::Counts counts = impl_->errors_counted();
  return {.faults = impl_->error_counts.faults,
          .corrected = counts.corrected,
          .uncorrectable = counts.uncorrectable,
          .silent = counts.silent,
          .zones_retired = impl_->error_counts.retired};
}
Gpu::Retirement Gpu::retire(Picoseconds now, Zone zone) { return impl_->retire(now, zone); }
ZoneMonitor& Gpu::monitor(std::uint32_t channel) { return impl_->channels.at(channel).monitor(); }
const ZoneMonitor& Gpu::monitor(std::uint32_t channel) const { return impl_->channels.at(channel).monitor(); }
void Gpu::transferred(Picoseconds now) { impl_->transferred(now); }
std::optional<Picoseconds> Gpu::next_event() const { return impl_->next_event(); }
void Gpu::advance_to(Picoseconds now) { impl_->advance_to(now); }
void Gpu::reset(Reset kind) { impl_->reset(kind); }
void Gpu::report(Statistics& statistics) const { impl_->report(statistics); }

}  // namespace asterism
