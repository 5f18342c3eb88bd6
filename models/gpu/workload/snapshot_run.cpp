#include "gpu/workload/snapshot_run.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "gpu/l2_slice.h"

namespace asterism {

namespace {

constexpr SnapshotConfig full_blocking{};
constexpr std::uint64_t steps_per_question = 4096;

// The memory in use, in whole zones of each channel.
Bytes in_use(const GpuConfig& gpu, Bytes footprint) {
  const Bytes round = gpu.zone * gpu.channels;
  return round * ((footprint + round - Bytes(1)) / round);
}

std::uint64_t count_of(const Statistics& statistics, std::string_view name) {
  for (const auto& [entry, value] : statistics.entries())
    if (entry == name) return std::get<std::uint64_t>(value);
  throw std::logic_error("a GPU does not count " + std::string(name));
}

}  // namespace

GpuConfig scaled(const GpuConfig& gpu, double factor) {
  GpuConfig small = gpu;
  const auto whole = [&](Bytes size, Bytes unit, std::uint64_t least) {
    const double units = static_cast<double>(size.count()) * factor / static_cast<double>(unit.count());
    return unit * std::max(static_cast<std::uint64_t>(units), least);
  };
  small.l2 = whole(gpu.l2, L2Slice::line * gpu.channels * gpu.l2_ways, 1);
  small.buffer = whole(gpu.buffer, gpu.zone * gpu.channels, 2);
  return small;
}

// The time left of a kernel at any point of an iteration is at most t with the probability
// F(t) = sum(min(kernel, t)) / sum(kernel), which is linear between the lengths of kernels. The mean of the
// longest of n is the integral of 1 - F^n, that of a single one the integral of 1 - F.
Picoseconds synchronisation(std::vector<Picoseconds> kernels, std::uint32_t gpus) {
  std::ranges::sort(kernels);
  double all = 0;
  for (const Picoseconds kernel : kernels) all += static_cast<double>(kernel.count());
  const auto power = [](double base, std::uint32_t exponent) {
    double product = 1;
    for (; exponent > 0; exponent >>= 1, base *= base)
      if ((exponent & 1) != 0) product *= base;
    return product;
  };
  double longer = 0, from = 0, before = 0;  // F is `before` at `from`
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto to = static_cast<double>(kernels[i].count());
    if (to <= from) continue;
    const double slope = static_cast<double>(kernels.size() - i) / all, after = before + slope * (to - from);
    // The integral of F - F^n.
    longer += (after * after - before * before) / (2 * slope) -
              (power(after, gpus + 1) - power(before, gpus + 1)) / ((gpus + 1) * slope);
    from = to;
    before = after;
  }
  return Picoseconds(static_cast<std::uint64_t>(std::max(longer, 0.0)));
}

SnapshotRun::SnapshotRun(const SnapshotRunConfig& config, KernelProgram& program)
    : config_(config),
      program_(program),
      link_(config.link, 1),
      gpu_(config.gpu, MemoryContents::none, 0, link_, *this, *this),
      // Space for a full snapshot that is kept, one that is taken, and an increment between them.
      buffer_(Address(0), 3 * in_use(config.gpu, program.footprint()), config.gpu.zone),
      driver_(gpu_, buffer_, config.link.round_trip / 2, config.hint_interval, *this) {
  link_.set_others(config.gpus_per_cpu - 1);
  gpu_.allocate(program.footprint());
  gpu_.track(config.how.kind == SnapshotKind::increment);
  driver_.set_table_time(table_time());
  driver_.gather_waiting_zones(config.gather_waiting);
}

// A bit for each zone in use goes over the link.
Picoseconds SnapshotRun::table_time() const {
  const std::uint64_t zones = in_use(config_.gpu, program_.footprint()) / config_.gpu.zone;
  return config_.link.overhead +
         transfer_time(Bytes((zones + 7) / 8), HostLink::share(config_.link, config_.gpus_per_cpu));
}

bool SnapshotRun::step() {
  const auto next = earlier(earlier(gpu_.next_event(), link_.next_event()), driver_.next_event());
  if (!next) throw std::logic_error("a GPU waits for an event that never comes");
  if (++steps_ % steps_per_question == 0 && stop_ && stop_()) result_.stopped = true;
  now_ = *next;
  for ([[maybe_unused]] const std::uint32_t ended : link_.advance_to(now_)) gpu_.transferred(now_);
  gpu_.advance_to(now_);
  driver_.advance_to(now_);
  return !result_.stopped && !result_.failure;
}

bool SnapshotRun::step_while(const std::function<bool()>& condition) {
  while (condition())
    if (!step()) return false;
  return true;
}

void SnapshotRun::kernel_ended(Picoseconds at) { ended_ = at; }

void SnapshotRun::arrived(Picoseconds at, std::span<const Zone> zones) {
  ++result_.transfers;
  result_.to_host += config_.gpu.zone * zones.size();
  driver_.arrived(at, zones);
}

void SnapshotRun::take(const SnapshotConfig& how) {
  taken_.reset();
  result_.transfers = 0;
  result_.to_host = {};
  const bool writes_table = how.kind == SnapshotKind::full;
  now_ += config_.link.round_trip + (writes_table ? table_time() : Picoseconds{});
  if (driver_.snapshot(now_, how, begun_) != SnapshotDriver::Begun::yes)
    throw std::logic_error("an idle GPU refuses a snapshot");
}

// The time from its launch to its end; meaningless if the run is over.
Picoseconds SnapshotRun::run_kernel() {
  ended_.reset();
  const Picoseconds from = std::max(now_, begun_);
  gpu_.launch(now_, program_, kernel_++);
  step_while([&] { return !ended_; });
  return ended_.value_or(from) - from;
}

// Kernels run while the snapshot is taken.
void SnapshotRun::run_beside() {
  const std::uint64_t iteration = program_.kernels();
  Difference waited = 0, bandwidth = 0;
  std::vector<Picoseconds> quiet;  // the times of the last kernels since a write has waited
  while (!taken_ && (quiet.size() < iteration || result_.kernels < 2 * iteration)) {
    const std::uint64_t before = monitored().first_stalls + monitored().stalls;
    const Picoseconds alone = alone_[kernel_ % iteration];
    const Picoseconds time = run_kernel();
    if (result_.stopped || result_.failure) return;
    ++result_.kernels;
    const auto longer = static_cast<Difference>(time.count()) - static_cast<Difference>(alone.count());
    if (monitored().first_stalls + monitored().stalls != before) {
      waited += longer;
      quiet.clear();
    } else {
      bandwidth += longer;
      quiet.push_back(time);
    }
  }
  result_.lost.waited = Picoseconds(static_cast<std::uint64_t>(std::max<Difference>(waited, 0)));
  result_.lost.bandwidth = Picoseconds(static_cast<std::uint64_t>(std::max<Difference>(bandwidth, 0)));
  if (taken_) return;
  const auto last = quiet.end() - static_cast<std::ptrdiff_t>(iteration);
  pass_rest(std::accumulate(last, quiet.end(), Picoseconds{}), result_.iteration);
}

// At the pace of an iteration that takes `time`, and takes `alone` without a snapshot.
void SnapshotRun::pass_rest(Picoseconds time, Picoseconds alone) {
  const Picoseconds from = now_;
  if (!step_while([&] { return !taken_; }) || time <= alone) return;
  const std::uint64_t lost = scale((*taken_ - from).count(), (time - alone).count(), time.count());
  result_.lost.bandwidth += Picoseconds(lost);
}

ZoneMonitor::Counts SnapshotRun::monitored() const {
  ZoneMonitor::Counts counts;
  for (std::uint32_t channel = 0; channel < config_.gpu.channels; ++channel)
    counts += gpu_.monitor(channel).counts();
  return counts;
}

SnapshotRunResult SnapshotRun::run(const std::function<bool()>& stop) {
  stop_ = stop;
  const auto over = [&] { return result_.stopped || result_.failure; };
  const auto until_taken = [&] { return !taken_; };

  take(full_blocking);
  if (!step_while(until_taken)) return result_;
  result_.full = *taken_;  // from time 0

  for (int iteration = 0; iteration < 2; ++iteration) {
    alone_.clear();
    for (std::uint32_t i = 0; i < program_.kernels() && !over(); ++i) alone_.push_back(run_kernel());
  }
  if (over()) return result_;
  result_.iteration = std::accumulate(alone_.begin(), alone_.end(), Picoseconds{});
  result_.lost.synchronised = synchronisation(alone_, config_.synchronised_gpus);
  result_.full += result_.lost.synchronised;

  if (config_.interval_kernels) {
    take(full_blocking);
    if (!step_while(until_taken)) return result_;
    for (std::uint32_t i = 0; i < *config_.interval_kernels && !over(); ++i) run_kernel();
    if (over()) return result_;
  }

  const Picoseconds from = now_;
  const ZoneMonitor::Counts before = monitored();
  take(config_.how);
  result_.zones = gpu_.snapshot_zones();
  if (config_.how.non_blocking) {
    result_.lost.stopped = begun_ - from;
    run_beside();
  } else if (step_while(until_taken)) {
    result_.lost.stopped = *taken_ - from;
  }
  if (over()) return result_;
  result_.taken = *taken_ - from;
  count(before);
  return result_;
}

void SnapshotRun::count(const ZoneMonitor::Counts& before) {
  const ZoneMonitor::Counts counts = monitored();
  result_.waits = counts.first_stalls - before.first_stalls;
  result_.stalls = counts.stalls + counts.first_stalls - before.stalls - before.first_stalls;
  result_.previous = counts.previous;
  result_.next = counts.next;
  result_.zones_in_use =
      static_cast<std::uint32_t>(in_use(config_.gpu, program_.footprint()) / config_.gpu.zone);
  Statistics statistics;
  gpu_.report(statistics);
  result_.duplicates = count_of(statistics, "duplicates_on_write");
}

void SnapshotRun::report(Statistics& statistics) const {
  gpu_.report(statistics.group("gpu"));
  driver_.report(statistics.group("driver"));
}

}  // namespace asterism
