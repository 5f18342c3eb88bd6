#include "devices/power_supply.h"

#include <utility>

#include "base/quantity_text.h"
#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {

PowerSupply::PowerSupply(std::string instance, std::vector<PowerLoss> losses, PowerSequence& sequence,
                         EventLog& events)
    : instance_(std::move(instance)),
      schedule_(std::move(losses)),
      sequence_(sequence),
      events_(events),
      alarm_("power_schedule", [this](Picoseconds now) { ring(now); }) {
  rearm();
}

void PowerSupply::request(PowerOperation operation, Picoseconds restore_after) {
  requested_ = {operation, restore_after};
  rearm();
}

void PowerSupply::add(PowerLoss loss) {
  schedule_.add(loss);
  rearm();
}

void PowerSupply::rearm() { alarm_.arm(requested_ ? std::optional(now()) : schedule_.next_event()); }

void PowerSupply::ring(Picoseconds now) {
  schedule_.advance_to(now, *this);
  if (requested_) execute(*std::exchange(requested_, std::nullopt), now);
  rearm();
}

void PowerSupply::execute(const Request& request, Picoseconds now) {
  if (!schedule_.on()) return ignored(now);
  switch (request.operation) {
    case PowerOperation::power_off:
      events_.record(now, instance_, "power_off");
      sequence_.power_off();
      break;
    case PowerOperation::warm_reset:
      ++counts_.warm_resets;
      events_.record(now, instance_, "warm_reset");
      count_start(StartCause::warm);
      sequence_.warm_reset();
      break;
    case PowerOperation::fail_power:
      schedule_.add({now, request.restore_after});
      schedule_.advance_to(now, *this);
      break;
  }
}

void PowerSupply::count_start(StartCause cause) {
  cause_ = cause;
  ++starts_;
}

void PowerSupply::lost(Picoseconds at, Picoseconds restore_after) {
  ++counts_.losses;
  log(instance_).info("power lost, returns after {}", to_text(restore_after));
  events_.record(at, instance_, "power_lost", {{"restore_after_ps", restore_after.count()}});
  sequence_.power_lost();
}

void PowerSupply::restored(Picoseconds at) {
  count_start(StartCause::power_loss);
  log(instance_).info("power restored");
  events_.record(at, instance_, "power_restored", {{"boot", std::uint64_t{starts_}}});
  sequence_.power_restored();
}

void PowerSupply::ignored(Picoseconds at) {
  ++counts_.ignored;
  events_.record(at, instance_, "power_loss_ignored");
  log(instance_).warn("the power is off already: the request to switch it is ignored");
}

void PowerSupply::reset(Reset kind) {
  schedule_.reset(kind);
  if (kind == Reset::cold) {
    requested_.reset();
    cause_ = StartCause::cold;
    starts_ = 1;
  }
  rearm();
}

}  // namespace asterism
