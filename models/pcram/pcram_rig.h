// The fixture of PCRAM tests: an array, and a sink that records its answers.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "pcram/dimm_timing.h"
#include "pcram/pcram_array.h"
#include "pcram/stack_timing.h"

namespace asterism {

struct PcramRecorder : PcramArray::Sink {
  std::map<PcramArray::Tag, Picoseconds> done;
  std::map<PcramArray::Tag, std::uint32_t> worn;
  std::map<PcramArray::Tag, PcramArray::Read> reads;
  std::map<PcramArray::Tag, std::vector<std::byte>> data;

  void written(Picoseconds at, PcramArray::Tag tag, std::uint32_t worn_lines) override {
    done[tag] = at;
    worn[tag] = worn_lines;
  }
  void read_done(Picoseconds at, PcramArray::Tag tag, const PcramArray::Read& read) override {
    done[tag] = at;
    reads[tag] = read;
    data[tag].assign(read.data.begin(), read.data.end());
  }
};

inline std::vector<std::byte> filled(std::uint64_t lines, std::uint8_t value) {
  return std::vector<std::byte>(lines * 64, std::byte{value});
}

inline std::vector<std::byte> noise(std::uint64_t lines, std::uint64_t seed) {
  std::vector<std::byte> bytes(lines * 64);
  Random random(seed);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
  return bytes;
}

inline PcramPart stack_part() {
  PcramPart part;
  part.form = PcramForm::stack;
  part.capacity = 32_MiB;
  part.reset_energy = Picojoules(22'093);
  part.set_energy = Picojoules(13'747);
  part.leakage = Microwatts(0);
  return part;
}

// An array that finishes each request before the next. Tags count the requests.
struct PcramRig {
  explicit PcramRig(PcramArray&& with) : array(std::move(with)) {}
  // A module on a bus that never limits the rate.
  static PcramRig dimm(bool suppress, const PcramPart& part = {}, Bandwidth bus = Bandwidth(64'000'000'000)) {
    return PcramRig(PcramArray(part, std::make_unique<DimmTiming>(part, 1, bus), suppress));
  }
  static PcramRig stack(Bytes dram, std::uint32_t layers = 1, bool suppress = false,
                        const PcramPart& part = stack_part()) {
    return PcramRig(PcramArray(part, std::make_unique<StackTiming>(part, dram, layers), suppress));
  }

  void advance(Picoseconds to) { array.advance_to(now = to, answers); }
  void finish() {
    while (const auto next = array.next_event()) advance(*next);
  }
  // Writes the lines and returns how long that took.
  Picoseconds write(std::uint64_t first, const std::vector<std::byte>& data) {
    const Picoseconds begin = now;
    array.write(now, first, data, ++tag);
    finish();
    return answers.done.at(tag) - begin;
  }
  Picoseconds read(std::uint64_t first, std::uint64_t lines) {
    const Picoseconds begin = now;
    array.read(now, first, lines, ++tag);
    finish();
    return answers.done.at(tag) - begin;
  }
  std::vector<std::byte> contents(std::uint64_t first, std::uint64_t lines) {
    read(first, lines);
    return answers.data.at(tag);
  }
  void fail_power_at(Picoseconds at) {
    advance(at);
    array.reset(Reset::power_loss);
  }

  PcramArray array;
  PcramRecorder answers;
  PcramArray::Tag tag = 0;
  Picoseconds now;
};

}  // namespace asterism
