#include "cosim/device_swap.h"

#include <gmock/gmock.h>

#include <cstring>
#include <map>

#include "base/thrown.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t timer = 0x08, source = 0x28, target = 0x2C, words = 0x30;
constexpr unsigned master_id = InitiatorExtension::first_device_master + 7;

DeviceLibrary block(const std::string& variant) {
  return {.file = std::string(COSIM_TEST_BUS_BLOCKS) + "/" + variant + ".so"};
}

// A device in RTL alone, at 100 MHz.
struct Swapped : DeviceSwap {
  Swapped(const std::string& variant, const DeviceSwapPorts& ports)
      : DeviceSwap("device", {.impl = Impl::rtl, .clock = 100_MHz, .window = 1_us}, block(variant), 4_KiB,
                   1_us, {}, std::nullopt, ports) {}
};

std::string refusal(const std::string& variant, const DeviceSwapPorts& ports) {
  return thrown<RtlError>([&] { Swapped(variant, ports); });
}

TEST(DeviceSwapTest, RefusesABlockWithOtherPortsThanTheDevice) {
  EXPECT_THAT(refusal("good", {}), HasSubstr("good.so) has a master port, which this device does not have"));
  EXPECT_THAT(refusal("no_master", {.master = master_id}), HasSubstr("has no master port, one is expected"));
  EXPECT_THAT(refusal("no_interrupt", {}), HasSubstr("has no interrupt line, 1 is expected"));
  EXPECT_THAT(refusal("no_master", {.interrupts = 2}), HasSubstr("has 1 interrupt line, 2 are expected"));
  EXPECT_THAT(refusal("two_interrupts_no_master", {}), HasSubstr("has 2 interrupt lines, 1 is expected"));
}

// Words without latency.
struct Memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory> socket{"socket"};
  std::map<std::uint64_t, std::uint32_t> cells;
  explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Memory::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    EXPECT_EQ(master_of(payload), master_id);
    std::uint32_t& cell = cells[payload.get_address()];
    if (payload.is_read())
      std::memcpy(payload.get_data_ptr(), &cell, 4);
    else
      std::memcpy(&cell, payload.get_data_ptr(), 4);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct DeviceSwapPortsTest : SystemCTest {
  Swapped device{"two_interrupts", {.interrupts = 2, .master = master_id}};
  TestInitiator cpu{"cpu"};
  Memory memory{"memory"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> line{"line"}, copy_line{"copy_line"};

  DeviceSwapPortsTest() {
    cpu.socket.bind(device.target());
    device.master()->bind(memory.socket);
    device.interrupt(0, line);
    device.interrupt(1, copy_line);
  }
};

SYSTEMC_TEST_F(DeviceSwapPortsTest, CarriesTwoLinesAndTheMaster) {
  memory.cells = {{0x100, 11}, {0x104, 22}};
  cpu.write32(source, 0x100);
  cpu.write32(target, 0x200);
  cpu.write32(words, 2);
  wait_for(1_us);
  EXPECT_EQ(memory.cells[0x200], 11u);
  EXPECT_EQ(memory.cells[0x204], 22u);
  EXPECT_FALSE(line.read());
  EXPECT_TRUE(copy_line.read());
  cpu.write32(timer, 1);
  wait_for(1_us);
  EXPECT_TRUE(line.read());
  EXPECT_EQ(device.summary(), (std::vector<std::string>{"device: rtl, 4 accesses, 4 of its own"}));
}

struct DeviceSwapWithoutMasterTest : SystemCTest {
  Swapped device{"no_master", {}};
  TestInitiator cpu{"cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> line{"line"};

  DeviceSwapWithoutMasterTest() {
    cpu.socket.bind(device.target());
    device.interrupt(line);
  }
};

SYSTEMC_TEST_F(DeviceSwapWithoutMasterTest, HasOneLineAndNoMasterUnlessAsked) {
  EXPECT_EQ(device.master(), nullptr);
  cpu.write32(timer, 1);
  wait_for(1_us);
  EXPECT_TRUE(line.read());
  EXPECT_EQ(device.summary(), (std::vector<std::string>{"device: rtl, 1 access"}));
}

}  // namespace
}  // namespace asterism
