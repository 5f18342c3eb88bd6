// The power supply of a node: it makes the power failures of a scenario, and switches the power as software
// requests it. It is always on: it runs on standby power, outside of what it switches.
//
// platform/ implements the sequence that powers down and up (PowerSequence). Its functions run as a method
// process, at exactly the scheduled picosecond. A request takes effect in the next delta cycle of the same
// instant. The last request of an instant counts.
//
// Reset: the schedule and the cause and number of the starts survive warm and power_loss, and are reset by
// cold.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/event_log.h"
#include "base/reset.h"
#include "base/units.h"
#include "devices/power_schedule.h"
#include "tlm/alarm.h"
#include "tlm/device_roles.h"

namespace asterism {

class PowerSequence {
 public:
  virtual ~PowerSequence() = default;
  virtual void power_lost() = 0;  // everything that is not on standby power loses its power at this instant
  virtual void power_restored() = 0;  // and restarts
  virtual void warm_reset() = 0;      // the node restarts, and memory keeps its contents
  virtual void power_off() = 0;       // for good: the run ends
};

enum class PowerOperation : std::uint32_t { power_off = 1, warm_reset = 2, fail_power = 3 };

class PowerSupply final : private PowerSchedule::Sink {
 public:
  enum class StartCause : std::uint32_t { cold, warm, power_loss };
  struct Counts {
    std::uint64_t losses = 0, ignored = 0, warm_resets = 0;
  };

  // For elaboration. `instance` is its name in the log and in events.
  PowerSupply(std::string instance, std::vector<PowerLoss> losses, PowerSequence& sequence, EventLog& events);

  // `restore_after`: of fail_power, until the power returns.
  void request(PowerOperation operation, Picoseconds restore_after = 1_ms);
  bool on() const { return schedule_.on(); }
  // Schedules one more power loss.
  void add(PowerLoss loss);

  StartCause start_cause() const { return cause_; }
  std::uint32_t starts() const { return starts_; }  // since the cold one, including it
  const Counts& counts() const { return counts_; }

  void reset(Reset kind);

 private:
  struct Request {
    PowerOperation operation;
    Picoseconds restore_after;
  };

  void ring(Picoseconds now);
  void execute(const Request& request, Picoseconds now);
  void count_start(StartCause cause);
  void rearm();
  void lost(Picoseconds at, Picoseconds restore_after) override;
  void restored(Picoseconds at) override;
  void ignored(Picoseconds at) override;

  const std::string instance_;
  PowerSchedule schedule_;
  PowerSequence& sequence_;
  EventLog& events_;
  Alarm alarm_;
  std::optional<Request> requested_;
  StartCause cause_ = StartCause::cold;
  std::uint32_t starts_ = 1;
  Counts counts_;
};

// The role of a device by which software controls the power of its node (tlm/device_roles.h).
class PowerControl {
 public:
  virtual ~PowerControl() = default;
  // Connects it to what it controls, before simulation begins.
  virtual void control(PowerSupply& supply) = 0;
  std::function<FaultOutcome(const FaultRequest&)> inject = [](const FaultRequest&) {
    return FaultOutcome::no_memory;
  };
  // The number of recoveries that the firmware has reported.
  virtual std::uint64_t recoveries() const = 0;
};

}  // namespace asterism
