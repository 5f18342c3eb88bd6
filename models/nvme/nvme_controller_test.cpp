#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/random.h"
#include "nvme/nvme_host.h"

namespace asterism {
namespace {

using nvme::AdminOpcode, nvme::Opcode, nvme::Status;

constexpr FlashPart small_part{.page = 16_KiB, .pages_per_block = 16, .dies = 1, .planes = 1};

struct NvmeControllerTest : testing::Test {
  NvmeConfig config{.flash = {.channels = 2, .packages = 1, .blocks = 16}, .cache = 256_KiB};
  FlashImage image{config.flash.geometry(small_part)};
  NvmeHost host{config, small_part, image, 4_MiB};

  static constexpr std::uint64_t data = NvmeHost::buffers, list = data + 0x10'0000;

  Status io(const nvme::SubmissionEntry& entry) { return host.call(1, entry)->status; }
  Status write(std::uint64_t first, std::uint32_t blocks, unsigned fill, bool force_unit_access = false) {
    std::ranges::fill(host.bytes(data, blocks * 4096), std::byte(fill));
    return io(NvmeHost::io(Opcode::write, first, blocks, Address(data), rest(blocks), force_unit_access));
  }
  // The byte with which all blocks are filled; -1: not all bytes are the same.
  int read(std::uint64_t first, std::uint32_t blocks) {
    std::ranges::fill(host.bytes(data, blocks * 4096), std::byte{0xEE});
    EXPECT_EQ(io(NvmeHost::io(Opcode::read, first, blocks, Address(data), rest(blocks))), Status::success);
    const auto bytes = host.bytes(data, blocks * 4096);
    const bool is_uniform = std::ranges::all_of(bytes, [&](std::byte b) { return b == bytes.front(); });
    return is_uniform ? std::to_integer<int>(bytes.front()) : -1;
  }
  Address rest(std::uint32_t blocks) {
    for (std::uint32_t i = 1; i < blocks; ++i) host.set<std::uint64_t>(list + 8 * (i - 1), data + 4096 * i);
    return Address(blocks > 2 ? list : data + 4096);
  }
  Status feature(std::uint32_t number, std::uint32_t value) {
    nvme::SubmissionEntry entry = NvmeHost::admin(AdminOpcode::set_features);
    NvmeHost::set_word(entry, 10, number);
    NvmeHost::set_word(entry, 11, value);
    return host.call(0, entry)->status;
  }
  std::uint64_t written() { return image.written().count() / (16 << 10); }
};

TEST_F(NvmeControllerTest, IsReadyWhenFlashHasBeenReadBack) {
  host.power_up();
  EXPECT_EQ(host.controller().status(), 0u);
  EXPECT_TRUE(host.enable());
  EXPECT_EQ(host.controller().capabilities() & 0xFFFF, 1023u);
}

TEST_F(NvmeControllerTest, IdentifiesItsNamespace) {
  host.start();
  nvme::SubmissionEntry entry = NvmeHost::admin(AdminOpcode::identify, Address(data));
  NvmeHost::set_word(entry, 1, 1);
  ASSERT_EQ(host.call(0, entry)->status, Status::success);
  EXPECT_EQ(host.get<std::uint64_t>(data), host.controller().disk().blocks());
  EXPECT_EQ(host.get<std::uint32_t>(data + 128), 12u << 16);
  NvmeHost::set_word(entry, 10, 1);
  ASSERT_EQ(host.call(0, entry)->status, Status::success);
  EXPECT_EQ(host.get<std::uint8_t>(data + 77), 5);
  EXPECT_EQ(host.get<std::uint32_t>(data + 516), 1u);
  NvmeHost::set_word(entry, 10, 2);
  NvmeHost::set_word(entry, 1, 0);
  ASSERT_EQ(host.call(0, entry)->status, Status::success);
  EXPECT_EQ(host.get<std::uint64_t>(data), 1u);
}

TEST_F(NvmeControllerTest, ReadsWhatWasWritten) {
  host.start();
  EXPECT_EQ(read(5, 3), 0);
  for (const std::uint32_t blocks : {1u, 2u, 7u, 32u}) {
    EXPECT_EQ(write(3 * blocks, blocks, blocks), Status::success);
    EXPECT_EQ(read(3 * blocks, blocks), static_cast<int>(blocks));
    EXPECT_EQ(io(NvmeHost::io(Opcode::flush)), Status::success);
    EXPECT_EQ(read(3 * blocks, blocks), static_cast<int>(blocks));
  }
}

// PRP 1 has an offset, and the list of the others is continued in another page.
TEST_F(NvmeControllerTest, FollowsListsOfPages) {
  host.start();
  constexpr std::uint64_t first = data + 0x100, list_end = list + 0x1000 - 16, more = list + 0x4000;
  constexpr std::uint32_t blocks = 5;
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::uint64_t page = data + 0x1'0000 + 0x2000 * i;
    host.set<std::uint64_t>(i == 0 ? list_end : more + 8 * (i - 1), page);
    std::ranges::fill(host.bytes(page, 4096), std::byte(0x10 + i));
  }
  host.set<std::uint64_t>(list_end + 8, more);
  std::ranges::fill(host.bytes(first, 4096 - 0x100), std::byte{7});
  ASSERT_EQ(io(NvmeHost::io(Opcode::write, 0, blocks, Address(first), Address(list_end))), Status::success);
  ASSERT_EQ(io(NvmeHost::io(Opcode::read, 0, 1, Address(data))), Status::success);
  EXPECT_EQ(host.get<std::uint8_t>(data + 0xEFF), 7);
  EXPECT_EQ(host.get<std::uint8_t>(data + 0xF00), 0x10);
  ASSERT_EQ(io(NvmeHost::io(Opcode::read, 4, 1, Address(data))), Status::success);
  EXPECT_EQ(host.get<std::uint8_t>(data + 0xEFF), 0x13);
  EXPECT_EQ(host.get<std::uint8_t>(data + 0xF00), 0x14);
}

TEST_F(NvmeControllerTest, FlushAndForcedUnitAccessWaitForFlash) {
  host.start();
  Picoseconds begin = host.now();
  write(0, 1, 1);
  EXPECT_LT(host.now() - begin, 10_us);
  EXPECT_EQ(written(), 0u);
  begin = host.now();
  EXPECT_EQ(io(NvmeHost::io(Opcode::flush)), Status::success);
  EXPECT_GT(host.now() - begin, 660_us);
  EXPECT_EQ(written(), 1u);
  begin = host.now();
  EXPECT_EQ(io(NvmeHost::io(Opcode::flush)), Status::success);
  EXPECT_LT(host.now() - begin, 10_us);
  write(1, 1, 2, true);
  EXPECT_GT(host.now() - begin, 660_us);
  EXPECT_EQ(written(), 2u);
}

TEST_F(NvmeControllerTest, WithoutTheCacheEveryWriteIsDurable) {
  host.start();
  write(0, 1, 1);
  EXPECT_EQ(feature(6, 0), Status::success);
  EXPECT_EQ(written(), 1u);
  write(4, 1, 1);
  EXPECT_EQ(written(), 2u);
  EXPECT_EQ(feature(6, 1), Status::success);
  write(8, 1, 1);
  EXPECT_EQ(written(), 2u);
}

TEST_F(NvmeControllerTest, APageThatIsNotWholeLingers) {
  host.start();
  write(0, 4, 1);
  host.wait_until(host.now() + 900_us);
  EXPECT_EQ(written(), 1u);
  write(4, 3, 2);
  host.wait_until(host.now() + 990_us);
  EXPECT_EQ(written(), 1u);
  host.wait_until(host.now() + 730_us);
  EXPECT_EQ(written(), 2u);
}

TEST_F(NvmeControllerTest, ZeroesAndDeallocatesBlocks) {
  host.start();
  write(0, 32, 9);
  EXPECT_EQ(io(NvmeHost::io(Opcode::write_zeroes, 3, 10)), Status::success);
  EXPECT_EQ(read(3, 10), 0);
  EXPECT_EQ(read(13, 3), 9);
  host.set<std::uint32_t>(data + 4, 8);   // blocks
  host.set<std::uint64_t>(data + 8, 16);  // from this one on
  nvme::SubmissionEntry trim = NvmeHost::io(Opcode::dataset_management, 0, 1, Address(data));
  NvmeHost::set_word(trim, 10, 0);
  NvmeHost::set_word(trim, 11, 4);
  EXPECT_EQ(io(trim), Status::success);
  EXPECT_EQ(read(16, 8), 0);
  EXPECT_EQ(read(24, 8), 9);
}

TEST_F(NvmeControllerTest, AnswersMistakesWithTheirStatus) {
  host.start();
  const std::uint64_t end = host.controller().disk().blocks();
  EXPECT_EQ(io(NvmeHost::io(Opcode::read, end - 1, 2, Address(data))), Status::lba_out_of_range);
  EXPECT_EQ(io(NvmeHost::io(Opcode::read, ~std::uint64_t{0}, 2, Address(data))), Status::lba_out_of_range);
  EXPECT_EQ(io(NvmeHost::io(Opcode::read, 0, 33, Address(data))), Status::invalid_field);
  EXPECT_EQ(io(NvmeHost::io(static_cast<Opcode>(0x7F))), Status::invalid_opcode);
  EXPECT_EQ(io(NvmeHost::io(Opcode::read, 0, 1, Address(data + 2))), Status::prp_offset_invalid);
  EXPECT_EQ(io(NvmeHost::io(Opcode::read, 0, 2, Address(data), Address(data + 4))),
            Status::prp_offset_invalid);
  EXPECT_EQ(io(NvmeHost::io(Opcode::read, 0, 1, Address(64 << 20))), Status::data_transfer_error);
  EXPECT_EQ(io(NvmeHost::io(Opcode::write, 0, 1, Address(64 << 20))), Status::data_transfer_error);
  EXPECT_EQ(io(NvmeHost::io(Opcode::write, 0, 9, Address(data), Address(64 << 20))),
            Status::data_transfer_error);
  nvme::SubmissionEntry entry = NvmeHost::io(Opcode::read, 0, 1, Address(data));
  NvmeHost::set_word(entry, 1, 2);
  EXPECT_EQ(io(entry), Status::invalid_namespace);
  entry = NvmeHost::io(Opcode::read, 0, 1, Address(data));
  NvmeHost::set_word(entry, 0, 0x4002);
  EXPECT_EQ(io(entry), Status::invalid_field);
  EXPECT_EQ(feature(6 | 1u << 31, 1), Status::feature_not_saveable);
  EXPECT_EQ(feature(0x42, 1), Status::invalid_field);
  EXPECT_EQ(host.call(0, NvmeHost::admin(static_cast<AdminOpcode>(0x80)))->status, Status::invalid_opcode);
  EXPECT_EQ(read(0, 1), 0);
}

// A line for each, except for questions of what the controller has.
TEST_F(NvmeControllerTest, ReportsCommandsThatFail) {
  host.start();
  const std::uint64_t end = host.controller().disk().blocks();
  io(NvmeHost::io(Opcode::read, end - 1, 2, Address(data)));
  io(NvmeHost::io(Opcode::write, 7, 1, Address(64 << 20)));
  io(NvmeHost::io(Opcode::write, 7, 9, Address(data), Address(64 << 20)));
  io(NvmeHost::io(static_cast<Opcode>(0x7F)));
  feature(0x42, 1);
  host.call(0, NvmeHost::admin(static_cast<AdminOpcode>(0x80)));
  host.call(0, NvmeHost::admin(AdminOpcode::delete_submission_queue));
  EXPECT_EQ(host.warnings,
            (std::vector<std::string>{
                fmt::format("queue 1, command 0, Read (02h), LBA {:#x}, 2 blocks: LBA out of range (0x080): "
                            "the disk has {} blocks",
                            end - 1, end),
                "queue 1, command 1, Write (01h), LBA 0x7, 1 block: data transfer error (0x004), as memory "
                "does not answer at 0x4000000, or has poison there",
                "queue 1, command 2, Write (01h), LBA 0x7, 9 blocks: data transfer error (0x004), as memory "
                "does not answer at 0x4000000, or has poison there",
                "queue 1, command 3, unknown (7fh): invalid opcode (0x001)",
                "queue 0, command 4, Delete I/O Submission Queue (00h): invalid queue identifier (0x101)"}));
}

TEST_F(NvmeControllerTest, ChecksQueues) {
  host.start();
  const auto create = [&](AdminOpcode opcode, std::uint32_t word10, std::uint32_t word11, std::uint64_t at) {
    nvme::SubmissionEntry entry = NvmeHost::admin(opcode, Address(at));
    NvmeHost::set_word(entry, 10, word10);
    NvmeHost::set_word(entry, 11, word11);
    return host.call(0, entry)->status;
  };
  const auto cq = AdminOpcode::create_completion_queue, sq = AdminOpcode::create_submission_queue;
  EXPECT_EQ(create(cq, 15u << 16 | 0, 1, data), Status::invalid_queue_identifier);
  EXPECT_EQ(create(cq, 15u << 16 | 1, 1, data), Status::invalid_queue_identifier);
  EXPECT_EQ(create(cq, 15u << 16 | 9, 1, data), Status::invalid_queue_identifier);
  EXPECT_EQ(create(cq, 1024u << 16 | 2, 1, data), Status::invalid_queue_size);
  EXPECT_EQ(create(cq, 0u << 16 | 2, 1, data), Status::invalid_queue_size);
  EXPECT_EQ(create(cq, 15u << 16 | 2, 1u << 16 | 1, data), Status::invalid_interrupt_vector);
  EXPECT_EQ(create(cq, 15u << 16 | 2, 0, data), Status::invalid_field);
  EXPECT_EQ(create(cq, 15u << 16 | 2, 1, data + 8), Status::prp_offset_invalid);
  EXPECT_EQ(create(sq, 15u << 16 | 2, 2u << 16 | 1, data), Status::completion_queue_invalid);
  EXPECT_EQ(create(AdminOpcode::delete_completion_queue, 1, 0, 0), Status::invalid_queue_deletion);
  EXPECT_EQ(create(AdminOpcode::delete_submission_queue, 5, 0, 0), Status::invalid_queue_identifier);
  EXPECT_EQ(create(AdminOpcode::delete_submission_queue, 1, 0, 0), Status::success);
  EXPECT_EQ(create(AdminOpcode::delete_completion_queue, 1, 0, 0), Status::success);
  host.create_queues(1, 8);
  EXPECT_EQ(write(0, 1, 3), Status::success);
  EXPECT_EQ(host.warnings.size(), 11u) << "one for each that was refused";
}

TEST_F(NvmeControllerTest, WrapsItsQueuesAndWaitsForRoom) {
  host.start(1, 4);
  for (unsigned i = 0; i < 23; ++i) EXPECT_EQ(write(i, 1, i), Status::success);
  for (unsigned i = 0; i < 3; ++i) host.submit(1, NvmeHost::io(Opcode::read, i, 1, Address(data + 4096 * i)));
  host.run();
  EXPECT_TRUE(host.line);
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(host.take(1)->status, Status::success);
  EXPECT_FALSE(host.line);
  EXPECT_EQ(host.get<std::uint8_t>(data + 4096 * 2), 2);
}

TEST_F(NvmeControllerTest, InterruptsUntilEntriesAreConsumed) {
  host.start();
  host.submit(1, NvmeHost::io(Opcode::flush));
  host.run();
  EXPECT_TRUE(host.line);
  host.controller().set_mask(1);
  EXPECT_FALSE(host.line);
  host.controller().set_mask(0);
  EXPECT_TRUE(host.line);
  host.take(1);
  EXPECT_FALSE(host.line);
}

TEST_F(NvmeControllerTest, ReportsABadDoorbellByAnEvent) {
  host.start();
  const std::uint16_t request = host.submit(0, NvmeHost::admin(AdminOpcode::asynchronous_event_request));
  host.run();
  EXPECT_FALSE(host.take(0));
  host.controller().ring(host.now(), 2, 64);
  host.run();
  const auto event = host.take(0);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->identifier, request);
  EXPECT_EQ(event->result, 0x1'0100u);
  host.controller().ring(host.now(), 2 * 5, 1);
  host.controller().ring(host.now(), 3, 1);
  EXPECT_EQ(host.warnings.size(), 3u);
  EXPECT_EQ(write(0, 1, 3), Status::success);
}

TEST_F(NvmeControllerTest, AQueueOutsideOfMemoryIsFatalUntilDisabled) {
  host.power_up();
  host.controller().configure(host.now(), 1, {0xF'000F, Address(1 << 30), Address(0)});
  host.run();
  host.controller().ring(host.now(), 0, 1);
  host.run();
  EXPECT_EQ(host.controller().status(), 2u);
  host.disable();
  EXPECT_EQ(host.controller().status(), 0u);
  host.start();
  EXPECT_EQ(write(0, 1, 3), Status::success);
}

TEST_F(NvmeControllerTest, RefusesToBeEnabledWronglyAndSaysWhy) {
  host.power_up();
  host.run();
  const Address good(0x1000);
  for (const std::uint32_t value : {1u | 1 << 4, 1u | 1 << 7, 1u | 1 << 11}) {
    host.controller().configure(host.now(), value, {0xF'000F, good, good});
    EXPECT_EQ(host.controller().status(), 2u);
    host.disable();
  }
  host.controller().configure(host.now(), 1, {0, good, good});
  EXPECT_EQ(host.controller().status(), 2u);
  EXPECT_EQ(host.warnings.size(), 4u);
}

TEST_F(NvmeControllerTest, AShutdownMakesTheCacheDurable) {
  host.start();
  write(0, 1, 5);
  host.controller().configure(host.now(), 4u << 20 | 6u << 16 | 1u << 14 | 1, {});
  EXPECT_EQ(host.controller().status() >> 2 & 3, 1u);
  host.run();
  EXPECT_EQ(host.controller().status() >> 2 & 3, 2u);
  host.fail_power();
  host.start();
  EXPECT_EQ(read(0, 1), 5);
}

TEST_F(NvmeControllerTest, AControllerResetKeepsTheCache) {
  host.start();
  write(2, 1, 5);
  host.disable();
  host.start();
  EXPECT_EQ(read(2, 1), 5);
  host.reset(Reset::warm);
  host.start();
  EXPECT_EQ(read(2, 1), 5);
  host.fail_power();
  host.start();
  EXPECT_EQ(read(2, 1), 0);
}

// The rest of a flash page that is lost cannot be completed, and is not made up.
TEST_F(NvmeControllerTest, ALostPageIsAnErrorUntilItIsRewritten) {
  host.start();
  write(0, 4, 5, true);
  for (std::uint32_t plane = 0; plane < 2; ++plane)
    for (std::uint32_t block = 0; block < 16; ++block)
      if (image.state({plane, block, 0}) == FlashImage::PageState::programmed)
        image.add_bit_errors({plane, block, 0}, 1000);
  const auto read_block = [&](std::uint64_t at) {
    return io(NvmeHost::io(Opcode::read, at, 1, Address(data)));
  };
  EXPECT_EQ(read_block(1), Status::unrecovered_read_error);
  EXPECT_EQ(write(1, 1, 6), Status::success);
  EXPECT_EQ(io(NvmeHost::io(Opcode::flush)), Status::write_fault);
  EXPECT_EQ(read(1, 1), 6);
  EXPECT_EQ(read_block(2), Status::unrecovered_read_error);
  EXPECT_EQ(write(0, 4, 7), Status::success);
  EXPECT_EQ(io(NvmeHost::io(Opcode::flush)), Status::success);
  EXPECT_EQ(read(0, 4), 7);
}

// The rest of a list is at the begin of a page: one that points to itself would never end.
TEST_F(NvmeControllerTest, RefusesAListThatContinuesWithinAPage) {
  host.start();
  constexpr std::uint64_t last = list + 0x1000 - 8;
  host.set<std::uint64_t>(last, last);
  EXPECT_EQ(io(NvmeHost::io(Opcode::read, 0, 3, Address(data), Address(last))), Status::prp_offset_invalid);
  EXPECT_EQ(io(NvmeHost::io(Opcode::write, 0, 3, Address(data), Address(last))), Status::prp_offset_invalid);
}

TEST_F(NvmeControllerTest, NothingIsDoneAfterAFatalErrorUntilDisabled) {
  host.start();
  write(0, 4, 5);
  nvme::SubmissionEntry entry = NvmeHost::admin(AdminOpcode::create_completion_queue, Address(data));
  NvmeHost::set_word(entry, 10, 15u << 16 | 2);
  NvmeHost::set_word(entry, 11, 1);
  ASSERT_EQ(host.call(0, entry)->status, Status::success);
  entry = NvmeHost::admin(AdminOpcode::create_submission_queue, Address(1 << 30));
  NvmeHost::set_word(entry, 10, 15u << 16 | 2);
  NvmeHost::set_word(entry, 11, 2u << 16 | 1);
  ASSERT_EQ(host.call(0, entry)->status, Status::success);
  for (unsigned i = 0; i < 4; ++i) {
    host.submit(1, NvmeHost::io(Opcode::read, i, 1, Address(data)));
    host.submit(1, NvmeHost::io(Opcode::write, 4 + i, 1, Address(data)));
  }
  host.submit(0, NvmeHost::admin(AdminOpcode::asynchronous_event_request));
  host.wait_until(host.now() + 1_us);
  std::ranges::fill(host.bytes(data, 4096), std::byte{0xEE});
  host.controller().ring(host.now(), 4, 1);
  host.controller().ring(host.now(), 4, 2);
  host.run();
  EXPECT_EQ(host.controller().status() & 3, 2u);
  EXPECT_EQ(host.warnings.size(), 1u);
  EXPECT_FALSE(host.take(1));
  EXPECT_EQ(host.get<std::uint8_t>(data), 0xEE);
  host.disable();
  host.start();
  EXPECT_EQ(read(0, 4), 5);
}

TEST_F(NvmeControllerTest, AShutdownIsNotEndedByTheOneBeforeAReset) {
  host.start();
  constexpr std::uint32_t notify = 4u << 20 | 6u << 16 | 1u << 14 | 1;
  write(0, 1, 5);
  host.controller().configure(host.now(), notify, {});
  host.wait_until(host.now() + 500_us);
  host.disable();
  host.start();
  write(40, 1, 6);
  host.controller().configure(host.now(), notify, {});
  while ((host.controller().status() >> 2 & 3) != 2) ASSERT_TRUE(host.step());
  host.fail_power();
  host.start();
  EXPECT_EQ(read(0, 1), 5);
  EXPECT_EQ(read(40, 1), 6);
}

TEST_F(NvmeControllerTest, CountsPowerCyclesAndThoseWithoutAShutdown) {
  const auto counts = [&] {
    nvme::SubmissionEntry entry = NvmeHost::admin(AdminOpcode::get_log_page, Address(data));
    NvmeHost::set_word(entry, 10, 127u << 16 | 2);
    EXPECT_EQ(host.call(0, entry)->status, Status::success);
    return std::pair(host.get<std::uint64_t>(data + 112), host.get<std::uint64_t>(data + 144));
  };
  using Counts = std::pair<std::uint64_t, std::uint64_t>;
  host.start();
  EXPECT_EQ(counts(), Counts(1, 0));
  host.reset(Reset::warm);
  host.start();
  EXPECT_EQ(counts(), Counts(1, 0));
  host.fail_power();
  host.start();
  EXPECT_EQ(counts(), Counts(2, 1));
  host.controller().configure(host.now(), 4u << 20 | 6u << 16 | 1u << 14 | 1, {});
  host.run();
  host.fail_power();
  host.start();
  EXPECT_EQ(counts(), Counts(3, 1));
}

TEST_F(NvmeControllerTest, SaysWhatCanBeDoneWithAFeature) {
  host.start();
  const auto get = [&](std::uint32_t select, std::uint32_t number) {
    nvme::SubmissionEntry entry = NvmeHost::admin(AdminOpcode::get_features);
    NvmeHost::set_word(entry, 10, select << 8 | number);
    return *host.call(0, entry);
  };
  EXPECT_EQ(feature(6, 0), Status::success);
  EXPECT_EQ(get(0, 6).result, 0u);
  EXPECT_EQ(get(1, 6).result, 1u);
  EXPECT_EQ(get(3, 6).result, 4u);
  EXPECT_EQ(get(3, 3).status, Status::invalid_field);
  EXPECT_EQ(get(4, 6).status, Status::invalid_field);
}

// Writes that wait for room in the cache fail, too.
TEST(NvmeWear, TheCacheTakesNothingOnceFlashIsReadOnly) {
  FlashPart part = small_part;
  part.pages_per_block = 8;
  part.endurance = 10;
  const NvmeConfig config{.flash = {.channels = 1, .packages = 1, .blocks = 8}, .cache = 64_KiB};
  FlashImage image(config.flash.geometry(part));
  NvmeHost host(config, part, image, 4_MiB);
  host.start();
  const NvmeDisk& disk = host.controller().disk();
  const auto taken = [&] {
    Statistics statistics;
    disk.report(statistics);
    return std::get<std::uint64_t>(statistics.entries()[2].second);  // blocks_written
  };
  Random places(1);  // in few pages, so that some that wait are for a page of the cache
  std::optional<std::uint64_t> last;
  unsigned failed = 0;
  for (unsigned rounds = 0; failed == 0 && rounds < 2000; ++rounds) {
    for (unsigned i = 0; i < 16; ++i)
      host.submit(1, NvmeHost::io(Opcode::write, places.below(24), 1, Address(NvmeHost::buffers)));
    while (host.step()) {
      if (disk.read_only() && !last) last = taken();
      while (const auto completion = host.take(1)) failed += completion->status != Status::success;
    }
  }
  ASSERT_TRUE(last);
  EXPECT_GT(failed, 0u);
  EXPECT_EQ(taken(), *last);
}

}  // namespace
}  // namespace asterism
