#include "platform/system/built_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "core/a64/speculative_cores.h"
#include "core/iss_factory.h"
#include "fabric/crossbar.h"
#include "fabric/fabric_module.h"
#include "platform/config/diagnostics.h"
#include "platform/firmware/device_tree_blob.h"
#include "platform/firmware/firmware_rules.h"
#include "platform/firmware/memory_names.h"
#include "platform/instruments/instruction_trace.h"
#include "platform/node/fabric_preparation.h"
#include "platform/scenario/device_faults.h"
#include "platform/system/node_device_tree.h"
#include "tlm/log.h"
#include "tlm/memory_errors.h"
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

std::string command_line(const BuiltNodeContext& context) {
  std::string line = std::filesystem::path(context.firmware.file).stem().string();
  if (!context.arguments.empty() && !context.firmware.linux_image) line += " " + context.arguments;
  return line;
}

std::unique_ptr<Interconnect> make_interconnect(const PreparedNode& node) {
  const FabricConfig& config = node.config.fabric;
  if (!node.fabric.topology) return std::make_unique<Crossbar>("fabric", config);
  const PreparedFabric& fabric = node.fabric;
  return std::make_unique<Fabric>("fabric", config, fabric.topology, fabric.placement, fabric.curves,
                                  node.config.quantum);
}

// The geometry that the cores report in their ID registers; empty without data caches.
auto data_caches(const CachesConfig& config) {
  decltype(a64::Options::data_caches) caches{};
  if (config.model == CacheModel::none) return caches;
  std::size_t level = 0;
  const auto add = [&](const auto& c) {
    caches[level++] = {static_cast<std::uint32_t>(c.size / cache_line / c.ways), c.ways};
  };
  add(config.l1d);
  if (config.l2) add(*config.l2);
  if (config.llc) add(*config.llc);
  return caches;
}

// With data caches, a load takes the time of the L1.
std::shared_ptr<const CoreTiming> core_timing(const PreparedNode& node) {
  if (!node.core_timing) return nullptr;
  CoreTiming timing = *node.core_timing;
  const CoreConfig& cores = node.config.cores;
  if (cores.caches.model != CacheModel::none)
    timing.load.latency = static_cast<double>(cores.caches.l1d.latency.count()) *
                          static_cast<double>(cores.clock.count()) / 1e12;
  return std::make_shared<const CoreTiming>(timing);
}

bool has_system_registers(const DeviceList& devices) {
  const PlacedDevice* const controller = devices.interrupt_controller();
  return controller && controller->shape.interrupt_controller->has_system_registers;
}

// Of a core for its decoded blocks: an operating system needs about 16 MiB. Those of 552 cores together stay
// below 1 GiB.
std::size_t bytes_for_blocks(unsigned cores) {
  return std::clamp<std::size_t>((std::size_t{1} << 30) / cores, 3 << 19, std::size_t{32} << 20);
}

// The code of a block takes as long to make as some hundred executions of the block. An operating system
// needs about 8 MiB; 552 cores together stay below 300 MiB.
a64::Translation translation_for(const CoreConfig& cores) {
  constexpr std::uint32_t often = 200, to_be_checked = 2;
  return {.after = cores.translator == CoreTranslator::off  ? 0
                   : cores.translator == CoreTranslator::on ? often
                                                            : to_be_checked,
          .code_bytes = std::clamp<std::size_t>((std::size_t{1} << 28) / cores.count, std::size_t{1} << 19,
                                                std::size_t{16} << 20),
          .is_checked = cores.translator == CoreTranslator::lockstep};
}

// What SYS_TIME and SYS_HEAPINFO report: the time of the first clock, and the memory between the end of the
// firmware and the end of DRAM.
SemihostingMachine semihosting_machine(const PreparedNode& node, const Firmware& firmware) {
  const AddressRange dram = node.devices.dram();
  constexpr Bytes device_tree = 1_MiB;  // at the base of DRAM; the heap follows it if no firmware is loaded
  Address end = firmware.segments().empty() ? dram.first + device_tree : dram.first;
  for (const Segment& segment : firmware.segments()) end = std::max(end, segment.address + segment.size);
  const Address heap((end.value() + 15) / 16 * 16), limit = dram.first + dram.size;
  const PlacedDevice* const clock =
      node.devices.first([](const DeviceShape& shape) { return shape.calendar.has_value(); });
  return {clock ? *clock->shape.calendar : 0, heap, limit, limit, heap};
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

// Gives each device its faults of one kind. `of` returns nullopt for a fault of another kind.
template <class Fault>
void inject_into(const BuiltDevices& built, const DeviceList& list, const Faults& faults,
                 std::optional<Fault> (FaultConfig::*of)() const) {
  for (const PlacedDevice* device : devices_with<Fault>(list)) {
    std::vector<Timed<Fault>> own;
    for (const FaultConfig& fault : faults) {
      const auto one = (fault.*of)();
      if (one && (fault.device.empty() || fault.device == device->instance()))
        own.push_back({fault.at, *one});
    }
    if (!own.empty()) built.find_as<FaultTarget<Fault>>(device->instance())->inject(own);
  }
}

}  // namespace

BuiltNode::BuiltNode(const sc_core::sc_module_name& name, const PreparedNode& node,
                     const BuiltNodeContext& context)
    : sc_module(name),
      node_(node),
      config_(node.config),
      context_(context),
      speculative_cores_(context.threads && config_.cores.translator != CoreTranslator::lockstep
                             ? std::make_shared<a64::SpeculativeCores>(*context.threads)
                             : nullptr),
      checks_(config_.checks),
      cores_(config_.cores, config_.quantum, *this,
             make_iss_of_cores(
                 {.features = CoreFeatures{config_.cores.features},
                  .gic = has_system_registers(node.devices),
                  .data_caches = data_caches(config_.cores.caches),
                  .rules = firmware_rules(config_.checks, context.firmware.elf, context.firmware.stacks),
                  .aborts_refused_loads = config_.cores.load_errors == LoadErrors::abort,
                  .block_bytes = bytes_for_blocks(config_.cores.count),
                  .translation = translation_for(config_.cores),
                  .timing = core_timing(node)},
                 speculative_cores_)),
      fabric_(make_interconnect(node)),
      supply_(std::string(this->name()) + ".power", power_losses(context.faults), *this, context.events),
      devices_(node.devices, node.rtl,
               {.node = this->name(),
                .quantum = config_.quantum,
                .seed = context.seed,
                .rtl_options = context_.rtl,
                .events = context.events}),
      core_interrupts_(devices_.interrupt_controller(), has_system_registers(node.devices)),
      networks_(devices_),
      semihosting_({context.files, command_line(context)}, semihosting_machine(node, context.firmware)) {
  if (!context.firmware.rom.empty() && !node.devices.rom())
    throw std::invalid_argument(context.firmware.file + " is the image of a ROM, and the node has none");
  if (config_.cores.start == CoreStart::spin_table)
    spin_table_.emplace(node.devices.dram(), config_.cores.count);
  connect_cores();
  connect_memories();
  devices_.connect(
      *fabric_, node.map, [this](auto& initiator) -> auto& { return tapped(initiator); },
      memory_nodes(config_.memory.controller));
  connect_roles();
  connect_rtl();
  std::vector<AddressRange> reserved;
  if (spin_table_) reserved.push_back(spin_table_->range());
  DeviceTreeContents contents{.spin_table = spin_table_ ? &*spin_table_ : nullptr,
                              .preferred = context.preferred_device};
  if (const auto& linux_image = context.firmware.linux_image)
    contents.chosen = chosen_for_linux(context.arguments, linux_image->initrd(), context.seed);
  try {
    device_tree_blob_ = flatten(node_device_tree(config_, node.devices, contents), reserved);
  } catch (const std::length_error& error) {
    throw ConfigError(Diagnostic::of_file("node", error.what()));
  }
  inject_into_devices(context.faults);
}

std::size_t BuiltNode::debug_access(tlm::tlm_command command, Address address, std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const Address at = address + Bytes(done);
    const auto& map = node_.map.entries();
    const auto entry =
        std::ranges::find_if(map, [at](const MapEntry& each) { return each.range.contains(at); });
    if (entry == map.end()) break;
    constexpr std::uint64_t longest = 1 << 30;
    const std::uint64_t left =
        std::min<std::uint64_t>(bytes.size() - done, (entry->range.last() - at).count() + 1);
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(at.value());
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(bytes.data() + done));
    payload.set_data_length(static_cast<unsigned>(std::min(left, longest)));
    payload.set_streaming_width(payload.get_data_length());
    const unsigned moved = cores_[0].bus->transport_dbg(payload);
    done += moved;
    if (moved != payload.get_data_length()) break;
  }
  return done;
}

bool BuiltNode::write_registers(Address address, std::span<const std::byte> bytes) {
  return cores_[0].write_registers(address, bytes);
}

void BuiltNode::power_on() {
  if (lost_) return;
  if (end_) return supply_.request(PowerOperation::fail_power, 1_ns);
  if (!std::exchange(is_on_, true) && supply_.on()) power_up();
}

void BuiltNode::forget_end() {
  end_.reset();
  reports_at_end_.clear();
}

void BuiltNode::power_up() {
  devices_.power_up();
  start();
}

tlm::tlm_initiator_socket<>& BuiltNode::tapped(tlm::tlm_initiator_socket<>& initiator) {
  return context_.taps ? context_.taps->tap(initiator, initiator.get_parent_object()->name()) : initiator;
}

void BuiltNode::connect_cores() {
  cores_.on_core_lock_up = [&events = context_.events](CoreModule& core) {
    events.record(now(), core.name(), "core_locked_up", {{"reason", core.lock_up_reason()}});
  };
  cores_.on_lock_up = [this] { on_lock_up(); };
  checks_.on_stop = [this](const std::string& text) { finish(End::How::check, 0, now(), text); };
  if (config_.cores.caches.model != CacheModel::none)
    caches_.emplace("caches", config_.cores.caches, cores_.count());
  for (unsigned i = 0; i < cores_.count(); ++i) {
    cores_[i].describe_code = [this, i](std::uint64_t pc) {
      return SymbolsOfCore(context_.firmware.symbols, cores_[i].iss().debug_port()).describe(pc);
    };
    cores_[i].explain_missing_target = [this](Address at) { return node_.map.explain_missing(at); };
    if (caches_) {
      cores_[i].bus.bind(caches_->port(i).core);
      fabric_->add_master(tapped(caches_->port(i).memory));
      caches_->serve(cores_[i]);
    } else {
      fabric_->add_master(tapped(cores_[i].bus));
    }
    cores_[i].on_translation_mismatch = [this, i](const TranslationMismatch& mismatch) {
      take_mismatch(cores_[i], mismatch);
    };
    core_interrupts_.connect(cores_[i]);
    cores_[i].report_to(checks_);
  }
}

void BuiltNode::connect_memories() {
  MemoryWrites& writes = devices_.main_memory().writes();
  cores_.connect(writes);
  if (caches_) caches_->connect(writes);
  if (!speculative_cores_) return;
  devices_.for_each<NodeMemory>([&](NodeMemory& memory, const PlacedDevice& placed) {
    memory.before_access = [this, base = placed.place.range().first](AddressRange offsets, bool is_store) {
      speculative_cores_->before_external_access({base + Bytes(offsets.first.value()), offsets.size},
                                                 is_store);
    };
  });
}

void BuiltNode::connect_roles() {
  devices_.for_each<PowerControl>(
      [this](PowerControl& control, const PlacedDevice&) { control.control(supply_); });
  devices_.for_each<SerialLine>([this](SerialLine& line, const PlacedDevice& placed) {
    line.on_transmit = [this, instance = placed.instance()](std::uint8_t c) {
      on_serial(instance, {reinterpret_cast<const char*>(&c), 1});
    };
  });
  if (!context_.firmware.rom.empty())
    devices_.find_as<Rom>(node_.devices.rom()->instance())->program(context_.firmware.rom);
  semihosting_.console_output = [this](std::string_view text) { on_console(text); };
  semihosting_.console_error = [this](std::string_view text) { on_console(text); };
  semihosting_.warn = [this](const std::string& line) {
    log(std::string(this->name()) + ".semihosting").warn(line);
  };
}

void BuiltNode::connect_rtl() {
  if (config_.fabric.arbiter.impl != Impl::model)
    rtl_.push_back(&arbiters_.emplace(
        std::string(fabric_->name()) + ".arbiter", config_.fabric.arbiter, fabric_->switches(),
        node_.rtl.arbiters, context_.rtl,
        [this](std::size_t index, ArbitrationHook* hook) { fabric_->attach_hook(index, hook); }));
  std::ranges::copy(devices_.rtl(), std::back_inserter(rtl_));
  for (RtlBlock* block : rtl_)
    block->on_mismatch = [this](const Lockstep::Mismatch& mismatch) { take_mismatch(mismatch); };
}

void BuiltNode::take_mismatch(const CoreModule& core, const TranslationMismatch& mismatch) {
  ++translation_mismatches_;
  LockstepMismatch found{.at = now(),
                         .instance = core.name(),
                         .what = "translated code",
                         .model_name = "interpreter",
                         .rtl_name = "translator"};
  found.asked = fmt::format("block {}, which ends after {} instructions",
                            core.describe_code(mismatch.pc.value()), mismatch.instructions);
  const auto add = [](std::string& all, const std::string& what, const std::string& value) {
    all += fmt::format("{}{} {}", all.empty() ? "" : ", ", what, value);
  };
  for (const TranslationMismatch::Difference& each : mismatch.differences) {
    add(found.model, each.what, each.interpreted);
    add(found.rtl, each.what, each.translated);
  }
  const Disassembler disassembler;
  std::uint64_t pc = mismatch.pc.value();
  for (const std::uint32_t word : mismatch.code) {
    found.code.push_back(fmt::format("{:#010x} {:08x} {}", pc, word, disassembler.text(pc, word)));
    pc += sizeof word;
  }
  take_mismatch(found);
}

void BuiltNode::take_mismatch(const Lockstep::Mismatch& mismatch) {
  first_mismatches_.push_back(mismatch);
  if (mismatch.stops) finish(End::How::mismatch, 0, mismatch.at);
}

// Does the work of a boot ROM. DRAM holds random values before, so the zeros of the firmware's segments are
// written, too.
void BuiltNode::load_memory() {
  NodeMemory& memory = devices_.main_memory();
  const Address base = node_.devices.dram().first;
  memory.load(Bytes(0), device_tree_blob_);
  if (spin_table_) memory.load(spin_table_->entry() - base, spin_table_->contents());
  for (const Segment& segment : context_.firmware.segments()) {
    memory.load(segment.address - base, segment.contents);
    const std::vector<std::byte> zeros(segment.size.count() - segment.contents.size());
    memory.load(segment.address - base + Bytes(segment.contents.size()), zeros);
  }
}

void BuiltNode::quiesce() {
  if (speculative_cores_) speculative_cores_->roll_back_all();
}

TranslationCounts BuiltNode::translation() const {
  TranslationCounts sum;
  for (unsigned i = 0; i < cores_.count(); ++i) sum += cores_[i].iss().translation();
  return sum;
}

std::optional<std::uint64_t> BuiltNode::compared_translations() const {
  if (config_.cores.translator != CoreTranslator::lockstep) return std::nullopt;
  return translation().compared;
}

void BuiltNode::report_host(Statistics& statistics) const {
  if (config_.cores.translator != CoreTranslator::off) {
    const TranslationCounts counts = translation();
    Statistics& translator = statistics.group("translator");
    translator.add("blocks", counts.blocks);
    translator.add("instructions", counts.instructions);
    translator.add("code_bytes", counts.code_bytes);
    translator.add("microseconds", counts.nanoseconds / 1000);
    if (config_.cores.translator == CoreTranslator::lockstep) translator.add("compared", counts.compared);
  }
  if (speculative_cores_) speculative_cores_->report(statistics);
}

void BuiltNode::inject(const std::vector<FaultConfig>& faults) {
  for (const PowerLoss& loss : power_losses(faults)) supply_.add(loss);
  inject_into_devices(faults);
}

void BuiltNode::inject_into_devices(const std::vector<FaultConfig>& faults) {
  inject_into(devices_, node_.devices, faults, &FaultConfig::memory_fault);
  inject_into(devices_, node_.devices, faults, &FaultConfig::flash_fault);
  inject_into(devices_, node_.devices, faults, &FaultConfig::gpu_loss);
  inject_into(devices_, node_.devices, faults, &FaultConfig::gpu_memory_fault);
  inject_into(devices_, node_.devices, faults, &FaultConfig::gpu_slowdown);
  inject_into(devices_, node_.devices, faults, &FaultConfig::cxl_fault);
  inject_into(devices_, node_.devices, faults, &FaultConfig::broken_flash);
}

void BuiltNode::start() {
  static std::once_flag is_said;  // it concerns all nodes
  if (translation().is_refused)
    std::call_once(is_said, [&] {
      log(std::string(this->name()))
          .warn("the host lets no process make code: node.cores.translator has no effect");
    });
  load_memory();
  const AddressRange dram = node_.devices.dram();
  cores_.invalidate_code(dram);
  const Firmware& firmware = context_.firmware;
  cores_.start(firmware.rom.empty() ? firmware.entry() : node_.rom_entry(),
               firmware.linux_image ? dram.first.value() : 0);
  if (spin_table_)
    for (unsigned core = 1; core < cores_.count(); ++core) cores_[core].start(spin_table_->entry(), 0);
}

void BuiltNode::reset(Reset kind) {
  cores_.reset(kind);
  devices_.reset(ResetPhase::masters, kind);
  if (caches_) caches_->reset(kind);
  fabric_->reset(kind);
  devices_.reset(ResetPhase::interconnect, kind);
  devices_.reset(ResetPhase::memory, kind);
  devices_.reset(ResetPhase::targets, kind);
  supply_.reset(kind);
  semihosting_.reset(kind);
}

void BuiltNode::power_lost() { reset(Reset::power_loss); }

void BuiltNode::lose() {
  if (std::exchange(lost_, true) || end_) return;
  reset(Reset::power_loss);
}

void BuiltNode::power_restored() {
  if (lost_ || !is_on_) return;
  power_up();
  on_power_restored();
}

void BuiltNode::warm_reset() {
  if (lost_ || !is_on_) return;
  reset(Reset::warm);
  power_up();
}

void BuiltNode::power_off() { finish(End::How::switched_off, 0, now()); }

// Completing a comparison may find a mismatch, which then ends the run.
void BuiltNode::finish(End::How how, std::uint64_t status, Picoseconds at, const std::string& why) {
  if (lost_) return;
  for (RtlBlock* block : rtl_)
    if (!end_ && how != End::How::mismatch) block->finish(at);
  if (end_) return;
  if (status != 0 || how == End::How::mismatch || how == End::How::check) reports_at_end_ = core_reports();
  end_ = End{how, status, at, why};
  cores_.reset(Reset::power_loss);  // no further instruction is executed
  on_end();
}

std::uint64_t BuiltNode::semihosting(CoreModule& core, std::uint32_t operation, std::uint64_t parameter) {
  CoreMemory memory(core);
  const SemihostingResult result = semihosting_.call(operation, parameter, now(), memory);
  if (result.exit) finish(End::How::exited, result.exit->status, now());
  return result.value;
}

std::uint64_t BuiltNode::recoveries() const {
  std::uint64_t sum = 0;
  devices_.for_each<PowerControl>(
      [&sum](PowerControl& control, const PlacedDevice&) { sum += control.recoveries(); });
  return sum;
}

bool BuiltNode::waits_for_the_host() const {
  bool waits = false;
  devices_.for_each<SerialLine>(
      [&waits](SerialLine& line, const PlacedDevice&) { waits = waits || line.waits_for_the_host(); });
  return waits;
}

std::vector<std::string> BuiltNode::serial_lines() const {
  std::vector<std::string> names;
  for (const PlacedDevice& device : node_.devices.all())
    if (device.shape.is_serial_line) {
      const bool is_typed_at = device.shape.host.input == HostUse::Input::terminal;
      names.insert(is_typed_at ? names.begin() : names.end(), device.instance());
    }
  return names;
}

void BuiltNode::connect_serial(const std::string& line, int descriptor) {
  devices_.find_as<SerialLine>(line)->receive_from(descriptor);
}

std::string BuiltNode::why_no_interrupt_reaches(unsigned core) const {
  const InterruptController* const controller = devices_.interrupt_controller();
  if (!controller) return "the node has no interrupt controller";
  const std::string why = controller->why_none_reaches(core);
  if (why.empty()) return "";
  const PlacedDevice& placed = *node_.devices.interrupt_controller();
  return fmt::format("{} ({}) forwards none to it: {}", placed.instance(), placed.type, why);
}

std::vector<CoreReport> BuiltNode::core_reports() {
  if (!reports_at_end_.empty()) return reports_at_end_;
  std::vector<CoreReport> reports;
  for (unsigned i = 0; i < cores_.count(); ++i)
    reports.push_back(
        report_core(cores_[i], context_.firmware.symbols, node_.devices.dram(), why_no_interrupt_reaches(i)));
  return reports;
}

std::optional<std::string> BuiltNode::script_waits_for() const {
  std::optional<std::string> text;
  devices_.for_each<SerialLine>([&text](SerialLine& line, const PlacedDevice& device) {
    if (const auto awaited = line.script_waits_for(); awaited && !text)
      text = fmt::format("{:?} at {}", *awaited, device.instance());
  });
  return text;
}

std::string BuiltNode::cpu_engine() const { return std::string(to_text(config_.cores.engine)); }

std::string BuiltNode::memory_summary() const {
  std::string all;
  devices_.for_each<NodeMemory>([&all](NodeMemory& memory, const PlacedDevice& placed) {
    const std::string one = memory.summary();
    if (one.empty()) return;
    const bool is_main = placed.instance() == main_memory;
    all += (all.empty() ? "" : "; ") + (is_main ? "" : placed.instance() + ": ") + one;
  });
  devices_.for_each<ReportsMemoryErrors>(
      [&all](const ReportsMemoryErrors& device, const PlacedDevice& placed) {
        if (const std::string one = device.memory_summary(); !one.empty())
          all += (all.empty() ? "" : "; ") + placed.instance() + ": " + one;
      });
  return all;
}

std::vector<std::string> BuiltNode::rtl_instances() const {
  std::vector<std::string> all;
  for (const RtlBlock* block : rtl_) std::ranges::copy(block->instances(), std::back_inserter(all));
  return all;
}

std::vector<std::string> BuiltNode::rtl_summary() const {
  std::vector<std::string> lines;
  for (const RtlBlock* block : rtl_) std::ranges::copy(block->summary(), std::back_inserter(lines));
  return lines;
}

std::uint64_t BuiltNode::mismatches() const {
  std::uint64_t sum = translation_mismatches_;
  for (const RtlBlock* block : rtl_) sum += block->mismatches();
  return sum;
}

std::vector<BlockCoverage> BuiltNode::coverage() const {
  std::vector<BlockCoverage> all;
  for (const RtlBlock* block : rtl_) std::ranges::copy(block->coverage(), std::back_inserter(all));
  return all;
}

std::vector<DebuggedCore> BuiltNode::cores_to_debug() {
  std::vector<DebuggedCore> all;
  for (unsigned i = 0; i < cores_.count(); ++i)
    all.push_back({fmt::format("core{}", i), &cores_[i], [this] {
                     if (!supply_.on()) return false;
                     supply_.request(PowerOperation::warm_reset);
                     return true;
                   }});
  return all;
}

void BuiltNode::report_pages(PageMap& map) {
  quiesce();
  PageMap node;
  devices_.report_pages(node, name());
  if (PageMap::Area* const memory = node.memory_at(node_.devices.dram().first)) {
    if (!device_tree_blob_.empty())
      memory->names.push_back({"device tree", {memory->first, Bytes(device_tree_blob_.size())}});
    std::ranges::move(names_in_memory(context_.firmware), std::back_inserter(memory->names));
  }
  std::ranges::move(node.areas, std::back_inserter(map.areas));
}

void BuiltNode::report(Statistics& statistics) const {
  cores_.report(statistics);
  checks_.report(statistics.group("checks"));
  if (caches_) caches_->report(statistics.group("caches"));
  Statistics& fabric = statistics.group("fabric");
  fabric_->report(fabric);
  if (arbiters_) arbiters_->report(fabric);
  devices_.report(statistics);
  semihosting_.report(statistics.group("semihosting"));
}

}  // namespace asterism
