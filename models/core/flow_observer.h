// Where the control of an engine goes, exactly: what profiles and instruction traces are made of.
//
// Addresses are virtual, as the program has them. What is followed costs time on the host only: counts, simulated time and all that
// the guest sees stay as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace asterism {

enum class Flow : std::uint8_t {
  start,             // of the core, also after a reset
  jump,              // by any other branch, or from one region into the next without one
  call,              // by BL or BLR
  ret,               // by RET
  exception,         // to a vector
  exception_return,  // by ERET
};

struct FlowStep {
  Flow how = Flow::jump;
  std::uint64_t to = 0;
  std::size_t region = 0;          // in which that lies
  std::uint64_t from = 0;          // behind the last instruction before: where a call returns to
  std::uint64_t instructions = 0;  // retired before
};

// What an observer asks for.
struct FlowQuestion {
  // Where regions begin, ascending: region i ends before boundaries[i], 0 lies before all of them. A jump inside a region is
  // not told.
  std::vector<std::uint64_t> boundaries = {};
  bool instructions = false;  // every one of them, too
};

class FlowObserver {
 public:
  virtual ~FlowObserver() = default;
  virtual void goes(const FlowStep& step) = 0;
  // Before an instruction is executed. Told again with the same count when it was left without an effect, as at a breakpoint
  // or in a reset; one that takes an exception was told, and does not count.
  virtual void executes(std::uint64_t /*pc*/, std::uint32_t /*word*/, std::uint64_t /*instructions*/) {}
};

}  // namespace asterism
