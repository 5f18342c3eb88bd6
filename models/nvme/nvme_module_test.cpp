#include "nvme/nvme_module.h"

#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "devices/device_fuzz.h"
#include "memory/memory_controller.h"
#include "nvme/nvme_commands.h"
#include "tlm/initiator_extension.h"
#include "tlm/log.h"
#include "tlm/reset_values.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

// What the interconnect leads to: a page of memory, of which a line may be poisoned, and addresses of
// interrupt controllers.
struct MessageReceiver : sc_core::sc_module {
  static constexpr std::uint64_t page_at = 0x20'0000'0000;
  tlm_utils::simple_target_socket<MessageReceiver> socket{"socket"};
  std::vector<std::pair<std::uint64_t, std::uint32_t>> messages;
  std::array<std::byte, 4096> page{};
  bool is_poisoned = false;
  explicit MessageReceiver(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &MessageReceiver::take);
  }
  void take(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    const std::uint64_t offset = payload.get_address() - page_at;
    if (offset < page.size() && payload.get_data_length() <= page.size() - offset) {
      if (payload.is_write())
        std::memcpy(page.data() + offset, payload.get_data_ptr(), payload.get_data_length());
      else
        std::memcpy(payload.get_data_ptr(), page.data() + offset, payload.get_data_length());
      payload.get_extension<InitiatorExtension>()->poison = payload.is_read() && is_poisoned;
      return payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    std::uint32_t data = 0;
    if (payload.get_data_length() != sizeof data)
      return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    std::memcpy(&data, payload.get_data_ptr(), sizeof data);
    messages.emplace_back(payload.get_address(), data);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct NvmeModuleTest : SystemCTest {
  static constexpr std::uint64_t base = 0x4000'0000, submissions = base + 0x1000, completions = base + 0x2000,
                                 buffer = base + 0x3000;
  NoEventLog events;
  MemoryController memory{
      "memory",
      {.config = {.size = 4_MiB, .dram = {.refresh = RefreshMode::none}}, .part = {}, .base = Address(base)},
      2,
      events};
  TestInitiator guest{"guest"}, cpu{"cpu"}, memory_cpu{"memory_cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> memory_irq, irq;
  NvmeModule disk;
  MessageReceiver receiver{"receiver"};  // of all that is not memory
  NvmeRegisters map;
  std::uint32_t tail = 0, head = 0;

  explicit NvmeModuleTest(const NvmeConfig& config = {.flash = {.channels = 4, .packages = 2, .blocks = 8}})
      : disk("disk", config, FlashPart{}, {Address(base), 4_MiB}) {
    disk.memory.bind(memory.ports[0]);
    disk.bus.bind(receiver.socket);
    memory_cpu.socket.bind(memory.ports[1]);
    cpu.socket.bind(disk.target);
    disk.interrupt.bind(irq);
    guest.socket.bind(memory.target);
    memory.interrupt.bind(memory_irq);
    disk.power_up();
  }
  void enable() {
    cpu.write32(map.aqa.offset(), 15u << 16 | 15);
    cpu.write32(map.asq_low.offset(), submissions);
    cpu.write32(map.acq_low.offset(), completions);
    cpu.write32(map.cc.offset(), map.cc.en.bits(true) | map.cc.iosqes.bits(6) | map.cc.iocqes.bits(4));
    while (!map.csts.rdy.get(cpu.read32(map.csts.offset()))) wait_for(1_ms);
  }
  void identify() { submit({0x6, 0, 0, buffer, 0, 1, 0, 0}); }
  void submit(const std::array<std::uint64_t, 8>& entry) {
    const std::uint64_t place = submissions + 64 * std::uint64_t{tail} - base;
    for (unsigned i = 0; i < entry.size(); ++i) memory_cpu.write(place + 8 * i, entry.at(i));
    cpu.write32(map.tail.offset(), ++tail);
  }
};

SYSTEMC_TEST_F(NvmeModuleTest, ResetsToWhatTheListSays) { expect_reset_values(cpu, map); }

// Over-provisioning keeps a part of the flash.
SYSTEMC_TEST_F(NvmeModuleTest, AFaultIsInThePartOfTheFlashThatTheDiskOffers) {
  enable();
  constexpr std::uint64_t identify_namespace = std::uint64_t{1} << 32 | 0x6;
  submit({identify_namespace, 0, 0, buffer, 0, 0, 0, 0});
  while (!irq.read()) sc_core::wait(irq.value_changed_event());
  const Bytes size = NvmeDisk::block * memory_cpu.read<std::uint64_t>(buffer - base);
  const NvmeConfig config{.flash = {.channels = 4, .packages = 2, .blocks = 8}};
  FlashFailure failure{.offset = size - Bytes(1)};
  EXPECT_FALSE(NvmeModule::problem_of(config, {}, failure));
  failure.offset = size;
  const auto problem = NvmeModule::problem_of(config, {}, failure);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->key, "offset");
  EXPECT_NE(problem->words.find("the size of the disk, got"), std::string::npos) << problem->words;
}

SYSTEMC_TEST_F(NvmeModuleTest, InterruptsForACommandUntilItIsConsumed) {
  enable();
  identify();
  while (!irq.read()) sc_core::wait(irq.value_changed_event());
  EXPECT_EQ(memory_cpu.read<std::uint32_t>(buffer + 516 - base), 1u);      // a namespace
  EXPECT_EQ(memory_cpu.read<std::uint16_t>(completions + 14 - base), 1u);  // success, with the phase
  cpu.write32(map.intms.offset(), 1);
  settle();
  EXPECT_FALSE(irq.read());
  EXPECT_EQ(cpu.read32(map.intmc.offset()), 1u);
  cpu.write32(map.intmc.offset(), 1);
  settle();
  EXPECT_TRUE(irq.read());
  cpu.write32(map.head.offset(), 1);
  settle();
  EXPECT_FALSE(irq.read());
}

// An address decides which memory the data are in. Poison there ends a command, as does what is no memory.
SYSTEMC_TEST_F(NvmeModuleTest, ReachesEachMemoryByItsAddress) {
  set_log_levels({{"disk", LogLevel::off}});
  constexpr std::uint64_t identify_namespace = std::uint64_t{1} << 32 | 0x6;
  const auto status = [&](std::uint64_t place) {
    submit({identify_namespace, 0, 0, place, 0, 0, 0, 0});
    wait_for(1_ms);
    const auto entry = memory_cpu.read<std::uint16_t>(completions + 16 * (tail - 1) + 14 - base);
    EXPECT_EQ(entry & 1, 1) << "it has ended";
    return static_cast<nvme::Status>(entry >> 1 & 0x7FF);
  };
  enable();
  EXPECT_EQ(status(MessageReceiver::page_at), nvme::Status::success);
  EXPECT_EQ(status(buffer), nvme::Status::success);
  std::array<std::byte, 4096> expected{};
  for (std::uint64_t i = 0; i < expected.size(); ++i)
    expected.at(i) = memory_cpu.read<std::byte>(buffer + i - base);
  EXPECT_EQ(receiver.page, expected);
  EXPECT_NE(receiver.page, (std::array<std::byte, 4096>{}));
  EXPECT_EQ(status(MessageReceiver::page_at + 4096), nvme::Status::data_transfer_error);
}

SYSTEMC_TEST_F(NvmeModuleTest, PoisonEndsAWriteWithADataTransferError) {
  constexpr std::uint64_t io_completions = base + 0x4000, io_submissions = base + 0x5000;
  constexpr std::uint64_t size_and_number = 15u << 16 | 1, first = std::uint64_t{1} << 32;
  set_log_levels({{"disk", LogLevel::off}});
  enable();
  submit({0x5, 0, 0, io_completions, 0, size_and_number | first, 0, 0});
  submit({1u << 16 | 0x1, 0, 0, io_submissions, 0, size_and_number | first << 16 | first, 0, 0});
  wait_for(1_ms);
  for (const bool is_poisoned : {true, false}) {
    receiver.is_poisoned = is_poisoned;
    const std::uint64_t number = is_poisoned ? 0 : 1;
    const std::array<std::uint64_t, 8> write{first | 0x1, 0, 0, MessageReceiver::page_at, 0, 0, 0, 0};
    for (unsigned i = 0; i < write.size(); ++i)
      memory_cpu.write(io_submissions + 64 * number + 8 * i - base, write.at(i));
    cpu.write32(map.tail.offset() + 8, static_cast<std::uint32_t>(number + 1));
    wait_for(1_ms);
    const auto entry = memory_cpu.read<std::uint16_t>(io_completions + 16 * number + 14 - base);
    EXPECT_EQ(static_cast<nvme::Status>(entry >> 1 & 0x7FF),
              is_poisoned ? nvme::Status::data_transfer_error : nvme::Status::success);
    EXPECT_EQ(entry & 1, 1);
  }
}

struct NvmeMessagesTest : NvmeModuleTest {
  static constexpr std::uint64_t frame = 0x0802'0040;
  TestInitiator pci{"pci"};
  PciFunctionRegisters function{"NVME_PCI", "", 0, 0};
  NvmeMessagesTest()
      : NvmeModuleTest({.flash = {.channels = 4, .packages = 2, .blocks = 8},
                        .queues = 2,
                        .messages = "gic",
                        .pcie = true}) {
    pci.socket.bind(*disk.targets().at(1));
  }
  void set_vector(unsigned vector, std::uint32_t data, bool is_masked) {
    cpu.write32(map.message_low.offset() + 16 * vector, frame);
    cpu.write32(map.message_data.offset() + 16 * vector, data);
    cpu.write32(map.message_control.offset() + 16 * vector, is_masked);
  }
};

SYSTEMC_TEST_F(NvmeMessagesTest, AVectorIsWrittenToItsAddressUnlessItIsMasked) {
  EXPECT_EQ(pci.read32(function.capabilities.offset()), function.msix.offset());
  EXPECT_EQ(pci.read32(function.msix.offset()), 2u << 16 | 0x11);
  EXPECT_EQ(pci.read32(function.msix_table.offset()), map.message_low.offset());
  set_vector(0, 70, true);
  pci.write<std::uint16_t>(function.msix.offset() + 2, 0x8000);
  enable();
  identify();
  wait_for(1_ms);
  EXPECT_EQ(memory_cpu.read<std::uint16_t>(completions + 14 - base), 1u);
  EXPECT_FALSE(irq.read());
  EXPECT_TRUE(receiver.messages.empty());
  EXPECT_EQ(cpu.read32(map.message_pending.offset()), 1u);
  set_vector(0, 70, false);
  wait_for(1_us);
  identify();
  wait_for(1_ms);
  EXPECT_EQ(receiver.messages,
            (std::vector<std::pair<std::uint64_t, std::uint32_t>>{{frame, 70}, {frame, 70}}));
  EXPECT_EQ(cpu.read32(map.message_pending.offset()), 0u);
  EXPECT_FALSE(irq.read());
  pci.write<std::uint16_t>(function.msix.offset() + 2, 0);
  settle();
  EXPECT_TRUE(irq.read());
  pci.write<std::uint16_t>(function.msix.offset() + 2, 0x8000);
  wait_for(1_us);
  EXPECT_FALSE(irq.read());
  EXPECT_EQ(receiver.messages.size(), 3u) << "of what the queue already has";
}

SYSTEMC_TEST_F(NvmeMessagesTest, AMessageThatWaitsIsWithdrawnWithItsReason) {
  set_vector(0, 70, true);
  pci.write<std::uint16_t>(function.msix.offset() + 2, 0x8000);
  enable();
  identify();
  wait_for(1_ms);
  EXPECT_EQ(cpu.read32(map.message_pending.offset()), 1u);
  cpu.write32(map.head.offset(), 1);
  EXPECT_EQ(cpu.read32(map.message_pending.offset()), 0u) << "the entry has been consumed";
  set_vector(0, 70, false);
  wait_for(1_us);
  EXPECT_TRUE(receiver.messages.empty());
  set_vector(0, 70, true);
  identify();
  wait_for(1_ms);
  EXPECT_EQ(cpu.read32(map.message_pending.offset()), 1u);
  pci.write<std::uint16_t>(function.msix.offset() + 2, 0);
  EXPECT_EQ(cpu.read32(map.message_pending.offset()), 0u) << "MSI-X is off";
  pci.write<std::uint16_t>(function.msix.offset() + 2, 0x8000);
  EXPECT_EQ(cpu.read32(map.message_pending.offset()), 1u);
  cpu.write32(map.cc.offset(), 0);
  EXPECT_EQ(cpu.read32(map.message_pending.offset()), 0u) << "the controller is disabled";
  set_vector(0, 70, false);
  wait_for(1_us);
  EXPECT_TRUE(receiver.messages.empty());
}

SYSTEMC_TEST_F(NvmeModuleTest, PowerLossDropsEverything) {
  enable();
  identify();
  disk.reset(Reset::power_loss);
  disk.power_up();
  wait_for(10_ms);
  EXPECT_FALSE(irq.read());
  EXPECT_EQ(cpu.read32(map.cc.offset()), 0u);
  EXPECT_EQ(cpu.read32(map.csts.offset()), 0u);
  tail = 0;
  enable();
  identify();
  while (!irq.read()) sc_core::wait(irq.value_changed_event());
}

SYSTEMC_TEST_F(NvmeModuleTest, AnswersAnyPayload) {
  set_log_levels({{"disk", LogLevel::off}});
  expect_an_answer_to_any_payload(cpu, 8_KiB, 1);
}

}  // namespace
}  // namespace asterism
