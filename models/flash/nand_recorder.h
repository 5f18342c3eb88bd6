// The fixture of flash tests: a NAND array, and a sink that records its answers.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "flash/nand_array.h"

namespace asterism {

struct NandRecorder : NandArray::Sink {
  std::map<NandArray::Tag, Picoseconds> left_buffer, done;
  std::map<NandArray::Tag, NandArray::Outcome> outcomes;
  std::map<NandArray::Tag, NandArray::Read> reads;
  std::map<NandArray::Tag, std::vector<std::byte>> data;

  void transferred(Picoseconds at, NandArray::Tag tag) override { left_buffer[tag] = at; }
  void programmed(Picoseconds at, NandArray::Tag tag, NandArray::Outcome outcome) override {
    done[tag] = at;
    outcomes[tag] = outcome;
  }
  void erased(Picoseconds at, NandArray::Tag tag, NandArray::Outcome outcome) override {
    programmed(at, tag, outcome);
  }
  void read_done(Picoseconds at, NandArray::Tag tag, const NandArray::Read& read) override {
    done[tag] = at;
    reads[tag] = read;
    data[tag].assign(read.data.begin(), read.data.end());
  }
};

// A flash in memory and its array. Tags count the operations.
struct NandBench {
  explicit NandBench(const FlashGeometry& geometry, const FlashPart& p = {})
      : part(p), image(geometry), array(part, image) {}

  FlashPart part;
  FlashImage image;
  NandArray array;
  NandRecorder sink;
  NandArray::Tag tag = 0;
  Picoseconds now;

  std::vector<std::byte> page(unsigned fill) const {
    return std::vector<std::byte>(image.geometry().page.count(), std::byte(fill));
  }
  NandArray::Tag program(FlashAddress at, unsigned fill = 0, const PageSpare& spare = {}) {
    array.program(now, at, page(fill), spare, tag);
    return tag++;
  }
  NandArray::Tag erase(FlashBlock block) { return array.erase(now, block, tag), tag++; }
  NandArray::Tag read(FlashAddress at) { return array.read(now, at, tag), tag++; }
  NandArray::Tag read_spare(FlashAddress at) { return array.read_spare(now, at, tag), tag++; }

  // Runs until all operations have ended.
  void run() {
    while (auto t = array.next_event()) advance(*t);
  }
  void advance(Picoseconds to) { array.advance_to(now = to, sink); }
  void fail_power() { array.reset(Reset::power_loss); }

  NandArray::Outcome programs(FlashAddress at) { return ends(program(at)); }
  NandArray::Outcome erases(FlashBlock block) { return ends(erase(block)); }
  const NandArray::Read& reads(FlashAddress at) {
    const NandArray::Tag t = read(at);
    run();
    return sink.reads[t];
  }
  NandArray::Outcome ends(NandArray::Tag t) {
    run();
    return sink.outcomes.at(t);
  }
};

}  // namespace asterism
