#include "devices/external.h"

#include <gmock/gmock.h>

#include "base/event_log.h"
#include "tlm/foreign_master.h"
#include "tlm/log.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"
#include "tlm/test_node.h"

namespace asterism {
namespace {

// A target as a third party supplies it: four words that each answer after 30 ns, and a line that rises when
// the first of them is written.
struct ForeignTarget : sc_core::sc_module {
  tlm_utils::simple_target_socket<ForeignTarget> socket{"socket"};
  sc_core::sc_out<bool> done{"done"};
  std::array<unsigned char, 16> bytes{};
  bool grants = false;
  unsigned master = 0;

  explicit ForeignTarget(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &ForeignTarget::b_transport);
    socket.register_transport_dbg(this, &ForeignTarget::transport_dbg);
    socket.register_get_direct_mem_ptr(this, &ForeignTarget::get_direct_mem_ptr);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    transport_dbg(payload);
    master = master_of(payload);
    delay += sc_core::sc_time(30, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (payload.is_write() && payload.get_address() == 0) done.write(payload.get_data_ptr()[0] != 0);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    unsigned char* const at = bytes.data() + payload.get_address();
    if (payload.is_read())
      std::copy_n(at, payload.get_data_length(), payload.get_data_ptr());
    else
      std::copy_n(payload.get_data_ptr(), payload.get_data_length(), at);
    return payload.get_data_length();
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.set_dmi_ptr(bytes.data());
    dmi.set_start_address(0);
    dmi.set_end_address(bytes.size() - 1);
    if (grants) dmi.allow_read_write();
    return grants;
  }
};

// The node is a master and a target of its own.
struct ExternalTest : SystemCTest {
  NoNode no_node;
  NoEventLog no_events;
  External external;
  TestInitiator cpu{"cpu"};
  ForeignTarget memory{"memory"}, module{"module"};
  ForeignMaster dma{"dma"};
  sc_core::sc_signal<bool> unused{"unused"};
  External::Line wire{"wire"};

  ExternalTest()
      : external("external", {.size = 4_KiB, .masters = 1, .lines = 1, .compatible = {}},
                 {.place = {}, .masters = {1025}, .node = no_node, .events = no_events}) {
    memory.done.bind(unused);
    cpu.socket.bind(*external.targets().at(0));
    external.initiators().at(0)->bind(memory.socket);
    external.interrupts().at(0)->bind(wire);
  }
};

struct BoundExternalTest : ExternalTest {
  BoundExternalTest() {
    external.target.bind(module.socket);
    dma.socket.bind(external.masters.at(0));
    module.done.bind(external.lines.at(0));
  }
};

SYSTEMC_TEST_F(BoundExternalTest, TheModuleAnswersTheNodeInItsOwnTime) {
  cpu.delay = sc_core::sc_time(5, sc_core::SC_NS);
  cpu.write32(4, 0x1234);
  EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(now(), 5_ns);
  EXPECT_EQ(cpu.delay, sc_core::sc_time(30, sc_core::SC_NS));
  std::uint32_t word = 0;
  EXPECT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, 4, &word, 4), 4u);
  EXPECT_EQ(word, 0x1234u);
  Statistics statistics, expected;
  expected.add("accesses", std::uint64_t{1});
  expected.add("master0_accesses", std::uint64_t{0});
  external.report(statistics);
  EXPECT_TRUE(statistics == expected);
}

SYSTEMC_TEST_F(BoundExternalTest, ALineOfTheModuleIsAnInterruptOfTheNode) {
  EXPECT_FALSE(wire.read());
  cpu.write32(0, 1);
  settle();
  EXPECT_TRUE(wire.read());
  cpu.write32(0, 0);
  settle();
  EXPECT_FALSE(wire.read());
}

SYSTEMC_TEST_F(BoundExternalTest, AMasterOfTheModuleAccessesTheNode) {
  EXPECT_EQ(dma.write32(8, 0x5678), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(30, sc_core::SC_NS));
  EXPECT_EQ(memory.bytes[8], 0x78);
  EXPECT_EQ(memory.master, 1025u);
}

SYSTEMC_TEST_F(BoundExternalTest, DirectMemoryIsThatOfTheOtherSide) {
  EXPECT_FALSE(dma.is_granted(0));
  memory.grants = module.grants = true;
  EXPECT_TRUE(dma.is_granted(0));
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, 0, nullptr, 4);
  EXPECT_TRUE(cpu.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_dmi_ptr(), module.bytes.data());
  module.socket->invalidate_direct_mem_ptr(0, 15);
  EXPECT_EQ(cpu.invalidations, 1u);
}

// An access to direct memory is reported to the node's targets by one that moves no data.
SYSTEMC_TEST_F(BoundExternalTest, TheReportOfADirectAccessIsNoWrite) {
  module.bytes.fill(7);
  EXPECT_EQ(cpu.monitored_access(Address(0), true, 0_ns), 30_ns);
  EXPECT_THAT(module.bytes, testing::Each(7));
}

SYSTEMC_TEST_F(BoundExternalTest, AResetOfTheNodeIsNotified) {
  std::vector<Reset> kinds;
  external.on_reset = [&](Reset kind) { kinds.push_back(kind); };
  external.reset(Reset::warm);
  external.reset(Reset::power_loss);
  EXPECT_THAT(kinds, testing::ElementsAre(Reset::warm, Reset::power_loss));
}

// Nothing has to be bound from outside.
struct UnboundExternalTest : ExternalTest {
  UnboundExternalTest() {
    dma.socket.bind(module.socket);
    module.done.bind(unused_too);
  }
  sc_core::sc_signal<bool> unused_too{"unused_too"};
};

SYSTEMC_TEST_F(UnboundExternalTest, AnswersWithAnError) {
  set_log_levels({{"external", LogLevel::off}});
  cpu.read32(0);
  EXPECT_EQ(cpu.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  std::uint32_t word = 0;
  EXPECT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, 0, &word, 4), 0u);
}

// A module that no core accesses.
struct MastersAloneTest : SystemCTest {
  NoNode no_node;
  NoEventLog no_events;
  External external{"external",
                    {.size = 0_B, .masters = 2, .lines = 0, .compatible = {}},
                    {.place = {}, .masters = {1025, 1026}, .node = no_node, .events = no_events}};
  ForeignTarget first{"first"}, second{"second"};
  TestInitiator of_first{"of_first"}, of_second{"of_second"};
  sc_core::sc_signal<bool> unused{"unused"}, unused_too{"unused_too"};

  MastersAloneTest() {
    const auto initiators = external.initiators();
    initiators.at(0)->bind(first.socket);
    initiators.at(1)->bind(second.socket);
    of_first.socket.bind(external.masters.at(0));
    of_second.socket.bind(external.masters.at(1));
    first.done.bind(unused);
    second.done.bind(unused_too);
  }
};

SYSTEMC_TEST_F(MastersAloneTest, EachHasABusOfItsOwn) {
  EXPECT_TRUE(external.targets().empty());
  of_first.write32(4, 1);
  of_second.write32(4, 2);
  EXPECT_EQ(first.bytes[4], 1);
  EXPECT_EQ(second.bytes[4], 2);
  second.socket->invalidate_direct_mem_ptr(0, 15);
  EXPECT_EQ(of_first.invalidations, 0u);
  EXPECT_EQ(of_second.invalidations, 1u);
}

TEST(ExternalShape, HasWhatItsKeysSay) {
  const DeviceShape none = External::shape({}, {});
  EXPECT_TRUE(none.targets.empty() && none.interrupts.empty() && none.initiators.empty());
  const DeviceShape all = External::shape({.size = 64_KiB, .masters = 2, .lines = 3, .compatible = {}}, {});
  EXPECT_EQ(all.targets.at(0).size, 64_KiB);
  EXPECT_EQ(all.targets.at(0).registers, nullptr);
  EXPECT_EQ(all.initiators.size(), 2u);
  EXPECT_EQ(all.interrupts.size(), 3u);
}

}  // namespace
}  // namespace asterism
