#include "tlm/tlm_device.h"

#include <gtest/gtest.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <array>
#include <cstring>

#include "base/event_log.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"
#include "tlm/test_node.h"

namespace asterism {
namespace {

// Of another project: of other widths, and without anything of this one. A write of an address reads the word
// there, and raises the line.
struct Reader : sc_core::sc_module {
  tlm_utils::simple_target_socket<Reader, 64> socket{"socket"};
  tlm_utils::simple_initiator_socket<Reader, 128> bus{"bus"};
  sc_core::sc_out<bool> done{"done"};
  std::uint64_t word = 0;
  std::array<unsigned char, 64> memory{};

  explicit Reader(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Reader::b_transport);
    socket.register_transport_dbg(this, &Reader::transport_dbg);
    socket.register_get_direct_mem_ptr(this, &Reader::grant);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    tlm::tlm_generic_payload own;
    std::uint64_t address = 0;
    std::memcpy(&address, payload.get_data_ptr(), payload.get_data_length());
    TestInitiator::fill(own, tlm::TLM_READ_COMMAND, address, reinterpret_cast<unsigned char*>(&word),
                        sizeof word);
    bus->b_transport(own, delay);
    payload.set_response_status(own.get_response_status());
    done.write(true);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return payload.get_data_length(); }
  bool grant(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.set_dmi_ptr(memory.data());
    dmi.set_end_address(memory.size() - 1);
    dmi.allow_read();
    return true;
  }
};

struct ReaderDevice final : TlmDevice {
  ReaderDevice(const sc_core::sc_module_name& name, const DeviceContext& context)
      : TlmDevice(name, context), reader("reader") {
    target(reader.socket);
    initiator(reader.bus);
    interrupt(reader.done);
  }
  Reader reader;
};

// A socket of another class.
struct Passive final : TlmDevice {
  tlm_utils::multi_passthrough_target_socket<Passive> socket{"socket"};
  unsigned accesses = 0;
  Passive(const sc_core::sc_module_name& name, const DeviceContext& context) : TlmDevice(name, context) {
    socket.register_b_transport(this, &Passive::b_transport);
    target(socket);
  }
  void b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    ++accesses;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct Memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory> socket{"socket"};
  std::uint64_t asked = 0;
  explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Memory::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    asked = payload.get_address();
    const std::uint64_t word = 0x1122'3344'5566'7788;
    std::memcpy(payload.get_data_ptr(), &word, sizeof word);
    delay += sc_core::sc_time(7, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct TlmDeviceTest : SystemCTest {
  NoNode no_node;
  NoEventLog no_events;
  const DeviceContext context{.place = {}, .masters = {1025}, .node = no_node, .events = no_events};
  ReaderDevice device{"device", context};
  Passive passive{"passive", context};
  TestInitiator cpu{"cpu"}, other{"other"};
  Memory memory{"memory"};
  sc_core::sc_signal<bool> line{"line"};

  TlmDeviceTest() {
    cpu.socket.bind(*device.targets().at(0));
    other.socket.bind(*passive.targets().at(0));
    device.initiators().at(0)->bind(memory.socket);
    device.connect_interrupt(0, line);
  }
};

SYSTEMC_TEST_F(TlmDeviceTest, ConnectsSocketsOfAnyWidthAndClass) {
  EXPECT_EQ(device.phase(), ResetPhase::masters);
  EXPECT_EQ(passive.phase(), ResetPhase::targets);
  cpu.write32(0x10, 0x4000);
  EXPECT_EQ(memory.asked, 0x4000u);
  EXPECT_EQ(device.reader.word, 0x1122'3344'5566'7788u);
  sc_core::wait(sc_core::SC_ZERO_TIME);
  EXPECT_TRUE(line.read());
  other.write32(0, 1);
  EXPECT_EQ(passive.accesses, 1u);
}

SYSTEMC_TEST_F(TlmDeviceTest, PassesOnDebugAccessesAndDirectMemory) {
  tlm::tlm_generic_payload payload;
  std::uint32_t word = 0;
  TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, 0, reinterpret_cast<unsigned char*>(&word),
                      sizeof word);
  EXPECT_EQ(cpu.socket->transport_dbg(payload), 4u);
  tlm::tlm_dmi dmi;
  EXPECT_TRUE(cpu.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_dmi_ptr(), device.reader.memory.data());
}

}  // namespace
}  // namespace asterism
