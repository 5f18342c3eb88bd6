// Memory for the host's code that a core's translator makes, and the way into it. The memory is writable or
// executable, never both.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/a64/operation.h"

namespace asterism::a64 {

class HostCode {
 public:
  // Address space for `bytes` of code, which is used as it is needed.
  explicit HostCode(std::size_t bytes);
  ~HostCode();
  HostCode(const HostCode&) = delete;
  HostCode& operator=(const HostCode&) = delete;

  // Memory of at least `least` bytes to write to, in place of the code that is not finished; nullptr: there
  // is less, or the host gives none. Nothing may be executed until finish().
  std::uint8_t* begin(std::size_t least);
  void written(std::size_t bytes) { used_ += bytes; }
  // False: the host does not let this process make code.
  bool finish();
  void clear() { finish(), used_ = 0; }

 private:
  std::uint8_t* memory_ = nullptr;
  std::size_t size_ = 0, used_ = 0;
  std::size_t writable_from_ = 0, writable_to_ = 0;
};

// Calls a handler that may be one of the translator's. These change all registers of the host, and therefore
// can only be called by this function, or as the last thing that a handler does.
extern "C" const Operation* asterism_a64_call(Cpu& cpu, const Operation* op, Handler run);

// The last thing that a handler does.
inline const Operation* continue_with(Handler run, Cpu& cpu, const Operation* op) {
  if constexpr (threaded) return run(cpu, op);
  return asterism_a64_call(cpu, op, run);
}

}  // namespace asterism::a64
