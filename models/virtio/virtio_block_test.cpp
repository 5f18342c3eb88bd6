#include "virtio/virtio_block.h"

#include <fstream>

#include "base/random.h"
#include "base/temporary_folder.h"
#include "devices/device_fuzz.h"
#include "tlm/log.h"
#include "virtio/virtio_rig.h"

namespace asterism {
namespace {

constexpr std::uint64_t header = dram + 0x8000, data = dram + 0x1'0000, status = dram + 0x9000;
enum Request : std::uint32_t { read_request = 0, write_request = 1, flush_request = 4, name_request = 8 };

struct VirtioBlockTest : VirtioRig {
  VirtioBlock disk{"disk", {.size = 1_MiB, .latency = 10_us, .bandwidth = 100_MBps}, context};
  VirtioBlockTest() { bind(disk); }

  // Returns the status of the request.
  int ask(std::uint32_t type, std::uint64_t sector, std::vector<Buffer> buffers = {}) {
    ram.set(header, std::uint64_t{type});
    ram.set(header + 8, sector);
    ram.set<std::uint8_t>(status, 0xFF);
    buffers.insert(buffers.begin(), {header, 16, false});
    buffers.push_back({status, 1, true});
    written = request(buffers).written;
    return ram.get<std::uint8_t>(status);
  }
  int write_sector(std::uint64_t sector, unsigned char fill) {
    std::fill_n(ram.bytes.begin() + (data - dram), 512, fill);
    return ask(write_request, sector, {{data, 512, false}});
  }
  int sector_value(std::uint64_t sector) {
    ram.set<std::uint8_t>(data, 0xEE);
    EXPECT_EQ(ask(read_request, sector, {{data, 512, true}}), 0);
    return ram.get<std::uint8_t>(data);
  }
  std::uint32_t written = 0;
};

SYSTEMC_TEST_F(VirtioBlockTest, IsFoundAndHasItsSize) {
  EXPECT_EQ(get(map.magic), 0x74726976u);
  EXPECT_EQ(get(map.version), 2u);
  EXPECT_EQ(get(map.device_id), 2u);
  EXPECT_EQ(get(map.queue_num_max), 256u);
  set(map.queue_sel, 1);
  EXPECT_EQ(get(map.queue_num_max), 0u);
  EXPECT_EQ(cpu.read<std::uint64_t>(0x100), 2048u);
  EXPECT_EQ(cpu.read<std::uint8_t>(0x101), 8u);
  EXPECT_EQ(offered(), 1ull << 32 | 1u << 28 | 1u << 9 | 1u << 6 | 1u << 2);
}

SYSTEMC_TEST_F(VirtioBlockTest, ReadsWhatWasWritten) {
  start();
  EXPECT_EQ(write_sector(7, 0xA5), 0);
  EXPECT_EQ(written, 1u);
  EXPECT_EQ(sector_value(7), 0xA5);
  EXPECT_EQ(written, 513u);
  EXPECT_EQ(sector_value(8), 0);
  EXPECT_TRUE(line.read());
  EXPECT_EQ(get(map.interrupt_status), 1u);
  set(map.interrupt_ack, 1);
  settle();
  EXPECT_FALSE(line.read());
}

SYSTEMC_TEST_F(VirtioBlockTest, TakesBuffersCutAnywhere) {
  start();
  for (unsigned i = 0; i < 1024; ++i) ram.set(data + i, static_cast<std::uint8_t>(i * 7));
  ram.set(header, std::uint64_t{write_request});
  ram.set(header + 8, std::uint64_t{3});
  request({{header, 3, false},
           {header + 3, 13, false},
           {data, 1, false},
           {data + 1, 1023, false},
           {status, 1, true}});
  std::fill_n(ram.bytes.begin() + (data - dram), 1024, 0);
  EXPECT_EQ(ask(read_request, 3, {{data, 700, true}, {data + 700, 324, true}}), 0);
  for (unsigned i = 0; i < 1024; ++i)
    ASSERT_EQ(ram.get<std::uint8_t>(data + i), static_cast<std::uint8_t>(i * 7));
}

SYSTEMC_TEST_F(VirtioBlockTest, TakesItsTime) {
  start();
  const Picoseconds begun = now();
  ask(read_request, 0, {{data, 64 << 10, true}});
  const Picoseconds transfer = transfer_time(64_KiB, 100_MBps);
  EXPECT_GE(now() - begun, 10_us + transfer);
  EXPECT_LE(now() - begun, 20_us + transfer);
}

SYSTEMC_TEST_F(VirtioBlockTest, RefusesWhatIsNotThere) {
  start();
  EXPECT_EQ(ask(read_request, 2047, {{data, 1024, true}}), 1);
  EXPECT_EQ(ask(read_request, ~std::uint64_t{0}, {{data, 512, true}}), 1);
  EXPECT_EQ(ask(read_request, 0, {{data, 100, true}}), 1);
  EXPECT_EQ(ask(99, 0), 2);
  EXPECT_EQ(ask(name_request, 0, {{data, 20, true}}), 0);
  EXPECT_STREQ(reinterpret_cast<char*>(ram.bytes.data() + (data - dram)), "disk");
}

SYSTEMC_TEST_F(VirtioBlockTest, WhatWasFlushedSurvivesAPowerFailure) {
  start();
  for (std::uint64_t i = 0; i < 32; ++i) write_sector(i, 1);
  EXPECT_EQ(ask(flush_request, 0), 0);
  for (std::uint64_t i = 0; i < 32; ++i) write_sector(i, 2);
  disk.reset(Reset::power_loss);
  start();
  int newest = 0;
  for (std::uint64_t i = 0; i < 32; ++i) {
    const int value = sector_value(i);
    ASSERT_TRUE(value == 1 || value == 2);
    newest += value == 2;
  }
  EXPECT_GT(newest, 4);
  EXPECT_LT(newest, 28);
}

SYSTEMC_TEST_F(VirtioBlockTest, AWarmResetKeepsTheCache) {
  start();
  write_sector(5, 9);
  disk.reset(Reset::warm);
  EXPECT_EQ(get(map.status), 0u);
  start();
  EXPECT_EQ(sector_value(5), 9);
}

SYSTEMC_TEST_F(VirtioBlockTest, AResetOfTheDriverEndsWhatIsUnderWay) {
  start();
  ram.set(header, std::uint64_t{read_request});
  ram.set(header + 8, std::uint64_t{0});
  offer({{header, 16, false}, {data, 4096, true}, {status, 1, true}});
  set(map.queue_notify, 0);
  wait_for(2_us);
  set(map.status, 0);
  wait_for(1_ms);
  EXPECT_EQ(used_chains(), 0);
  EXPECT_EQ(get(map.interrupt_status), 0u);
  start();
  EXPECT_EQ(sector_value(0), 0);
}

SYSTEMC_TEST_F(VirtioBlockTest, AFeatureThatIsNotOfferedIsNotAgreedOn) {
  set_log_levels({{"disk", LogLevel::off}});
  set(map.status, 3);
  accept_features(offered() | 1u << 14);
  set(map.status, 11);
  EXPECT_EQ(get(map.status), 3u);
  accept_features(0);
  set(map.status, 11);
  EXPECT_EQ(get(map.status), 3u);
}

SYSTEMC_TEST_F(VirtioBlockTest, ABrokenRuleNeedsAReset) {
  set_log_levels({{"disk", LogLevel::off}});
  start();
  request({{0xFFFF'0000, 16, false}, {status, 1, true}});
  EXPECT_TRUE(broken());
  EXPECT_EQ(get(map.interrupt_status), 2u);
  set(map.queue_notify, 0);
  wait_for(1_ms);
  EXPECT_EQ(used_chains(), 0);
  start();
  EXPECT_EQ(sector_value(0), 0);
  request({{header, 16, false}});  // no status
  EXPECT_TRUE(broken());
}

SYSTEMC_TEST_F(VirtioBlockTest, AnswersAnyPayload) {
  set_log_levels({{"disk", LogLevel::off}});
  expect_an_answer_to_any_payload(cpu, 4_KiB, 1);
}

// A driver that writes random bytes where its queue is, and sometimes a request that is right.
SYSTEMC_TEST_F(VirtioBlockTest, SurvivesAnyDriver) {
  set_log_levels({{"disk", LogLevel::off}});
  Random random(1);
  for (int i = 0; i < 2'000; ++i) {
    if (i % 4 == 0 || broken()) start();
    for (int j = 0; j < 8; ++j)
      put_descriptor(
          static_cast<std::uint16_t>(j),
          {random.below(4) ? dram + random.below(1 << 20) : random.next(),
           static_cast<std::uint32_t>(random.below(2) ? random.below(2000) : random.below(1u << 31)),
           random.below(2) != 0},
          static_cast<std::uint16_t>(random.below(8)), static_cast<std::uint16_t>(random.below(10)));
    make_available(static_cast<std::uint16_t>(random.below(9)));
    set(map.queue_notify, random.below(8) ? 0 : random.next());
    if (random.below(8) == 0) set(map.queue_ready, random.below(2));
    wait_for(Picoseconds(random.below((200_us).count())));
  }
  start();
  EXPECT_EQ(sector_value(2047), 0);
}

}  // namespace
}  // namespace asterism
