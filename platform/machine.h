// A node under way, as the run sees it: node.h with firmware, closed_loop_node.h with a workload.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics.h"
#include "base/units.h"
#include "cosim/lockstep.h"

namespace asterism {

class Machine {
 public:
  struct End {
    enum class How { exited, switched_off, workload_done, mismatch } how;
    std::uint64_t status;  // of the firmware that exited
    Picoseconds at;
  };

  virtual ~Machine() = default;

  // The guest's output.
  std::function<void(std::string_view)> on_console, on_uart0;

  // How the run ended by itself; nullopt while it goes on.
  virtual const std::optional<End>& end() const = 0;
  // Input may come from outside, so that a node at rest is not at its end.
  virtual bool waits_for_the_host() const { return false; }
  virtual std::uint64_t instructions() const = 0;
  // Of a run that was stopped: what each core was doing, where that says anything.
  virtual std::vector<std::string> core_states() { return {}; }
  virtual std::string cpu_engine() const = 0;
  // The RTL in it, by instance path.
  virtual std::vector<std::string> rtl_instances() const { return {}; }
  // Of the RTL in it: what it did and what that reached, a line each; and the first difference in lockstep.
  virtual std::vector<std::string> rtl_summary() const { return {}; }
  virtual const std::optional<Lockstep::Mismatch>& mismatch() const = 0;
  // What failed in its memory, "" when nothing.
  virtual std::string memory_summary() const { return ""; }
  virtual void report(Statistics& statistics) const = 0;
};

}  // namespace asterism
