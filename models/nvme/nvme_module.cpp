#include "nvme/nvme_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <utility>

#include "base/quantity_text.h"
#include "tlm/log.h"
#include "tlm/message_interrupts.h"
#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::uint32_t low_half(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high_half(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

// The host needs 12 bytes for each block and 40 bytes for each page of flash, besides the contents.
constexpr std::uint64_t max_nvme_blocks = 1u << 24;
constexpr Bytes max_nvme_flash = 4_TiB, max_nvme_page = 128_KiB;

// Of no vendor: PCI-SIG has not assigned it. Drivers find the controller by its class.
constexpr std::uint32_t pci_identity = 0x0001'A57E, nvme_class = 0x0108'0200;
constexpr std::uint32_t msix_at = 0x40, msix_kind = 0x11;
constexpr std::uint32_t bar_mask = ~std::uint32_t{0x1FFF}, bar_is_64_bits_wide = 4;

constexpr AddressRange everything{Address(0), Bytes(std::uint64_t{1} << 52)};

std::shared_ptr<PciFunctionRegisters> function_registers() {
  return std::make_shared<PciFunctionRegisters>(
      "NVME_PCI", "Configuration space of the PCI bus of an NVMe controller, whose function is 00.0",
      pci_identity, nvme_class);
}

const RegisteredDevice<NvmeModule> nvme_type{"nvme", "An NVMe solid-state disk with a volatile write cache."};

}  // namespace

FlashPart NvmeModule::load(const NvmeConfig& config, DeviceFiles& files) {
  return files.load<FlashPart>("flash", config.flash.part);
}

DeviceShape NvmeModule::shape(const NvmeConfig& config, const NodeFacts&) {
  DeviceShape shape{.targets = {{.size = 8_KiB, .registers = std::make_shared<NvmeRegisters>()}},
                    .interrupts = {{}},
                    .initiators = {{.memory = main_memory}, {}}};
  if (config.pcie)
    shape.targets.push_back({.suffix = "_ecam", .size = 1_MiB, .registers = function_registers()});
  if (!config.image.empty()) shape.host.files = {{.key = "image", .file = config.image, .is_kept = true}};
  return shape;
}

void NvmeModule::check(const NvmeConfig& config, const FlashPart& part, const NodeView& node,
                       const DevicePlace&, DeviceProblems& problems) {
  if (!config.messages.empty()) {
    const auto controller = node.find(config.messages);
    if (!controller || std::ranges::count(controller->shape.targets, std::string(message_frame_suffix),
                                          &DeviceTarget::suffix) == 0)
      problems.add("messages",
                   fmt::format("expected an interrupt controller with message_interrupts, got \"{}\"",
                               config.messages));
  }
  if (part.page % NvmeDisk::block != 0_B || part.page > max_nvme_page)
    problems.add("part", fmt::format("{} has pages of {}, expected a multiple of 4 KiB up to {}",
                                     config.flash.part, to_text(part.page), to_text(max_nvme_page)));
  if (const FlashGeometry flash = config.flash.geometry(part);
      flash.all_blocks() > max_nvme_blocks || flash.all_pages() * flash.page > max_nvme_flash)
    problems.add("blocks", fmt::format("the flash has {} blocks, {}; expected at most {} and {}",
                                       flash.all_blocks(), to_text(flash.all_pages() * flash.page),
                                       max_nvme_blocks, to_text(max_nvme_flash)));
}

// The window of the host bridge is at the same address on both sides. INTA is the interrupt of the node.
std::vector<DeviceTreeNode> NvmeModule::device_tree(const NvmeConfig& config, const DevicePlace& place) {
  if (!config.pcie) return {device_tree_node("nvme", {"asterism,nvme"}, place)};
  constexpr std::uint32_t memory_32_bits = 0x0200'0000;
  const AddressRange window = place.ranges.at(0), ecam = place.ranges.at(1);
  const std::uint32_t high = high_half(window.first.value()), low = low_half(window.first.value());
  DeviceTreeNode node{dt::node_name("pcie", ecam)};
  node.set("compatible", {"pci-host-ecam-generic"})
      .set("device_type", {"pci"})
      .set("reg", dt::reg(ecam))
      .set("ranges", {memory_32_bits, high, low, high, low, 0, low_half(window.size.count())})
      .set("bus-range", DeviceTreeNode::Cells{0, 0})
      .set("#address-cells", DeviceTreeNode::Cells{3})
      .set("#size-cells", DeviceTreeNode::Cells{2})
      .set("dma-coherent");
  const std::optional<unsigned> line = place.interrupts.empty() ? std::nullopt : place.interrupts.front();
  if (line)
    node.set("#interrupt-cells", DeviceTreeNode::Cells{1})
        .set("interrupt-map-mask", {0, 0, 0, 7})
        .set("interrupt-map", {0, 0, 0, 1, dt::interrupt_controller, 0, 0, 0, *line, dt::level_high});
  constexpr std::uint32_t all_requesters = 0x1'0000;
  if (!config.messages.empty()) node.set("msi-map", {0, dt::message_frame, 0, all_requesters});
  return {node};
}

NvmeModule::Function::Function()
    : registers("NVME_PCI", "", pci_identity, nvme_class), target("ecam", registers, Picoseconds(10'000)) {}

NvmeModule::NvmeModule(const sc_core::sc_module_name& name, const NvmeConfig& config, const FlashPart& part,
                       const DeviceContext& context) try
    : NvmeModule(name, config, part, context.memories.at(0)) {
  memory.identify(context.masters.at(0));
  bus.identify(context.masters.at(1));
  events_ = &context.events;
  if (ActivityLog* const activity = context.events.activity_log()) {
    controller_->record_in(*activity, this->name());
    for (const auto& [part_of, own_name] : {std::pair{NvmeController::Part::commands, "commands"},
                                            {NvmeController::Part::data_from_memory, "data from memory"},
                                            {NvmeController::Part::data_to_memory, "data to memory"}})
      memory.record_in(*activity, static_cast<unsigned>(part_of), own_name);
  }
} catch (const FlashImageError& error) {
  throw DeviceError("image", error.what());
}

NvmeModule::NvmeModule(const sc_core::sc_module_name& name, const NvmeConfig& config, const FlashPart& part,
                       AddressRange memory_range)
    : sc_module(name),
      memory("memory", memory_range, static_cast<unsigned>(NvmeController::parts)),
      bus("bus", everything, message_channel + 1),
      has_messages_(!config.messages.empty()),
      vectors_(vectors_of(config)),
      alarm_("alarm",
             [this](Picoseconds time) {
               controller_->advance_to(time);
               rearm();
             }),
      failures_("failure_alarm", [this](Picoseconds, const FlashFailure& failure) { inject_now(failure); }) {
  const FlashGeometry geometry = config.flash.geometry(part);
  image_ = config.image.empty() ? std::make_unique<FlashImage>(geometry)
                                : std::make_unique<FlashImage>(geometry, config.image);
  NvmeController::Memory ports{};
  routes_.reserve(ports.size());
  for (unsigned i = 0; i < ports.size(); ++i)
    ports.at(i) = &routes_.emplace_back(memory_range, memory.channel(i), bus.channel(i));
  controller_ = std::make_unique<NvmeController>(config, part, *image_, ports,
                                                 static_cast<NvmeController::Sink&>(*this), basename());
  memory.after_access = bus.after_access = [this] { rearm(); };
  connect_registers();
  if (config.pcie) {
    function_ = std::make_unique<Function>();
    connect_function();
  }
  if (has_messages_) connect_messages();
}

void NvmeModule::connect_registers() {
  NvmeRegisters& r = registers;
  r.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  r.cap_low.computed([this] { return low_half(controller_->capabilities()); });
  r.cap_high.computed([this] { return high_half(controller_->capabilities()); });
  r.csts.computed([this] { return controller_->status(); });
  for (Register* each : {&r.intms, &r.intmc}) each->computed([this] { return controller_->mask(); });
  r.intms.on_write([this](std::uint32_t ones) { controller_->set_mask(controller_->mask() | ones); });
  r.intmc.on_write([this](std::uint32_t ones) { controller_->set_mask(controller_->mask() & ~ones); });
  r.cc.on_write([this, &r](std::uint32_t value) {
    const auto pair = [](const Register& low, const Register& high) {
      return Address(std::uint64_t{high.value()} << 32 | low.value());
    };
    controller_->configure(now(), value,
                           {r.aqa.value(), pair(r.asq_low, r.asq_high), pair(r.acq_low, r.acq_high)});
    rearm();
  });
  for (const bool is_completion : {false, true})
    (is_completion ? r.head : r.tail)
        .on_write([this, is_completion](unsigned queue, std::uint32_t value, Accessor) {
          controller_->ring(now(), 2 * queue + (is_completion ? 1 : 0), value & 0xFFFF);
          rearm();
        });
}

void NvmeModule::connect_function() {
  PciFunctionRegisters& r = function_->registers;
  r.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  r.command.computed([this, &r] {
    const std::uint32_t written =
        r.command.memory.mask() | r.command.master.mask() | r.command.no_interrupt.mask();
    return (r.command.value() & written) | r.command.interrupt.bits(level_ && !sends_messages()) |
           r.command.has_capabilities.bits(has_messages_);
  });
  r.command.on_write([this](std::uint32_t) { interrupt_changed(level_); });
  r.header.on_write([&r](std::uint32_t value) { r.header.set(value & 0xFF); });
  r.bar0_low.on_write(
      [&r](std::uint32_t value) { r.bar0_low.set((value & bar_mask) | bar_is_64_bits_wide); });
  r.bars.on_write([&r](unsigned index, std::uint32_t, Accessor) { r.bars.set(0, index); });
  r.rom.on_write([&r](std::uint32_t) { r.rom.set(0); });
  r.interrupt.on_write(
      [&r](std::uint32_t value) { r.interrupt.set((value & 0xFF) | r.interrupt.reset_value()); });
}

void NvmeModule::connect_messages() {
  PciFunctionRegisters& r = function_->registers;
  r.capabilities.computed([] { return msix_at; });
  r.msix.computed([this, &r] {
    return r.msix.kind.bits(msix_kind) | r.msix.last.bits(vectors_ - 1) |
           (r.msix.value() & (r.msix.masked.mask() | r.msix.enabled.mask()));
  });
  r.msix.on_write([this](std::uint32_t) {
    interrupt_changed(level_);
    // What the queues already have is announced when messages replace the line. Nothing is kept when it
    // replaces them.
    if (sends_messages() != std::exchange(sent_messages_, sends_messages()))
      pending_ = sent_messages_ ? controller_->waiting_vectors() : 0;
    send_pending();
  });
  r.msix_table.computed([this] { return static_cast<std::uint32_t>(registers.message_low.offset()); });
  r.msix_pending.computed([this] { return static_cast<std::uint32_t>(registers.message_pending.offset()); });
  registers.message_control.on_write([this](unsigned, std::uint32_t, Accessor) { send_pending(); });
  registers.message_pending.computed([this] { return pending(); });
}

bool NvmeModule::sends_messages() const {
  if (!has_messages_) return false;
  const auto& msix = function_->registers.msix;
  return msix.enabled.get(msix.value());
}

void NvmeModule::message(unsigned vector) {
  if (!sends_messages()) return;
  pending_ |= std::uint32_t{1} << vector;
  send_pending();
}

// Sends what waits and is not masked. A message whose entries have been consumed meanwhile is not sent (PCI
// 3.0, section 6.8.3.2).
void NvmeModule::send_pending() {
  pending_ = pending();
  const auto& msix = function_->registers.msix;
  if (!sends_messages() || msix.masked.get(msix.value())) return;
  for (unsigned vector = 0; vector < vectors_; ++vector) {
    const std::uint32_t bit = std::uint32_t{1} << vector;
    if ((pending_ & bit) == 0 || (registers.message_control.value(vector) & 1) != 0) continue;
    pending_ &= ~bit;
    const Address place(std::uint64_t{registers.message_high.value(vector)} << 32 |
                        registers.message_low.value(vector));
    const auto data = std::bit_cast<std::array<std::byte, 4>>(registers.message_data.value(vector));
    bus.channel(message_channel).write(now(), place, data, [this, place](const AccessEnd& end) {
      if (!end.ok) warn(fmt::format("nothing takes a message at {:#x}", place.value()));
    });
  }
}

std::vector<tlm::tlm_target_socket<>*> NvmeModule::targets() {
  if (!function_) return {&target};
  return {&target, &function_->target};
}

void NvmeModule::interrupt_changed(bool level) {
  level_ = level;
  const bool is_off =
      function_ && function_->registers.command.no_interrupt.get(function_->registers.command.value());
  interrupt.write(level && !is_off && !sends_messages());
}

void NvmeModule::warn(const std::string& what) { log(name()).warn(what); }
void NvmeModule::note(const std::string& what) { log(name()).info("{}", what); }

void NvmeModule::reset(Reset kind) {
  memory.reset(kind);
  bus.reset(kind);
  pending_ = 0;
  sent_messages_ = false;
  controller_->reset(kind);
  registers.reset();
  if (function_) function_->registers.reset();
  rearm();
}

void NvmeModule::power_up() {
  controller_->power_up(now());
  rearm();
}

void NvmeModule::report(Statistics& statistics) const {
  controller_->report(statistics, now());
  statistics.add("flash_faults", flash_faults_);
  statistics.add("flash_faults_missed", flash_faults_missed_);
}

// ---- failures of flash ----

std::optional<FaultCheck<FlashFailure>::Problem> NvmeModule::problem_of(const NvmeConfig& config,
                                                                        const FlashPart& part,
                                                                        const FlashFailure& failure) {
  Bytes size;
  try {
    size = NvmeDisk::size_of(config, part);
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // the disk says so itself
  }
  if (failure.offset < size) return std::nullopt;
  return FaultCheck<FlashFailure>::Problem{
      "offset", fmt::format("expected an offset below {:#x}, the size of the disk, got {:#x}", size.count(),
                            failure.offset.count())};
}

void NvmeModule::inject(const std::vector<Timed<FlashFailure>>& failures) { failures_.add(failures); }

void NvmeModule::inject_now(const FlashFailure& failure) {
  const std::optional<FlashAddress> place = controller_->inject(failure);
  ++(place ? flash_faults_ : flash_faults_missed_);
  if (!place) {
    const char* const why = controller_->disk().is_ready() ? "nothing of its page is in flash now"
                                                           : "the disk is off or recovering";
    return warn(
        fmt::format("a fault in flash at offset {:#x} hits nothing: {}", failure.offset.count(), why));
  }
  if (events_) record_flash_fault(*events_, now(), name(), failure, *place);
}

}  // namespace asterism
