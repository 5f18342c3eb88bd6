#include "gpu/gpu_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/engine.h"
#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

// The channels of a GPU to memory.
constexpr unsigned channels = 2;
constexpr unsigned transfers(unsigned gpu) { return channels * gpu; }
constexpr unsigned lists(unsigned gpu) { return channels * gpu + 1; }

const RegisteredDevice<GpuModule> gpu_type{"gpu",
                                           "GPUs behind one PCIe switch, with snapshots of their memory."};

}  // namespace

DeviceShape GpuModule::shape(const GpusConfig& config, const NodeFacts&) {
  const auto registers = std::make_shared<GpuRegisters>(config.count);
  return {.targets = {{.size = registers->size(), .registers = registers}},
          .interrupts = {{}},
          .initiators = {{.memory = config.dma, .key = "dma"}},
          .parts = {fmt::format("{} GPU{}", config.count, config.count == 1 ? "" : "s")}};
}

std::vector<RtlUse> GpuModule::rtl(const GpusConfig& config, const NodeView&) {
  return {{.block = "zone_monitor",
           .key = "monitor_rtl",
           .contract = "zone_monitor",
           .swap = swap_settings(config.monitor_rtl),
           .parameters =
               zone_monitor_block_parameters(config.device.monitor, config.device.zones_per_channel())}};
}

std::optional<FaultCheck<GpuLoss>::Problem> GpuModule::problem_of(const GpusConfig& config,
                                                                  const GpuLoss& loss) {
  using Problem = FaultCheck<GpuLoss>::Problem;
  if (loss.gpu < config.count) return std::nullopt;
  return Problem{
      "gpu", fmt::format("there is no GPU {}: the device has {}, counted from 0", loss.gpu, config.count)};
}

std::optional<FaultCheck<GpuMemoryFault>::Problem> GpuModule::problem_of(const GpusConfig& config,
                                                                         const GpuMemoryFault& fault) {
  using Problem = FaultCheck<GpuMemoryFault>::Problem;
  if (const auto problem = problem_of(config, GpuLoss{fault.gpu}))
    return Problem{problem->key, problem->words};
  if (fault.address >= config.device.memory.count())
    return Problem{"address", fmt::format("expected an address below the GPU's memory of {} bytes, got {}",
                                          config.device.memory.count(), fault.address)};
  const SectorCode code = config.device.ecc;
  if (fault.bit >= 8 * sector_bytes(code))
    return Problem{"sector_bit", fmt::format("expected a bit of the {} that a sector has with ecc={}, got {}",
                                             8 * sector_bytes(code), to_text(code), fault.bit)};
  return std::nullopt;
}

std::optional<FaultCheck<GpuSlowdown>::Problem> GpuModule::problem_of(const GpusConfig& config,
                                                                      const GpuSlowdown& slowdown) {
  const auto problem = problem_of(config, GpuLoss{slowdown.gpu});
  return problem ? std::optional(FaultCheck<GpuSlowdown>::Problem{problem->key, problem->words})
                 : std::nullopt;
}

std::vector<DeviceTreeNode> GpuModule::device_tree(const GpusConfig& config, const NodeView& node,
                                                   const DevicePlace& place) {
  return {device_tree_node("gpu", {"asterism,gpu"}, place, node, config.dma)};
}

GpuModule::GpuModule(const sc_core::sc_module_name& name, const GpusConfig& config,
                     const DeviceContext& context)
    : GpuModule(name, config, context.memories.at(0), context.events) {
  memory.identify(context.masters.at(0));
  ActivityLog* const activity = context.events.activity_log();
  if (!activity) return;
  link_.record_in(*activity, this->name());
  for (std::uint32_t gpu = 0; gpu < config.count; ++gpu) {
    memory.record_in(*activity, transfers(gpu), std::to_string(gpu) + ".dma");
    memory.record_in(*activity, lists(gpu), std::to_string(gpu) + ".lists");
  }
}

std::vector<ZoneMonitorHost::Place> GpuModule::zone_monitors() {
  std::vector<Place> places;
  for (std::size_t gpu = 0; gpu < ports_.size(); ++gpu)
    for (std::uint32_t channel = 0; channel < config_.device.channels; ++channel)
      places.push_back({fmt::format("{}.monitor.{}", gpu, channel), this->gpu(gpu).monitor(channel)});
  return places;
}

GpuModule::GpuModule(const sc_core::sc_module_name& name, const GpusConfig& config, AddressRange memory_range,
                     EventLog& events)
    : sc_module(name),
      registers(config.count),
      memory("memory", memory_range, channels * config.count),
      config_(config),
      link_(config.link, config.count),
      slowed_(config.count),
      alarm_("alarm", [this](Picoseconds now) { ring(now); }) {
  for (std::uint32_t gpu = 0; gpu < config.count; ++gpu) {
    pages_.push_back(std::make_unique<Pages>(memory.channel(transfers(gpu))));
    ports_.push_back(std::make_unique<GpuPort>(config.device, gpu, link_, config.link.round_trip,
                                               *pages_[gpu], memory.channel(lists(gpu)),
                                               fmt::format("{}.{}", this->name(), gpu), events));
  }
  memory.after_access = [this] { rearm(); };
  connect_registers();
}

// ---- registers ----

void GpuModule::connect_registers() {
  GpuRegisters& r = registers;
  r.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  const auto computed = [this](Register& of, auto value) {
    of.computed([this, value](unsigned gpu, Accessor) {
      return static_cast<std::uint32_t>(value(static_cast<const GpuPort&>(*ports_[gpu])));
    });
  };
  r.command.on_write([this](unsigned gpu, std::uint32_t value, Accessor) {
    given_.push_back({gpu, value, arguments_of(gpu)});
    rearm();
  });
  for (Register* each : {&r.interrupt_status, &r.interrupt_enable})
    each->on_write([this](unsigned, std::uint32_t, Accessor) { update_interrupt(); });
  r.waiting.on_read([this](unsigned gpu, Accessor) {
    if (ports_[gpu]->waiting_zone()) ports_[gpu]->drop_waiting_zone();
  });
  computed(r.devices, [this](const GpuPort&) { return ports_.size(); });
  r.status.computed([this](unsigned gpu, Accessor) { return status_of(gpu); });
  computed(r.scanned, [](const GpuPort& port) { return port.scanned(); });
  computed(r.arrived, [](const GpuPort& port) { return port.arrived(); });
  computed(r.zones, [](const GpuPort& port) { return port.gpu().snapshot_zones(); });
  computed(r.unpreserved,
           [](const GpuPort& port) { return port.gpu().snapshot_open() ? port.gpu().unpreserved() : 0; });
  computed(r.waiting, [](const GpuPort& port) { return port.waiting_zone().value_or(~0u); });
  computed(r.zone_size, [this](const GpuPort&) { return config_.device.zone.count(); });
  computed(r.transfer_size, [this](const GpuPort&) { return config_.device.transfer.count(); });
  computed(r.zones_in_use, [](const GpuPort& port) { return port.zones_in_use(); });
  computed(r.memory, [this](const GpuPort&) { return config_.device.memory / 1_KiB; });
  const auto place = [this](const GpuPort& port) -> std::uint32_t {
    const auto contained = port.contained();
    if (!contained) return 0;
    const GpuRegisters::ErrorPlace& bits = registers.error_place;
    return contained->offset | bits.by_copy.bits(contained->by != GpuReader::kernel) |
           bits.by_scrub.bits(contained->by == GpuReader::scrub);
  };
  computed(r.contained, [](const GpuPort& port) {
    const auto contained = port.contained();
    return contained ? contained->zone : ~0u;
  });
  computed(r.error_place, place);
  computed(r.corrected, [](const GpuPort& port) { return port.gpu().corrected(); });
  computed(r.uncorrectable, [](const GpuPort& port) { return port.gpu().uncorrectable(); });
  computed(r.spare_zones, [](const GpuPort& port) { return port.gpu().spare_zones(); });
  computed(r.pipelines, [this](const GpuPort&) { return config_.device.pipelines; });
}

GpuPort::Arguments GpuModule::arguments_of(unsigned gpu) const {
  const GpuRegisters& r = registers;
  const auto pair = [gpu](const Register& low, const Register& high) {
    return Address(std::uint64_t{high.value(gpu)} << 32 | low.value(gpu));
  };
  const std::uint32_t how = r.snapshot.value(gpu);
  return {.list = pair(r.list_low, r.list_high),
          .extent = pair(r.extent_low, r.extent_high),
          .arrivals = pair(r.arrivals_low, r.arrivals_high),
          .count = r.count.value(gpu),
          .from = r.from.value(gpu),
          .size = r.count.value(gpu) * 1_KiB,
          .kind = r.snapshot.increment.get(how) ? SnapshotKind::increment : SnapshotKind::full,
          .by = r.snapshot.device_side.get(how) ? Offloader::device : Offloader::driver};
}

std::uint32_t GpuModule::status_of(unsigned gpu) const {
  const GpuPort& port = *ports_[gpu];
  const auto failure = port.failed() ? static_cast<std::uint32_t>(*port.failed()) + 1 : 0;
  const bool is_busy = port.busy() || std::ranges::count(given_, gpu, &Given::gpu) != 0;
  const GpuRegisters::Status& status = registers.status;
  return status.running.bits(port.gpu().running()) | status.open.bits(port.snapshot_open()) |
         status.copying.bits(port.gpu().copying()) | status.lost.bits(port.lost()) |
         status.stopped.bits(port.kernel_was_stopped()) | status.busy.bits(is_busy) |
         status.error.bits(port.error()) | status.failure.bits(failure);
}

// ---- events ----

void GpuModule::ring(Picoseconds now) {
  for (const std::uint32_t gpu : link_.advance_to(now)) ports_[gpu]->transferred(now);
  for (const auto& port : ports_) port->advance_to(now);
  while (!memory_faults_.empty() && memory_faults_.front().at <= now) inject_next_memory_fault(now);
  while (!losses_.empty() && losses_.front().at <= now) inject_next(now);
  change_clocks(now);
  while (may_execute()) {
    const Given given = given_.front();
    given_.pop_front();
    ports_[given.gpu]->command(now, given.command, given.arguments);
  }
  collect_events();
  rearm();
}

bool GpuModule::may_execute() const { return !given_.empty() && !ports_[given_.front().gpu]->busy(); }

void GpuModule::collect_events() {
  Register& status = registers.interrupt_status;
  for (unsigned gpu = 0; gpu < ports_.size(); ++gpu)
    status.set(status.value(gpu) | ports_[gpu]->take_happened(), gpu);
  update_interrupt();
}

void GpuModule::update_interrupt() {
  bool level = false;
  for (unsigned gpu = 0; gpu < ports_.size(); ++gpu)
    level |= (registers.interrupt_status.value(gpu) & registers.interrupt_enable.value(gpu)) != 0;
  interrupt.write(level);
}

void GpuModule::rearm() {
  std::optional<Picoseconds> next = link_.next_event();
  for (const auto& port : ports_) next = earlier(next, port->next_event());
  if (!losses_.empty()) next = earlier(next, losses_.front().at);
  if (!memory_faults_.empty()) next = earlier(next, memory_faults_.front().at);
  if (!slowdown_changes_.empty()) next = earlier(next, slowdown_changes_.front().at);
  if (may_execute()) next = now();
  alarm_.arm(next);
}

// ---- faults ----

void GpuModule::inject(const std::vector<TimedGpuLoss>& losses) {
  losses_.insert(losses_.end(), losses.begin(), losses.end());
  std::ranges::stable_sort(losses_, {}, &TimedGpuLoss::at);
  rearm();
}

void GpuModule::inject_next(Picoseconds now) {
  const TimedGpuLoss next = losses_.front();
  losses_.pop_front();
  if (powered_)
    ports_[next.fault.gpu]->lose(now);
  else
    log(name()).warn("GPU {} has no power: its loss is ignored", next.fault.gpu);
}

void GpuModule::inject(const std::vector<Timed<GpuMemoryFault>>& faults) {
  memory_faults_.insert(memory_faults_.end(), faults.begin(), faults.end());
  std::ranges::stable_sort(memory_faults_, {}, &Timed<GpuMemoryFault>::at);
  rearm();
}

// Cells break without power, too, but have no contents that could be wrong.
void GpuModule::inject_next_memory_fault(Picoseconds now) {
  const Timed<GpuMemoryFault> next = memory_faults_.front();
  memory_faults_.pop_front();
  if (powered_ || next.fault.stuck)
    ports_[next.fault.gpu]->inject(now, next.fault);
  else
    log(name()).warn("GPU {} has no power: the transient fault of its memory is ignored", next.fault.gpu);
}

void GpuModule::inject(const std::vector<Timed<GpuSlowdown>>& slowdowns) {
  for (const auto& [at, slow] : slowdowns) {
    slowdown_changes_.push_back({at, {slow, true}});
    slowdown_changes_.push_back({at + slow.lasts, {slow, false}});
  }
  std::ranges::stable_sort(slowdown_changes_, {}, &Timed<SlowdownChange>::at);
  rearm();
}

// Of slowdowns of a GPU at the same time the slowest counts. Where one ends as another begins, the clock does
// not change in between.
void GpuModule::change_clocks(Picoseconds now) {
  const auto clock_of = [this](std::uint32_t gpu) {
    return slowed_[gpu].empty() ? 100u : *slowed_[gpu].begin();
  };
  std::map<std::uint32_t, std::uint32_t> before;  // the clocks of those that change
  for (; !slowdown_changes_.empty() && slowdown_changes_.front().at <= now; slowdown_changes_.pop_front()) {
    const auto& [slow, begins] = slowdown_changes_.front().fault;
    before.try_emplace(slow.gpu, clock_of(slow.gpu));
    if (begins)
      slowed_[slow.gpu].insert(slow.clock_percent);
    else
      slowed_[slow.gpu].extract(slow.clock_percent);
  }
  for (const auto& [gpu, percent] : before)
    if (clock_of(gpu) != percent) ports_[gpu]->set_clock(now, clock_of(gpu));
}

// ---- the rest ----

void GpuModule::reset(Reset kind) {
  powered_ = kind != Reset::power_loss;
  given_.clear();
  memory.reset(kind);
  link_.reset(kind);
  for (const auto& port : ports_) port->reset(kind);
  registers.reset();
  rearm();
  update_interrupt();
}

void GpuModule::report(Statistics& statistics) const {
  for (std::size_t gpu = 0; gpu < ports_.size(); ++gpu)
    ports_[gpu]->report(statistics.group(std::to_string(gpu)));
}

std::string GpuModule::memory_summary() const {
  Gpu::MemoryErrors all;
  for (const auto& port : ports_) {
    const Gpu::MemoryErrors one = port->gpu().memory_errors();
    all.faults += one.faults;
    all.corrected += one.corrected;
    all.uncorrectable += one.uncorrectable;
    all.silent += one.silent;
    all.zones_retired += one.zones_retired;
  }
  if (all.faults == 0) return "";
  return fmt::format("{} fault{}, {} error{} corrected, {} uncorrectable, {} silent, {} zone{} retired",
                     all.faults, all.faults == 1 ? "" : "s", all.corrected, all.corrected == 1 ? "" : "s",
                     all.uncorrectable, all.silent, all.zones_retired, all.zones_retired == 1 ? "" : "s");
}

}  // namespace asterism
