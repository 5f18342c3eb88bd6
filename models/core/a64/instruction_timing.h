// The time of instructions by an interval model (core/core_timing.h), as far as it is known from the code.
//
// The code of a line of 64 bytes is divided into basic blocks: behind branches, and before those that
// branches of the line jump to. A basic block takes the longest of
//   - its instructions / the width of the core,
//   - for integers, memory, vectors and branches, the sum of what their pipelines need,
//   - the longest chain of latencies from a register at its begin to the same register at its end, which is
//     what an iteration of a loop has to wait for the one before.
// All of its instructions take an equal share of that, whoever jumps into it. A branch takes its expected
// penalty in addition. So an instruction's time depends on nothing but the code of the line that it is in and
// of the lines beside it in its page, and does not change with breakpoints or quanta.
//
// Left out: dependences through memory and between basic blocks (such a chain is cut, and the block behind it
// seems independent); forwarding between pipelines; the decoding of instructions into several operations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/a64/dependences.h"
#include "core/core_timing.h"
#include "core/iss.h"

namespace asterism::a64 {

inline constexpr std::size_t instructions_of_line = 16;

// The code of a line, between that of the lines before and behind it. Where there is no code, there are
// branches.
using CodeAroundLine = std::array<std::uint32_t, 3 * instructions_of_line>;
inline constexpr std::uint32_t no_code = 0x1400'0000;  // b .

// In thousandths of a cycle, at least 1.
using LineTimes = std::array<std::uint16_t, instructions_of_line>;
LineTimes times_of_line(const CodeAroundLine& code, const CoreTiming& timing);

// Of the instruction at an index in the line.
AccessRegisters registers_of_access(const CodeAroundLine& code, const LineTimes& times, std::size_t index);

// A line of code, with what is known of it.
struct TimedLine {
  TimedLine(const CodeAroundLine& around, const CoreTiming& timing)
      : code(around), times(times_of_line(code, timing)) {
    std::inclusive_scan(times.begin(), times.end(), time_before.begin() + 1, std::plus<>(), std::uint32_t{0});
  }

  const CodeAroundLine code;
  const LineTimes times;
  std::array<std::uint32_t, instructions_of_line + 1> time_before{};  // of the instructions before an index
  const AccessRegisters& registers_of_access(std::size_t index);

 private:
  // Of the accesses that were asked for.
  std::vector<std::pair<std::size_t, AccessRegisters>> registers_;
};

// The lines that were asked for last.
class TimedLines {
 public:
  // `number` is the address of the line / 64. The code is that of its whole page.
  std::shared_ptr<TimedLine> find(std::uint64_t number, const std::uint8_t* page, const CoreTiming& timing);

 private:
  static constexpr std::size_t capacity = 128;
  std::vector<std::shared_ptr<TimedLine>> lines_;
};

}  // namespace asterism::a64
