// The fixture of tests of instructions: a native engine in an IssTestHost.
//
// Programs are arrays of words with their assembly beside them. They need no instruction that ends them, as
// run() stops after a number of instructions.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "core/a64/native_iss.h"
#include "core/iss_test_host.h"

namespace asterism::a64 {

struct A64Test : testing::Test {
  IssTestHost host;
  std::unique_ptr<NativeIss> core = make_native_iss(host, 0);
  A64Test() {
    host.core = core.get();
    core->map_direct(host.memory_range(), host.memory.bytes);
    core->write(CoreRegister::vbar, vectors);
  }

  // Runs `count` instructions, or as many as there are words, and returns the state after them.
  State run(const std::vector<std::uint32_t>& words, State before, std::uint64_t count) {
    host.place(code_base, words);
    core->invalidate_code(host.memory_range());
    before.pc = code_base;
    core->set_state(before);
    const std::uint64_t end = core->instructions() + count;
    host.on_due = [this] { core->request_stop(); };
    core->call_at(end);
    EXPECT_EQ(core->run(), Iss::Stop::requested);
    EXPECT_EQ(core->instructions(), end);
    return core->state();
  }
  State run(const std::vector<std::uint32_t>& words, const State& before) {
    return run(words, before, words.size());
  }
  // The same, with X0 to X3 set.
  State run(const std::vector<std::uint32_t>& words, std::uint64_t x0 = 0, std::uint64_t x1 = 0,
            std::uint64_t x2 = 0, std::uint64_t x3 = 0) {
    return run(words, with(x0, x1, x2, x3));
  }
  State with(std::uint64_t x0, std::uint64_t x1 = 0, std::uint64_t x2 = 0, std::uint64_t x3 = 0) const {
    State before = core->state();
    before.x[0] = x0, before.x[1] = x1, before.x[2] = x2, before.x[3] = x3;
    return before;
  }
  // Executes a word and expects the exception of an UNDEFINED instruction.
  void expect_undefined(std::uint32_t word) {
    host.place(code_base, {word});
    host.place(vectors + 0x200, {0x1400'0000});  // b .
    core->invalidate_code(host.memory_range());
    core->start(Address(code_base), 0);
    host.on_due = [this] { core->request_stop(); };
    core->call_at(core->instructions() + 1);
    EXPECT_EQ(core->run(), Iss::Stop::requested);
    EXPECT_EQ(core->read(CoreRegister::esr), esr::make(esr::ec_unknown, 0)) << std::hex << word;
    EXPECT_EQ(core->read(CoreRegister::elr), code_base) << std::hex << word;
    core->reset();
    core->write(CoreRegister::vbar, vectors);
  }
};

}  // namespace asterism::a64
