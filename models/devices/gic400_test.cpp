#include "devices/gic400.h"

#include "devices/device_fuzz.h"
#include "tlm/log.h"
#include "tlm/reset_values.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

constexpr std::uint64_t ctlr = 0x0, typer = 0x4, isenabler = 0x100, icenabler = 0x180, ipriorityr = 0x400,
                        itargetsr = 0x800, sgir = 0xF00, iar = 0xC, eoir = 0x10, rpr = 0x14, pmr = 0x4;

struct Gic400Test : SystemCTest {
  Gic400 gic{"gic", 4};
  TestInitiator distributor{"distributor_access"}, cpu{"cpu_access"};
  Gic400Test() {
    distributor.socket.bind(gic.distributor);
    cpu.socket.bind(gic.cpu_interface);
  }
  void enable_all() {
    distributor.write32(ctlr, 1);
    distributor.write32(isenabler, ~0u);
    distributor.write32(isenabler + 4, ~0u);
    for (cpu.who.master = 0; cpu.who.master < 4; ++cpu.who.master) {
      cpu.write32(pmr, 0xFF);
      cpu.write32(ctlr, 1);
    }
    cpu.who.master = 0;
  }
};

SYSTEMC_TEST_F(Gic400Test, ReadsLikeQemuAfterReset) {
  EXPECT_EQ(distributor.read32(0x8), 0x43Bu);
  const std::uint32_t ids[] = {4, 0, 0, 0, 0x90, 0xB4, 0x2B, 0, 0x0D, 0xF0, 0x05, 0xB1};
  for (unsigned i = 0; i < 12; ++i) EXPECT_EQ(distributor.read32(0xFD0 + 4 * i), ids[i]) << i;
  EXPECT_EQ(distributor.read32(0xC00), 0xAAAAAAAAu);
  EXPECT_EQ(distributor.read32(typer), 0x61u);
  EXPECT_EQ(cpu.read32(iar), 0x3FFu);
  EXPECT_EQ(cpu.read32(rpr), 0xFFu);
  EXPECT_EQ(cpu.read32(0x18), 0x3FFu);
  EXPECT_EQ(cpu.read32(0x1C), 1u);
  EXPECT_EQ(cpu.read32(0xFC), 0x0002043Bu);
}

// As a GICv3 does.
struct Gic400WithFewSpisTest : SystemCTest {
  Gic400 gic{"gic", 1, 33};
  TestInitiator distributor{"distributor_access"}, cpu{"cpu_access"};
  Gic400WithFewSpisTest() {
    distributor.socket.bind(gic.distributor);
    cpu.socket.bind(gic.cpu_interface);
  }
};

SYSTEMC_TEST_F(Gic400WithFewSpisTest, SoftwareSeesTheNextMultipleOf32) {
  EXPECT_EQ(distributor.read32(typer) & 0x1f, 2u);
  distributor.write32(isenabler + 8, ~0u);
  EXPECT_EQ(distributor.read32(isenabler + 8), ~0u);
  gic.spi[32].write(true);
  settle();
  settle();
  EXPECT_EQ(distributor.read32(0x208), 1u);  // pending
}

struct Gic400WithMessagesTest : SystemCTest {
  static constexpr std::uint64_t icfgr = 0xC00, msi_typer = 0x8, msi_setspi = 0x40;
  Gic400 gic{"gic", 1, 32, 16};
  TestInitiator distributor{"distributor_access"}, cpu{"cpu_access"}, device{"device_access"};
  Gic400WithMessagesTest() {
    distributor.socket.bind(gic.distributor);
    cpu.socket.bind(gic.cpu_interface);
    device.socket.bind(*gic.messages);
    device.who.master = InitiatorExtension::first_device_master;
  }
};

SYSTEMC_TEST_F(Gic400WithMessagesTest, AWriteMakesAnEdgeTriggeredInterruptPendingOnce) {
  set_log_levels({{"gic", LogLevel::off}});
  EXPECT_EQ(device.read32(msi_typer), 64u << 16 | 16);
  distributor.write32(ctlr, 1);
  distributor.write32(icfgr + 16, 0xAAAA'AAAA);
  distributor.write32(isenabler + 8, ~0u);
  cpu.write32(pmr, 0xFF);
  cpu.write32(ctlr, 1);
  device.write32(msi_setspi, 67);
  settle();
  EXPECT_TRUE(gic.irq(0).read());
  EXPECT_EQ(cpu.read32(iar), 67u);
  cpu.write32(eoir, 67);
  for (const std::uint32_t of_others : {1023u, 63u, 80u}) device.write32(msi_setspi, of_others);
  settle();
  EXPECT_FALSE(gic.irq(0).read());
  EXPECT_EQ(cpu.read32(iar), 1023u);
}

SYSTEMC_TEST_F(Gic400Test, ResetsToWhatTheListsSay) {
  expect_reset_values(distributor, GicDistributorRegisters());
  expect_reset_values(cpu, GicCpuRegisters());
}

SYSTEMC_TEST_F(Gic400Test, AnSpiReachesTheCoreOfItsTarget) {
  enable_all();
  distributor.write<std::uint8_t>(itargetsr + 33, 1 << 2);
  gic.spi[1].write(true);
  settle();
  settle();
  EXPECT_TRUE(gic.irq(2).read());
  EXPECT_FALSE(gic.irq(0).read());
  cpu.who.master = 2;
  EXPECT_EQ(cpu.read32(iar), 33u);
  settle();
  EXPECT_FALSE(gic.irq(2).read());
}

SYSTEMC_TEST_F(Gic400Test, PpisAndTheirRegistersAreBanked) {
  enable_all();
  gic.ppi(0, 27).write(true);
  gic.ppi(1, 27).write(true);
  distributor.who.master = 1;
  distributor.write32(isenabler, 1u << 27);
  settle();
  settle();
  EXPECT_TRUE(gic.irq(0).read());
  EXPECT_TRUE(gic.irq(1).read());
  distributor.who.master = 0;
  distributor.write32(icenabler, 1u << 27);
  settle();
  EXPECT_FALSE(gic.irq(0).read());
  EXPECT_TRUE(gic.irq(1).read());
}

SYSTEMC_TEST_F(Gic400Test, AMasterThatIsNoCoreHasNoBank) {
  set_log_levels({{"gic", LogLevel::off}});
  enable_all();
  distributor.write32(sgir, 2u << 24 | 5);  // core 0 interrupts itself
  for (const unsigned master :
       {InitiatorExtension::unknown_master, InitiatorExtension::first_device_master, 4u}) {
    distributor.who.master = cpu.who.master = master;
    EXPECT_EQ(distributor.read32(isenabler), 0u);
    distributor.write32(icenabler, ~0u);
    distributor.write32(sgir, 1u << 16 | 6);
    EXPECT_EQ(cpu.read32(iar), 0x3FFu);
    EXPECT_EQ(cpu.read32(pmr), 0u);
    cpu.write32(pmr, 0);
    distributor.write32(icenabler + 4, 1u << 1);  // shared
    EXPECT_EQ(distributor.read32(isenabler + 4), ~0u & ~2u);
  }
  distributor.who.master = cpu.who.master = 0;
  EXPECT_EQ(distributor.read32(isenabler), ~0u);
  EXPECT_EQ(cpu.read32(pmr), 0xFFu);
  EXPECT_EQ(cpu.read32(iar), 5u);
}

SYSTEMC_TEST_F(Gic400Test, ANarrowWriteTouchesItsOwnInterruptsOnly) {
  distributor.write32(isenabler + 4, 0x0000FF00);
  distributor.write<std::uint8_t>(icenabler + 4, 0xFF);
  EXPECT_EQ(distributor.read32(isenabler + 4), 0xFF00u);
  distributor.who.master = 1;
  distributor.write<std::uint8_t>(ipriorityr + 27, 0x40);
  distributor.who.master = 2;
  distributor.write<std::uint8_t>(ipriorityr + 26, 0x30);
  EXPECT_EQ(distributor.read32(ipriorityr + 24), 0x00300000u);
}

SYSTEMC_TEST_F(Gic400Test, AnSgiCarriesTheCoreThatSentIt) {
  enable_all();
  distributor.who.master = 3;
  distributor.write32(sgir, 1u << 17 | 5);
  settle();
  EXPECT_TRUE(gic.irq(1).read());
  cpu.who.master = 1;
  EXPECT_EQ(cpu.read32(iar), 3u << 10 | 5);
  cpu.write32(eoir, 3u << 10 | 5);
  EXPECT_EQ(cpu.read32(iar), 0x3FFu);
}

SYSTEMC_TEST_F(Gic400Test, ADebugReadDoesNotAcknowledge) {
  enable_all();
  distributor.write32(sgir, 2u << 24 | 5);
  std::uint32_t id = 0;
  EXPECT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, iar, &id, 4), 4u);
  EXPECT_EQ(id, 5u);
  EXPECT_EQ(cpu.read32(iar), 5u);
}

SYSTEMC_TEST_F(Gic400Test, TwoCoresMayWriteInOneDeltaCycle) {
  enable_all();
  const auto send = [this](unsigned core) {
    InitiatorExtension who;
    who.master = core;
    tlm::tlm_generic_payload payload;
    std::uint32_t request = 1u << 16 | core;
    sc_core::sc_time delay;
    TestInitiator::fill(payload, tlm::TLM_WRITE_COMMAND, sgir, &request, 4);
    payload.set_extension(&who);
    distributor.socket->b_transport(payload, delay);
    payload.clear_extension(&who);
  };
  sc_core::sc_spawn([&] { send(1); });
  sc_core::sc_spawn([&] { send(2); });
  settle();
  EXPECT_TRUE(gic.irq(0).read());
  EXPECT_EQ(cpu.read32(iar), 1u << 10 | 1);
  EXPECT_EQ(cpu.read32(0x18), 2u << 10 | 2);
}

SYSTEMC_TEST_F(Gic400Test, ResetLowersTheWires) {
  enable_all();
  distributor.write32(sgir, 2u << 24);
  settle();
  EXPECT_TRUE(gic.irq(0).read());
  gic.reset(Reset::power_loss);
  settle();
  EXPECT_FALSE(gic.irq(0).read());
}

SYSTEMC_TEST_F(Gic400Test, AnyPayloadGetsAnAnswer) {
  set_log_levels({{"gic", LogLevel::off}});
  expect_an_answer_to_any_payload(distributor, 4_KiB, 1);
  expect_an_answer_to_any_payload(cpu, 8_KiB, 2);
  expect_an_answer_to_any_payload(distributor, 64_KiB, 3);
}

SYSTEMC_TEST_F(Gic400Test, DescribesItselfAsOnVirt) {
  const auto node =
      Gic400::device_tree({}, {"gic", {{Address(0x0800'0000), 64_KiB}, {Address(0x0801'0000), 64_KiB}}})
          .at(0);
  EXPECT_EQ(node.name, "intc@8000000");
  EXPECT_EQ(std::get<DeviceTreeNode::Cells>(*node.find("reg")),
            (DeviceTreeNode::Cells{0, 0x08000000, 0, 0x10000, 0, 0x08010000, 0, 0x10000}));
}

TEST(GicRegisters, NeedNoElaboration) {
  EXPECT_EQ(GicDistributorRegisters().registers().size(), 19u);
  EXPECT_EQ(GicCpuRegisters().registers().size(), 15u);
}

}  // namespace
}  // namespace asterism
