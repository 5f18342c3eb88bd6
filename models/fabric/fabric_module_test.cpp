#include "fabric/fabric_module.h"

#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <map>

#include "fabric/network/zero_load.h"
#include "fabric/topology/test_topology.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

struct Memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory> socket{"socket"};
  std::vector<Picoseconds> arrivals;  // simulated time and delay together
  Picoseconds latency = 5_ns;
  unsigned char bytes[4096] = {};
  explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Memory::b_transport);
    socket.register_transport_dbg(this, &Memory::debug);
    socket.register_get_direct_mem_ptr(this, &Memory::direct);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    arrivals.push_back(now() + to_picoseconds(delay));
    debug(payload);
    delay += to_sc_time(latency);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) {
    unsigned char* cells = bytes + payload.get_address();
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), cells, payload.get_data_length());
    if (payload.is_write()) std::memcpy(cells, payload.get_data_ptr(), payload.get_data_length());
    return payload.get_data_length();
  }
  bool direct(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.set_start_address(0);
    dmi.set_end_address(4095);
    dmi.set_dmi_ptr(bytes);
    dmi.allow_read_write();
    return true;
  }
};

constexpr std::uint64_t dram_base = 0x4000'0000;

// Five nodes in a line, each with a clock of its own; cpu0 on the first, cpu1 on the second, memory on the last.
struct FabricTest : SystemCTest {
  explicit FabricTest(Fidelity fidelity) : fabric("fabric", config(fidelity), topology(), placement()) {
    fabric.add_master(cpu0.socket);
    fabric.add_master(cpu1.socket);
    fabric.add_target(dram.socket, {Address(dram_base), 4_KiB}, "dram");
  }
  static FabricConfig config(Fidelity fidelity) {
    FabricConfig config;
    config.topology = TopologyKind::mesh;
    config.fidelity = fidelity;
    return config;
  }
  static std::shared_ptr<const Topology> topology() {
    static const auto line = asterism::line(
        {Picoseconds(400), Picoseconds(300), Picoseconds(500), Picoseconds(300), Picoseconds(400)}, 2_cycles);
    return line.topology;
  }
  static PortPlacement placement() { return {{"cpu0", 0}, {"cpu1", 1}, {"dram", 4}}; }

  // When an access that is offered at `start` is over, alone in the fabric: by the closed form.
  Picoseconds end_of(NodeId from, unsigned request_flits, unsigned response_flits, Picoseconds start) const {
    const Picoseconds arrived =
        start + zero_load_latency(*topology(), {}, from, 4, request_flits, start) + dram.latency;
    return arrived + zero_load_latency(*topology(), {}, 4, from, response_flits, arrived);
  }
  static Picoseconds local_time(const TestInitiator& cpu) { return now() + to_picoseconds(cpu.delay); }
  void access(TestInitiator& cpu, tlm::tlm_command command, unsigned length) {
    cpu.access(command, dram_base, buffer, length);
  }
  std::map<std::string, std::uint64_t> counts() const {
    Statistics statistics;
    fabric.report(statistics);
    std::map<std::string, std::uint64_t> numbers;
    for (const auto& [name, value] : statistics.entries())
      if (const auto* number = std::get_if<std::uint64_t>(&value)) numbers[name] = *number;
    return numbers;
  }

  TestInitiator cpu0{"cpu0"}, cpu1{"cpu1"};
  Memory dram{"dram"};
  Fabric fabric;
  unsigned char buffer[64] = {};
};
struct LooseFabricTest : FabricTest {
  LooseFabricTest() : FabricTest(Fidelity::loose) {}
};
struct FlitFabricTest : FabricTest {
  FlitFabricTest() : FabricTest(Fidelity::flit) {}
};

SYSTEMC_TEST_F(LooseFabricTest, ALoneReadOfALineTakesARequestOfOneFlitAndAResponseOfFive) {
  cpu0.delay = to_sc_time(1234_ps);
  access(cpu0, tlm::TLM_READ_COMMAND, 64);
  EXPECT_EQ(now(), 0_ps);
  EXPECT_EQ(local_time(cpu0), end_of(0, 1, 5, 1234_ps));
}

SYSTEMC_TEST_F(LooseFabricTest, ALoneWriteOfALineTakesARequestOfFiveFlitsAndAResponseOfOne) {
  access(cpu1, tlm::TLM_WRITE_COMMAND, 64);
  EXPECT_EQ(local_time(cpu1), end_of(1, 5, 1, 0_ps));
}

SYSTEMC_TEST_F(LooseFabricTest, DirectMemoryPassesTranslated) {
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  payload.set_address(dram_base + 0x20);
  ASSERT_TRUE(cpu0.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_start_address(), dram_base);
  EXPECT_EQ(dmi.get_end_address(), dram_base + 4095);
}

SYSTEMC_TEST_F(FlitFabricTest, ALoneReadOfALineMovesItsFlitsWhileTheMasterWaits) {
  cpu0.delay = to_sc_time(1234_ps);
  access(cpu0, tlm::TLM_READ_COMMAND, 64);
  EXPECT_EQ(now(), end_of(0, 1, 5, 1234_ps));
  EXPECT_EQ(cpu0.delay, sc_core::SC_ZERO_TIME);
  EXPECT_EQ(dram.arrivals[0], 1234_ps + zero_load_latency(*topology(), {}, 0, 4, 1, 1234_ps));
}

SYSTEMC_TEST_F(FlitFabricTest, ALoneWriteOfALineMovesItsFlitsWhileTheMasterWaits) {
  wait_until(100_us);
  access(cpu1, tlm::TLM_WRITE_COMMAND, 64);
  EXPECT_EQ(now(), end_of(1, 5, 1, 100_us));
}

SYSTEMC_TEST_F(FlitFabricTest, AnAccessOfAWordTakesOneFlitOfDataAndTheHeaders) {
  access(cpu0, tlm::TLM_READ_COMMAND, 4);
  EXPECT_EQ(now(), end_of(0, 1, 2, 0_ps));
  EXPECT_EQ(counts().at("packets"), 2u);
  EXPECT_EQ(counts().at("flits"), 3u);
}

SYSTEMC_TEST_F(FlitFabricTest, AnAccessThatMovesNoDataIsTwoHeaders) {
  access(cpu0, tlm::TLM_IGNORE_COMMAND, 64);
  EXPECT_EQ(counts().at("flits"), 2u);
}

SYSTEMC_TEST_F(FlitFabricTest, PacketsThatMeetDelayEachOther) {
  Picoseconds end0, end1;
  sc_core::sc_event ended;
  sc_core::sc_spawn([&] {
    access(cpu0, tlm::TLM_WRITE_COMMAND, 64);
    end0 = now();
    ended.notify(sc_core::SC_ZERO_TIME);
  });
  wait_until(3_ns);  // when the other's packet comes by
  access(cpu1, tlm::TLM_WRITE_COMMAND, 64);
  end1 = now();
  sc_core::wait(ended);
  EXPECT_GT(end0 + end1, end_of(0, 5, 1, 0_ps) + end_of(1, 5, 1, 3_ns));
  EXPECT_EQ(counts().at("flits"), 12u);
}

SYSTEMC_TEST_F(FlitFabricTest, DirectMemoryIsRefusedToAMasterThatWouldNotShowItsAccesses) {
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  payload.set_address(dram_base + 0x20);
  EXPECT_FALSE(cpu0.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_start_address(), dram_base);
  EXPECT_EQ(dmi.get_end_address(), dram_base + 4095);
  payload.set_extension(&cpu0.who);
  EXPECT_TRUE(cpu0.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_TRUE(cpu0.who.shown);
  payload.clear_extension(&cpu0.who);
}

SYSTEMC_TEST_F(FlitFabricTest, DebugTransportTakesNoTimeAndNoPackets) {
  dram.bytes[8] = 42;
  EXPECT_EQ(cpu0.debug(tlm::TLM_READ_COMMAND, dram_base + 8, buffer, 1), 1u);
  EXPECT_EQ(buffer[0], 42);
  EXPECT_EQ(now(), 0_ps);
  EXPECT_EQ(counts().at("packets"), 0u);
}

SYSTEMC_TEST_F(FlitFabricTest, AHoleAnswersAtOnce) {
  cpu0.read32(0x1000);
  EXPECT_EQ(cpu0.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(now(), 0_ps);
  EXPECT_EQ(counts().at("decode_errors"), 1u);
}

// At every 100 ps of an access, which is cut once in each of its phases: lead, request, target, response.
SYSTEMC_TEST_F(FlitFabricTest, AResetEndsAnAccessUnderWayAtOnceAndLeavesAnEmptyFabric) {
  const Picoseconds whole = end_of(0, 1, 5, 2_ns);
  for (Picoseconds after; after < whole; after += 100_ps) {
    const Picoseconds start = now();
    sc_core::sc_spawn([&, after] {
      wait_for(after);
      fabric.reset(Reset::power_loss);
    });
    cpu0.delay = to_sc_time(2_ns);
    access(cpu0, tlm::TLM_READ_COMMAND, 64);
    ASSERT_EQ(now() - start, after);
    ASSERT_EQ(cpu0.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
    ASSERT_EQ(cpu0.delay, sc_core::SC_ZERO_TIME);
    const Picoseconds again = now();
    access(cpu0, tlm::TLM_READ_COMMAND, 64);
    ASSERT_EQ(now(), end_of(0, 1, 5, again)) << "after a cut at " << after.count();
    ASSERT_EQ(cpu0.status, tlm::TLM_OK_RESPONSE);
    wait_for(1_us);
  }
}

SYSTEMC_TEST_F(FlitFabricTest, WhatWasCountedSurvivesAReset) {
  access(cpu0, tlm::TLM_READ_COMMAND, 64);
  const auto before = counts();
  fabric.reset(Reset::warm);
  EXPECT_EQ(counts(), before);
}

SYSTEMC_TEST_F(FlitFabricTest, ReportsTheLatencyOfPackets) {
  access(cpu0, tlm::TLM_READ_COMMAND, 64);
  const std::uint64_t whole = (end_of(0, 1, 5, 0_ps) - dram.latency).count();
  EXPECT_EQ(counts().at("latency_mean_ps"), whole / 2);
  EXPECT_LT(counts().at("latency_max_ps"), whole);
  EXPECT_GE(counts().at("latency_max_ps"), whole / 2);
}

}  // namespace
}  // namespace asterism
