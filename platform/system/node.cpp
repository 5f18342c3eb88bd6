#include "platform/system/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "base/affinity.h"
#include "core/a64/speculative_cores.h"
#include "core/iss_factory.h"
#include "fabric/crossbar.h"
#include "fabric/fabric_module.h"
#include "platform/config/diagnostics.h"
#include "platform/firmware/device_tree_blob.h"
#include "platform/firmware/firmware_rules.h"
#include "platform/node/fabric_preparation.h"
#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

using Faults = std::vector<FaultConfig>;

std::vector<PowerLoss> power_losses(const Faults& faults) {
  std::vector<PowerLoss> losses;
  for (const FaultConfig& fault : faults)
    if (fault.kind == FaultKind::power_loss) losses.push_back({fault.at, fault.restore_after});
  return losses;
}

std::vector<TimedGpuLoss> gpu_losses(const Faults& faults) {
  std::vector<TimedGpuLoss> losses;
  for (const FaultConfig& fault : faults)
    if (const auto gpu = fault.gpu_loss()) losses.push_back({fault.at, *gpu});
  return losses;
}

// The faults of one kind, with their times. `of` returns nullopt for a fault of another kind.
template <class Timed, class Fault>
std::vector<Timed> timed(const Faults& faults, std::optional<Fault> (FaultConfig::*of)() const) {
  std::vector<Timed> of_kind;
  for (const FaultConfig& fault : faults)
    if (const auto one = (fault.*of)()) of_kind.push_back({fault.at, *one});
  return of_kind;
}

std::string command_line(const Scenario& scenario) {
  std::string line = std::filesystem::path(scenario.firmware_file).stem().string();
  if (!scenario.config.args.empty()) line += " " + scenario.config.args;
  return line;
}

std::unique_ptr<Interconnect> make_interconnect(const Scenario& scenario) {
  const FabricConfig& config = scenario.config.node.fabric;
  if (!scenario.fabric.topology) return std::make_unique<Crossbar>("fabric", config);
  return std::make_unique<Fabric>("fabric", config, scenario.fabric.topology, scenario.fabric.placement);
}

// The geometry that the cores report in their ID registers; empty without data caches.
std::array<a64::CacheGeometry, 2> data_caches(const TagCacheConfig& config) {
  if (config.model == CacheModel::none) return {};
  const auto geometry = [](Bytes size, std::uint32_t ways) {
    return a64::CacheGeometry{static_cast<std::uint32_t>(size / TagCache::line / ways), ways};
  };
  return {geometry(config.l1, config.l1_ways), geometry(config.l2, config.l2_ways)};
}

// What SYS_HEAPINFO reports: the memory between the end of the firmware and the end of DRAM.
SemihostingMachine semihosting_machine(const Scenario& scenario) {
  const AddressRange dram = scenario.map.range("dram");
  constexpr Bytes device_tree = 1_MiB;  // at the base of DRAM; the heap follows it if no firmware is loaded
  Address end = scenario.firmware.segments().empty() ? dram.first + device_tree : dram.first;
  for (const ElfImage::Segment& segment : scenario.firmware.segments())
    end = std::max(end, segment.address + segment.size);
  const Address heap((end.value() + 15) / 16 * 16), limit = dram.first + dram.size;
  return {scenario.config.node.rtc.device.start_seconds(), heap, limit, limit, heap};
}

// One port each for the fabric and the DIMM-SSD, then one for each optional device that the node has.
unsigned memory_ports(const NodeConfig& config) {
  return 2u + (config.gpu.count > 0) + (config.pcram.kind != PcramKind::none) + config.nic.present;
}

// A core's memory for semihosting.
class CoreMemory final : public GuestMemory {
 public:
  explicit CoreMemory(CoreModule& core) : core_(core) {}
  bool read(Address first, std::span<std::byte> data) override { return core_.read_memory(first, data); }
  bool write(Address first, std::span<const std::byte> data) override {
    return core_.write_memory_when_allowed(first, data);
  }

 private:
  CoreModule& core_;
};

}  // namespace

Node::Node(const sc_core::sc_module_name& name, const Scenario& scenario, const std::filesystem::path& files,
           const RtlOptions& rtl, EventLog& events, TransactionTaps* taps, HostThreads* threads)
    : sc_module(name),
      scenario_(scenario),
      config_(scenario.config.node),
      taps_(taps),
      speculative_cores_(threads ? std::make_shared<a64::SpeculativeCores>(*threads) : nullptr),
      checks_(config_.checks),
      cores_(config_.cores, config_.quantum, *this,
             make_iss_of_cores({.features = CoreFeatures{config_.cores.features},
                                .gic = config_.cores.gic == InterruptControllerKind::gicv3,
                                .data_caches = data_caches(config_.cores.caches),
                                .rules = firmware_rules(config_.checks, scenario.firmware, scenario.stacks)},
                               speculative_cores_)),
      memory_("memory",
              {.config = config_.memory,
               .part = scenario.dram,
               .base = scenario.map.range("dram").first,
               .seed = scenario.config.seed,
               .faults = timed<TimedMemoryFault>(scenario.config.faults, &FaultConfig::memory_fault)},
              memory_ports(config_), events),
      fabric_(make_interconnect(scenario)),
      gic_("gic", config_.cores),
      uart0_("uart0", config_.uart0),
      power_("power", power_losses(scenario.config.faults), *this, events),
      dimm_ssd_("dimm_ssd", config_.dimm_ssd, scenario.flash, scenario.map.range("dram"), events),
      semihosting_({files, command_line(scenario)}, semihosting_machine(scenario)) {
  if (speculative_cores_)
    memory_.before_access = [this, base = scenario.map.range("dram").first](AddressRange offsets,
                                                                            bool is_store) {
      speculative_cores_->before_external_access({base + Bytes(offsets.first.value()), offsets.size},
                                                 is_store);
    };
  if (config_.cores.start == CoreStart::spin_table)
    spin_table_.emplace(scenario.map.range("dram"), config_.cores.count);
  if (config_.gpu.count > 0) gpus_.emplace("gpu", config_.gpu, scenario.map.range("dram"), events);
  if (config_.pcram.kind != PcramKind::none)
    pcram_.emplace("pcram", config_.pcram, scenario.pcram, scenario.map.range("dram"), events);
  if (config_.nic.present) {
    isolated_network_.emplace();
    nic_.emplace("nic", scenario.map.range("dram"));
    nic_->attach({.clock = isolated_network_->clock, .network = isolated_network_->network});
  }
  if (config_.nor_flash.present) {
    flash_.emplace_back("flash0", config_.nor_flash, scenario.map.range("flash0").size, scenario.rom);
    flash_.emplace_back("flash1", config_.nor_flash, scenario.map.range("flash1").size);
  }
  place_rtc(rtl);
  connect_cores(events);
  connect_targets();
  connect_interrupts();
  if (config_.fabric.arbiter.impl != Impl::model) attach_arbiters(rtl);
  if (config_.memory.codec.impl != Impl::model) attach_codec(rtl);
  if (config_.dimm_ssd.matt.swap.impl != Impl::model) attach_matt(rtl);
  if (scenario.rtl.monitor) attach_monitors(rtl);
  power_.inject = [this](const FaultRequest& request) { return inject(request); };
  uart0_.on_transmit = [this](std::uint8_t c) { on_uart0({reinterpret_cast<const char*>(&c), 1}); };
  semihosting_.console_output = [this](std::string_view text) { on_console(text); };
  semihosting_.console_error = [this](std::string_view text) { on_console(text); };
  semihosting_.warn = [this](const std::string& line) {
    log(std::string(this->name()) + ".semihosting").warn(line);
  };
  std::vector<AddressRange> reserved;
  if (spin_table_) reserved.push_back(spin_table_->range());
  device_tree_blob_ = flatten(device_tree(), reserved);
  if (gpus_) gpus_->inject(gpu_losses(scenario.config.faults));
  dimm_ssd_.inject(timed<TimedFlashFault>(scenario.config.faults, &FaultConfig::flash_fault));
  dimm_ssd_.power_up();
  start();
}

tlm::tlm_initiator_socket<>& Node::tapped(tlm::tlm_initiator_socket<>& initiator) {
  return taps_ ? taps_->tap(initiator, initiator.get_parent_object()->name()) : initiator;
}

void Node::connect_cores(EventLog& events) {
  cores_.on_core_lock_up = [&events](CoreModule& core) {
    events.record(now(), core.name(), "core_locked_up", {{"reason", core.lock_up_reason()}});
  };
  cores_.on_lock_up = [this] { on_lock_up(); };
  checks_.on_stop = [this](const std::string& text) { finish(End::How::check, 0, now(), text); };
  if (config_.cores.caches.model != CacheModel::none)
    caches_.emplace("caches", config_.cores.caches, cores_.count());
  for (unsigned i = 0; i < cores_.count(); ++i) {
    cores_[i].describe_code = [this](std::uint64_t pc) { return scenario_.symbols.describe(pc); };
    cores_[i].explain_missing_target = [this](Address at) { return scenario_.map.explain_missing(at); };
    if (caches_) {
      tapped(cores_[i].bus).bind(caches_->port(i).core);
      fabric_->add_master(caches_->port(i).memory);
      cores_[i].filter_access = [this, i](const MonitoredAccess& access, Picoseconds at) {
        return caches_->filter_access(i, access, at);
      };
      cores_[i].maintain = [this, i](const CacheMaintenance& what, InitiatorExtension& who,
                                     sc_core::sc_time& delay) {
        return caches_->maintain(i, what, who, delay);
      };
      cores_[i].cache_counts = [this, i] { return caches_->counts(i); };
    } else {
      fabric_->add_master(tapped(cores_[i].bus));
    }
    gic_.connect(cores_[i]);
    cores_[i].report_to(checks_);
  }
  cores_.connect(memory_.writes());
  if (caches_) caches_->connect(memory_.writes());
  dimm_ssd_.connect(memory_.writes());
}

// The DIMM-SSD has the first port behind that of the fabric.
void Node::connect_dma(DmaInitiator& device) {
  device.identify(InitiatorExtension::first_device_master + dma_devices_);
  tapped(device).bind(memory_.ports[1 + dma_devices_++]);
}

void Node::connect_targets() {
  const AddressMap& map = scenario_.map;
  const auto target = [&](tlm::tlm_target_socket<>& socket, const char* name) {
    fabric_->add_target(socket, map.range(name), name);
  };
  gic_.for_each_target(target);
  target(uart0_.target, "uart0");
  target(rtc_rtl_ ? rtc_rtl_->target() : rtc_->target, "rtc");
  for (NorFlashModule& bank : flash_) target(bank.target, bank.basename());
  target(power_.target, "power");
  target(dimm_ssd_.target, "dimm_ssd");
  target(memory_.target, "memory_controller");
  if (const auto names = memory_nodes(config_.memory); names.empty())
    target(memory_.ports[0], "dram");
  else
    fabric_->add_divided_target(
        memory_.ports[0], map.range("dram"), "dram",
        {names, Bytes(block_bytes), [this](Bytes offset) { return memory_.controller_at(offset); }});
  connect_dma(dimm_ssd_.memory);
  if (gpus_) connect_dma(gpus_->memory);
  if (pcram_) {
    target(pcram_->target, "pcram");
    connect_dma(pcram_->memory);
  }
  if (nic_) {
    target(nic_->target, "nic");
    connect_dma(nic_->memory);
  }
  if (gpus_) target(gpus_->target, "gpu");
}

void Node::connect_interrupts() {
  const AddressMap& map = scenario_.map;
  uart0_.interrupt.bind(gic_.spi[map.interrupt("uart0")]);
  if (rtc_) rtc_->interrupt.bind(gic_.spi[map.interrupt("rtc")]);
  if (rtc_rtl_) rtc_rtl_->interrupt(gic_.spi[map.interrupt("rtc")]);
  memory_.interrupt.bind(gic_.spi[map.interrupt("memory_controller")]);
  dimm_ssd_.interrupt.bind(gic_.spi[map.interrupt("dimm_ssd")]);
  if (gpus_) gpus_->interrupt.bind(gic_.spi[map.interrupt("gpu")]);
  if (pcram_) pcram_->interrupt.bind(gic_.spi[map.interrupt("pcram")]);
  if (nic_) nic_->interrupt.bind(gic_.spi[map.interrupt("nic")]);
}

void Node::attach_arbiters(const RtlOptions& rtl) {
  arbiters_.emplace(std::string(fabric_->name()) + ".arbiter", config_.fabric.arbiter, fabric_->switches(),
                    scenario_.rtl.arbiters, rtl,
                    [this](std::size_t index, ArbitrationHook* hook) { fabric_->attach_hook(index, hook); });
  arbiters_->on_mismatch = [this](const Lockstep::Mismatch& mismatch) { take_mismatch(mismatch); };
}

void Node::place_rtc(const RtlOptions& rtl) {
  const DeviceSwapConfig& swap = config_.rtc.swap;
  if (swap.impl != Impl::rtl) rtc_.emplace("rtc", config_.rtc.device);
  if (swap.impl == Impl::model) return;
  try {
    std::optional<DeviceSwap::Model> model;
    if (rtc_) model.emplace(DeviceSwap::Model{rtc_->registers, rtc_->target});
    rtc_rtl_.emplace("rtc", swap, *scenario_.rtl.rtc, scenario_.map.range("rtc").size, config_.quantum, rtl,
                     model);
  } catch (const RtlError& error) {
    throw ConfigError(
        Diagnostic{.origin = scenario_.rtl.rtc_origin, .path = "node.rtc.variant", .problem = error.what()});
  }
  rtc_rtl_->on_mismatch = [this](const Lockstep::Mismatch& mismatch) { take_mismatch(mismatch); };
}

void Node::attach_codec(const RtlOptions& rtl) {
  const CodecConfig& config = config_.memory.codec;
  try {
    codec_.emplace(RtlLibrary::open(scenario_.rtl.codec->file),
                   RtlCodec::Settings{.instance = std::string(memory_.name()) + ".codec",
                                      .impl = config.impl,
                                      .profile = config_.memory.ecc.profile,
                                      .clock = config.clock,
                                      .on_mismatch = config.on_mismatch,
                                      .trace = config.trace},
                   rtl);
  } catch (const RtlError& error) {
    throw ConfigError(Diagnostic{
        .origin = scenario_.rtl.codec_origin, .path = "node.memory.codec.variant", .problem = error.what()});
  }
  codec_->on_mismatch = [this](const Lockstep::Mismatch& mismatch) { take_mismatch(mismatch); };
  memory_.attach_hook(&*codec_);
}

void Node::attach_matt(const RtlOptions& rtl) {
  const MattBlockConfig& config = config_.dimm_ssd.matt;
  try {
    matt_.emplace(RtlLibrary::open(scenario_.rtl.matt->file),
                  RtlMatt::Settings{.instance = std::string(dimm_ssd_.name()) + ".matt",
                                    .impl = config.swap.impl,
                                    .config = config.table,
                                    .pages = dimm_ssd_.engine().checkpointer().matt().pages(),
                                    .clock = config.swap.clock,
                                    .on_mismatch = config.swap.on_mismatch,
                                    .trace = config.swap.trace,
                                    .now = [] { return now(); }},
                  rtl);
  } catch (const RtlError& error) {
    throw ConfigError(Diagnostic{
        .origin = scenario_.rtl.matt_origin, .path = "node.dimm_ssd.matt.variant", .problem = error.what()});
  }
  matt_->on_mismatch = [this](const Lockstep::Mismatch& mismatch) { take_mismatch(mismatch); };
  dimm_ssd_.attach_hook(&*matt_);
}

void Node::attach_monitors(const RtlOptions& rtl) {
  try {
    monitors_.emplace(config_.gpu, *gpus_, RtlLibrary::open(scenario_.rtl.monitor->file), rtl);
  } catch (const RtlError& error) {
    throw ConfigError(Diagnostic{.origin = scenario_.rtl.monitor_origin,
                                 .path = "node.gpu.monitor_rtl.variant",
                                 .problem = error.what()});
  }
  monitors_->on_mismatch = [this](const Lockstep::Mismatch& mismatch) { take_mismatch(mismatch); };
}

void Node::take_mismatch(const Lockstep::Mismatch& mismatch) {
  first_mismatches_.push_back(mismatch);
  if (mismatch.stops) finish(End::How::mismatch, 0, mismatch.at);
}

DeviceTreeNode Node::device_tree() const {
  const AddressMap& map = scenario_.map;
  const auto at = [&](const char* name) { return map.range(name); };
  DeviceTreeNode root{""};
  root.set("#address-cells", {2}).set("#size-cells", {2}).set("compatible", {"linux,dummy-virt"});
  root.set("model", {"asterism"}).set("interrupt-parent", {dt::interrupt_controller});

  DeviceTreeNode chosen{"chosen"};
  const std::string console = "/" + dt::node_name("pl011", at("uart0"));
  chosen.set("stdout-path", {console.c_str()});
  DeviceTreeNode::Cells auxiliary;
  for (std::uint32_t core = config_.cores.count - config_.cores.auxiliary; core < config_.cores.count; ++core)
    auxiliary.push_back(affinity_of(core));
  if (!auxiliary.empty()) chosen.set("asterism,auxiliary-cores", auxiliary);
  DeviceTreeNode psci{"psci"};
  psci.set("compatible", {"arm,psci-1.0", "arm,psci-0.2", "arm,psci"}).set("method", {"hvc"});
  DeviceTreeNode cpus{"cpus"};
  cpus.set("#address-cells", {1}).set("#size-cells", DeviceTreeNode::Cells{0});
  for (std::uint32_t core = 0; core < config_.cores.count; ++core) {
    DeviceTreeNode cpu{fmt::format("cpu@{:x}", affinity_of(core))};
    cpu.set("device_type", {"cpu"})
        .set("compatible", {"arm,cortex-a57"})
        .set("reg", DeviceTreeNode::Cells{affinity_of(core)});
    cpu.set("enable-method", {spin_table_ ? "spin-table" : "psci"});
    if (spin_table_) {
      const std::uint64_t release = spin_table_->release_address(core).value();
      cpu.set("cpu-release-addr",
              {static_cast<std::uint32_t>(release >> 32), static_cast<std::uint32_t>(release)});
    }
    cpus.children.push_back(std::move(cpu));
  }
  DeviceTreeNode memory{dt::node_name("memory", at("dram"))};
  memory.set("device_type", {"memory"}).set("reg", dt::reg(at("dram")));
  DeviceTreeNode timer{"timer"};  // PPIs 13, 14, 11, 10: secure, physical, virtual, hypervisor
  timer.set("compatible", {"arm,armv8-timer", "arm,armv7-timer"}).set("always-on");
  timer.set("interrupts",
            {1, 13, dt::level_high, 1, 14, dt::level_high, 1, 11, dt::level_high, 1, 10, dt::level_high});
  DeviceTreeNode performance_monitors{"pmu"};
  performance_monitors.set("compatible", {"arm,armv8-pmuv3"}).set("interrupts", {1, 7, dt::level_high});
  DeviceTreeNode clock{"apb-pclk"};
  clock.set("compatible", {"fixed-clock"})
      .set("#clock-cells", DeviceTreeNode::Cells{0})
      .set("clock-frequency", {dt::apb_clock_hertz});
  clock.set("clock-output-names", {"clk24mhz"}).set("phandle", {dt::apb_clock});

  root.children = {chosen,
                   psci,
                   cpus,
                   memory,
                   timer,
                   performance_monitors,
                   clock,
                   gic_.device_tree(map),
                   Pl011::device_tree(at("uart0"), map.interrupt("uart0")),
                   Pl031::device_tree(at("rtc"), map.interrupt("rtc")),
                   PowerController::device_tree(at("power")),
                   MemoryController::device_tree(at("memory_controller"), map.interrupt("memory_controller")),
                   DimmSsdModule::device_tree(at("dimm_ssd"), map.interrupt("dimm_ssd"))};
  if (!flash_.empty()) root.children.push_back(NorFlashModule::device_tree(at("flash0"), at("flash1")));
  if (gpus_) root.children.push_back(GpuModule::device_tree(at("gpu"), map.interrupt("gpu")));
  if (pcram_) root.children.push_back(PcramModule::device_tree(at("pcram"), map.interrupt("pcram")));
  if (nic_) root.children.push_back(NicModule::device_tree(at("nic"), map.interrupt("nic")));
  return root;
}

// Does the work of a boot ROM. DRAM holds random values before, so the zeros of the firmware's segments are
// written, too.
void Node::load_memory() {
  const Address base = scenario_.map.range("dram").first;
  memory_.load(Bytes(0), device_tree_blob_);
  if (spin_table_) memory_.load(spin_table_->entry() - base, spin_table_->contents());
  for (const ElfImage::Segment& segment : scenario_.firmware.segments()) {
    memory_.load(segment.address - base, segment.contents);
    const std::vector<std::byte> zeros(segment.size.count() - segment.contents.size());
    memory_.load(segment.address - base + Bytes(segment.contents.size()), zeros);
  }
}

void Node::quiesce() {
  if (speculative_cores_) speculative_cores_->roll_back_all();
}

void Node::report_host(Statistics& statistics) const {
  if (speculative_cores_) speculative_cores_->report(statistics);
}

void Node::inject(const std::vector<FaultConfig>& faults) {
  for (const PowerLoss& loss : power_losses(faults)) power_.add(loss);
  for (const auto& fault : timed<TimedMemoryFault>(faults, &FaultConfig::memory_fault)) memory_.inject(fault);
  if (gpus_) gpus_->inject(gpu_losses(faults));
  dimm_ssd_.inject(timed<TimedFlashFault>(faults, &FaultConfig::flash_fault));
}

FaultOutcome Node::inject(const FaultRequest& request) {
  const AddressRange dram = scenario_.map.range("dram");
  if (!dram.contains(request.address)) return FaultOutcome::no_memory;
  if (!scenario_.dram.suits_symbol_codes())
    return FaultOutcome::no_such_place;  // faults are modelled for x4 chips only
  try {
    memory_.inject({.kind = static_cast<MemoryFaultKind>(request.kind),
                    .persistence = request.stuck ? Persistence::stuck : Persistence::transient,
                    .at = memory_.locate(request.address - dram.first),
                    .chip = request.chip,
                    .bit = request.bit});
    return FaultOutcome::none;
  } catch (const std::invalid_argument&) {
    return FaultOutcome::no_such_place;
  }
}

void Node::start() {
  load_memory();
  cores_.invalidate_code(scenario_.map.range("dram"));
  cores_.start(scenario_.rom.empty() ? scenario_.firmware.entry() : scenario_.map.range("flash0").first, 0);
  if (spin_table_)
    for (unsigned core = 1; core < cores_.count(); ++core) cores_[core].start(spin_table_->entry(), 0);
}

void Node::reset(Reset kind) {
  cores_.reset(kind);
  if (pcram_) pcram_->reset(kind);  // before the memory: what it reads at this instant is still there
  if (nic_) nic_->reset(kind);
  if (caches_) caches_->reset(kind);
  fabric_->reset(kind);
  memory_.reset(kind);
  gic_.reset(kind);
  uart0_.reset(kind);
  for (NorFlashModule& bank : flash_) bank.reset(kind);
  if (rtc_) rtc_->reset(kind);
  if (rtc_rtl_) rtc_rtl_->reset(kind);
  power_.reset(kind);
  dimm_ssd_.reset(kind);
  if (gpus_) gpus_->reset(kind);
  semihosting_.reset(kind);
}

void Node::power_lost() { reset(Reset::power_loss); }

void Node::lose() {
  if (std::exchange(lost_, true) || end_) return;
  reset(Reset::power_loss);
}

void Node::power_restored() {
  if (lost_) return;
  memory_.power_up();
  dimm_ssd_.power_up();
  if (gpus_) gpus_->power_up();
  if (nic_) nic_->power_up();
  start();
}

void Node::warm_reset() {
  if (lost_) return;
  reset(Reset::warm);
  dimm_ssd_.power_up();
  start();
}

void Node::power_off() { finish(End::How::switched_off, 0, now()); }

void Node::finish(End::How how, std::uint64_t status, Picoseconds at, const std::string& why) {
  if (lost_) return;
  if (!end_ && rtc_rtl_ && how != End::How::mismatch)
    rtc_rtl_->finish();  // may find a mismatch, which then ends the run
  if (!end_ && codec_ && how != End::How::mismatch) codec_->finish(at);
  if (!end_ && matt_ && how != End::How::mismatch) matt_->finish(at);
  if (!end_ && monitors_ && how != End::How::mismatch) monitors_->finish(at);
  if (end_) return;
  if (status != 0 || how == End::How::mismatch || how == End::How::check) reports_at_end_ = core_reports();
  end_ = End{how, status, at, why};
  cores_.reset(Reset::power_loss);  // no further instruction is executed
  on_end();
}

std::uint64_t Node::semihosting(CoreModule& core, std::uint32_t operation, std::uint64_t parameter) {
  CoreMemory memory(core);
  const SemihostingResult result = semihosting_.call(operation, parameter, now(), memory);
  if (result.exit) finish(End::How::exited, result.exit->status, now());
  return result.value;
}

bool Node::waits_for_the_host() const { return uart0_.waits_for_the_host(); }

std::vector<CoreReport> Node::core_reports() {
  if (!reports_at_end_.empty()) return reports_at_end_;
  std::vector<CoreReport> reports;
  for (unsigned i = 0; i < cores_.count(); ++i)
    reports.push_back(report_core(cores_[i], scenario_.symbols, scenario_.map.range("dram")));
  return reports;
}

std::optional<std::string> Node::script_waits_for() const {
  const UartScriptLine* const line = uart0_.script_waits_for();
  return line ? std::optional(line->after) : std::nullopt;
}

std::string Node::cpu_engine() const { return std::string(to_text(config_.cores.engine)); }

std::vector<std::string> Node::rtl_instances() const {
  std::vector<std::string> all = arbiters_ ? arbiters_->instances() : std::vector<std::string>();
  if (rtc_rtl_) all.push_back(rtc_rtl_->instance());
  if (codec_) all.push_back(codec_->instance());
  if (matt_) all.push_back(matt_->instance());
  if (monitors_) std::ranges::copy(monitors_->instances(), std::back_inserter(all));
  return all;
}

std::vector<std::string> Node::rtl_summary() const {
  std::vector<std::string> lines = arbiters_ ? arbiters_->summary() : std::vector<std::string>();
  if (rtc_rtl_) std::ranges::copy(rtc_rtl_->summary(), std::back_inserter(lines));
  if (codec_) std::ranges::copy(codec_->summary(), std::back_inserter(lines));
  if (matt_) std::ranges::copy(matt_->summary(), std::back_inserter(lines));
  if (monitors_) std::ranges::copy(monitors_->summary(), std::back_inserter(lines));
  return lines;
}

std::uint64_t Node::mismatches() const {
  return (arbiters_ ? arbiters_->mismatches() : 0) + (rtc_rtl_ ? rtc_rtl_->mismatches() : 0) +
         (codec_ ? codec_->mismatches() : 0) + (matt_ ? matt_->mismatches() : 0) +
         (monitors_ ? monitors_->mismatches() : 0);
}

std::vector<BlockCoverage> Node::coverage() const {
  std::vector<BlockCoverage> all = arbiters_ ? arbiters_->coverage() : std::vector<BlockCoverage>();
  const auto add = [&all](std::optional<BlockCoverage> one) {
    if (one) all.push_back(std::move(*one));
  };
  if (rtc_rtl_) add(rtc_rtl_->coverage());
  if (codec_) add(codec_->block_coverage("codec"));
  if (matt_) add(matt_->block_coverage("matt"));
  if (monitors_) add(monitors_->block_coverage());
  return all;
}

std::vector<DebuggedCore> Node::cores_to_debug() {
  std::vector<DebuggedCore> all;
  for (unsigned i = 0; i < cores_.count(); ++i)
    all.push_back({fmt::format("core{}", i), &cores_[i], [this] {
                     if (!power_.on()) return false;
                     power_.request(PowerOperation::warm_reset);
                     return true;
                   }});
  return all;
}

void Node::report(Statistics& statistics) const {
  cores_.report(statistics);
  checks_.report(statistics.group("checks"));
  if (caches_) caches_->report(statistics.group("caches"));
  Statistics& fabric = statistics.group("fabric");
  fabric_->report(fabric);
  if (arbiters_) arbiters_->report(fabric.group("arbiter"));
  Statistics& memory = statistics.group("memory");
  memory_.report(memory);
  if (codec_) codec_->report(memory.group("codec"));
  gic_.report(statistics.group("gic"));
  uart0_.report(statistics.group("uart0"));
  if (rtc_rtl_) rtc_rtl_->report(statistics.group("rtc"));
  for (const NorFlashModule& bank : flash_) bank.report(statistics.group(bank.basename()));
  power_.report(statistics.group("power"));
  Statistics& dimm_ssd = statistics.group("dimm_ssd");
  dimm_ssd_.report(dimm_ssd);
  if (matt_) matt_->report(dimm_ssd.group("matt_rtl"));
  if (gpus_) {
    Statistics& gpu = statistics.group("gpu");
    gpus_->report(gpu);
    if (monitors_) monitors_->report(gpu.group("monitor_rtl"));
  }
  if (pcram_) pcram_->report(statistics.group("pcram"));
  if (nic_) nic_->report(statistics.group("nic"));
  semihosting_.report(statistics.group("semihosting"));
}

}  // namespace asterism
