// Power failures at random events under random commands: what was flushed or forced to flash is there, and
// each block is as some write left it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/random.h"
#include "nvme/nvme_host.h"

namespace asterism {
namespace {

using nvme::Opcode, nvme::Status;

constexpr FlashPart power_part{.page = 16_KiB, .pages_per_block = 8, .dies = 1, .planes = 1};
constexpr std::uint64_t used_blocks = 64, power_data = NvmeHost::buffers;

// What a block may hold after a power failure: the value that is known to be durable, or any written since.
struct Allowed {
  std::uint64_t durable = 0;
  std::vector<std::uint64_t> later = {};
  bool allows(std::uint64_t value) const {
    return value == durable || std::ranges::find(later, value) != later.end();
  }
};

struct PowerTrial {
  NvmeConfig config{.channels = 2, .packages = 1, .blocks = 12, .cache = 128_KiB, .linger = 300_us};
  FlashImage image{flash_geometry(config, power_part)};
  NvmeHost host{config, power_part, image, 4_MiB};
  Random random;
  std::array<Allowed, used_blocks> allowed{};
  std::uint64_t next_value = 1;
  struct Pending {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> made_durable;  // block, value
  };
  std::map<std::uint16_t, Pending> pending;
  std::map<std::uint64_t, std::uint64_t> ended;  // the newest write of a block that has ended
  unsigned lost = 0, kept = 0;

  explicit PowerTrial(std::uint64_t seed) : random(seed) {}

  void submit_write(unsigned slot) {
    const auto blocks = static_cast<std::uint32_t>(1 + random.below(4));
    const std::uint64_t first = random.below(used_blocks - blocks);
    const bool forced = random.below(4) == 0;
    const std::uint64_t buffer = power_data + 0x10000 * slot, list = buffer + 0x8000;
    Pending write;
    for (std::uint32_t i = 0; i < blocks; ++i) {
      const std::uint64_t value = next_value++;
      for (std::uint64_t at = 0; at < 4096; at += 512) host.set<std::uint64_t>(buffer + 4096 * i + at, value);
      if (i > 0) host.set<std::uint64_t>(list + 8 * (i - 1), buffer + 4096 * i);
      allowed[first + i].later.push_back(value);
      write.made_durable.emplace_back(first + i, value);
    }
    const Address rest(blocks > 2 ? list : buffer + 4096);
    const auto id = host.submit(1, NvmeHost::io(Opcode::write, first, blocks, Address(buffer), rest, forced));
    writes_[id] = write;
    if (forced) pending[id] = write;
  }
  // A flush covers the writes that have ended before it is submitted.
  void submit_flush() {
    Pending flush;
    for (const auto& [block, value] : ended) flush.made_durable.emplace_back(block, value);
    pending[host.submit(1, NvmeHost::io(Opcode::flush))] = flush;
  }
  void take(const NvmeHost::Completion& completion) {
    EXPECT_EQ(completion.status, Status::success);
    if (const auto write = writes_.find(completion.identifier); write != writes_.end()) {
      for (const auto& [block, value] : write->second.made_durable) ended[block] = value;
      writes_.erase(write);
    }
    const auto durable = pending.find(completion.identifier);
    if (durable == pending.end()) return;
    for (const auto& [block, value] : durable->second.made_durable) {
      Allowed& of = allowed[block];
      const auto at = std::ranges::find(of.later, value);
      if (at == of.later.end()) continue;  // a newer one is durable
      of.durable = value;
      of.later.erase(of.later.begin(), at + 1);
    }
    pending.erase(durable);
  }
  void run_until_failure() {
    // One command of a block at a time, so that the order of its writes is known.
    std::uint64_t events = 1 + random.below(400);
    for (;;) {
      if (pending.empty() && writes_.empty()) random.below(5) == 0 ? submit_flush() : submit_write(0);
      if (random.below(8) == 0 && pending.empty()) submit_flush();
      if (events-- == 0 || !host.step()) return;
      while (const auto completion = host.take(1)) take(*completion);
    }
  }
  void check_all() {
    for (std::uint64_t block = 0; block < used_blocks; ++block) {
      ASSERT_EQ(host.call(1, NvmeHost::io(Opcode::read, block, 1, Address(power_data)))->status,
                Status::success);
      const auto value = host.get<std::uint64_t>(power_data);
      ASSERT_TRUE(allowed[block].allows(value)) << "block " << block << " has " << value;
      for (std::uint64_t at = 0; at < 4096; at += 512)
        ASSERT_EQ(host.get<std::uint64_t>(power_data + at), value);
      lost += !allowed[block].later.empty() && value != allowed[block].later.back();
      kept += !allowed[block].later.empty() && value == allowed[block].later.back();
      allowed[block] = {.durable = value};
    }
  }
  void run(unsigned failures) {
    host.start();
    for (unsigned i = 0; i < failures; ++i) {
      run_until_failure();
      host.fail_power();
      pending.clear();
      writes_.clear();
      ended.clear();
      host.start();
      check_all();
      if (testing::Test::HasFatalFailure()) return;
    }
  }

 private:
  std::map<std::uint16_t, Pending> writes_;
};

TEST(NvmePower, WhatWasFlushedSurvivesAndEachBlockIsWhole) {
  unsigned lost = 0, kept = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    PowerTrial trial(seed);
    trial.run(50);
    if (HasFatalFailure()) return;
    lost += trial.lost;
    kept += trial.kept;
  }
  // Both happen, so that the trials are about something.
  EXPECT_GT(lost, 100u);
  EXPECT_GT(kept, 100u);
}

}  // namespace
}  // namespace asterism
