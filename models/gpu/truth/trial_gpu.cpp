#include "gpu/truth/trial_gpu.h"

#include <algorithm>
#include <string_view>

namespace asterism {

namespace {

GpuConfig with_mutant(GpuConfig config, SnapshotMutant mutant) {
  if (mutant == SnapshotMutant::no_watchdog) config.watchdog = 1000_s;
  return config;
}

std::uint64_t count(const Statistics& statistics, std::string_view name) {
  for (const auto& [key, value] : statistics.entries())
    if (key == name) return std::get<std::uint64_t>(value);
  return 0;
}

}  // namespace

TrialGpu::TrialGpu(const TrialSetup& setup, SnapshotMutant mutant, std::uint32_t number, HostLink& link,
                   std::uint32_t snapshots, std::uint64_t seed, SnapshotStates& states)
    : setup_(setup),
      mutant_(mutant),
      number_(number),
      snapshots_(snapshots),
      random_(seed),
      program_(setup, random_.next()),
      host_(setup, mutant, random_.next()),
      gpu_(with_mutant(setup.gpu, mutant), MemoryContents::bytes, number, link, host_, *this),
      buffer_(TrialHost::first, setup.gpu.zone * setup.buffer_zones, setup.gpu.zone),
      driver_(gpu_, buffer_, setup.one_way, setup.hint_interval, *this),
      gathered_(states) {
  for (std::uint32_t channel = 0; channel < setup.gpu.channels; ++channel)
    watches_.emplace_back(gpu_.monitor(channel), channel, setup.gpu.channels, gathered_, now_, by_, mutant,
                          random_.next());
  start_memory();
  wake_soon(now_);
}

// ---- time ----

bool TrialGpu::is_at_rest() const {
  return is_finished() && !is_lost_ && !gpu_.running() && !gpu_.snapshot_open() && !driver_.busy();
}

std::optional<Picoseconds> TrialGpu::next_event() const {
  auto next = earlier(earlier(gpu_.next_event(), wakes_), replaces_driver_);
  if (is_silent_) return next;
  auto driver = driver_.next_event();
  if (driver && driver_sleeps_until_) driver = std::max(*driver, *driver_sleeps_until_);
  return earlier(next, driver);
}

void TrialGpu::advance_to(Picoseconds now) {
  now_ = now;
  gpu_.advance_to(now);
  check_waits();
  const auto driver = driver_.next_event();
  if (!is_silent_ && driver && *driver <= now && (!driver_sleeps_until_ || *driver_sleeps_until_ <= now)) {
    driver_.advance_to(now);
    driver_sleeps_until_ = now + Picoseconds(random_.below(setup_.lateness.count() + 1));
  }
  if (replaces_driver_ && *replaces_driver_ <= now) replace_driver(now);
  if (wakes_ && *wakes_ <= now) resume(now);
  gathered_.observe(gpu_);
}

// ---- the program ----

Picoseconds TrialGpu::any_delay() {
  return one_in(random_, 2) ? 0_ps : Picoseconds(random_.below(20'000'000) >> random_.below(8));
}
void TrialGpu::wake_soon(Picoseconds now) { wakes_ = now + any_delay(); }

void TrialGpu::resume(Picoseconds now) {
  wakes_.reset();
  if (gpu_.running() || (is_lost_ && driver_.busy())) return;  // its end wakes the program
  if (is_lost_) {
    recover(now);
  } else if (gpu_.snapshot_open() || driver_.busy()) {
    if (!how_.non_blocking || is_finished()) return;
    if (one_in(random_, 8)) begin_snapshot(now);
    if (!one_in(random_, 4)) launch(now);
  } else if (!is_finished()) {
    if (one_in(random_, 4))
      launch(now);
    else
      begin_snapshot(now);
  }
}

void TrialGpu::launch(Picoseconds now) {
  const bool open = gpu_.snapshot_open();
  ++counts_.kernels;
  if (open && !ran_kernel_) ++counts_.with_kernels;
  ran_kernel_ = open;
  kernel_.emplace(program_.run_next(mutant_ == SnapshotMutant::write_lost && open));
  gpu_.launch(now, *kernel_, program_.state().kernel - 1);
}

void TrialGpu::begin_snapshot(Picoseconds now) {
  const SnapshotConfig how = any_snapshot(setup_, random_);
  const bool may_not = gpu_.refusal(SnapshotKind::full) != Gpu::Refusal::none || driver_.busy();
  by_ = may_not ? by_ : how.device_side ? Offloader::device : Offloader::driver;
  Picoseconds begun{};
  const auto answer = driver_.snapshot(now, how, begun);
  if ((answer == SnapshotDriver::Begun::refused) != may_not)
    fail("a snapshot is refused, or accepted, without a reason");
  if (may_not) return;
  --snapshots_;
  how_ = how;
  if (answer == SnapshotDriver::Begun::no_space) {
    ++counts_.no_space;
    check_image("when there was no space for another one");
    wake_soon(now);
    return;
  }
  ++counts_.snapshots;
  gathered_.began(by_ == Offloader::driver);
  pending_ = {program_.state(), true};
  ran_kernel_ = false;
  if (how.non_blocking) wakes_ = one_in(random_, 2) ? now : begun + any_delay();
}

void TrialGpu::recover(Picoseconds now) {
  if (kept_.exists) {
    driver_.restore(now);
    return;
  }
  program_.start();
  start_memory();
  is_lost_ = false;
  wake_soon(now);
}

// ---- disturbances ----

void TrialGpu::start_memory() {
  gpu_.allocate(setup_.allocated);
  gpu_.track(true);
  gpu_.poke(0, program_.bytes().first(setup_.allocated.count()));
}

void TrialGpu::disturb(Picoseconds now) {
  now_ = now;
  switch (random_.below(4)) {
    case 0:
      if (gpu_.snapshot_open()) gpu_.abort_snapshot(now);
      break;
    case 1:
      if (driver_.busy() && !is_silent_) silence(now);
      break;
    default:
      lose(now);
  }
}

void TrialGpu::lose(Picoseconds now) {
  ++counts_.losses;
  if (gpu_.snapshot_open()) ++counts_.lost_in_snapshot;
  if (is_lost_ && driver_.busy()) ++counts_.lost_in_restore;
  gathered_.ended(SnapshotEnd::loss);
  constexpr Reset kinds[] = {Reset::cold, Reset::warm, Reset::power_loss};
  gpu_.reset(kinds[random_.below(3)]);
  driver_.reset();
  gpu_.allocate(setup_.allocated);
  gpu_.track(true);
  kernel_.reset();
  is_lost_ = true;
  is_silent_ = false;
  replaces_driver_.reset();
  check_image("when the GPU was lost");
  wake_soon(now);
}

// The driver does nothing and receives nothing, until another one is started.
void TrialGpu::silence(Picoseconds now) {
  ++counts_.silent_drivers;
  is_silent_ = true;
  replaces_driver_ = now + setup_.gpu.watchdog * 3 + any_delay();
}

void TrialGpu::replace_driver(Picoseconds now) {
  is_silent_ = false;
  replaces_driver_.reset();
  driver_.reset();
  if (gpu_.snapshot_open())
    gpu_.abort_snapshot(now);
  else if (gpu_.copying())
    lose(now);
  else
    wake_soon(now);
}

void TrialGpu::snapshot_ended(Picoseconds at) {
  pending_.exists = false;
  if (!gpu_.running()) wake_soon(at);
}

// ---- checks ----

void TrialGpu::check_memory(const char* when) {
  std::vector<std::byte> there(setup_.gpu.memory.count());
  gpu_.peek(0, there);
  const auto wanted = program_.bytes();
  if (const auto at = std::ranges::mismatch(there, wanted).in1; at != there.end())
    fail("memory at {:#x} differs from what the kernels make of it, {}", at - there.begin(), when);
}

void TrialGpu::check_zone(const PreservationBuffer::Copy& copy, const char* when) {
  const AddressSwizzle swizzle = setup_.gpu.swizzle();
  const std::uint64_t zone = setup_.gpu.zone.count(), run = setup_.gpu.interleave.count();
  const std::span<const std::byte> there = host_.zone_at(copy.at);
  const auto wanted = std::as_bytes(std::span(kept_.state.memory));
  for (std::uint64_t from = 0; from < zone; from += run) {
    const std::uint64_t address = swizzle.address({copy.zone.channel, copy.zone.index * zone + from});
    if (!std::ranges::equal(there.subspan(from, run), wanted.subspan(address, run)))
      fail("zone {} of channel {} of the preserved image differs at {:#x} from memory at the snapshot, {}",
           copy.zone.index, copy.zone.channel, address, when);
  }
}

void TrialGpu::check_image(const char* when) {
  if (buffer_.snapshots() != chain_)
    fail("the chain has {} snapshots in place of {}, {}", buffer_.snapshots(), chain_, when);
  if (!kept_.exists) return;
  ++counts_.images;
  const auto image = buffer_.image();
  const std::uint64_t round = (setup_.gpu.zone * setup_.gpu.channels).count();
  const std::uint64_t zones = (setup_.allocated.count() + round - 1) / round * setup_.gpu.channels;
  if (image.size() != zones)
    fail("the preserved image has {} zones in place of {}, {}", image.size(), zones, when);
  for (const PreservationBuffer::Copy& copy : image) check_zone(copy, when);
}

void TrialGpu::check_waits() const {
  // A pipeline may be ahead of the time by a slice.
  const Picoseconds longest = setup_.gpu.watchdog + 1_us;
  for (const TrialWatch& watch : watches_)
    if (const auto since = watch.oldest(); since && *since + longest < now_)
      fail("a write waits since {} ps, longer than the watchdog allows", since->count());
}

// ---- reports of the GPU ----

void TrialGpu::kernel_ended(Picoseconds at) {
  kernel_.reset();
  check_memory("after a kernel");
  wake_soon(at);
}

void TrialGpu::zone_waits(Picoseconds at, Zone zone) {
  if (!is_silent_) driver_.zone_waits(at, zone);
}
void TrialGpu::arrived(Picoseconds at, std::span<const Zone> zones) {
  std::vector<std::uint32_t> numbers;
  for (const Zone zone : zones) numbers.push_back(zone.index * setup_.gpu.channels + zone.channel);
  gathered_.arrived(numbers);
  if (!is_silent_) driver_.arrived(at, zones);
}
void TrialGpu::copied_in(Picoseconds at) {
  if (!is_silent_) driver_.copied_in(at);
}
void TrialGpu::snapshot_taken(Picoseconds at) {
  if (is_silent_) return;  // the replacement of the driver will find the loss
  driver_.snapshot_taken(at);
}

void TrialGpu::snapshot_failed(Picoseconds at, Gpu::Failure why) {
  switch (why) {
    case Gpu::Failure::watchdog:
      gathered_.ended(SnapshotEnd::watchdog);
      ++counts_.timed_out;
      counts_.timed_out_silent += is_silent_ ? 1 : 0;
      break;
    case Gpu::Failure::host_memory:
      gathered_.ended(SnapshotEnd::host_memory);
      counts_.host_refused += is_lost_ ? 0 : 1;
      break;
    case Gpu::Failure::memory_error:  // a trial has no faults of memory
    case Gpu::Failure::aborted:
      gathered_.ended(SnapshotEnd::abort);
      ++counts_.aborted;
      break;
  }
  if (!is_silent_ && driver_.busy()) {
    driver_.snapshot_failed(at, why);
    return;
  }
  // Of a driver that is silent, or was.
  if (!is_silent_) snapshot_ended(at);
}

// ---- reports of the driver ----

void TrialGpu::taken(Picoseconds at) {
  const bool is_full = buffer_.snapshots() == 1;
  ++(is_full ? counts_.taken_full : counts_.taken_increments);
  gathered_.taken(how_.kind == SnapshotKind::increment, !is_full);
  chain_ = is_full ? 1 : chain_ + 1;
  kept_ = std::move(pending_);
  check_image("when it was taken");
  snapshot_ended(at);
}

void TrialGpu::failed(Picoseconds at, Gpu::Failure) {
  check_image("when another one had failed");
  snapshot_ended(at);
}

void TrialGpu::restored(Picoseconds at) {
  ++counts_.restored;
  gathered_.restored(chain_ > 1);
  counts_.restored_increments += chain_ > 1 ? 1 : 0;
  program_.go_back(kept_.state);
  is_lost_ = false;
  check_memory("after it was restored");
  wake_soon(at);
}

SnapshotTrialCounts TrialGpu::counts() const {
  SnapshotTrialCounts all = counts_;
  Statistics gpu, driver;
  gpu_.report(gpu);
  driver_.report(driver);
  for (std::uint32_t channel = 0; channel < setup_.gpu.channels; ++channel) {
    const ZoneMonitor::Counts& monitored = gpu_.monitor(channel).counts();
    all.stalled_writes += monitored.first_stalls + monitored.stalls;
    all.table_writebacks += monitored.writebacks;
  }
  all.stopped_pipelines = count(gpu, "pipeline_stops");
  all.duplicates = count(gpu, "duplicates_on_write");
  all.hints = count(driver, "hints");
  all.preferred_zones = count(driver, "zones_preferred");
  all.in_place_of_increments = count(driver, "full_in_place_of_increments");
  return all;
}

}  // namespace asterism
