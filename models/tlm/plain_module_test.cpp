#include <gmock/gmock.h>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <array>
#include <cstring>
#include <functional>
#include <optional>

#include "base/event_log.h"
#include "tlm/initiator_extension.h"
#include "tlm/log.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"
#include "tlm/test_node.h"
#include "tlm/tlm_device.h"

namespace asterism {
namespace {

using Payload = tlm::tlm_generic_payload;
using Wire = sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS>;
using Bytes64 = std::array<unsigned char, 64>;

void move(Payload& payload, Bytes64& bytes) {
  unsigned char* const at = bytes.data() + payload.get_address();
  if (payload.is_read())
    std::memcpy(payload.get_data_ptr(), at, payload.get_data_length());
  else
    std::memcpy(at, payload.get_data_ptr(), payload.get_data_length());
}

struct TlmDeviceTest : SystemCTest {
  NoNode no_node;
  NoEventLog no_events;
  DeviceContext context{.place = {}, .masters = {1025}, .node = no_node, .events = no_events};
};

// ---- targets ----

// 64 bits wide; it ignores the delay of its callers, and does not set a status.
struct CarelessTarget : sc_core::sc_module {
  tlm_utils::simple_target_socket<CarelessTarget, 64> socket{"socket"};
  Bytes64 bytes{};
  Picoseconds accessed;

  explicit CarelessTarget(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &CarelessTarget::b_transport);
    socket.register_get_direct_mem_ptr(this, &CarelessTarget::get_direct_mem_ptr);
  }
  void b_transport(Payload& payload, sc_core::sc_time&) {
    accessed = now();
    move(payload, bytes);
  }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi& dmi) {
    dmi.set_dmi_ptr(bytes.data());
    dmi.allow_read_write();
    return true;
  }
};

struct CarelessTargetTest : TlmDeviceTest {
  struct Of : TlmDevice {
    Of(const sc_core::sc_module_name& name, const DeviceContext& context) : TlmDevice(name, context) {
      target(module.socket);
    }
    CarelessTarget module{"module"};
  } device{"device", context};
  TestInitiator cpu{"cpu"};
  CarelessTargetTest() { cpu.socket.bind(*device.targets().at(0)); }
};

SYSTEMC_TEST_F(CarelessTargetTest, IsAccessedAtTheTimeOfTheCallerAndDone) {
  testing::internal::CaptureStderr();
  cpu.delay = to_sc_time(5_ns);
  cpu.write32(8, 0x1234);
  EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(device.module.accessed, 5_ns);
  EXPECT_EQ(now() + to_picoseconds(cpu.delay), 5_ns);
  EXPECT_EQ(cpu.read32(8), 0x1234u);
  EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, testing::HasSubstr(
                        "device: the module has not set the response status of a write at offset 0x8"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("read")));  // it is said once
}

SYSTEMC_TEST_F(CarelessTargetTest, DropsAnAccessWhoseInitiatorWasReset) {
  cpu.who.aborted = true;
  cpu.write32(8, 0x1234);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(device.module.bytes[8], 0);
}

SYSTEMC_TEST_F(CarelessTargetTest, GrantsDirectMemoryAndWithdrawsIt) {
  Payload payload;
  tlm::tlm_dmi dmi;
  TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, 0, nullptr, 4);
  EXPECT_TRUE(cpu.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_dmi_ptr(), device.module.bytes.data());
  device.module.socket->invalidate_direct_mem_ptr(0, 63);
  EXPECT_EQ(cpu.invalidations, 1u);
}

// Such an access moves no data, which the module does not know.
SYSTEMC_TEST_F(CarelessTargetTest, IsNotWrittenToByTheReportOfADirectAccess) {
  set_log_levels({{"device", LogLevel::off}});
  device.module.bytes.fill(7);
  cpu.monitored_access(Address(0), true, 5_ns);
  EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(device.module.accessed, 5_ns);
  EXPECT_THAT(device.module.bytes, testing::Each(7));
}

// It waits in b_transport, and would lose an access that comes meanwhile.
struct WaitingTarget : sc_core::sc_module {
  tlm_utils::multi_passthrough_target_socket<WaitingTarget> socket{"socket"};
  bool is_busy = false;

  explicit WaitingTarget(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &WaitingTarget::b_transport);
  }
  void b_transport(int, Payload& payload, sc_core::sc_time&) {
    payload.set_response_status(is_busy ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    is_busy = true;
    sc_core::wait(to_sc_time(50_ns));
    is_busy = false;
  }
};

struct WaitingTargetTest : TlmDeviceTest {
  struct Of : TlmDevice {
    Of(const sc_core::sc_module_name& name, const DeviceContext& context) : TlmDevice(name, context) {
      target(module.socket);
    }
    WaitingTarget module{"module"};
  } device{"device", context};
  TestInitiator cpu{"cpu"};
  WaitingTargetTest() { cpu.socket.bind(*device.targets().at(0)); }

  // When the access has ended.
  Picoseconds access() {
    Payload payload;
    std::uint32_t word = 0;
    sc_core::sc_time delay;
    TestInitiator::fill(payload, tlm::TLM_WRITE_COMMAND, 0, &word, sizeof word);
    cpu.socket->b_transport(payload, delay);
    EXPECT_TRUE(payload.is_response_ok());
    return now() + to_picoseconds(delay);
  }
};

SYSTEMC_TEST_F(WaitingTargetTest, ServesItsCallersOneAfterTheOther) {
  std::optional<Picoseconds> other;
  sc_core::sc_spawn([&] { other = access(); });
  EXPECT_EQ(access(), 50_ns);
  wait_until(200_ns);
  EXPECT_EQ(other, 100_ns);
}

// Only with nb_transport_fw; it answers after 20 ns.
struct NonBlockingTarget : sc_core::sc_module {
  tlm_utils::simple_target_socket<NonBlockingTarget> socket{"socket"};
  Bytes64 bytes{};

  explicit NonBlockingTarget(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_nb_transport_fw(this, &NonBlockingTarget::nb_transport_fw);
  }
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
    move(payload, bytes);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    phase = tlm::BEGIN_RESP;
    delay += to_sc_time(20_ns);
    return tlm::TLM_UPDATED;
  }
};

struct NonBlockingTargetTest : TlmDeviceTest {
  struct Of : TlmDevice {
    Of(const sc_core::sc_module_name& name, const DeviceContext& context) : TlmDevice(name, context) {
      target(module.socket);
    }
    NonBlockingTarget module{"module"};
  } device{"device", context};
  TestInitiator cpu{"cpu"};
  NonBlockingTargetTest() { cpu.socket.bind(*device.targets().at(0)); }
};

SYSTEMC_TEST_F(NonBlockingTargetTest, AnswersBlockingCalls) {
  cpu.write32(4, 0x5678);
  EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(now() + to_picoseconds(cpu.delay), 20_ns);
  EXPECT_EQ(device.module.bytes[4], 0x78);
}

// ---- masters ----

// The memory of the node, which takes 30 ns.
struct NodeMemory : sc_core::sc_module {
  tlm_utils::simple_target_socket<NodeMemory> socket{"socket"};
  Bytes64 bytes{};
  unsigned master = 0, streaming_width = 0;
  bool is_poisoned = false;

  explicit NodeMemory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &NodeMemory::b_transport);
  }
  void b_transport(Payload& payload, sc_core::sc_time& delay) {
    master = master_of(payload);
    streaming_width = payload.get_streaming_width();
    if (auto* who = payload.get_extension<InitiatorExtension>()) who->poison = is_poisoned;
    move(payload, bytes);
    delay += to_sc_time(30_ns);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

// They have no regard for the delay that comes back, and leave the streaming width of their payloads as it
// is.
template <class Socket>
struct CarelessMaster : sc_core::sc_module {
  Socket socket{"socket"};
  Payload payload;
  explicit CarelessMaster(const sc_core::sc_module_name& name) : sc_module(name) {}

  void prepare(std::uint64_t address, std::uint32_t& word) {
    TestInitiator::fill(payload, tlm::TLM_WRITE_COMMAND, address, &word, sizeof word);
    payload.set_streaming_width(0);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct WideMaster : CarelessMaster<tlm_utils::multi_passthrough_initiator_socket<WideMaster, 64>> {
  using CarelessMaster::CarelessMaster;
  sc_core::sc_time write(std::uint64_t address, std::uint32_t word) {
    sc_core::sc_time delay;
    prepare(address, word);
    socket->b_transport(payload, delay);
    return delay;
  }
};

struct NonBlockingMaster : CarelessMaster<tlm_utils::simple_initiator_socket<NonBlockingMaster>> {
  std::optional<Picoseconds> answered;
  explicit NonBlockingMaster(const sc_core::sc_module_name& name) : CarelessMaster(name) {
    socket.register_nb_transport_bw(this, &NonBlockingMaster::nb_transport_bw);
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    answered = now() + to_picoseconds(delay);
    return tlm::TLM_COMPLETED;
  }
  void begin(std::uint64_t address, std::uint32_t& word) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    prepare(address, word);
    socket->nb_transport_fw(payload, phase, delay);
  }
};

template <class Master>
struct MasterTest : TlmDeviceTest {
  struct Of : TlmDevice {
    Of(const sc_core::sc_module_name& name, const DeviceContext& context) : TlmDevice(name, context) {
      initiator(module.socket);
    }
    Master module{"module"};
  } device{"device", context};
  Master& module = device.module;
  NodeMemory memory{"memory"};
  MasterTest() { device.initiators().at(0)->bind(memory.socket); }
};

using WideMasterTest = MasterTest<WideMaster>;

SYSTEMC_TEST_F(WideMasterTest, IsIdentifiedAndTakesItsTime) {
  EXPECT_EQ(module.write(8, 0x1234), sc_core::SC_ZERO_TIME);
  EXPECT_EQ(now(), 30_ns);
  EXPECT_TRUE(module.payload.is_response_ok());
  EXPECT_EQ(memory.bytes[8], 0x34);
  EXPECT_EQ(memory.master, 1025u);
  EXPECT_EQ(memory.streaming_width, 4u);
  EXPECT_EQ(module.payload.get_streaming_width(), 0u);
  EXPECT_EQ(module.payload.get_extension<InitiatorExtension>(), nullptr);
}

SYSTEMC_TEST_F(WideMasterTest, SeesPoisonedDataAsAnError) {
  memory.is_poisoned = true;
  module.write(8, 0x1234);
  EXPECT_TRUE(module.payload.is_response_error());
}

SYSTEMC_TEST_F(WideMasterTest, MayCallFromAMethod) {
  sc_core::sc_time delay;
  sc_core::sc_spawn_options method;
  method.spawn_method();
  sc_core::sc_spawn([&] { delay = module.write(8, 0x1234); }, "method", &method);
  sc_core::wait(to_sc_time(1_ns));
  EXPECT_EQ(delay, to_sc_time(30_ns));
  EXPECT_EQ(memory.bytes[8], 0x34);
}

using NonBlockingMasterTest = MasterTest<NonBlockingMaster>;

SYSTEMC_TEST_F(NonBlockingMasterTest, IsAnsweredWhenTheTimeHasPassed) {
  std::uint32_t word = 0x5678;
  module.begin(4, word);
  wait_until(100_ns);
  EXPECT_TRUE(module.payload.is_response_ok());
  EXPECT_EQ(module.answered, 30_ns);
  EXPECT_EQ(memory.bytes[4], 0x78);
  EXPECT_EQ(memory.master, 1025u);
}

// ---- ports ----

struct ModuleWithPorts : sc_core::sc_module {
  sc_core::sc_in<bool> reset{"reset"}, reset_low{"reset_low"};
  sc_core::sc_in<unsigned> straps{"straps"};
  sc_core::sc_out<bool> unused{"unused"};
  sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> interrupt{
      "interrupt"};
  tlm_utils::simple_initiator_socket<ModuleWithPorts> master{"master"};
  tlm_utils::simple_target_socket<ModuleWithPorts> target{"target"};
  std::vector<Picoseconds> resets, resets_low, ends;

  SC_HAS_PROCESS(ModuleWithPorts);
  explicit ModuleWithPorts(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_THREAD(wait_for_reset);
    SC_METHOD(end_of_reset);
    dont_initialize();
    sensitive << reset.neg();
    SC_METHOD(low_reset);
    dont_initialize();
    sensitive << reset_low.neg();
  }
  void wait_for_reset() {
    for (;;) {
      sc_core::wait(reset.posedge_event());
      resets.push_back(now());
    }
  }
  void end_of_reset() { ends.push_back(now()); }
  void low_reset() { resets_low.push_back(now()); }
};

struct PortsTest : TlmDeviceTest {
  struct Of : TlmDevice {
    Of(const sc_core::sc_module_name& name, const DeviceContext& context) : TlmDevice(name, context) {
      reset_input(module.reset);
      reset_input(module.reset_low, 20_ns, false);
      tie(module.straps, 7);
      leave_open(module.unused);
      leave_open(module.master);
      leave_open(module.target);
      interrupt(module.interrupt);
      interrupt(pulse.line);
    }
    void on_reset(Reset kind) override { kinds.push_back(kind); }
    ModuleWithPorts module{"module"};
    Pulse pulse{"pulse", 3_ns};
    std::vector<Reset> kinds;
  } device{"device", context};
  Wire first{"first"}, second{"second"};
  PortsTest() {
    device.connect_interrupt(0, first);
    device.connect_interrupt(1, second);
    device.power_up();
  }
};

SYSTEMC_TEST_F(PortsTest, TheResetInputRisesAtTheStartAndAtEachReset) {
  wait_until(100_ns);
  device.reset(Reset::warm);
  device.power_up();
  wait_until(200_ns);
  EXPECT_THAT(device.module.resets, testing::ElementsAre(0_ns, 100_ns));
  EXPECT_THAT(device.module.ends, testing::ElementsAre(10_ns, 110_ns));
  EXPECT_THAT(device.module.resets_low, testing::ElementsAre(0_ns, 100_ns));
  EXPECT_THAT(device.kinds, testing::ElementsAre(Reset::warm));
}

SYSTEMC_TEST_F(PortsTest, OthersAreTiedOrOpen) {
  EXPECT_EQ(device.module.straps.read(), 7u);
  Payload payload;
  sc_core::sc_time delay;
  device.module.master->b_transport(payload, delay);
  EXPECT_EQ(payload.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

SYSTEMC_TEST_F(PortsTest, AnInterruptIsALevelOrAPulse) {
  device.module.interrupt->write(true);
  device.pulse.start();
  settle();
  EXPECT_TRUE(first.read());
  EXPECT_TRUE(second.read());
  wait_until(3_ns);
  settle();
  EXPECT_TRUE(first.read());
  EXPECT_FALSE(second.read());
}

}  // namespace
}  // namespace asterism
