// What the contract of devices (tlm/device.h) demands, of every type that is linked into the program: a type
// is built as configs/nodes/every_device.json has it. Those that exist in RTL alone have tests of their own,
// since they need Verilator (tests/platform/rtl_devices_test.cpp).
#include "platform/system/built_devices.h"

#include <gmock/gmock.h>

#include "cluster/network_interface.h"
#include "cxl/cxl_fault.h"
#include "devices/power_controller.h"
#include "dimm_ssd/dimm_ssd_registers.h"
#include "dimm_ssd/flash_fault.h"
#include "fabric/crossbar.h"
#include "flash/flash_failure.h"
#include "gpu/gpu_loss.h"
#include "gpu/gpu_memory_fault.h"
#include "gpu/gpu_registers.h"
#include "memory/fault_overlay.h"
#include "nic/nic_registers.h"
#include "pcram/pcram_registers.h"
#include "platform/node/listed_node.h"
#include "platform/scenario/device_faults.h"
#include "platform/system/networks.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"
#include "tlm/test_writes.h"

namespace asterism {
namespace {

using testing::ElementsAreArray;

struct BuiltDevicesTest : SystemCTest {
  const ListedNode node;
  const PreparedRtl no_rtl;
  const RtlOptions no_options;
  NoEventLog events;
  TestInitiator cpu{"cpu"};
  Crossbar fabric{"fabric", FabricConfig{}};
  BuiltDevices devices;
  Networks networks;

  explicit BuiltDevicesTest(const std::string& text = R"({"use": "every_device", "devices.apb_timer": null,
                                                          "devices.dma_engine": null})")
      : node(ListedNode::of(text)),
        devices(node.devices, no_rtl,
                {.node = "node", .quantum = 1_us, .seed = 1, .rtl_options = no_options, .events = events}),
        networks(devices) {
    EXPECT_EQ(node.problems, "");
    fabric.add_master(cpu.socket);
    devices.connect(fabric, node.map, [](auto& initiator) -> auto& { return initiator; }, {});
    devices.power_up();
  }

  Device& device(const PlacedDevice& placed) const { return *devices.find(placed.instance()); }

  void expect_sockets_of_shape() const {
    for (const PlacedDevice& placed : node.devices.all()) {
      EXPECT_EQ(device(placed).targets().size(), placed.shape.targets.size()) << placed.instance();
      EXPECT_EQ(device(placed).interrupts().size(), placed.shape.interrupts.size()) << placed.instance();
      EXPECT_EQ(device(placed).initiators().size(), placed.shape.initiators.size()) << placed.instance();
    }
  }
  template <class Role>
  void expect_role(const PlacedDevice& placed, bool is_expected, const char* role) const {
    EXPECT_EQ(device(placed).as<Role>() != nullptr, is_expected) << placed.instance() << " is " << role;
  }
  void expect_roles_of_shape() const {
    for (const PlacedDevice& placed : node.devices.all()) {
      const DeviceShape& shape = placed.shape;
      expect_role<NodeMemory>(placed, shape.is_memory, "a memory");
      if (shape.is_rom) expect_role<Rom>(placed, true, "a ROM");  // further banks of one are none
      expect_role<SerialLine>(placed, shape.is_serial_line, "a serial line");
      expect_role<InterruptController>(placed, shape.interrupt_controller.has_value(),
                                       "an interrupt controller");
      expect_role<NetworkInterface>(placed, shape.network.has_value(), "a network interface");
      expect_role<FaultTarget<MemoryFault>>(placed, takes<MemoryFault>(placed), "a target of memory faults");
      expect_role<FaultTarget<FlashFault>>(placed, takes<FlashFault>(placed), "a target of flash faults");
      expect_role<FaultTarget<GpuLoss>>(placed, takes<GpuLoss>(placed), "a target of losses of GPUs");
      expect_role<FaultTarget<GpuMemoryFault>>(placed, takes<GpuMemoryFault>(placed),
                                               "a target of faults of GPUs' memory");
      expect_role<FaultTarget<CxlFault>>(placed, takes<CxlFault>(placed), "a target of poison");
      expect_role<FaultTarget<FlashFailure>>(placed, takes<FlashFailure>(placed),
                                             "a target of failures of flash");
    }
  }
  template <class Fault>
  static bool takes(const PlacedDevice& placed) {
    return dynamic_cast<const FaultCheck<Fault>*>(placed.config.get()) != nullptr;
  }

  // Writes the registers that hold an address for a later command. No device acts on them alone.
  void write_addresses() {
    unsigned written = 0;
    for (const MapEntry& entry : node.map.entries()) {
      if (!entry.registers) continue;
      for (const Register* reg : entry.registers->registers()) {
        if (!reg->name().ends_with("_LOW") || reg->access() != Access::read_write) continue;
        const std::uint64_t at = entry.range.first.value() + reg->offset();
        cpu.write32(at, 0x1000);
        EXPECT_EQ(cpu.read32(at), 0x1000u) << entry.name << "." << reg->name();
        ++written;
      }
    }
    EXPECT_EQ(written, 20u);
  }

  // Whether every register that the shape has is in the device, with its value after a reset.
  void expect_registers_of_shape() {
    for (const MapEntry& entry : node.map.entries()) {
      if (!entry.registers) continue;
      for (const Register* reg : entry.registers->registers())
        for (unsigned i = 0; i < reg->count(); ++i) {
          const std::uint64_t at =
              entry.range.first.value() + reg->offset() + std::uint64_t{i} * reg->stride();
          std::uint32_t value = 0xdead'beef;
          ASSERT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, at, &value, 4), 4u) << entry.name << "." << reg->name();
          if (reg->has_fixed_reset_value() && reg->access() != Access::write_only) {
            EXPECT_EQ(value, reg->peek(i, first_core)) << entry.name << "." << reg->name() << " " << i;
          }
        }
    }
  }
};

SYSTEMC_TEST_F(BuiltDevicesTest, HaveTheSocketsOfTheirShape) { expect_sockets_of_shape(); }

SYSTEMC_TEST_F(BuiltDevicesTest, HaveTheRolesOfTheirShape) { expect_roles_of_shape(); }

SYSTEMC_TEST_F(BuiltDevicesTest, HaveTheRegistersOfTheirShape) { expect_registers_of_shape(); }

SYSTEMC_TEST_F(BuiltDevicesTest, AreTheSameAfterALossOfPower) {
  for (const Reset kind : {Reset::warm, Reset::power_loss}) {
    write_addresses();
    for (const ResetPhase phase :
         {ResetPhase::masters, ResetPhase::interconnect, ResetPhase::memory, ResetPhase::targets})
      devices.reset(phase, kind);
    devices.power_up();
    expect_registers_of_shape();
  }
}

SYSTEMC_TEST_F(BuiltDevicesTest, ReportInTheOrderOfTheList) {
  Statistics statistics;
  devices.report(statistics);
  std::vector<std::string> groups, expected;
  for (const auto& [name, value] : statistics.entries()) groups.push_back(name);
  for (const PlacedDevice& placed : node.devices.all())
    if (std::ranges::count(groups, placed.instance()) != 0) expected.push_back(placed.instance());
  EXPECT_THAT(groups, ElementsAreArray(expected));
  EXPECT_GE(groups.size(), 6u);
}

struct DevicesOfManyCoresTest : BuiltDevicesTest {
  DevicesOfManyCoresTest()
      : BuiltDevicesTest(R"({"use": "kilocore_a64", "fabric": {},
                             "memory.fabric_nodes": "one", "cores.count": 140})") {}
};

SYSTEMC_TEST_F(DevicesOfManyCoresTest, FulfilTheContract) {
  expect_sockets_of_shape();
  expect_roles_of_shape();
  expect_registers_of_shape();
}

// Several devices of a type, each with memory of its own.
struct DevicesOfOneTypeTest : BuiltDevicesTest {
  DevicesOfOneTypeTest()
      : BuiltDevicesTest(R"({"use": "standard_map", "devices": {
          "fast":  {"type": "memory", "base": "0x20_0000_0000", "size": "64MiB", "ranks": 1},
          "ssd1":  {"type": "dimm_ssd", "base": "0x0b12_0000", "interrupt": 20, "guards": "fast"},
          "uart1": {"type": "pl011", "base": "0x0904_0000", "interrupt": 8}}})") {}
};

SYSTEMC_TEST_F(DevicesOfOneTypeTest, FulfilTheContract) {
  expect_sockets_of_shape();
  expect_roles_of_shape();
  expect_registers_of_shape();
}

SYSTEMC_TEST_F(DevicesOfOneTypeTest, AreSeparate) {
  unsigned first = 0, second = 0;
  devices.find_as<SerialLine>("uart0")->on_transmit = [&](std::uint8_t) { ++first; };
  devices.find_as<SerialLine>("uart1")->on_transmit = [&](std::uint8_t) { ++second; };
  constexpr std::uint64_t control = 0x30, data = 0x0;
  cpu.write32(0x0904'0000 + control, 0x301);
  cpu.write32(0x0904'0000 + data, 'x');
  wait_for(1_ms);
  EXPECT_EQ(first, 0u);
  EXPECT_EQ(second, 1u);
  cpu.write32(0x20'0000'0000, 0x1234);
  EXPECT_EQ(cpu.read32(0x20'0000'0000), 0x1234u);
  EXPECT_NE(cpu.read32(0x4000'0000), 0x1234u);
}

SYSTEMC_TEST_F(DevicesOfOneTypeTest, InterruptByTheirOwnLines) {
  constexpr std::uint64_t levels = 0x0800'0d04, control = 0x30, mask = 0x38, data = 0x0;
  EXPECT_EQ(cpu.read32(levels), 0u);
  for (const std::uint64_t uart : {0x0904'0000, 0x0900'0000}) {
    cpu.write32(uart + control, 0x301);
    cpu.write32(uart + mask, 1u << 5);
    cpu.write32(uart + data, 'x');
    wait_for(1_ms);
    EXPECT_EQ(cpu.read32(levels), uart == 0x0900'0000 ? 1u << 1 | 1u << 8 : 1u << 8);
  }
}

// What is written to a further memory between two checkpoints is in the second one.
SYSTEMC_TEST_F(DevicesOfOneTypeTest, ADimmSsdIsNotifiedOfWritesToItsMemory) {
  constexpr std::uint64_t registers = 0x0b12'0000, request = 0x20'0000'1000, page = 0x20'0001'0000;
  const DimmSsdRegisters map;
  const auto execute = [&](DimmSsd::Operation operation, std::uint64_t version) {
    cpu.write<std::uint64_t>(request, 'c');
    for (int i = 1; i < 4; ++i) cpu.write<std::uint64_t>(request + 8 * i, 0);
    cpu.write(request + 32, version);
    cpu.write<std::uint64_t>(request + 40, 1);
    cpu.write(request + 48, page);
    cpu.write32(registers + map.descriptor_low.offset(), static_cast<std::uint32_t>(request));
    cpu.write32(registers + map.descriptor_high.offset(), request >> 32);
    cpu.write32(registers + map.command.offset(), static_cast<std::uint32_t>(operation));
    do wait_for(100_us);
    while ((cpu.read32(registers + map.status.offset()) & 1) != 0 ||
           cpu.read32(registers + map.open.offset()) != 0);
    EXPECT_EQ(cpu.read32(registers + map.status.offset()) >> 8, 0u);
  };
  cpu.write32(page, 1);
  execute(DimmSsd::Operation::checkpoint, 1);
  cpu.write32(page, 2);
  execute(DimmSsd::Operation::checkpoint, 2);
  cpu.write32(page, 3);
  execute(DimmSsd::Operation::restore, 2);
  EXPECT_EQ(cpu.read32(page), 2u);
}

// Whoever observes the writes to the main memory is notified of those to a further one.
SYSTEMC_TEST_F(DevicesOfOneTypeTest, AMemoryReportsItsWritesToTheListOfTheMainMemory) {
  ForeignWrites writes(devices.main_memory().writes());
  cpu.who.master = InitiatorExtension::unknown_master;
  cpu.write32(0x20'0000'1040, 1);
  cpu.write32(0x4000'2000, 2);
  EXPECT_THAT(writes.ranges, testing::ElementsAre(AddressRange{Address(0x20'0000'1040), 64_B},
                                                  AddressRange{Address(0x4000'2000), 64_B}));
}

// The power controller's registers name a place by its address, in whichever memory that is.
SYSTEMC_TEST_F(DevicesOfOneTypeTest, AFaultIsInjectedIntoTheMemoryThatHasItsAddress) {
  constexpr std::uint64_t registers = 0x0b00'0000, place = 0x20'0000'3000;
  const PowerRegisters map;
  const auto inject_bit = [&](std::uint64_t address) {
    cpu.write32(registers + map.fault_address_low.offset(), static_cast<std::uint32_t>(address));
    cpu.write32(registers + map.fault_address_high.offset(), static_cast<std::uint32_t>(address >> 32));
    cpu.write32(registers + map.fault_place.offset(),
                map.fault_place.chip.bits(3) | map.fault_place.bit.bits(7));
    cpu.write32(registers + map.fault_inject.offset(), map.fault_inject.kind.bits(1));
    return map.fault_status.problem.get(cpu.read32(registers + map.fault_status.offset()));
  };
  cpu.write32(place, 0x1234);
  EXPECT_EQ(inject_bit(place), FaultOutcome::none);
  EXPECT_EQ(cpu.read32(place), 0x1234u);
  EXPECT_EQ(devices.find_as<NodeMemory>("fast")->summary(),
            "1 fault, 1 error corrected, 0 uncorrectable, 0 silent");
  EXPECT_EQ(devices.main_memory().summary(), "");
  EXPECT_EQ(inject_bit(0x24'0000'0000), FaultOutcome::no_memory);  // behind its end
}

// Kernels, lists and snapshots of the GPU are in a further memory.
struct GpuOfAFurtherMemoryTest : BuiltDevicesTest {
  static constexpr std::uint64_t gpu = 0x0b03'0000, fast = 0x20'0000'0000, kernel = fast + 0x100,
                                 arrivals = fast + 0x2000, extent = fast + 0x1'0000;
  enum : std::uint32_t { allocate = 1, launch = 2, begin = 3 };
  const GpuRegisters map{1};

  GpuOfAFurtherMemoryTest()
      : BuiltDevicesTest(R"({"use": "standard_map", "devices": {
          "fast": {"type": "memory", "base": "0x20_0000_0000", "size": "64MiB", "ranks": 1},
          "gpu":  {"type": "gpu", "base": "0x0b03_0000", "interrupt": 17, "dma": "fast", "memory": "128KiB",
                   "channels": 2, "interleave": "512B", "zone": "4KiB", "l2": "4KiB", "l2_ways": 2,
                   "pipelines": 2, "buffer": "32KiB", "transfer": "8KiB"}}})") {}

  void set(const Register& low, const Register& high, std::uint64_t address) {
    cpu.write32(gpu + low.offset(), static_cast<std::uint32_t>(address));
    cpu.write32(gpu + high.offset(), static_cast<std::uint32_t>(address >> 32));
  }
  std::uint32_t status() { return cpu.read32(gpu + map.status.offset()); }
  // Executes a command and returns STATUS.error.
  std::uint32_t give(std::uint32_t command) {
    cpu.write32(gpu + map.command.offset(), command);
    while ((status() & 16) != 0) wait_for(10_ns);
    return status() >> 8 & 0xff;
  }
  // Writes the first two zones.
  std::uint32_t run_kernel(std::uint64_t at) {
    const std::uint64_t words[] = {0, 8 << 10, 0, 1, 8 * 4, std::uint64_t{1000} << 32, 50, 0};
    for (unsigned i = 0; i < 8; ++i) cpu.write(at + 8 * i, words[i]);
    set(map.list_low, map.list_high, at);
    const std::uint32_t error = give(launch);
    while ((status() & 1) != 0) wait_for(1_us);
    return error;
  }
};

SYSTEMC_TEST_F(GpuOfAFurtherMemoryTest, ReadsItsKernelsAndStoresItsSnapshotsThere) {
  cpu.write32(gpu + map.count.offset(), 8);
  ASSERT_EQ(give(allocate), 0u);
  ASSERT_EQ(run_kernel(kernel), 0u);
  ForeignWrites writes(devices.main_memory().writes());
  set(map.extent_low, map.extent_high, extent);
  set(map.arrivals_low, map.arrivals_high, arrivals);
  cpu.write32(gpu + map.snapshot.offset(), 2);
  ASSERT_EQ(give(begin), 0u);
  while ((status() & 2) != 0) wait_for(1_us);
  EXPECT_EQ(cpu.read32(gpu + map.arrived.offset()), 2u);
  EXPECT_NE(cpu.read<std::uint64_t>(extent), 0u);
  ASSERT_FALSE(writes.ranges.empty());
  for (const AddressRange& range : writes.ranges) EXPECT_GE(range.first, Address(fast));
  EXPECT_NE(run_kernel(0x4000'1000), 0u);  // in the main memory, which it does not reach
}

struct PcramOfAFurtherMemoryTest : BuiltDevicesTest {
  PcramOfAFurtherMemoryTest()
      : BuiltDevicesTest(R"({"use": "standard_map", "devices": {
          "fast":  {"type": "memory", "base": "0x20_0000_0000", "size": "64MiB", "ranks": 1},
          "pcram": {"type": "pcram", "base": "0x0b04_0000", "interrupt": 16, "dma": "fast"}}})") {}

  std::uint32_t execute(std::uint32_t operation, std::uint64_t page) {
    constexpr std::uint64_t registers = 0x0b04'0000;
    const PcramRegisters map;
    cpu.write32(registers + map.memory_low.offset(), static_cast<std::uint32_t>(page));
    cpu.write32(registers + map.memory_high.offset(), static_cast<std::uint32_t>(page >> 32));
    cpu.write32(registers + map.pages.offset(), 1);
    cpu.write32(registers + map.command.offset(), operation);
    wait_for(10_ms);
    return cpu.read32(registers + map.status.offset());
  }
};

SYSTEMC_TEST_F(PcramOfAFurtherMemoryTest, StoresItsPagesAndNoOthers) {
  constexpr std::uint64_t page = 0x20'0001'0000;
  constexpr std::uint32_t save = 1, load = 2;
  cpu.write32(page + 4092, 0x1234);
  EXPECT_EQ(execute(save, page), 0u);
  cpu.write32(page + 4092, 0);
  EXPECT_EQ(execute(load, page), 0u);
  EXPECT_EQ(cpu.read32(page + 4092), 0x1234u);
  EXPECT_NE(execute(save, 0x4000'1000), 0u);
}

// Two NICs are on each of two networks, and one is alone.
struct NetworksOfANodeTest : BuiltDevicesTest {
  NetworksOfANodeTest()
      : BuiltDevicesTest(R"({"use": "standard_map", "devices": {
          "nic0": {"type": "nic", "base": "0x0b05_0000", "network": "a"},
          "nic1": {"type": "nic", "base": "0x0b06_0000", "network": "b"},
          "nic2": {"type": "nic", "base": "0x0b07_0000", "network": "a"},
          "nic3": {"type": "nic", "base": "0x0b08_0000", "network": "b"},
          "nic4": {"type": "nic", "base": "0x0b09_0000"}}})") {}
};

SYSTEMC_TEST_F(NetworksOfANodeTest, HaveTheNicsThatNameThem) {
  const NicRegisters map;
  std::vector<std::uint32_t> numbers, counts;
  for (std::uint64_t base = 0x0b05'0000; base <= 0x0b09'0000; base += 0x1'0000) {
    numbers.push_back(cpu.read32(base + map.node.offset()));
    counts.push_back(cpu.read32(base + map.nodes.offset()));
  }
  EXPECT_THAT(numbers, testing::ElementsAre(0, 0, 1, 1, 0));
  EXPECT_THAT(counts, testing::ElementsAre(2, 2, 2, 2, 1));
}

}  // namespace
}  // namespace asterism
