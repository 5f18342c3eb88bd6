#include "fabric/crossbar.h"

#include <tlm_utils/simple_target_socket.h>

#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

struct EchoTarget : sc_core::sc_module, TimedPath {
  tlm_utils::simple_target_socket<EchoTarget> socket{"socket"};
  std::vector<std::uint64_t> offsets;
  unsigned char memory[4096] = {};
  explicit EchoTarget(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &EchoTarget::b_transport);
    socket.register_get_direct_mem_ptr(this, &EchoTarget::dmi);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    offsets.push_back(payload.get_address());
    delay += to_sc_time(5_ns);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  Picoseconds access(const Access& access, Picoseconds at) override {
    offsets.push_back(access.address.value());
    return at + 5_ns;
  }
  bool dmi(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    if (auto* who = payload.get_extension<InitiatorExtension>()) who->timed = this;
    dmi.set_start_address(0);
    dmi.set_end_address(~0ull);
    dmi.set_dmi_ptr(memory);
    dmi.allow_read_write();
    return true;
  }
};

struct CrossbarTest : SystemCTest {
  Crossbar crossbar{"crossbar", FabricConfig{.latency = 10_ns}};
  TestInitiator cpu0{"cpu0"}, cpu1{"cpu1"};
  EchoTarget uart{"uart"}, dram{"dram"};
  CrossbarTest() {
    crossbar.add_master(cpu0.socket);
    crossbar.add_master(cpu1.socket);
    crossbar.add_target(uart.socket, {Address(0x0900'0000), 4_KiB}, "uart");
    crossbar.add_target(dram.socket, {Address(0x4000'0000), 4_KiB}, "dram");
  }
};

SYSTEMC_TEST_F(CrossbarTest, TargetsSeeOffsetsAndMastersKeepTheirAddress) {
  std::uint32_t data = 0;
  tlm::tlm_generic_payload payload;
  TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, 0x4000'0010, &data, 4);
  cpu0.transport(payload);
  EXPECT_EQ(dram.offsets, (std::vector<std::uint64_t>{0x10}));
  EXPECT_EQ(payload.get_address(), 0x4000'0010u);
  EXPECT_TRUE(uart.offsets.empty());
}

SYSTEMC_TEST_F(CrossbarTest, AddsItsLatencyToTheTargets) {
  cpu1.delay = to_sc_time(1_ns);
  cpu1.read32(0x0900'0000);
  EXPECT_EQ(to_picoseconds(cpu1.delay), 16_ns);
}

SYSTEMC_TEST_F(CrossbarTest, HolesAnswerWithAnAddressError) {
  cpu0.read32(0x1000);
  EXPECT_EQ(cpu0.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  cpu0.read<std::uint64_t>(0x4000'0FFC);
  EXPECT_EQ(cpu0.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  std::uint32_t data;
  EXPECT_EQ(cpu0.debug(tlm::TLM_READ_COMMAND, 0x1000, &data, 4), 0u);
}

SYSTEMC_TEST_F(CrossbarTest, DirectAccessIsTranslatedAndClipped) {
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  payload.set_address(0x4000'0020);
  ASSERT_TRUE(cpu0.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_start_address(), 0x4000'0000u);
  EXPECT_EQ(dmi.get_end_address(), 0x4000'0FFFu);
}

SYSTEMC_TEST_F(CrossbarTest, APathIncludesTheWayThroughIt) {
  TimedPath* const path = cpu1.timed_path(0x4000'0000);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->access({Address(0x4000'0040), 1, false, false}, 3_ns), 18_ns);
  EXPECT_EQ(dram.offsets, std::vector<std::uint64_t>{0x40});
  EXPECT_EQ(cpu1.timed_path(0x4000'0040), path);
  EXPECT_FALSE(cpu1.timed_path(0x1000));
}

SYSTEMC_TEST_F(CrossbarTest, WithdrawalsReachEveryMaster) {
  dram.socket->invalidate_direct_mem_ptr(0x100, ~0ull);
  for (TestInitiator* cpu : {&cpu0, &cpu1}) {
    EXPECT_EQ(cpu->invalidations, 1u);
    EXPECT_EQ(cpu->invalidated_first, Address(0x4000'0100));
    EXPECT_EQ(cpu->invalidated_last, Address(0x4000'0FFF));
  }
}

struct LastDecision : ArbitrationHook {
  std::vector<Picoseconds> times;
  unsigned output = 99;
  RequestSet requests{};
  std::vector<Reset> resets;
  unsigned decide(Picoseconds now, unsigned o, const RequestSet& r, unsigned choice) override {
    times.push_back(now);
    output = o;
    requests = r;
    return choice;
  }
  void reset(Reset kind) override { resets.push_back(kind); }
};

SYSTEMC_TEST_F(CrossbarTest, AnArbiterGrantsEachAccessAtItsTimeAndOutputsOneACycle) {
  LastDecision hook;
  crossbar.attach_hook(0, &hook);
  ASSERT_EQ(crossbar.switches().size(), 1u);
  EXPECT_EQ(crossbar.switches()[0].inputs, (std::vector<std::string>{"cpu0", "cpu1"}));
  EXPECT_EQ(crossbar.switches()[0].outputs, (std::vector<std::string>{"uart", "dram"}));
  cpu1.delay = to_sc_time(7_ns);
  cpu1.read32(0x4000'0000);
  EXPECT_EQ(hook.requests, (RequestSet{2, 0}));
  EXPECT_EQ(hook.output, 1u);
  cpu0.delay = to_sc_time(3_ns);  // earlier than the last grant of its output
  cpu0.read32(0x4000'0000);
  EXPECT_EQ(hook.requests, (RequestSet{1, 0}));
  cpu0.delay = to_sc_time(3_ns);
  cpu0.read32(0x0900'0000);
  EXPECT_EQ(hook.times, (std::vector<Picoseconds>{7_ns, 8_ns, 3_ns}));
  EXPECT_EQ(cpu0.delay, to_sc_time(18_ns));  // the hook does not change the time of an access
  crossbar.reset(Reset::warm);
  EXPECT_EQ(hook.resets, std::vector{Reset::warm});
  crossbar.attach_hook(0, nullptr);
}

}  // namespace
}  // namespace asterism
