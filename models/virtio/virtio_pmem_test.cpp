#include "virtio/virtio_pmem.h"

#include "tlm/log.h"
#include "virtio/virtio_rig.h"

namespace asterism {
namespace {

constexpr std::uint64_t request_at = dram + 0x8000, answer_at = dram + 0x9000;

// Ends what it is asked for when the test says so.
struct TestKeeper final : Device, MemoryKeeper {
  AddressRange kept{};
  Ended restoring, saving;
  unsigned saves = 0;

  void keep(AddressRange pages) override { kept = pages; }
  void restore(Ended ended) override { restoring = std::move(ended); }
  void save(Ended ended) override {
    ++saves;
    saving = std::move(ended);
  }
  std::vector<tlm::tlm_target_socket<>*> targets() override { return {}; }
  void reset(Reset) override { restoring = saving = nullptr; }
};

struct PmemNode final : NodeView {
  DevicePlace place{.instance = "far", .ranges = {{Address(0x20'0000'0000), 64_MiB}}};
  std::string type = "memory";
  DeviceShape shape{.targets = {{.size = 64_MiB}}, .is_memory = true, .is_offered = false};

  unsigned cores() const override { return 1; }
  std::optional<Peer> find(const std::string& name) const override {
    if (name == "far") return Peer{place, type, shape};
    return std::nullopt;
  }
};

struct PmemPeers final : DevicePeers {
  TestKeeper& keeper;
  explicit PmemPeers(TestKeeper& one) : keeper(one) {}
  Device* find(const std::string&) const override { return &keeper; }
};

struct VirtioPmemTest : VirtioRig {
  PmemNode node;
  TestKeeper keeper;
  DeviceContext own{
      .place = context.place, .masters = {7}, .memories = context.memories, .node = node, .events = events};
  VirtioPmem pmem{"pmem", {.memory = "far", .dimm_ssd = "ssd", .size = 32_MiB}, own};
  VirtioPmemTest() {
    bind(pmem);
    static_cast<Device&>(pmem).connect(PmemPeers(keeper));
  }

  void power_up() {
    pmem.power_up();
    keeper.restoring(true);
    settle();
  }
  void flush() {
    ram.set<std::uint32_t>(request_at, 0);
    ram.set<std::uint32_t>(answer_at, 0xFF);
    offer({{request_at, 4, false}, {answer_at, 4, true}});
    set(map.queue_notify, 0);
    wait_for(10_us);
  }
};

SYSTEMC_TEST_F(VirtioPmemTest, SaysWhereTheMemoryIs) {
  EXPECT_EQ(keeper.kept, (AddressRange{Address(0x20'0000'0000), 32_MiB}));
  power_up();
  EXPECT_EQ(get(map.device_id), 27u);
  EXPECT_EQ(cpu.read<std::uint64_t>(0x100), 0x20'0000'0000u);
  EXPECT_EQ(cpu.read<std::uint64_t>(0x108), (32_MiB).count());
}

SYSTEMC_TEST_F(VirtioPmemTest, ThePlaceIsReadWhenTheMemoryHasBeenRestored) {
  pmem.power_up();
  Picoseconds read_at{};
  sc_core::sc_spawn([&] {
    cpu.read32(0x100);
    read_at = now();
  });
  wait_for(5_ms);
  EXPECT_EQ(read_at, Picoseconds(0));
  keeper.restoring(true);
  settle();
  EXPECT_GE(read_at, 5_ms);
}

SYSTEMC_TEST_F(VirtioPmemTest, AFlushEndsWhenTheMemoryHasBeenSaved) {
  power_up();
  start();
  flush();
  EXPECT_EQ(keeper.saves, 1u);
  wait_for(3_ms);
  EXPECT_EQ(used_chains(), 0);
  keeper.saving(true);
  wait_for(10_us);
  EXPECT_EQ(used_chains(), 1);
  EXPECT_EQ(last_used().written, 4u);
  EXPECT_EQ(ram.get<std::uint32_t>(answer_at), 0u);
}

SYSTEMC_TEST_F(VirtioPmemTest, AFlushThatFailsSaysSo) {
  set_log_levels({{"pmem", LogLevel::off}});
  power_up();
  start();
  flush();
  keeper.saving(false);
  wait_for(10_us);
  EXPECT_EQ(ram.get<std::uint32_t>(answer_at), 1u);
}

SYSTEMC_TEST_F(VirtioPmemTest, AResetDropsTheAnswer) {
  power_up();
  start();
  flush();
  const MemoryKeeper::Ended late = keeper.saving;
  set(map.status, 0);
  late(true);
  wait_for(1_ms);
  EXPECT_EQ(used_chains(), 0);
  start();
  flush();
  keeper.saving(true);
  wait_for(10_us);
  EXPECT_EQ(used_chains(), 1);
}

SYSTEMC_TEST_F(VirtioPmemTest, OnlyALossOfPowerIsRestoredFrom) {
  power_up();
  pmem.reset(Reset::warm);
  pmem.power_up();
  EXPECT_FALSE(keeper.restoring == nullptr);
  cpu.read32(0x100);  // does not wait
  pmem.reset(Reset::power_loss);
  keeper.reset(Reset::power_loss);
  pmem.power_up();
  EXPECT_TRUE(keeper.restoring != nullptr);
}

SYSTEMC_TEST_F(VirtioPmemTest, OtherRequestsBreakTheRules) {
  set_log_levels({{"pmem", LogLevel::off}});
  power_up();
  start();
  ram.set<std::uint32_t>(request_at, 1);
  request({{request_at, 4, false}, {answer_at, 4, true}});
  EXPECT_TRUE(broken());
  start();
  ram.set<std::uint32_t>(request_at, 0);
  request({{request_at, 4, false}});
  EXPECT_TRUE(broken());
  EXPECT_EQ(keeper.saves, 0u);
}

}  // namespace
}  // namespace asterism
