#include "pcram/pcram_module.h"

#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

const RegisteredDevice<PcramModule> pcram_type{"pcram", "A phase-change memory, which stores checkpoints."};

}  // namespace

PcramPart PcramModule::load(const PcramConfig& config, DeviceFiles& files) {
  return files.load<PcramPart>("pcram", config.part);
}

DeviceShape PcramModule::shape(const PcramConfig& config, const NodeFacts&) {
  return {.targets = {{.registers = std::make_shared<PcramRegisters>()}},
          .interrupts = {{}},
          .initiators = {{.memory = config.dma, .key = "dma"}}};
}

void PcramModule::check(const PcramConfig& config, const PcramPart& part, const NodeView& node,
                        const DevicePlace&, DeviceProblems& problems) {
  const std::string problem = pcram_problem(config, part, node.find(config.dma)->place.range().size);
  if (!problem.empty()) problems.add("part", problem);
}

std::vector<DeviceTreeNode> PcramModule::device_tree(const PcramConfig& config, const NodeView& node,
                                                     const DevicePlace& place) {
  return {device_tree_node("pcram", {"asterism,pcram"}, place, node, config.dma)};
}

PcramModule::PcramModule(const sc_core::sc_module_name& name, const PcramConfig& config,
                         const PcramPart& part, const DeviceContext& context)
    : PcramModule(name, config, part, context.memories.at(0), context.events) {
  memory.identify(context.masters.at(0));
  if (ActivityLog* const activity = context.events.activity_log()) memory.record_in(*activity, 0, "dma");
}

PcramModule::PcramModule(const sc_core::sc_module_name& name, const PcramConfig& config,
                         const PcramPart& part, AddressRange memory_range, EventLog& events)
    : sc_module(name),
      memory("memory", memory_range),
      memory_range_(memory_range),
      copier_(config, part, memory_range, memory.channel(), static_cast<PcramCopier::Sink&>(*this),
              this->name(), events),
      alarm_("alarm", [this](Picoseconds now) {
        copier_.advance_to(now);
        alarm_.arm(copier_.next_event());
      }) {
  if (copier_.layer_pages() != 0) memory.set_on_die();
  memory.after_access = [this] { alarm_.arm(copier_.next_event()); };
  connect_registers();
}

// ---- registers ----

void PcramModule::connect_registers() {
  PcramRegisters& r = registers;
  r.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  r.command.on_write([this](std::uint32_t value) { command(value); });
  r.status.computed([this] {
    const PcramRegisters::Status& status = registers.status;
    return status.busy.bits(copier_.busy()) | status.refused.bits(copier_.refused()) |
           status.error.bits(copier_.error());
  });
  r.interrupt_status.on_write([this](std::uint32_t) { update_interrupt(); });
  r.interrupt_enable.on_write([this](std::uint32_t) { update_interrupt(); });
  r.capacity.computed([this] { return static_cast<std::uint32_t>(copier_.pages()); });
  r.layer.computed([this] { return static_cast<std::uint32_t>(copier_.layer_pages()); });
  r.bad_index.computed([this] { return copier_.bad_index(); });
  r.copied.computed([this] { return copier_.copied(); });
}

void PcramModule::command(std::uint32_t value) {
  const PcramRegisters& r = registers;
  const PcramCopier::Command command{
      .operation = r.command.operation.get(value),
      .memory = Address(std::uint64_t{r.memory_high.value()} << 32 | r.memory_low.value()),
      .place = r.place.value(),
      .pages = r.pages.value(),
      .incremental = r.command.incremental.get(value)};
  copier_.advance_to(now());
  if (command.incremental && !copier_.busy()) find_dirty(command);
  copier_.command(now(), command);
  alarm_.arm(copier_.next_event());
}

// Marks pages as dirty. Pages that do not exist are left to the checks of the copier.
void PcramModule::find_dirty(const PcramCopier::Command& command) {
  if (copier_.layer_pages() == 0) return;
  std::vector<std::byte> data(PcramCopier::page.count());
  for (std::uint64_t i = 0; i < command.pages && command.place + i < copier_.pages(); ++i) {
    const Address page = command.memory + PcramCopier::page * i;
    if (!memory_range_.contains(page, PcramCopier::page) || !memory.peek(page, data)) return;
    if (!std::ranges::equal(data, copier_.peek(command.place + i))) copier_.written(page);
  }
}

void PcramModule::completed(Picoseconds) {
  registers.interrupt_status.set(registers.interrupt_status.value() |
                                 registers.interrupt_status.complete.bits(true));
  update_interrupt();
}

void PcramModule::update_interrupt() {
  interrupt.write((registers.interrupt_status.value() & registers.interrupt_enable.value()) != 0);
}

// ---- the rest ----

void PcramModule::reset(Reset kind) {
  copier_.advance_to(now());
  memory.reset(kind);
  copier_.reset(kind);
  registers.reset();
  alarm_.arm(std::nullopt);
  update_interrupt();
}

void PcramModule::report_pages(PageMap& map, const std::string& name) const {
  map.areas.push_back({.name = name, .first = Address(0), .units = copier_.array().capacity() / 4_KiB});
  copier_.array().cells().report_wear(map.areas.back().of("wear"));
}

}  // namespace asterism
