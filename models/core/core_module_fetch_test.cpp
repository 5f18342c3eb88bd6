// Memory that grants direct access for loads only, or not at all because a block of it is faulty.
#include "core/core_module.h"
#include "core/core_test_bus.h"
#include "core/iss_factory.h"
#include "tlm/systemc_test.h"

namespace asterism {
namespace {

using enum CoreRegister;
constexpr std::uint64_t code = CoreTestBus::memory_base, vectors = code + 0x20'0000, data = code + 0x10'0000;

struct CoreModuleFetchTest : SystemCTest {
  NoCalls calls;
  CoreTestBus bus{"bus"};
  CoreModule core{"core", 0, CoreConfig{}, 1_us, calls, make_iss_of_cores()};
  CoreModuleFetchTest() { bus.bind(core); }

  void execute(const std::vector<std::uint32_t>& program) {
    bus.place(code, program);
    bus.place(vectors + 0x200, {0xd503207f});  // wfi
    core.start(Address(code), data);
    for (Picoseconds t; t < 1_ms && core.state() != CoreModule::State::waiting; t += 100_ns)
      sc_core::wait(to_sc_time(100_ns));
    EXPECT_EQ(core.state(), CoreModule::State::waiting) << core.lock_up_reason();
  }
};

SYSTEMC_TEST_F(CoreModuleFetchTest, WithReadOnlyGrantsStoresUseTheBus) {
  bus.is_read_only = true;
  execute({
      0xf9400001,  // ldr x1, [x0]
      0x91000421,  // add x1, x1, #1
      0xf9000001,  // str x1, [x0]
      0xf9400002,  // ldr x2, [x0]
      0xd503207f,  // wfi
  });
  EXPECT_EQ(bus.memory_accesses, 1u);
  EXPECT_EQ(core.iss().read(x2), 1u);
}

SYSTEMC_TEST_F(CoreModuleFetchTest, SoundBlocksOfFaultyMemoryAreExecuted) {
  bus.broken = data;
  execute({
      0xd2800021,  // mov x1, #1
      0x14000002,  // b next
      0xd2800041,  // mov x1, #2
      0x91001021,  // next: add x1, x1, #4
      0xd503207f,  // wfi
  });
  EXPECT_EQ(core.iss().read(x1), 5u);
  EXPECT_EQ(core.instructions(), 4u);
  EXPECT_EQ(bus.memory_accesses, 4u);
}

SYSTEMC_TEST_F(CoreModuleFetchTest, ASlowFetchIsMadeOnce) {
  bus.broken = data;
  bus.memory_latency = 5_us;  // longer than the quantum, 1 us
  execute({
      0xd2800021,  // mov x1, #1
      0x91001021,  // add x1, x1, #4
      0x91001021,  // add x1, x1, #4
      0xd503207f,  // wfi
  });
  EXPECT_EQ(core.iss().read(x1), 9u);
  EXPECT_EQ(bus.memory_accesses, 4u);
}

SYSTEMC_TEST_F(CoreModuleFetchTest, APoisonedInstructionIsAnInstructionAbort) {
  bus.broken = code + 64;
  execute({
      0xd2a80401,  // mov x1, #0x40200000
      0xd518c001,  // msr vbar_el1, x1
      0x1400000e,  // b code + 64
  });
  EXPECT_EQ(core.iss().read(far), code + 64);
  EXPECT_EQ(core.iss().read(elr), code + 64);
  EXPECT_EQ(esr::exception_class(core.iss().read(CoreRegister::esr)), esr::ec_instruction_abort + 0u);
  EXPECT_EQ(core.instructions(), 4u);
}

}  // namespace
}  // namespace asterism
