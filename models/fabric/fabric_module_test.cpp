#include "fabric/fabric_module.h"

#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "fabric/network/zero_load.h"
#include "fabric/topology/test_topology.h"
#include "tlm/payload.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

struct Memory : sc_core::sc_module, TimedPath {
  tlm_utils::simple_target_socket<Memory> socket{"socket"};
  std::vector<Picoseconds> arrivals;  // each is the simulated time plus the delay
  std::vector<std::uint64_t> addresses;
  std::vector<unsigned> masters;
  std::uint64_t fails_at = ~std::uint64_t{0}, refuses_direct_at = fails_at;
  Picoseconds latency = 5_ns;
  unsigned char bytes[4096] = {};
  explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Memory::b_transport);
    socket.register_transport_dbg(this, &Memory::debug);
    socket.register_get_direct_mem_ptr(this, &Memory::direct);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    arrivals.push_back(now() + to_picoseconds(delay));
    addresses.push_back(payload.get_address());
    masters.push_back(master_of(payload));
    payload.set_dmi_allowed(payload.get_address() != refuses_direct_at);
    if (payload.get_address() == fails_at)
      return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    debug(payload);
    delay += to_sc_time(latency);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) {
    unsigned char *const cells = bytes + payload.get_address(), *const data = payload.get_data_ptr();
    for (unsigned i = 0; i < payload.get_data_length(); ++i) {
      if (!byte_enabled(payload, i)) continue;
      if (payload.is_read()) data[i] = cells[i];
      if (payload.is_write()) cells[i] = data[i];
    }
    return payload.get_data_length();
  }
  Picoseconds access(const Access& access, Picoseconds at) override {
    arrivals.push_back(at);
    addresses.push_back(access.address.value());
    masters.push_back(access.master);
    return at + latency;
  }
  bool direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    if (auto* who = payload.get_extension<InitiatorExtension>()) who->timed = this;
    dmi.set_start_address(0);
    dmi.set_end_address(4095);
    dmi.set_dmi_ptr(bytes);
    dmi.allow_read_write();
    return true;
  }
};

constexpr std::uint64_t dram_base = 0x4000'0000;

// Five nodes in a line, each with its own clock; cpu0 on the first, cpu1 on the second, memory on the last.
struct FabricTest : SystemCTest {
  explicit FabricTest(Fidelity fidelity)
      : fabric("fabric", config(fidelity), topology(), placement(), FabricCurves()) {
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

  // The end of an access that is offered at `start`, alone in the fabric, by the closed form.
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
// Two alike.
struct TwoFabrics : FabricTest {
  Memory other_dram{"other_dram"};
  Fabric other;
  TestInitiator other_cpu0{"other_cpu0"}, other_cpu1{"other_cpu1"};
  explicit TwoFabrics(Fidelity fidelity)
      : FabricTest(fidelity),
        other("other", config(fidelity), topology(), {{"other_cpu0", 0}, {"other_cpu1", 1}, {"dram", 4}},
              FabricCurves()) {
    other.add_master(other_cpu0.socket);
    other.add_master(other_cpu1.socket);
    other.add_target(other_dram.socket, {Address(dram_base), 4_KiB}, "dram");
  }
  void expect_a_path_to_take_the_time_of_payloads() {
    const std::vector<TestInitiator*> by_payload{&cpu0, &cpu1};
    const std::vector<TimedPath*> by_path{other_cpu0.timed_path(dram_base), other_cpu1.timed_path(dram_base)};
    std::uint64_t random = 1;
    Picoseconds at;
    for (int i = 0; i < 300; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      at += Picoseconds(random >> 40 & 4095);
      const std::size_t cpu = random >> 33 & 1;
      const bool is_write = (random >> 35 & 1) != 0;
      const Address line(dram_base + (random >> 50 & 63) * 64);
      ASSERT_TRUE(by_path[cpu]);
      ASSERT_EQ(by_path[cpu]->access({line, 0, is_write, is_write}, at),
                by_payload[cpu]->monitored_access(line, is_write, at))
          << i;
    }
    EXPECT_EQ(other_dram.arrivals, dram.arrivals);
    EXPECT_EQ(other_dram.addresses, dram.addresses);
    Statistics of_path, of_payloads;
    other.report(of_path);
    fabric.report(of_payloads);
    EXPECT_EQ(of_path, of_payloads);
  }
};

struct TwoLooseFabricsTest : TwoFabrics {
  TwoLooseFabricsTest() : TwoFabrics(Fidelity::loose) {}
};
struct TwoContendedFabricsTest : TwoFabrics {
  TwoContendedFabricsTest() : TwoFabrics(Fidelity::contended) {}
};

SYSTEMC_TEST_F(TwoLooseFabricsTest, APathTakesTheTimeOfPayloads) {
  expect_a_path_to_take_the_time_of_payloads();
}
SYSTEMC_TEST_F(TwoContendedFabricsTest, APathTakesTheTimeOfPayloads) {
  expect_a_path_to_take_the_time_of_payloads();
}

struct LooseFabricTest : FabricTest {
  LooseFabricTest() : FabricTest(Fidelity::loose) {}
};
struct ContendedFabricTest : FabricTest {
  ContendedFabricTest() : FabricTest(Fidelity::contended) {}

  // The mean time of a read of cpu1 between 30 us and 40 us, beside another master in the same quanta.
  double mean_beside(bool other) {
    Picoseconds sum;
    std::uint64_t reads = 0;
    for (Picoseconds from; from < 40_us; from += 1_us, wait_until(from)) {
      for (Picoseconds at; at < 1_us && other; at += 5_ns) {
        cpu0.delay = to_sc_time(at);
        access(cpu0, tlm::TLM_WRITE_COMMAND, 64);
      }
      for (Picoseconds at; at < 1_us; at += 20_ns) {
        cpu1.delay = to_sc_time(at);
        access(cpu1, tlm::TLM_READ_COMMAND, 64);
        if (from < 30_us) continue;
        sum += to_picoseconds(cpu1.delay) - at;
        ++reads;
      }
      cpu0.delay = cpu1.delay = sc_core::SC_ZERO_TIME;
    }
    return static_cast<double>(sum.count()) / static_cast<double>(reads);
  }
  // The same without any wait.
  double mean_alone() const {
    Picoseconds sum;
    for (Picoseconds at; at < 1_us; at += 20_ns) sum += end_of(1, 1, 5, at) - at;
    return static_cast<double>(sum.count()) / 50;
  }
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

SYSTEMC_TEST_F(ContendedFabricTest, ALoneReadOfALineTakesNoWait) {
  cpu0.delay = to_sc_time(1234_ps);
  access(cpu0, tlm::TLM_READ_COMMAND, 64);
  EXPECT_EQ(now(), 0_ps);
  EXPECT_EQ(local_time(cpu0), end_of(0, 1, 5, 1234_ps));
}

SYSTEMC_TEST_F(ContendedFabricTest, DirectMemoryPassesTranslated) {
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  payload.set_address(dram_base + 0x20);
  ASSERT_TRUE(cpu0.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_start_address(), dram_base);
}

SYSTEMC_TEST_F(ContendedFabricTest, AMasterWaitsForAnotherOne) {
  EXPECT_GT(mean_beside(true), mean_alone() + 1000);
}

SYSTEMC_TEST_F(ContendedFabricTest, AMasterAloneHardlyWaits) {
  EXPECT_NEAR(mean_beside(false), mean_alone(), 300);
}

SYSTEMC_TEST_F(LooseFabricTest, NothingWaitsForOthers) {
  for (int i = 0; i < 100; ++i) {
    cpu1.delay = sc_core::SC_ZERO_TIME;
    access(cpu1, tlm::TLM_WRITE_COMMAND, 64);
    ASSERT_EQ(local_time(cpu1), end_of(1, 5, 1, 0_ps));
  }
}

TEST(ContendedFabricWithoutCurvesTest, IsRefused) {
  EXPECT_THROW(Fabric("fabric", FabricTest::config(Fidelity::contended), FabricTest::topology(), {}),
               std::invalid_argument);
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
  wait_until(3_ns);  // the other packet passes at this time
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
  EXPECT_TRUE(cpu0.who.monitored);
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

// Resets come at every 100 ps of an access, so that each of its phases is aborted: the wait for its start,
// the request, the target and the response.
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
    ASSERT_EQ(now(), end_of(0, 1, 5, again)) << "after a reset at " << after.count();
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

// ---- a target of two parts, interleaved in runs of 64 bytes: part a on node 4, part b on node 2 ----

struct DividedTargetTest : SystemCTest {
  explicit DividedTargetTest(Fidelity fidelity = Fidelity::loose)
      : fabric("fabric", FabricTest::config(fidelity), FabricTest::topology(),
               {{"cpu0", 0}, {"a", 4}, {"b", 2}}) {
    fabric.add_master(cpu.socket);
    fabric.add_divided_target(
        dram.socket, {Address(dram_base), 4_KiB}, "dram",
        {{"a", "b"}, 64_B, [](Bytes offset) { return static_cast<unsigned>(offset / 64_B % 2); }});
    for (unsigned i = 0; i < sizeof buffer; ++i) buffer[i] = static_cast<unsigned char>(i + 1);
  }
  // The end of an access to a part that is offered at `start`, alone in the fabric.
  Picoseconds end_of(NodeId part, unsigned request_flits, unsigned response_flits, Picoseconds start) const {
    const auto alone = [&](NodeId from, NodeId to, unsigned flits, Picoseconds at) {
      return zero_load_latency(*FabricTest::topology(), {}, from, to, flits, at);
    };
    const Picoseconds arrived = start + alone(0, part, request_flits, start) + dram.latency;
    return arrived + alone(part, 0, response_flits, arrived);
  }
  void access(tlm::tlm_command command, std::uint64_t offset, unsigned length) {
    cpu.access(command, dram_base + offset, buffer, length);
  }
  std::uint64_t accesses_of(const std::string& part) const {
    Statistics statistics;
    fabric.report(statistics);
    for (const auto& [name, value] : statistics.entries())
      if (name == part)
        return std::get<std::uint64_t>(std::get<std::unique_ptr<Statistics>>(value)->entries().at(0).second);
    throw std::invalid_argument("there are no statistics of " + part);
  }
  Picoseconds time() const { return now() + to_picoseconds(cpu.delay); }

  TestInitiator cpu{"cpu0"};
  Memory dram{"dram"};
  Fabric fabric;
  unsigned char buffer[256] = {};
};
struct DividedFlitTargetTest : DividedTargetTest {
  DividedFlitTargetTest() : DividedTargetTest(Fidelity::flit) {}
};

constexpr NodeId part_a = 4, part_b = 2;

SYSTEMC_TEST_F(DividedTargetTest, AnAccessGoesToTheNodeOfItsPart) {
  access(tlm::TLM_READ_COMMAND, 128, 64);
  EXPECT_EQ(time(), end_of(part_a, 1, 5, 0_ps));
  cpu.delay = to_sc_time(10_us);
  access(tlm::TLM_READ_COMMAND, 64 + 56, 8);
  EXPECT_EQ(time(), end_of(part_b, 1, 2, 10_us));
  EXPECT_EQ(accesses_of("a"), 1u);
  EXPECT_EQ(accesses_of("b"), 1u);
}

SYSTEMC_TEST_F(DividedTargetTest, AnAccessThatLiesInThreePiecesIsOneAfterTheOther) {
  access(tlm::TLM_WRITE_COMMAND, 32, 32 + 64 + 16);
  EXPECT_EQ(time(), end_of(part_a, 2, 1, end_of(part_b, 5, 1, end_of(part_a, 3, 1, 0_ps))));
  EXPECT_EQ(dram.addresses, (std::vector<std::uint64_t>{32, 64, 128}));
  EXPECT_TRUE(std::equal(buffer, buffer + 112, dram.bytes + 32));
  EXPECT_EQ(dram.bytes[31], 0);
  EXPECT_EQ(dram.bytes[144], 0);
  EXPECT_EQ(accesses_of("a"), 2u);
}

SYSTEMC_TEST_F(DividedFlitTargetTest, PiecesMoveTheirFlitsOneAfterTheOther) {
  access(tlm::TLM_READ_COMMAND, 32, 64);
  EXPECT_EQ(now(), end_of(part_b, 1, 3, end_of(part_a, 1, 3, 0_ps)));
  EXPECT_EQ(cpu.delay, sc_core::SC_ZERO_TIME);
}

SYSTEMC_TEST_F(DividedTargetTest, APayloadInPiecesComesBackAsItWent) {
  tlm::tlm_generic_payload payload;
  unsigned char enables[3] = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED, TLM_BYTE_DISABLED};
  TestInitiator::fill(payload, tlm::TLM_WRITE_COMMAND, dram_base + 32, buffer, 64);
  payload.set_byte_enable_ptr(enables);
  payload.set_byte_enable_length(3);
  cpu.transport(payload);
  EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
  EXPECT_TRUE(payload.is_dmi_allowed());
  EXPECT_EQ(payload.get_address(), dram_base + 32);
  EXPECT_EQ(payload.get_data_ptr(), buffer);
  EXPECT_EQ(payload.get_data_length(), 64u);
  EXPECT_EQ(payload.get_streaming_width(), 64u);
  EXPECT_EQ(payload.get_byte_enable_ptr(), enables);
  EXPECT_EQ(payload.get_byte_enable_length(), 3u);
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(dram.bytes[32 + i], i % 3 == 0 ? buffer[i] : 0) << i;
}

SYSTEMC_TEST_F(DividedTargetTest, PiecesCarryTheirInitiator) {
  cpu.who.master = 7;
  access(tlm::TLM_READ_COMMAND, 0, 128);
  EXPECT_EQ(dram.masters, (std::vector<unsigned>{7, 7}));
}

SYSTEMC_TEST_F(DividedTargetTest, ThePieceThatFailsIsTheLast) {
  dram.fails_at = 64;
  access(tlm::TLM_READ_COMMAND, 0, 256);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(dram.addresses, (std::vector<std::uint64_t>{0, 64}));
}

SYSTEMC_TEST_F(DividedTargetTest, OnePieceWithoutDirectMemoryIsEnoughToPromiseNone) {
  tlm::tlm_generic_payload payload;
  TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, dram_base, buffer, 128);
  dram.refuses_direct_at = 0;
  cpu.transport(payload);
  EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
  EXPECT_FALSE(payload.is_dmi_allowed());
}

// The target refuses a streaming width below the length, and must report that once.
SYSTEMC_TEST_F(DividedTargetTest, WhatTheTargetRefusesArrivesWhole) {
  tlm::tlm_generic_payload payload;
  TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, dram_base + 32, buffer, 64);
  payload.set_streaming_width(8);
  cpu.transport(payload);
  EXPECT_EQ(dram.addresses, (std::vector<std::uint64_t>{32}));
}

SYSTEMC_TEST_F(DividedTargetTest, DirectMemoryAndDebugTransportSeeOneTarget) {
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  payload.set_address(dram_base + 0x40);
  ASSERT_TRUE(cpu.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_start_address(), dram_base);
  EXPECT_EQ(dmi.get_end_address(), dram_base + 4095);
  EXPECT_EQ(cpu.debug(tlm::TLM_WRITE_COMMAND, dram_base, buffer, 256), 256u);
  EXPECT_TRUE(std::equal(buffer, buffer + 256, dram.bytes));
  EXPECT_EQ(accesses_of("a"), 0u);
}

SYSTEMC_TEST_F(DividedFlitTargetTest, AResetBetweenPiecesEndsTheAccess) {
  const Picoseconds first = end_of(part_a, 1, 5, 0_ps);
  sc_core::sc_spawn([&] {
    wait_for(first + 1_ns);
    fabric.reset(Reset::power_loss);
  });
  access(tlm::TLM_READ_COMMAND, 0, 256);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(now(), first + 1_ns);
  EXPECT_LE(dram.addresses.size(), 2u);
}

}  // namespace
}  // namespace asterism
