// The fixture of the Unicorn engine's tests.
//
// Programs are arrays of words with their assembly beside them, so that the tests need no cross compiler.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/iss_test_host.h"
#include "core/unicorn_iss.h"

namespace asterism {

struct UnicornIssTest : testing::Test {
  IssTestHost host;
  std::unique_ptr<Iss> core = make_unicorn_iss(host, 3);
  UnicornIssTest() {
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
  // At each entry of the vector table: mov x27, #offset; hvc #0.
  void place_vectors() {
    for (std::uint32_t offset = 0; offset < 0x800; offset += 0x80)
      host.place(vectors + offset, {0xd280001b | offset << 5, 0xd4000002});
    core->write(CoreRegister::vbar, vectors);
  }
};

}  // namespace asterism
