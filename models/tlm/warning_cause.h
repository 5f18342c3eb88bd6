// Who causes a warning in the log (log.h).
//
// A warning that a core causes names the core (unless it is the core's own) and the instruction. If the same
// instruction causes it again, whatever the numbers in it, it is counted but not logged; so are warnings
// within the handler of a fault, behind the first of their kind:
//
//   [   12.400 us] warning node.uart0: guest wrote the read-only register FR [core2, main+0x1c (0x40200a08)]
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace asterism {

// A module whose processes execute instructions of a guest.
class WarningCause {
 public:
  struct Cause {
    std::string instance, name;  // "node.core2", "core2"
    // Of the instruction whose mistake it is; nullopt if that is not known.
    std::optional<std::uint64_t> address = {};
    // The instruction that is executed, in words. Only called for a warning that is logged, because it may
    // take long.
    std::function<std::string()> place = {};
  };
  virtual ~WarningCause() = default;
  // What causes a warning that is logged now, in a process of this module.
  virtual std::optional<Cause> cause() const = 0;
};

// Warnings that are logged while it exists are caused by `cause`, in whatever process.
class WarningCausedBy {
 public:
  explicit WarningCausedBy(const WarningCause& cause);
  ~WarningCausedBy();
  WarningCausedBy(const WarningCausedBy&) = delete;
  WarningCausedBy& operator=(const WarningCausedBy&) = delete;

 private:
  const WarningCause* const before_;
};

// Logs how often each warning was repeated, and forgets that.
void log_repetitions();

}  // namespace asterism
