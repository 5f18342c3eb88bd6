#include "devices/nor_flash_module.h"

#include <array>
#include <vector>

#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

constexpr std::uint32_t program = 0x0040'0040, read_array = 0x00ff'00ff, ready = 0x0080'0080;

struct NorFlashModuleTest : SystemCTest {
  NorFlashModuleTest() {
    cpu.socket.bind(flash.target);
    flash.program(contents());
  }
  static std::vector<std::byte> contents() { return std::vector<std::byte>(4096, std::byte{0x5a}); }
  NorFlashModule flash{"flash", {.size = Bytes(2 * NorFlash::block_size), .latency = 100_ns}};
  TestInitiator cpu{"cpu"};
};

SYSTEMC_TEST_F(NorFlashModuleTest, BeginsWithItsContentsAndIsErasedElsewhere) {
  EXPECT_EQ(cpu.read32(0), 0x5a5a'5a5au);
  EXPECT_EQ(cpu.read32(4096), 0xffff'ffffu);
}

SYSTEMC_TEST_F(NorFlashModuleTest, TakesCommandsAtItsLatency) {
  cpu.write32(4096, program);
  cpu.write32(4096, 0x1234'5678);
  EXPECT_EQ(cpu.read32(0), ready);
  cpu.write32(0, read_array);
  EXPECT_EQ(cpu.read32(4096), 0x1234'5678u);
  cpu.delay = sc_core::SC_ZERO_TIME;
  cpu.read32(0);
  EXPECT_EQ(to_picoseconds(cpu.delay), 100_ns);
}

SYSTEMC_TEST_F(NorFlashModuleTest, GrantsLoadsWhileItReadsAsAnArray) {
  tlm::tlm_dmi dmi;
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(64);
  ASSERT_TRUE(cpu.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_granted_access(), tlm::tlm_dmi::DMI_ACCESS_READ);
  EXPECT_EQ(dmi.get_dmi_ptr()[0], 0x5a);
  EXPECT_EQ(dmi.get_end_address(), 2 * NorFlash::block_size - 1);

  cpu.write32(0, program);
  EXPECT_EQ(cpu.invalidations, 1u);
  EXPECT_FALSE(cpu.socket->get_direct_mem_ptr(payload, dmi));
  cpu.write32(0, 0xffff'ffff);
  cpu.write32(0, read_array);
  EXPECT_EQ(cpu.invalidations, 2u);
  EXPECT_TRUE(cpu.socket->get_direct_mem_ptr(payload, dmi));
}

SYSTEMC_TEST_F(NorFlashModuleTest, GrantsNeitherStoresNorWhatItDoesNotHave) {
  tlm::tlm_dmi dmi;
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(64);
  EXPECT_FALSE(cpu.socket->get_direct_mem_ptr(payload, dmi));
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(2 * NorFlash::block_size);
  EXPECT_FALSE(cpu.socket->get_direct_mem_ptr(payload, dmi));
}

// U-Boot's sequence before it reads: it queries the CFI table as for banks of 8, 16 and 32 bits, and ends
// with a reset of 16 bits.
SYSTEMC_TEST_F(NorFlashModuleTest, WordsAreWholeAfterAProbeOf16Bits) {
  cpu.write<std::uint8_t>(0, 0xff);
  cpu.write<std::uint8_t>(0x55, 0x98);
  cpu.write<std::uint16_t>(0, 0xff);
  cpu.write<std::uint16_t>(0xaa, 0x98);
  EXPECT_EQ(cpu.read<std::uint16_t>(0x40), 'Q');
  EXPECT_EQ(cpu.read<std::uint16_t>(0x44), 'R');
  EXPECT_EQ(cpu.read<std::uint16_t>(0x48), 'Y');
  cpu.write<std::uint16_t>(0, 0xff);
  EXPECT_EQ(cpu.read32(0), 0x5a5a'5a5au);
  EXPECT_EQ(cpu.read<std::uint64_t>(4088), 0x5a5a'5a5a'5a5a'5a5aull);
  tlm::tlm_dmi dmi;
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(0);
  EXPECT_TRUE(cpu.socket->get_direct_mem_ptr(payload, dmi));
}

SYSTEMC_TEST_F(NorFlashModuleTest, KeepsItsContentsThroughResets) {
  cpu.write32(4096, program);
  cpu.write32(4096, 7);
  for (const Reset kind : {Reset::warm, Reset::power_loss}) {
    flash.reset(kind);
    EXPECT_EQ(cpu.read32(4096), 7u);
  }
}

SYSTEMC_TEST_F(NorFlashModuleTest, DebuggersSeeAndSetTheContentsWithoutACommand) {
  cpu.write32(0, program);
  std::array<std::uint8_t, 3> bytes{};
  EXPECT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, 1, bytes.data(), 3), 3u);
  EXPECT_EQ(bytes[2], 0x5a);
  bytes = {1, 2, 3};
  EXPECT_EQ(cpu.debug(tlm::TLM_WRITE_COMMAND, 1, bytes.data(), 3), 3u);
  EXPECT_EQ(cpu.read32(0), ready);
  flash.reset(Reset::warm);
  EXPECT_EQ(cpu.read32(0), 0x0302'015au);
}

SYSTEMC_TEST_F(NorFlashModuleTest, TakesAccessesOfAnyShape) {
  cpu.write<std::uint16_t>(4096, 0x40);
  cpu.write<std::uint16_t>(4096, 0x1234);  // into one chip
  EXPECT_EQ(cpu.read32(0), 0x0080'0080u);
  cpu.write<std::uint8_t>(0, 0xff);
  EXPECT_EQ(cpu.read<std::uint64_t>(4094), 0xffff'ffff'1234'5a5aull);
}

}  // namespace
}  // namespace asterism
