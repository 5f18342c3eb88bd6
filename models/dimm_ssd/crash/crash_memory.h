// The memory of a crash trial: lines of random contents, and shadow frames. Writes are reported at once or,
// with `reports_on_collect`, late: the first write to a page then asks for permission, and the following
// ones are collected when the page is copied or the interval ends. The end of an access is known when it
// begins or, with `ends_late`, only when it has ended, and the bytes move then.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/engine.h"
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
    bool reports_on_collect = false;
    bool ends_late = false;
    std::uint32_t read_fails_once_in = 0;  // one read in so many gets no answer; 0: all are answered
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
  std::uint64_t failed_reads() const { return failed_reads_; }

  // After a power failure or a reset: loads the image that was recovered, which covers all pages or the first
  // ones.
  void restart(const std::vector<std::byte>* image) {
    if (image) std::ranges::copy(*image, bytes_.begin());
    end_interval();
    std::ranges::fill(late_, 0);
  }
  // The next read gets no answer.
  void fail_next_read() { fails_next_read_ = true; }
  void end_interval() { is_open_.assign(is_open_.size(), false); }

  // Whether a write to this page needs permission.
  bool asks(std::uint32_t page) const { return !is_open_[page]; }
  void write(std::uint32_t page, std::uint64_t lines) {
    if (settings_.reports_on_collect) {
      is_open_[page] = true;
      late_[page] |= lines;
    }
    for (unsigned line = 0; line < 64; ++line)
      if (lines >> line & 1)
        for (std::size_t i = 0; i < settings_.line; i += 8)
          put((std::size_t{page} * 64 + line) * settings_.line + i);
  }

  std::optional<Picoseconds> next_event() const {
    std::optional<Picoseconds> next;
    for (const Access& each : under_way_) next = earlier(next, each.at);
    return next;
  }
  void end_accesses(Picoseconds now) {
    const auto is_over = [now](const Access& each) { return each.at <= now; };
    for (auto at = std::ranges::find_if(under_way_, is_over); at != under_way_.end();
         at = std::ranges::find_if(under_way_, is_over)) {
      const Access access = std::move(*at);
      under_way_.erase(at);
      access.end(access.at);
    }
  }
  void abandon_accesses() override { under_way_.clear(); }

  void read_lines(Picoseconds now, std::uint32_t page, std::uint64_t lines, OnAccessEnd ended) override {
    begin(now + time_of(lines), [this, page, lines, ended](Picoseconds at) {
      gather(at, &bytes_[std::size_t{page} * 64 * settings_.line], lines, ended);
    });
  }
  std::uint64_t written_lines(std::uint32_t page) override {
    is_open_[page] = false;
    return std::exchange(late_[page], 0);
  }
  void copy_to_frame(Picoseconds now, std::uint32_t page, std::uint64_t lines, std::uint32_t frame,
                     OnAccessEnd ended) override {
    begin(now + time_of(lines), [this, page, frame, ended](Picoseconds at) {
      const std::size_t size = std::size_t{64} * settings_.line;
      std::memcpy(&frames_[frame * size], &bytes_[page * size], size);
      ended({at, answers()});
    });
  }
  void read_frame(Picoseconds now, std::uint32_t frame, std::uint64_t lines, OnAccessEnd ended) override {
    begin(now + time_of(lines), [this, frame, lines, ended](Picoseconds at) {
      gather(at, &frames_[std::size_t{frame} * 64 * settings_.line], lines, ended);
    });
  }

 private:
  struct Access {
    Picoseconds at;
    std::function<void(Picoseconds at)> end;
  };

  Picoseconds time_of(std::uint64_t lines) const {
    return settings_.line_time * static_cast<std::uint64_t>(std::popcount(lines));
  }
  void begin(Picoseconds at, std::function<void(Picoseconds)> end) {
    if (!settings_.ends_late) return end(at);
    under_way_.push_back({at, std::move(end)});
  }
  void put(std::size_t at) {
    const std::uint64_t value = random_.next();
    std::memcpy(&bytes_[at], &value, sizeof value);
  }
  bool answers() {
    if (std::exchange(fails_next_read_, false)) return ++failed_reads_, false;
    if (settings_.read_fails_once_in == 0 || random_.below(settings_.read_fails_once_in) != 0) return true;
    ++failed_reads_;
    return false;
  }
  void gather(Picoseconds at, const std::byte* page, std::uint64_t lines, const OnAccessEnd& ended) {
    std::vector<std::byte> data;
    for (unsigned line = 0; line < 64; ++line) {
      if ((lines >> line & 1) == 0) continue;
      const std::byte* const from = page + std::size_t{line} * settings_.line;
      data.insert(data.end(), from, from + settings_.line);
    }
    ended({at, answers(), data});
  }

  Settings settings_;
  Random random_;
  std::vector<std::byte> bytes_, frames_;
  std::vector<std::uint64_t> late_;
  std::vector<bool> is_open_;
  std::vector<Access> under_way_;
  std::uint64_t failed_reads_ = 0;
  bool fails_next_read_ = false;
};

}  // namespace asterism
