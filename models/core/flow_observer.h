// The control flow of an engine, exactly, for profiles and instruction traces.
//
// Addresses are virtual unless said to be physical. Observing costs host time only: counts, simulated time
// and all that the guest sees do not change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace asterism {

enum class Flow : std::uint8_t {
  start,             // the core starts, also after a reset
  jump,              // any other branch, or sequential execution into the next region
  call,              // BL or BLR
  ret,               // RET
  exception,         // to a vector
  exception_return,  // ERET
};

struct FlowStep {
  Flow how = Flow::jump;
  std::uint64_t to = 0;
  std::uint64_t physical = 0;  // of `to`
  std::size_t region = 0;      // of `to`
  std::uint64_t from = 0;      // behind the last instruction executed before: the return address of a call
  std::uint64_t instructions = 0;  // retired before
};

// What an observer wants to be notified of.
struct FlowQuestion {
  // The boundaries between regions, ascending: region i ends before boundaries[i], and region 0 is before all
  // of them. Jumps inside a region are not reported.
  std::vector<std::uint64_t> boundaries = {};
  bool are_physical = false;  // the boundaries
  bool instructions = false;  // also report every instruction
};

class FlowObserver {
 public:
  virtual ~FlowObserver() = default;
  virtual void goes(const FlowStep& step) = 0;
  // Called before an instruction is executed. It is called again with the same count if the instruction had
  // no effect, as at a breakpoint or in a reset. An instruction that takes an exception is reported, but not
  // counted.
  virtual void executes(std::uint64_t /*pc*/, std::uint32_t /*word*/, std::uint64_t /*instructions*/) {}
};

}  // namespace asterism
