#include "tlm/register_socket.h"

#include <utility>

#include "base/random.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

struct Bank : RegisterBank {
  Register plain{*this, 0x0, "PLAIN", Access::read_write, 0x11223344, ""};
  Register acting{*this, 0x4, "ACTING", Access::read_write, 0, ""};
  Register bytes{*this, 0x8, "BYTES", Access::read_write, 0, ""};
  Register fixed{*this, 0xc, "FIXED", Access::read_only, 7, ""};
  Bank() : RegisterBank("BANK", 4_KiB) { bytes.any_width(); }
};

struct Device : sc_core::sc_module {
  Bank bank;
  RegisterSocket target{"target", bank, 10_ns};
  explicit Device(const sc_core::sc_module_name& name) : sc_module(name) {}
};

struct RegisterSocketTest : SystemCTest {
  Device device{"device"};
  Bank& bank = device.bank;
  std::vector<Picoseconds> acted;
  TestInitiator cpu{"cpu"};
  RegisterSocketTest() {
    bank.acting.on_write([this](std::uint32_t) { acted.push_back(now()); });
    cpu.socket.bind(device.target);
  }
};

SYSTEMC_TEST_F(RegisterSocketTest, DelayOnlyGrowsForAPlainRegister) {
  cpu.delay = to_sc_time(37_ns);
  cpu.write32(0x0, 1);
  EXPECT_EQ(to_picoseconds(cpu.delay), 47_ns);
  EXPECT_EQ(now(), 0_ns);
}

SYSTEMC_TEST_F(RegisterSocketTest, ASideEffectHappensAtTheTimeOfTheAccess) {
  cpu.delay = to_sc_time(37_ns);
  cpu.write32(0x4, 1);
  EXPECT_EQ(acted, (std::vector{37_ns}));
  EXPECT_EQ(to_picoseconds(cpu.delay), 10_ns);
}

SYSTEMC_TEST_F(RegisterSocketTest, AnAccessWhoseInitiatorIsResetWhileItWaitsIsDropped) {
  sc_core::sc_spawn([&] {
    sc_core::wait(to_sc_time(20_ns));
    cpu.who.aborted = true;
  });
  cpu.delay = to_sc_time(37_ns);
  cpu.write32(0x4, 1);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_TRUE(acted.empty());
  EXPECT_EQ(bank.acting.value(), 0u);
}

SYSTEMC_TEST_F(RegisterSocketTest, TellsTheRegisterOfAnAccessByAnotherWidth) {
  const auto misfit = [this] { return std::exchange(cpu.who.misfit, nullptr); };
  cpu.write32(0x0, 1);
  EXPECT_EQ(misfit(), nullptr);
  cpu.write<std::uint8_t>(0x5, 1);
  EXPECT_EQ(misfit(), &bank.acting);
  cpu.read<std::uint16_t>(0x2);
  EXPECT_EQ(misfit(), &bank.plain);
  cpu.read<std::uint64_t>(0x0);
  EXPECT_EQ(misfit(), &bank.plain);
  cpu.read32(0x2);
  EXPECT_EQ(misfit(), &bank.plain);
  cpu.write<std::uint8_t>(0x9, 1);
  cpu.read<std::uint16_t>(0x100);
  EXPECT_EQ(misfit(), nullptr);
}

SYSTEMC_TEST_F(RegisterSocketTest, NarrowAndWideAccessesMeetTheirBytes) {
  EXPECT_EQ(cpu.read<std::uint8_t>(0x1), 0x33);
  EXPECT_EQ(cpu.read<std::uint16_t>(0x2), 0x1122);
  cpu.write<std::uint64_t>(0x0, 0xAABBCCDD'00000001u);
  EXPECT_EQ(bank.plain.value(), 1u);
  EXPECT_EQ(bank.acting.value(), 0xAABBCCDDu);
}

SYSTEMC_TEST_F(RegisterSocketTest, NoEnabledByteIsALegalNoOperation) {
  std::uint32_t data = ~0u;
  unsigned char none[4] = {};
  tlm::tlm_generic_payload payload;
  TestInitiator::fill(payload, tlm::TLM_WRITE_COMMAND, 0x4, &data, 4);
  payload.set_byte_enable_ptr(none);
  payload.set_byte_enable_length(4);
  cpu.transport(payload);
  EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
  EXPECT_TRUE(acted.empty());
}

SYSTEMC_TEST_F(RegisterSocketTest, RefusesWhatDoesNotFit) {
  cpu.read32(0x1000);
  EXPECT_EQ(cpu.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  cpu.read32(~0ull - 1);
  EXPECT_EQ(cpu.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

SYSTEMC_TEST_F(RegisterSocketTest, DebugAccessesCanOnlyPeek) {
  std::uint32_t value = 5;
  EXPECT_EQ(cpu.debug(tlm::TLM_WRITE_COMMAND, 0x4, &value, 4), 0u);
  EXPECT_EQ(cpu.debug(tlm::TLM_WRITE_COMMAND, 0x0, &value, 4), 0u);
  EXPECT_TRUE(acted.empty());
  EXPECT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, 0x0, &value, 4), 4u);
  EXPECT_EQ(value, 0x11223344u);
}

SYSTEMC_TEST_F(RegisterSocketTest, AUserOfADebuggerWritesAsTheGuestDoes) {
  std::vector<std::string> warnings;
  bank.warn = [&](const std::string& line) { warnings.push_back(line); };
  InitiatorExtension user;
  user.master = 3;
  user.writes_registers = true;
  const auto write = [&](std::uint64_t offset, std::uint32_t value) {
    tlm::tlm_generic_payload payload;
    TestInitiator::fill(payload, tlm::TLM_WRITE_COMMAND, offset, &value, 4);
    payload.set_extension(&user);
    const unsigned written = cpu.socket->transport_dbg(payload);
    payload.clear_extension(&user);
    return written;
  };
  EXPECT_EQ(write(0x4, 5), 4u);
  EXPECT_EQ(acted.size(), 1u);
  EXPECT_EQ(write(0xc, 5), 0u);
  EXPECT_EQ(write(0xffc, 5), 0u);
  EXPECT_EQ(acted.size(), 1u);
  EXPECT_EQ(warnings, (std::vector<std::string>{
                          "the debugger's write is refused: register FIXED is read-only",
                          "the debugger's write is refused: there is no register at offset 0xffc"}));
}

SYSTEMC_TEST_F(RegisterSocketTest, AnyPayloadGetsAnAnswer) {
  Random random(1);
  unsigned char data[64] = {}, enables[8];
  for (int i = 0; i < 20'000; ++i) {
    tlm::tlm_generic_payload payload;
    TestInitiator::fill(payload, static_cast<tlm::tlm_command>(random.below(3)),
                        random.below(4) ? random.below(0x1010) : random.next(), data, random.below(65));
    payload.set_streaming_width(random.below(70));
    for (auto& enable : enables) enable = random.below(2) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    if (random.below(2))
      payload.set_byte_enable_ptr(enables), payload.set_byte_enable_length(random.below(9));
    const sc_core::sc_time before = cpu.delay = to_sc_time(Picoseconds(random.below(1000)));
    const Picoseconds start = now();
    cpu.transport(payload);
    EXPECT_NE(cpu.status, tlm::TLM_INCOMPLETE_RESPONSE);
    EXPECT_GE(now() + to_picoseconds(cpu.delay), start + to_picoseconds(before));
  }
}

}  // namespace
}  // namespace asterism
