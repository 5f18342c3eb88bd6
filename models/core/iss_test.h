// The fixture of the tests of the contract in iss.h.
//
// Programs are arrays of words with their assembly beside them, so that the tests need no cross compiler.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/a64/native_iss.h"
#include "core/iss_test_host.h"

namespace asterism {

struct IssTest : testing::Test {
  IssTestHost host;
  std::unique_ptr<Iss> core = make_native_iss(host, 3);
  IssTest() {
    host.core = core.get();
    core->reset();
  }
  // Puts a program at the start of memory and starts it there.
  void load(const std::vector<std::uint32_t>& program) {
    host.place(code_base, program);
    core->start(Address(code_base), 0);
  }
  void expect_exception(std::uint64_t vector, std::uint64_t elr_value, std::uint64_t esr_value) {
    EXPECT_EQ(core->read(CoreRegister::x27), vector);  // set by the handler of place_vectors()
    EXPECT_EQ(core->read(CoreRegister::elr), elr_value);
    EXPECT_EQ(core->read(CoreRegister::esr), esr_value);
  }
  // Places at each entry of the vector table: mov x27, #offset; hvc #0.
  void place_vectors() {
    for (std::uint32_t offset = 0; offset < 0x800; offset += 0x80)
      host.place(vectors + offset, {0xd280001b | offset << 5, 0xd4000002});
    core->write(CoreRegister::vbar, vectors);
  }
};

inline const std::vector<std::uint32_t> nested_loops = {
    0xd2800c80,  // mov x0, #100
    0xd28000e1,  // outer: mov x1, #7
    0x8b010042,  // inner: add x2, x2, x1
    0xf1000421,  // subs x1, x1, #1
    0x54ffffc1,  // b.ne inner
    0xf1000400,  // subs x0, x0, #1
    0x54ffff61,  // b.ne outer
    0xd503207f,  // wfi
};
inline constexpr std::uint64_t nested_loops_count = 1 + 100 * (1 + 7 * 3 + 2) + 1;

}  // namespace asterism
