// A decoded instruction: an Operation. The operations of a block are stored one after the other, one for each
// instruction, and each one calls the next (direct threading).
//
// An operation's work is an ordinary function, in one of two forms:
//
//   void add(Cpu& cpu, const Operation& op)               continues with the next one
//   const Operation* load(Cpu& cpu, const Operation& op)  returns the next one: &op + 1, cpu.finish(op) after
//                                                         a call to the host, cpu.raise(...), or a branch
//
//   op.run = step<add>;
//
// In a release build, step() ends in a tail call. The compiler makes one only if nothing in the frame is in
// use at its end. An object whose address leaves the function (a value that a slow path fills in) therefore
// belongs in a [[gnu::noinline]] function, and a handler makes rare calls to other functions by later(). In
// other builds, and under the sanitizers, step() returns, and the engine's loop calls the next operation.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace asterism::a64 {

class Cpu;
struct Operation;

using Handler = const Operation* (*)(Cpu&, const Operation*);

struct Operation {
  Handler run = nullptr;
  std::uint8_t rd = 0, rn = 0, rm = 0, ra = 0;  // indices in State::x or State::v, or other small operands
  std::uint32_t imm = 0;

  std::int64_t signed_imm() const { return static_cast<std::int32_t>(imm); }
  // A 64-bit constant behind the block's operations (Decoding::wide()).
  std::uint64_t wide() const {
    std::uint64_t constant;
    std::memcpy(&constant, reinterpret_cast<const char*>(this) + imm, sizeof constant);
    return constant;
  }
};
static_assert(sizeof(Operation) == 16);

// Defined by the build (models/core/CMakeLists.txt).
#ifdef ASTERISM_THREADED
inline constexpr bool threaded = true;
#else
inline constexpr bool threaded = false;
#endif

template <auto work>
const Operation* step(Cpu& cpu, const Operation* op) {
  const Operation* next;
  if constexpr (std::is_void_v<std::invoke_result_t<decltype(work), Cpu&, const Operation&>>) {
    work(cpu, *op);
    next = op + 1;
    if constexpr (threaded) asm("" : "+r"(next));  // one addition, then a jump by its result
  } else {
    next = work(cpu, *op);
  }
  if constexpr (threaded) {
    return next->run(cpu, next);
  } else {
    return next;
  }
}

// The rare part of a handler: `return later<slow>(cpu, op);` executes slow(cpu, op) as an operation of its
// own, so that the frequent part needs no frame.
template <auto work>
const Operation* later(Cpu& cpu, const Operation& op);

}  // namespace asterism::a64
