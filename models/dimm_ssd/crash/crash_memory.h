// The memory of a crash trial: lines of random contents, and shadow frames. It may tell of writes at once, or late: then
// the first write to a page asks, and those behind it are collected when the page is copied or an interval ends.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/random.h"
#include "dimm_ssd/checkpointer.h"

namespace asterism {

class CrashMemory final : public Checkpointer::Memory {
 public:
  struct Settings {
    std::uint32_t pages = 1;
    std::uint32_t line = 64;  // bytes
    std::uint32_t frames = 0;
    Picoseconds line_time{50'000};
    bool tells_late = false;
    std::uint32_t silent_once_in = 0;  // reads: does not answer; 0: always answers
  };

  CrashMemory(const Settings& settings, std::uint64_t seed)
      : settings_(settings),
        random_(seed),
        bytes_(std::size_t{settings.pages} * 64 * settings.line),
        frames_(std::size_t{settings.frames} * 64 * settings.line),
        late_(settings.pages),
        is_open_(settings.pages) {
    for (std::size_t at = 0; at < bytes_.size(); at += 8) put(at);
  }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::uint64_t silences() const { return silences_; }

  // What the power took away, and the image that was recovered, of all pages or the first ones.
  void restart(const std::vector<std::byte>* image) {
    if (image) std::ranges::copy(*image, bytes_.begin());
    end_interval();
    std::ranges::fill(late_, 0);
  }
  // The next read does not answer.
  void silence() { is_silent_next_ = true; }
  void end_interval() { is_open_.assign(is_open_.size(), false); }

  // Whether a write must be asked for.
  bool asks(std::uint32_t page) const { return !is_open_[page]; }
  void write(std::uint32_t page, std::uint64_t lines) {
    if (settings_.tells_late) {
      is_open_[page] = true;
      late_[page] |= lines;
    }
    for (unsigned line = 0; line < 64; ++line)
      if (lines >> line & 1)
        for (std::size_t i = 0; i < settings_.line; i += 8)
          put((std::size_t{page} * 64 + line) * settings_.line + i);
  }

  Outcome read_lines(Picoseconds, std::uint32_t page, std::uint64_t lines,
                     std::span<std::byte> data) override {
    return gather(&bytes_[std::size_t{page} * 64 * settings_.line], lines, data);
  }
  std::uint64_t written_lines(std::uint32_t page) override {
    is_open_[page] = false;
    return std::exchange(late_[page], 0);
  }
  Outcome copy_to_frame(Picoseconds, std::uint32_t page, std::uint64_t, std::uint32_t frame) override {
    const std::size_t size = std::size_t{64} * settings_.line;
    std::memcpy(&frames_[frame * size], &bytes_[page * size], size);
    return {answers(), settings_.line_time * 64};
  }
  Outcome read_frame(Picoseconds, std::uint32_t frame, std::uint64_t lines,
                     std::span<std::byte> data) override {
    return gather(&frames_[std::size_t{frame} * 64 * settings_.line], lines, data);
  }

 private:
  void put(std::size_t at) {
    const std::uint64_t value = random_.next();
    std::memcpy(&bytes_[at], &value, sizeof value);
  }
  bool answers() {
    if (std::exchange(is_silent_next_, false)) return ++silences_, false;
    if (settings_.silent_once_in == 0 || random_.below(settings_.silent_once_in) != 0) return true;
    ++silences_;
    return false;
  }
  Outcome gather(const std::byte* page, std::uint64_t lines, std::span<std::byte> data) {
    std::size_t out = 0;
    for (unsigned line = 0; line < 64; ++line) {
      if ((lines >> line & 1) == 0) continue;
      std::memcpy(&data[out], page + std::size_t{line} * settings_.line, settings_.line);
      out += settings_.line;
    }
    return {answers(), settings_.line_time * (out / settings_.line)};
  }

  Settings settings_;
  Random random_;
  std::vector<std::byte> bytes_, frames_;
  std::vector<std::uint64_t> late_;
  std::vector<bool> is_open_;
  std::uint64_t silences_ = 0;
  bool is_silent_next_ = false;
};

}  // namespace asterism
