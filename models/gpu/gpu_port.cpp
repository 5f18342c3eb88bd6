#include "gpu/gpu_port.h"

#include <algorithm>
#include <cstring>

#include "base/engine.h"

namespace asterism {
namespace {

constexpr Bytes descriptor_size{64};

GpuPort::Error error_of(Gpu::Refusal refusal) {
  switch (refusal) {
    case Gpu::Refusal::none:
      return GpuPort::Error::none;
    case Gpu::Refusal::running:
      return GpuPort::Error::running;
    case Gpu::Refusal::open:
      return GpuPort::Error::open;
    case Gpu::Refusal::copying:
      return GpuPort::Error::copying;
    case Gpu::Refusal::nothing_allocated:
      return GpuPort::Error::nothing_allocated;
    case Gpu::Refusal::needs_full:
    case Gpu::Refusal::not_tracking:
      return GpuPort::Error::needs_full;
  }
  return GpuPort::Error::none;
}

template <class Word>
Word word_at(std::span<const std::byte> bytes, std::size_t offset) {
  Word word;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

bool has_twice(std::vector<std::uint32_t> numbers) {
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) != numbers.end();
}

}  // namespace

GpuPort::GpuPort(const GpuConfig& config, std::uint32_t number, HostLink& link, Picoseconds round_trip,
                 Gpu::HostMemory& memory, MemoryPort& lists, std::string name, EventLog& events)
    : config_(config),
      one_way_(round_trip / 2),
      lists_(lists),
      name_(std::move(name)),
      events_(events),
      activity_(events.activity_log()),
      gpu_(config, MemoryContents::bytes, number, link, memory, static_cast<Gpu::Sink&>(*this)) {}

// ---- commands ----

void GpuPort::command(Picoseconds now, std::uint32_t command, const Arguments& arguments) {
  const bool is_one = command >= static_cast<std::uint32_t>(Command::allocate) &&
                      command <= static_cast<std::uint32_t>(Command::retire);
  if (!is_one) return finish_command(Error::no_command);
  finish_command(execute(now, {static_cast<Command>(command), arguments}, false));
  end_reading(now);
}

void GpuPort::finish_command(Error error) {
  error_ = error;
  if (error_ != Error::none) ++commands_refused_;
}

GpuPort::Error GpuPort::execute(Picoseconds now, const Reading& reading, bool has_read) {
  const Arguments& arguments = reading.arguments;
  if (lost_ && reading.command != Command::restart) return Error::lost;
  switch (reading.command) {
    case Command::allocate:
      return allocate(arguments.size);
    case Command::launch:
      return launch(now, reading, has_read);
    case Command::begin:
      return begin(now, arguments);
    case Command::scan:
      if (!driven()) return Error::no_snapshot;
      if (arguments.count == 0) return Error::bad_descriptor;
      send(now + 2 * one_way_, {Message::What::scan, {}, arguments});
      return Error::none;
    case Command::copy_out:
      return copy_out(now, reading, has_read);
    case Command::preserve:
      return preserve(now, reading, has_read);
    case Command::finish:
      if (!driven()) return Error::no_snapshot;
      if (!gpu_.may_finish()) return Error::incomplete;
      send(now + one_way_, {Message::What::finish, {}, {}});
      return Error::none;
    case Command::abort:
      if (!gpu_.snapshot_open()) return Error::no_snapshot;
      gpu_.abort_snapshot(now);
      return Error::none;
    case Command::copy_in:
      return copy_in(now, reading, has_read);
    case Command::restart:
      reset(Reset::cold);
      return Error::none;
    case Command::retire:
      return retire(now, arguments.from);
  }
  return Error::no_command;
}

GpuPort::Error GpuPort::allocate(Bytes size) {
  if (gpu_.running()) return Error::running;
  if (snapshot_open()) return Error::open;
  if (size == Bytes(0) || size > config_.memory) return Error::bad_descriptor;
  gpu_.allocate(size);
  gpu_.track(true);
  return Error::none;
}

GpuPort::Error GpuPort::launch(Picoseconds now, const Reading& reading, bool has_read) {
  if (gpu_.running()) return Error::running;
  if (!gpu_.may_run_beside_copies()) return Error::copying;
  if (!has_read) return read(now, reading, descriptor_size);
  if (!reading.ok) return Error::bus_error;
  const std::span<const std::byte> bytes = reading.bytes;
  const auto pattern = word_at<std::uint32_t>(bytes, 40);
  RegionKernelArguments kernel{.first = word_at<std::uint64_t>(bytes, 0),
                               .bytes = word_at<std::uint64_t>(bytes, 8),
                               .seed = word_at<std::uint64_t>(bytes, 16),
                               .accesses = word_at<std::uint64_t>(bytes, 32),
                               .gap = word_at<std::uint32_t>(bytes, 48) * 1_ns,
                               .writes = word_at<std::uint32_t>(bytes, 44),
                               .pattern = static_cast<RegionKernelArguments::Pattern>(pattern)};
  const std::uint64_t in_use = gpu_.allocated().count(), line = RegionKernel::line;
  if (kernel.first % line != 0 || kernel.bytes % line != 0 || kernel.bytes < line * config_.pipelines ||
      kernel.first > in_use || kernel.bytes > in_use - kernel.first || kernel.writes > 1000 || pattern > 1)
    return Error::bad_descriptor;
  kernel_.emplace(kernel, config_.pipelines);
  kernel_was_stopped_ = false;
  gpu_.launch(now, *kernel_, word_at<std::uint64_t>(bytes, 24));
  kernel_begun_ = now;
  return Error::none;
}

GpuPort::Error GpuPort::begin(Picoseconds now, const Arguments& arguments) {
  const Error refusal = is_taken_ ? Error::open : error_of(gpu_.refusal(arguments.kind));
  if (refusal != Error::none) return refusal;
  arrived_ = 0;
  scanned_ = 0;
  failed_.reset();
  waits_.clear();
  std::erase_if(on_the_way_, [](const auto& sent) { return sent.second.what == Message::What::zone_waits; });
  by_ = arguments.by;
  kind_ = arguments.kind;
  arrivals_ = arguments.arrivals;
  gpu_.begin_snapshot(now, kind_, by_, arguments.extent);
  record(now, "gpu_snapshot_begin",
         {{"snapshot", std::string(kind_ == SnapshotKind::full ? "full" : "increment")},
          {"by", std::string(by_ == Offloader::driver ? "driver" : "device")},
          {"zones", gpu_.snapshot_zones()}});
  return Error::none;
}

GpuPort::Error GpuPort::copy_out(Picoseconds now, const Reading& reading, bool has_read) {
  if (!driven()) return Error::no_snapshot;
  if (gpu_.copying()) return Error::copying;
  if (!has_read) return read_list(now, reading);
  std::vector<Zone> zones;
  if (const Error error = zones_of(reading, zones); error != Error::none) return error;
  const auto awaits = [this](Zone zone) { return gpu_.awaits_copy(zone); };
  if (has_twice(numbers_of(zones)) || !std::ranges::all_of(zones, awaits)) return Error::bad_zone;
  gpu_.copy_out(now, zones);
  return Error::none;
}

GpuPort::Error GpuPort::preserve(Picoseconds now, const Reading& reading, bool has_read) {
  if (!driven()) return Error::no_snapshot;
  if (!has_read) return read_list(now, reading);
  std::vector<Zone> zones;
  if (const Error error = zones_of(reading, zones); error != Error::none) return error;
  if (!std::ranges::all_of(zones, [this](Zone zone) { return gpu_.may_preserve(zone); }))
    return Error::bad_zone;
  send(now + one_way_, {Message::What::preserve, std::move(zones), {}});
  return Error::none;
}

GpuPort::Error GpuPort::copy_in(Picoseconds now, const Reading& reading, bool has_read) {
  if (!gpu_.may_copy_in()) return Error::running;
  if (snapshot_open()) return Error::open;
  if (gpu_.copying()) return Error::copying;
  if (!has_read) return read_list(now, reading);
  std::vector<Zone> zones;
  if (const Error error = zones_of(reading, zones); error != Error::none) return error;
  if (std::ranges::any_of(zones, [this](Zone zone) { return gpu_.is_contained(zone); }))
    return Error::bad_zone;
  failed_.reset();
  gpu_.copy_in(now, zones, reading.arguments.extent);
  return Error::none;
}

GpuPort::Error GpuPort::retire(Picoseconds now, std::uint32_t number) {
  if (gpu_.running()) return Error::running;
  if (snapshot_open()) return Error::open;
  if (gpu_.copying()) return Error::copying;
  if (number >= config_.zones()) return Error::bad_zone;
  const Gpu::Retirement retirement = gpu_.retire(now, zone_of(number));
  if (retirement == Gpu::Retirement::uncorrectable) return Error::memory_error;
  if (retirement != Gpu::Retirement::done) return Error::no_spare;
  const bool was_contained = contained_.erase(number) != 0;
  record(now, "gpu_zone_retired",
         {{"zone", number}, {"contents", std::string(was_contained ? "lost" : "kept")}});
  return Error::none;
}

// ---- lists ----

std::uint32_t GpuPort::number_of(Zone zone) const { return zone.index * config_.channels + zone.channel; }
std::vector<std::uint32_t> GpuPort::numbers_of(std::span<const Zone> zones) const {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(zones.size());
  for (const Zone zone : zones) numbers.push_back(number_of(zone));
  return numbers;
}
Zone GpuPort::zone_of(std::uint32_t number) const {
  return {number % config_.channels, number / config_.channels};
}

std::uint32_t GpuPort::zones_in_use() const {
  const std::uint64_t round = (config_.zone * config_.channels).count();
  return static_cast<std::uint32_t>((gpu_.allocated().count() + round - 1) / round) * config_.channels;
}

GpuPort::Error GpuPort::read(Picoseconds now, const Reading& reading, Bytes size) {
  command_ = reading;
  lists_.read(now, reading.arguments.list, size, [this](const AccessEnd& end) {
    command_->read_at = end.at;
    command_->ok = end.ok;
    command_->bytes.assign(end.data.begin(), end.data.end());
  });
  return Error::none;
}

GpuPort::Error GpuPort::read_list(Picoseconds now, const Reading& reading) {
  const std::uint32_t count = reading.arguments.count;
  if (count == 0 || count > config_.zones()) return Error::bad_descriptor;
  return read(now, reading, Bytes(count * sizeof(std::uint32_t)));
}

GpuPort::Error GpuPort::zones_of(const Reading& reading, std::vector<Zone>& zones) const {
  if (!reading.ok) return Error::bus_error;
  for (std::size_t at = 0; at < reading.bytes.size(); at += sizeof(std::uint32_t)) {
    const auto number = word_at<std::uint32_t>(reading.bytes, at);
    if (number >= config_.zones()) return Error::bad_zone;
    zones.push_back(zone_of(number));
  }
  return Error::none;
}

void GpuPort::end_reading(Picoseconds now) {
  if (!command_ || !command_->read_at || *command_->read_at > now) return;
  const Reading reading = *std::exchange(command_, std::nullopt);
  finish_command(execute(now, reading, true));
}

void GpuPort::write_list(Picoseconds now, Address to, std::span<const std::uint32_t> numbers,
                         Writing::What what) {
  written_.push_back({what, static_cast<std::uint32_t>(numbers.size())});
  const auto ended = [this](const AccessEnd& end) {
    Writing& list = *std::ranges::find_if(written_, [](const Writing& each) { return !each.written_at; });
    list.written_at = end.at;
    list.ok = end.ok;
  };
  if (numbers.empty())
    ended({now});
  else
    lists_.write(now, to, std::as_bytes(numbers), ended);
  end_writing(now);
}

void GpuPort::end_writing(Picoseconds now) {
  while (!written_.empty() && written_.front().written_at && *written_.front().written_at <= now) {
    const Writing list = written_.front();
    written_.pop_front();
    if (list.what == Writing::What::arrival) {
      end_arrival(now, list);
      continue;
    }
    scanned_ = list.ok ? list.zones : 0;
    if (!list.ok) error_ = Error::bus_error;
    happened_ |= scan_end;
  }
}

void GpuPort::end_arrival(Picoseconds now, const Writing& list) {
  if (list.is_void) return;
  if (!list.ok) {
    refused_ = true;
    if (gpu_.snapshot_open()) return gpu_.abort_snapshot(now);
    gpu_.require_full();
    return snapshot_failed(now, Gpu::Failure::host_memory);
  }
  arrived_ += list.zones;
  happened_ |= arrival;
  if (is_taken_ && arriving() == 0) report_taken(now);
}

std::uint32_t GpuPort::arriving() const {
  std::uint32_t zones = 0;
  for (const Writing& each : written_)
    if (each.what == Writing::What::arrival && !each.is_void) zones += each.zones;
  return zones;
}

void GpuPort::scan(Picoseconds now, const Arguments& arguments) {
  std::vector<std::uint32_t> numbers;
  for (auto zone = gpu_.next_unpreserved(arguments.from); zone && numbers.size() < arguments.count;
       zone = gpu_.next_unpreserved(number_of(*zone) + 1))
    numbers.push_back(number_of(*zone));
  write_list(now, arguments.list, numbers, Writing::What::scan);
}

// ---- over the link ----

std::optional<Picoseconds> GpuPort::next_own_event() const {
  auto next = on_the_way_.empty() ? std::nullopt : std::optional(on_the_way_.begin()->first);
  if (command_) next = earlier(next, command_->read_at);
  if (!written_.empty()) next = earlier(next, written_.front().written_at);
  return next;
}

std::optional<Picoseconds> GpuPort::next_event() const {
  return earlier(next_own_event(), gpu_.next_event());
}

void GpuPort::advance_to(Picoseconds now) {
  for (auto next = next_own_event(); next && *next <= now; next = next_own_event()) {
    gpu_.advance_to(*next);
    end_reading(*next);
    end_writing(*next);
    if (on_the_way_.empty() || on_the_way_.begin()->first > *next) continue;
    auto first = on_the_way_.extract(on_the_way_.begin());
    receive(first.key(), std::move(first.mapped()));
  }
  gpu_.advance_to(now);
}

// A message may no longer apply, if the snapshot was aborted meanwhile.
void GpuPort::receive(Picoseconds now, Message message) {
  switch (message.what) {
    case Message::What::zone_waits:
      waits_.push_back(number_of(message.zones.front()));
      happened_ |= waiting;
      break;
    case Message::What::preserve:
      std::erase_if(message.zones, [this](Zone zone) { return !gpu_.may_preserve(zone); });
      if (!message.zones.empty()) gpu_.preserve(now, message.zones);
      break;
    case Message::What::finish:
      if (gpu_.may_finish()) gpu_.finish_snapshot(now);
      break;
    case Message::What::scan:
      scan(now, message.arguments);
      break;
  }
}

std::optional<std::uint32_t> GpuPort::waiting_zone() const {
  return waits_.empty() ? std::nullopt : std::optional(waits_.front());
}

// ---- events of the GPU ----

void GpuPort::record(Picoseconds at, std::string_view kind, std::initializer_list<EventLog::Detail> details) {
  events_.record(at, name_, kind, details);
}

void GpuPort::kernel_ended(Picoseconds at) {
  happened_ |= kernel_end;
  if (activity_) activity_->interval(activity_->track(name_ + ".kernels"), kernel_begun_, at, "kernel");
}

void GpuPort::kernel_stopped(Picoseconds at, Zone zone) {
  kernel_was_stopped_ = true;
  record(at, "gpu_kernel_stopped", {{"zone", number_of(zone)}});
  kernel_ended(at);
}

void GpuPort::zone_contained(Picoseconds at, Zone zone, std::uint32_t offset, GpuReader by) {
  const std::uint32_t number = number_of(zone);
  contained_[number] = {number, offset, by};
  happened_ |= containment;
  record(at, "gpu_zone_contained", {{"zone", number}, {"offset", offset}, {"by", std::string(to_text(by))}});
}

std::optional<GpuPort::Contained> GpuPort::contained() const {
  return contained_.empty() ? std::nullopt : std::optional(contained_.begin()->second);
}

void GpuPort::zone_waits(Picoseconds at, Zone zone) {
  send(at + one_way_, {Message::What::zone_waits, {zone}, {}});
}

void GpuPort::arrived(Picoseconds at, std::span<const Zone> zones) {
  if (arrivals_ == Address(0)) {
    arrived_ += static_cast<std::uint32_t>(zones.size());
    happened_ |= arrival;
    return;
  }
  const Address to = arrivals_ + Bytes((arrived_ + arriving()) * sizeof(std::uint32_t));
  write_list(at, to, numbers_of(zones), Writing::What::arrival);
}

void GpuPort::snapshot_taken(Picoseconds at) {
  is_taken_ = arriving() != 0;
  if (!is_taken_) report_taken(at);
}

void GpuPort::report_taken(Picoseconds at) {
  is_taken_ = false;
  happened_ |= taken;
  record(at, "gpu_snapshot_taken", {{"zones", gpu_.snapshot_zones()}});
}

// A message may belong to the aborted snapshot: the next one must not receive it.
void GpuPort::snapshot_failed(Picoseconds at, Gpu::Failure why) {
  failed_ = std::exchange(refused_, false) ? Gpu::Failure::host_memory : why;
  happened_ |= failure;
  is_taken_ = false;
  on_the_way_.clear();
  for (Writing& each : written_) each.is_void |= each.what == Writing::What::arrival;
  record(at, "gpu_snapshot_failed", {{"reason", std::string(to_text(*failed_))}});
}

void GpuPort::copied_in(Picoseconds at) {
  happened_ |= copied;
  record(at, "gpu_copied_in");
}

// ---- the rest ----

void GpuPort::forget() {
  lists_.abandon();
  command_.reset();
  written_.clear();
  is_taken_ = false;
  on_the_way_.clear();
  waits_.clear();
  happened_ = arrived_ = scanned_ = 0;
  failed_.reset();
  error_ = Error::none;
  lost_ = kernel_was_stopped_ = false;
}

void GpuPort::inject(Picoseconds now, const GpuMemoryFault& fault) {
  if (lost_ && !fault.stuck) return;
  gpu_.inject(fault);
  record(now, "gpu_memory_fault", {{"shape", std::string(to_text(fault.shape))}, {"address", fault.address}});
}

void GpuPort::set_clock(Picoseconds now, std::uint32_t percent) {
  gpu_.set_clock(percent);
  record(now, "gpu_clock", {{"percent", percent}});
}

void GpuPort::lose(Picoseconds now) {
  if (lost_) return;
  gpu_.reset(Reset::power_loss);
  forget();
  contained_.clear();
  lost_ = true;
  ++losses_;
  happened_ = loss;
  record(now, "gpu_lost");
}

void GpuPort::reset(Reset kind) {
  gpu_.reset(kind);
  forget();
  if (kind == Reset::power_loss) contained_.clear();
}

void GpuPort::report(Statistics& statistics) const {
  gpu_.report(statistics);
  statistics.add("losses", losses_);
  statistics.add("commands_refused", commands_refused_);
}

}  // namespace asterism
