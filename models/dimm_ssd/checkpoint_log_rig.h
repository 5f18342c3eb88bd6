// A checkpoint log on flash of its own, for tests that write the contents of a small memory, let the power
// fail, and restore.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dimm_ssd/checkpoint_log.h"

namespace asterism {

// A flash page of 512 bytes holds 128 lines of 4 bytes, which are two whole pages of memory, or many with few
// lines.
struct LogRig : CheckpointLog::Sink, CheckpointLog::RestoreSink {
  using Error = CheckpointLog::Error;
  using Handle = CheckpointLog::Handle;
  using Image = std::vector<std::uint32_t>;  // by line; 0 if a line was never written
  static constexpr std::uint32_t lines_per_page = 64, line_bytes = 4;
  static constexpr std::uint64_t all_lines = ~std::uint64_t{0};

  struct Lines {
    Handle checkpoint;
    std::uint32_t page;
    std::uint64_t lines;
    std::uint32_t value;  // of all lines
  };

  static FlashGeometry small(std::uint32_t packages, std::uint32_t blocks = 12, std::uint32_t pages = 8) {
    return {.channels = 1,
            .packages = packages,
            .dies = 1,
            .planes = 1,
            .blocks = blocks,
            .pages_per_block = pages,
            .page = 512_B};
  }
  static CheckpointLogConfig fine_lines() {
    CheckpointLogConfig config;
    config.line = Bytes(line_bytes);
    return config;
  }

  explicit LogRig(FlashGeometry geometry = small(2), CheckpointLogConfig config = fine_lines(),
                  FlashImage::Contents contents = FlashImage::Contents::kept)
      : config_(config), image(geometry, contents) {
    part.page = geometry.page;
    part.pages_per_block = geometry.pages_per_block;
    part.blocks = geometry.blocks * geometry.planes * geometry.dies;
    part.dies = geometry.dies;
    part.planes = geometry.planes;
    restart();
  }

  // ---- the log's side ----
  void recovered(Picoseconds) override { ++recoveries; }
  void left_buffer(Picoseconds, CheckpointLog::Tag tag) override { left.push_back(tag); }
  void committed(Picoseconds at, Handle checkpoint) override { commits[checkpoint] = at; }
  void failed(Picoseconds, Handle checkpoint, Error error) override { failures[checkpoint] = error; }
  void discarded(Picoseconds) override { ++discards; }
  void restored(Picoseconds, std::uint32_t page, std::uint64_t lines,
                std::span<const std::byte> data) override {
    for (std::uint32_t line = 0; line < lines_per_page; ++line) {
      if ((lines >> line & 1) == 0) continue;
      std::uint32_t& place = restored_image[page * lines_per_page + line];
      EXPECT_EQ(place, 0u) << "page " << page << " line " << line << " came twice";
      std::memcpy(&place, data.data(), line_bytes);
      data = data.subspan(line_bytes);
    }
    EXPECT_TRUE(data.empty());
  }
  void piece_ended(Picoseconds at) override { log->next_piece(at); }
  void restore_ended(Picoseconds, Error error) override { restore_error = error; }

  // ---- time ----
  // Starts a new controller on the same flash.
  void restart() {
    log = std::make_unique<CheckpointLog>(config_, part, image, *this);
    log->power_up(now);
  }
  // Returns false if nothing was left to do.
  bool step() {
    const auto next = log->next_event();
    if (!next) return false;
    now = std::max(now, *next);
    log->advance_to(now);
    ++steps;
    return true;
  }
  void drain() {
    while (step()) {
    }
  }
  void fail_power() { log->reset(Reset::power_loss); }
  void power_cycle() {
    fail_power();
    log->power_up(now);
    drain();
  }

  // ---- what is written ----
  // Writes one data page.
  void write(const std::vector<Lines>& lines, CheckpointLog::Tag tag = 0) {
    std::vector<CheckpointLog::Entry> entries;
    std::vector<std::byte> data;
    for (const Lines& l : lines) {
      entries.push_back({l.checkpoint, l.page, l.lines});
      const auto* value = reinterpret_cast<const std::byte*>(&l.value);
      for (int i = 0; i < std::popcount(l.lines); ++i) data.insert(data.end(), value, value + line_bytes);
    }
    if (!image.keeps_contents()) data.clear();
    log->write(now, entries, std::move(data), tag);
  }
  // Takes a checkpoint of single data pages, and waits for its commit or failure.
  Handle take(const std::string& name, std::uint64_t version, bool full,
              const std::vector<std::pair<std::uint32_t, std::uint64_t>>& pages, std::uint32_t value) {
    const Handle handle = log->open(name, memory_pages, full);
    for (const auto& [page, lines] : pages) write({{handle, page, lines, value}});
    log->close(now, handle, version);
    drain();
    return handle;
  }
  Handle take_full(const std::string& name, std::uint64_t version, std::uint32_t value) {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> pages;
    for (std::uint32_t page = 0; page < memory_pages; ++page) pages.emplace_back(page, all_lines);
    return take(name, version, true, pages, value);
  }

  // Returns nullopt if there is no such version, or if it cannot be read (restore_error).
  std::optional<Image> restore(const std::string& name, std::uint64_t version) {
    restored_image.assign(memory_pages * lines_per_page, 0);
    restore_error.reset();
    if (!log->restore(now, name, version, *this)) return std::nullopt;
    while (!restore_error && step()) {
    }
    return restore_error == Error::none ? std::optional(restored_image) : std::nullopt;
  }
  // The value of a line in a version.
  std::optional<std::uint32_t> line(const std::string& name, std::uint64_t version, std::uint32_t page,
                                    std::uint32_t line) {
    const auto image_of = restore(name, version);
    return image_of ? std::optional((*image_of)[page * lines_per_page + line]) : std::nullopt;
  }
  std::vector<std::uint64_t> versions(bool hidden_too = false) const {
    std::vector<std::uint64_t> result;
    for (const auto& stored : log->stored())
      if (stored.visible || hidden_too) result.push_back(stored.version);
    return result;
  }
  std::uint64_t figure(const std::string& name) const {
    Statistics statistics;
    log->report(statistics);
    for (const auto& [key, value] : statistics.entries())
      if (key == name) return std::get<std::uint64_t>(value);
    ADD_FAILURE() << "there is no figure " << name;
    return 0;
  }
  // Flips more bits than the code corrects in the flash page that holds a logical page.
  void lose(std::uint32_t logical) {
    const auto place = log->translation().place(logical);
    ASSERT_TRUE(place);
    image.add_bit_errors(*place, 100'000);
  }

 private:
  CheckpointLogConfig config_;

 public:
  FlashPart part;
  FlashImage image;
  std::unique_ptr<CheckpointLog> log;
  Picoseconds now{0};
  std::uint32_t memory_pages = 4;
  std::uint64_t steps = 0;

  unsigned recoveries = 0, discards = 0;
  std::vector<CheckpointLog::Tag> left;
  std::map<Handle, Picoseconds> commits;
  std::map<Handle, Error> failures;
  Image restored_image;
  std::optional<Error> restore_error;
};

}  // namespace asterism
