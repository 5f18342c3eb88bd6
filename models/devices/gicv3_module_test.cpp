#include "devices/gicv3_module.h"

#include "devices/device_fuzz.h"
#include "tlm/log.h"
#include "tlm/reset_values.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

using enum GicV3::CpuRegister;

constexpr std::uint64_t frame = 0x2'0000, typer = 0x8, waker = 0x14, igroupr0 = 0x1'0080,
                        isenabler0 = 0x1'0100, ispendr0 = 0x1'0200, ipriorityr = 0x400, irouter = 0x6000;

struct GicV3ModuleTest : SystemCTest {
  GicV3Module gic{"gic", 130};
  GicV3Module::Wire& timer = gic.ppi(2, 27);
  TestInitiator distributor{"distributor_access"}, redistributors{"redistributor_access"},
      more{"more_redistributors_access"};
  GicV3ModuleTest() {
    distributor.socket.bind(gic.distributor);
    redistributors.socket.bind(gic.redistributors);
    more.socket.bind(*gic.more_redistributors);
  }
  // The socket of a core's redistributor.
  TestInitiator& access(unsigned core) { return core < 123 ? redistributors : more; }
  static std::uint64_t base(unsigned core) { return frame * (core < 123 ? core : core - 123); }
  void enable(unsigned core) {
    distributor.write32(0, 2);
    access(core).write32(base(core) + waker, 0);
    access(core).write32(base(core) + igroupr0, ~0u);
    access(core).write32(base(core) + isenabler0, ~0u);
    gic.write(core, pmr, 0xFF);
    gic.write(core, igrpen1, 1);
  }
};

SYSTEMC_TEST_F(GicV3ModuleTest, RedistributorsReportTheirCoreAndWhichIsTheLast) {
  for (const unsigned core : {0u, 17u, 122u, 123u, 129u}) {
    const bool last = core == 122 || core == 129;
    EXPECT_EQ(access(core).read32(base(core) + typer), core << 8 | last << 4) << core;
    EXPECT_EQ(access(core).read32(base(core) + typer + 4), core / 16 << 8 | core % 16) << core;
  }
}

SYSTEMC_TEST_F(GicV3ModuleTest, ResetsToWhatTheListsSay) {
  expect_reset_values(distributor, GicV3DistributorRegisters());
  expect_reset_values(redistributors, GicV3RedistributorRegisters());
}

// Each register of the distributor acts on the word of its interrupts.
struct GicV3ModuleSpisTest : SystemCTest {
  GicV3Module gic{"gic", 2, 960};
  TestInitiator distributor{"distributor_access"}, redistributors{"redistributor_access"};
  GicV3ModuleSpisTest() {
    distributor.socket.bind(gic.distributor);
    redistributors.socket.bind(gic.redistributors);
  }
};
SYSTEMC_TEST_F(GicV3ModuleSpisTest, ManySpisHaveRegistersOfTheirOwn) {
  EXPECT_EQ(distributor.read32(0x4) & 0x1f, 30u);
  constexpr unsigned id = 32 + 900;
  distributor.write32(0x100 + id / 32 * 4, 1u << id % 32);
  EXPECT_EQ(gic.distributor_registers.set_enable.peek(id / 32, first_core), 1u << id % 32);
  distributor.write32(0x400 + id, 0x48);
  EXPECT_EQ(distributor.read32(0x400 + id), 0x48u);
  distributor.write32(0xC00 + id / 16 * 4, 2u << 2 * (id % 16));
  EXPECT_EQ(distributor.read32(0xC00 + id / 16 * 4), 2u << 2 * (id % 16));
  distributor.write32(irouter + 8 * id, 1);
  EXPECT_EQ(distributor.read32(irouter + 8 * id), 1u);
}

SYSTEMC_TEST_F(GicV3ModuleTest, ARedistributorsRegistersAreItsCoresOwn) {
  more.write32(base(124) + 0x1'0400, 0x20304050);
  EXPECT_EQ(more.read32(base(124) + 0x1'0400), 0x20304050u);
  EXPECT_EQ(more.read32(base(125) + 0x1'0400), 0u);
  EXPECT_EQ(redistributors.read32(base(1) + 0x1'0400), 0u);
}

SYSTEMC_TEST_F(GicV3ModuleTest, AnSgiRaisesTheWireOfItsTargetUntilItIsAcknowledged) {
  enable(127);
  gic.write(0, sgi1r, 5u << 24 | 7u << 16 | 1u << 15);
  settle();
  EXPECT_TRUE(gic.irq(127).read());
  EXPECT_FALSE(gic.irq(126).read());
  EXPECT_EQ(gic.read(127, iar1), 5u);
  settle();
  EXPECT_FALSE(gic.irq(127).read());
}

SYSTEMC_TEST_F(GicV3ModuleTest, AnSpiReachesTheCoreOfItsRoute) {
  enable(20);
  distributor.write32(igroupr0 - 0x1'0000 + 4, ~0u);
  distributor.write32(0x100 + 4, 1 << 3);
  distributor.write<std::uint8_t>(ipriorityr + 35, 0x80);
  distributor.write32(irouter + 8 * 35, 0x0104);
  gic.spi[3].write(true);
  settle();
  settle();
  EXPECT_TRUE(gic.irq(20).read());
  distributor.write32(irouter + 8 * 35, 0x0105);
  settle();
  EXPECT_FALSE(gic.irq(20).read());
  EXPECT_EQ(distributor.read32(irouter + 8 * 35), 0x0105u);
}

SYSTEMC_TEST_F(GicV3ModuleTest, PpisAreBankedByCore) {
  enable(1);
  enable(2);
  timer.write(true);
  settle();
  settle();
  EXPECT_TRUE(gic.irq(2).read());
  EXPECT_FALSE(gic.irq(1).read());
  EXPECT_EQ(redistributors.read32(base(2) + ispendr0), 1u << 27);
}

SYSTEMC_TEST_F(GicV3ModuleTest, TheDeviceTreeNamesBothRegions) {
  const AddressRange first{Address(0x80a'0000), Bytes(123) * frame},
      second{Address(0x40'0000'0000), Bytes(7) * frame};
  const DeviceTreeNode node =
      GicV3Module::device_tree({}, {"gic", {{Address(0x800'0000), 64_KiB}, first, second}}).at(0);
  EXPECT_EQ(node.name, "intc@8000000");
  EXPECT_EQ(
      std::get<DeviceTreeNode::Cells>(*node.find("reg")),
      (DeviceTreeNode::Cells{0, 0x800'0000, 0, 0x1'0000, 0, 0x80a'0000, 0, 0xf6'0000, 0x40, 0, 0, 0xe'0000}));
  EXPECT_EQ(std::get<DeviceTreeNode::Cells>(*node.find("#redistributor-regions")), DeviceTreeNode::Cells{2});
}

SYSTEMC_TEST_F(GicV3ModuleTest, AnswersAnyPayload) {
  set_log_levels({{"gic", LogLevel::off}});
  expect_an_answer_to_any_payload(distributor, 64_KiB, 1);
  expect_an_answer_to_any_payload(more, Bytes(7) * frame, 2);
}

}  // namespace
}  // namespace asterism
