#include "devices/power_controller.h"

#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

const RegisteredDevice<PowerController> power_controller_type{
    "power_controller", "Switches the node's power, and injects faults into its memory."};

}  // namespace

void describe(Fields&, PowerControllerConfig&) {}

DeviceShape PowerController::shape(const Config&, const NodeFacts&) {
  return {.targets = {{.registers = std::make_shared<PowerRegisters>()}}, .counts_recoveries = true};
}

PowerController::PowerController(const sc_core::sc_module_name& name, EventLog& events)
    : sc_module(name), target("target", registers), events_(events) {
  registers.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  registers.reset_cause.computed(
      [this] { return supply_ ? static_cast<std::uint32_t>(supply_->start_cause()) : 0; });
  registers.boot_count.computed([this] { return supply_ ? supply_->starts() : 1; });
  registers.control.on_write([this](std::uint32_t value) { request(value); });
  registers.fault_inject.on_write([this](std::uint32_t value) { inject_fault(value); });
  registers.recovery.on_write([this](std::uint32_t value) { recovered(value); });
  registers.checkpoint_location.on_write([this](std::uint32_t value) { located(value); });
  registers.rank_restored.on_write([this](std::uint32_t value) { rank_restored(value); });
}

void PowerController::control(PowerSupply& supply) { supply_ = &supply; }

void PowerController::request(std::uint32_t value) {
  const std::uint32_t operation = registers.control.operation.get(value);
  if (operation == 0) return registers.warn("guest wrote CONTROL without an operation: ignored");
  if (supply_)
    supply_->request(static_cast<PowerOperation>(operation), registers.restore_delay.value() * 1_us);
}

void PowerController::inject_fault(std::uint32_t value) {
  const std::uint64_t high = registers.fault_address_high.value();
  const PowerRegisters::FaultPlace& place = registers.fault_place;
  const FaultOutcome outcome = inject({.address = Address(high << 32 | registers.fault_address_low.value()),
                                       .kind = registers.fault_inject.kind.get(value),
                                       .chip = place.chip.get(place.value()),
                                       .bit = place.bit.get(place.value()),
                                       .stuck = registers.fault_inject.stuck.get(value)});
  registers.fault_status.set(registers.fault_status.problem.bits(outcome));
  if (outcome != FaultOutcome::none)
    registers.warn("guest requested a fault at a place that does not exist: ignored");
}

void PowerController::recovered(std::uint32_t value) {
  const std::string source = registers.recovery.source.name_in(value);
  if (source.empty()) return registers.warn("guest wrote RECOVERY without a source: ignored");
  ++recoveries_;
  events_.record(now(), name(), "recovery", {{"from", source}});
}

void PowerController::located(std::uint32_t value) {
  const std::string location = registers.checkpoint_location.location.name_in(value),
                    reason = registers.checkpoint_location.reason.name_in(value);
  if (location.empty() || reason.empty())
    return registers.warn("guest wrote CHECKPOINT_LOCATION without a location or a reason: ignored");
  const std::uint64_t high = registers.checkpoint_version_high.value();
  events_.record(now(), name(), "checkpoint_location",
                 {{"version", high << 32 | registers.checkpoint_version_low.value()},
                  {"location", location},
                  {"reason", reason}});
}

void PowerController::rank_restored(std::uint32_t value) {
  const PowerRegisters::RankRestored& restored = registers.rank_restored;
  const std::string source = restored.source.name_in(value);
  if (source.empty()) return registers.warn("guest wrote RANK_RESTORED without a source: ignored");
  const std::uint64_t rank = restored.rank.get(value), gpu = restored.gpu.get(value);
  if (source == "gpu_copy")
    events_.record(now(), name(), "rank_restored", {{"rank", rank}, {"from", source}, {"gpu", gpu}});
  else
    events_.record(now(), name(), "rank_restored", {{"rank", rank}, {"from", source}});
}

void PowerController::reset(Reset kind) {
  for (Register* each : std::initializer_list<Register*>{
           &registers.restore_delay, &registers.fault_address_low, &registers.fault_address_high,
           &registers.fault_place, &registers.fault_status, &registers.checkpoint_version_low,
           &registers.checkpoint_version_high})
    each->reset();
  if (kind == Reset::cold) registers.reset();
}

void PowerController::report(Statistics& statistics) const {
  const PowerSupply::Counts counts = supply_ ? supply_->counts() : PowerSupply::Counts{};
  statistics.add("power_losses", counts.losses);
  statistics.add("power_losses_ignored", counts.ignored);
  statistics.add("warm_resets", counts.warm_resets);
  statistics.add("boots", registers.boot_count.peek(0, first_core));
}

std::vector<DeviceTreeNode> PowerController::device_tree(const Config&, const DevicePlace& place) {
  return {device_tree_node("power-controller", {"asterism,power-controller"}, place)};
}

}  // namespace asterism
