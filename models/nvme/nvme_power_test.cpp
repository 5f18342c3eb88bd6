// Power failures at random events under random commands: what was flushed, forced to flash, or written with
// the cache disabled is there, and each block is as some command left it.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/random.h"
#include "nvme/nvme_host.h"

namespace asterism {
namespace {

using nvme::Opcode, nvme::Status;

constexpr FlashPart power_part{.page = 16_KiB, .pages_per_block = 8, .dies = 1, .planes = 1};
// Each slot has one command under way at a time, so that the order of the writes of a block is known. The
// slots share flash pages of four blocks.
constexpr unsigned slots = 4;
constexpr std::uint64_t slot_blocks = 15, used_blocks = slots * slot_blocks, power_data = NvmeHost::buffers;
constexpr std::uint64_t page_blocks = 4;

// A change of a block: a write of a value, or of zeros.
struct Change {
  std::uint64_t number = 0, value = 0;
};

// What a block may hold after a power failure: the value that is known to be durable, or any written since.
struct Allowed {
  Change durable = {};
  std::vector<Change> later = {};
  std::uint64_t dropped = 0;             // the number of a deallocation that no durable change has followed
  std::set<std::uint64_t> before = {0};  // all values that it has had: after a deallocation, any may be there
  bool allows(std::uint64_t value) const {
    return value == durable.value || std::ranges::find(later, value, &Change::value) != later.end() ||
           (dropped != 0 && before.contains(value));
  }
  void make_durable(const Change& change) {
    if (change.number < durable.number) return;
    durable = change;
    std::erase_if(later, [&](const Change& each) { return each.number <= change.number; });
    if (dropped < change.number) dropped = 0;
  }
};

struct PowerTrial {
  NvmeConfig config{
      .flash = {.channels = 2, .packages = 1, .blocks = 12, .translation = {.pace_writes = true}},
      .cache = 128_KiB,
      .linger = 300_us};
  FlashImage image{config.flash.geometry(power_part)};
  NvmeHost host{config, power_part, image, 4_MiB};
  Random random;
  std::array<Allowed, used_blocks> allowed{};
  std::uint64_t next_value = 1;
  using Changes = std::map<std::uint64_t, Change>;  // by block
  struct Command {
    std::optional<unsigned> slot = {};  // that of a flush is none
    Changes changes = {};               // are in the cache when it ends
    Changes made_durable = {};
    std::vector<std::uint64_t> dropped = {};
  };
  std::map<std::uint16_t, Command> under_way;
  Changes ended;  // the newest change of a block that has ended
  std::array<bool, slots> busy{};
  bool caches = true, flushing = false;
  unsigned lost = 0, kept = 0, shutdowns = 0;

  explicit PowerTrial(std::uint64_t seed) : random(seed) {}

  Change change(std::uint64_t block, std::uint64_t value) {
    const Change made{next_value++, value};
    allowed[block].later.push_back(made);
    allowed[block].before.insert(value);
    return made;
  }
  void submit(const nvme::SubmissionEntry& entry, Command command) {
    if (command.slot) busy[*command.slot] = true;
    under_way[host.submit(1, entry)] = std::move(command);
  }
  // The first block and the number of blocks of a command of the slot.
  std::pair<std::uint64_t, std::uint32_t> place(unsigned slot, std::uint32_t most) {
    const auto blocks = static_cast<std::uint32_t>(1 + random.below(most));
    return {slot * slot_blocks + random.below(slot_blocks - blocks + 1), blocks};
  }
  void submit_write(unsigned slot) {
    const auto [first, blocks] = place(slot, 4);
    const bool forced = random.below(4) == 0;
    const std::uint64_t buffer = power_data + 0x10000 * slot, list = buffer + 0x8000;
    Command command{.slot = slot};
    for (std::uint32_t i = 0; i < blocks; ++i) {
      const std::uint64_t value = next_value;
      command.changes[first + i] = change(first + i, value);
      for (std::uint64_t at = 0; at < 4096; at += 512) host.set<std::uint64_t>(buffer + 4096 * i + at, value);
      if (i > 0) host.set<std::uint64_t>(list + 8 * (i - 1), buffer + 4096 * i);
    }
    if (forced || !caches) command.made_durable = command.changes;
    const Address rest(blocks > 2 ? list : buffer + 4096);
    submit(NvmeHost::io(Opcode::write, first, blocks, Address(buffer), rest, forced), std::move(command));
  }
  void submit_zeroes(unsigned slot) {
    const auto [first, blocks] = place(slot, slot_blocks);
    const bool forced = random.below(4) == 0;
    Command command{.slot = slot};
    for (std::uint32_t i = 0; i < blocks; ++i) command.changes[first + i] = change(first + i, 0);
    if (forced || !caches) command.made_durable = command.changes;
    submit(NvmeHost::io(Opcode::write_zeroes, first, blocks, {}, {}, forced), std::move(command));
  }
  void submit_deallocation(unsigned slot) {
    const auto [first, blocks] = place(slot, slot_blocks);
    const std::uint64_t range = power_data + 0x10000 * slot;
    host.set<std::uint32_t>(range, 0);
    host.set<std::uint32_t>(range + 4, blocks);
    host.set<std::uint64_t>(range + 8, first);
    nvme::SubmissionEntry entry = NvmeHost::io(Opcode::dataset_management, 0, 1, Address(range));
    NvmeHost::set_word(entry, 10, 0);
    NvmeHost::set_word(entry, 11, 4);
    Command command{.slot = slot};
    const std::uint64_t end = (first + blocks) / page_blocks * page_blocks;
    for (std::uint64_t at = (first + page_blocks - 1) / page_blocks * page_blocks; at < end; ++at) {
      allowed[at].dropped = next_value++;
      command.dropped.push_back(at);
    }
    submit(entry, std::move(command));
  }
  // A flush covers the changes that have ended before it is submitted.
  void submit_flush() {
    flushing = true;
    submit(NvmeHost::io(Opcode::flush), {.made_durable = ended});
  }
  void submit_any(unsigned slot) {
    const std::uint64_t kind = random.below(16);
    if (kind == 0) return submit_zeroes(slot);
    if (kind == 1) return submit_deallocation(slot);
    submit_write(slot);
  }
  void make_durable(const Changes& changes) {
    for (const auto& [block, made] : changes) allowed[block].make_durable(made);
  }
  void take(const NvmeHost::Completion& completion) {
    EXPECT_EQ(completion.status, Status::success);
    const Command command = std::move(under_way.extract(completion.identifier).mapped());
    if (command.slot)
      busy[*command.slot] = false;
    else
      flushing = false;
    for (const auto& [block, made] : command.changes) ended[block] = made;
    for (const std::uint64_t block : command.dropped) ended.erase(block);
    make_durable(command.made_durable);
  }
  void shut_down() {
    const Changes covered = ended;
    host.controller().configure(host.now(), 4u << 20 | 6u << 16 | 1u << 14 | 1, {});
    for (std::uint64_t events = 1 + random.below(100); events != 0 && host.step(); --events)
      while (const auto completion = host.take(1)) take(*completion);
    if ((host.controller().status() >> 2 & 3) != 2) return;
    make_durable(covered);
    ++shutdowns;
  }
  void run_until_failure() {
    for (std::uint64_t events = 1 + random.below(400); events != 0; --events) {
      for (unsigned slot = 0; slot < slots; ++slot)
        if (!busy[slot] && random.below(4) == 0) submit_any(slot);
      if (!flushing && random.below(32) == 0) submit_flush();
      if (under_way.empty()) submit_any(0);
      if (!host.step()) return;
      while (const auto completion = host.take(1)) take(*completion);
    }
    if (random.below(4) == 0) shut_down();
  }
  void check_all() {
    for (std::uint64_t block = 0; block < used_blocks; ++block) {
      ASSERT_EQ(host.call(1, NvmeHost::io(Opcode::read, block, 1, Address(power_data)))->status,
                Status::success);
      const auto value = host.get<std::uint64_t>(power_data);
      Allowed& of = allowed[block];
      ASSERT_TRUE(of.allows(value)) << "block " << block << " has " << value << ", not " << of.durable.value;
      for (std::uint64_t at = 0; at < 4096; at += 512)
        ASSERT_EQ(host.get<std::uint64_t>(power_data + at), value);
      lost += !of.later.empty() && value != of.later.back().value;
      kept += !of.later.empty() && value == of.later.back().value;
      of = {.durable = {next_value++, value}, .before = std::move(of.before)};
    }
  }
  void start() {
    under_way.clear();
    ended.clear();
    busy = {};
    flushing = false;
    host.start();
    caches = random.below(4) != 0;
    if (caches) return;
    nvme::SubmissionEntry entry = NvmeHost::admin(nvme::AdminOpcode::set_features);
    NvmeHost::set_word(entry, 10, 6);
    ASSERT_EQ(host.call(0, entry)->status, Status::success);
  }
  void run(unsigned failures) {
    start();
    for (unsigned i = 0; i < failures; ++i) {
      run_until_failure();
      host.fail_power();
      start();
      check_all();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
};

TEST(NvmePower, WhatWasFlushedSurvivesAndEachBlockIsWhole) {
  unsigned lost = 0, kept = 0, shutdowns = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    PowerTrial trial(seed);
    trial.run(50);
    if (HasFatalFailure()) return;
    lost += trial.lost;
    kept += trial.kept;
    shutdowns += trial.shutdowns;
  }
  // All happen, so that the trials are about something.
  EXPECT_GT(lost, 100u);
  EXPECT_GT(kept, 100u);
  EXPECT_GT(shutdowns, 20u);
}

}  // namespace
}  // namespace asterism
