#include "devices/power_controller.h"

#include "base/quantity_text.h"
#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {

PowerController::PowerController(const sc_core::sc_module_name& name, std::vector<PowerLoss> losses,
                                 PowerSequence& sequence, EventLog& events)
    : sc_module(name),
      target("target", registers),
      schedule_(std::move(losses)),
      sequence_(sequence),
      events_(events),
      alarm_("schedule", [this](Picoseconds now) { ring(now); }) {
  registers.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  registers.control.on_write([this](std::uint32_t value) {
    const std::uint32_t operation = registers.control.operation.get(value);
    if (operation == 0)
      registers.warn("guest wrote CONTROL without an operation: ignored");
    else
      request(static_cast<PowerOperation>(operation));
  });
  registers.fault_inject.on_write([this](std::uint32_t value) { inject_fault(value); });
  registers.recovery.on_write([this](std::uint32_t value) { recovered(value); });
  registers.checkpoint_location.on_write([this](std::uint32_t value) { located(value); });
  rearm();
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

void PowerController::request(PowerOperation operation) {
  requested_ = operation;
  rearm();
}

void PowerController::add(PowerLoss loss) {
  schedule_.add(loss);
  rearm();
}

void PowerController::rearm() { alarm_.arm(requested_ ? std::optional(now()) : schedule_.next_event()); }

void PowerController::ring(Picoseconds now) {
  schedule_.advance_to(now, *this);
  if (requested_) execute(*std::exchange(requested_, std::nullopt), now);
  rearm();
}

void PowerController::execute(PowerOperation operation, Picoseconds now) {
  if (!schedule_.on()) return ignored(now);
  switch (operation) {
    case PowerOperation::power_off:
      events_.record(now, name(), "power_off");
      sequence_.power_off();
      break;
    case PowerOperation::warm_reset:
      ++warm_resets_;
      events_.record(now, name(), "warm_reset");
      count_start(warm);
      sequence_.warm_reset();
      break;
    case PowerOperation::fail_power:
      schedule_.add({now, registers.restore_delay.value() * 1_us});
      schedule_.advance_to(now, *this);
      break;
  }
}

void PowerController::count_start(Cause cause) {
  registers.reset_cause.set(cause);
  registers.boot_count.set(registers.boot_count.value() + 1);
}

void PowerController::lost(Picoseconds at, Picoseconds restore_after) {
  ++losses_;
  log(name()).info("power lost, returns after {}", to_text(restore_after));
  events_.record(at, name(), "power_lost", {{"restore_after_ps", restore_after.count()}});
  sequence_.power_lost();
}

void PowerController::restored(Picoseconds at) {
  count_start(power_loss);
  log(name()).info("power restored");
  events_.record(at, name(), "power_restored", {{"boot", std::uint64_t{registers.boot_count.value()}}});
  sequence_.power_restored();
}

void PowerController::ignored(Picoseconds) {
  ++ignored_;
  log(name()).warn("the power is off already: the request to switch it is ignored");
}

void PowerController::reset(Reset kind) {
  for (Register* each : std::initializer_list<Register*>{
           &registers.restore_delay, &registers.fault_address_low, &registers.fault_address_high,
           &registers.fault_place, &registers.fault_status, &registers.checkpoint_version_low,
           &registers.checkpoint_version_high})
    each->reset();
  schedule_.reset(kind);
  if (kind == Reset::cold) {
    registers.reset();
    requested_.reset();
  }
  rearm();
}

void PowerController::report(Statistics& statistics) const {
  statistics.add("power_losses", losses_);
  statistics.add("power_losses_ignored", ignored_);
  statistics.add("warm_resets", warm_resets_);
  statistics.add("boots", registers.boot_count.value());
}

DeviceTreeNode PowerController::device_tree(AddressRange range) {
  DeviceTreeNode node{dt::node_name("power-controller", range)};
  node.set("compatible", {"asterism,power-controller"}).set("reg", dt::reg(range));
  return node;
}

}  // namespace asterism
