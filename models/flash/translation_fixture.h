// The fixture of tests of the translation layer: a layer on a flash in memory, run until all requests have
// ended, and a model of the contents that it must have.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "flash/translation_layer.h"

namespace asterism {

struct TranslationRecorder : TranslationLayer::Sink {
  struct Done {
    Picoseconds at;
    NandArray::Outcome outcome;
  };
  struct Read {
    Picoseconds at;
    bool is_readable;
    std::vector<std::byte> data;
  };
  std::optional<Picoseconds> recovered_at;
  std::map<NandArray::Tag, Picoseconds> left;
  std::map<NandArray::Tag, Done> done;
  std::vector<NandArray::Tag> order;
  std::map<NandArray::Tag, Read> reads;
  void recovered(Picoseconds at) override { recovered_at = at; }
  void left_buffer(Picoseconds at, NandArray::Tag tag) override { left[tag] = at; }
  void written(Picoseconds at, NandArray::Tag tag, NandArray::Outcome outcome) override {
    done[tag] = {at, outcome};
    order.push_back(tag);
  }
  void read_done(Picoseconds at, NandArray::Tag tag, bool is_readable,
                 std::span<const std::byte> data) override {
    reads[tag] = {at, is_readable, {data.begin(), data.end()}};
  }
};

struct TranslationBench {
  FlashGeometry geometry;
  FlashPart part;
  TranslationConfig config;
  FlashImage image;
  TranslationRecorder sink;
  std::unique_ptr<TranslationLayer> layer;
  Picoseconds now;
  NandArray::Tag next_tag = 1;

  explicit TranslationBench(const FlashGeometry& g, const TranslationConfig& c = {}, const FlashPart& p = {},
                            FlashImage::Contents contents = FlashImage::Contents::kept)
      : geometry(g), part(p), config(c), image(g, contents) {
    start();
  }

  // A new layer on what the image holds.
  void start() {
    layer = std::make_unique<TranslationLayer>(config, part, image, sink);
    sink.recovered_at.reset();
    layer->power_up(now);
    run();
  }
  void fail_power(Reset kind = Reset::power_loss) {
    layer->reset(kind);
    start();
  }
  bool step() {
    const auto next = layer->next_event();
    if (next) layer->advance_to(now = *next);
    return next.has_value();
  }
  void run() {
    while (step()) continue;
  }
  std::vector<std::byte> page(std::uint64_t value) const {
    std::vector<std::byte> data(image.keeps_contents() ? geometry.page.count() : 0);
    if (!data.empty()) std::memcpy(data.data(), &value, sizeof value);
    return data;
  }
  NandArray::Tag write(std::uint32_t logical, std::uint64_t value) {
    layer->write(now, logical, page(value), next_tag);
    return next_tag++;
  }
  bool write_and_wait(std::uint32_t logical, std::uint64_t value) {
    const NandArray::Tag tag = write(logical, value);
    run();
    return sink.done.at(tag).outcome == NandArray::Outcome::done;
  }
  // What a page holds; nullopt: it is not readable.
  std::optional<std::uint64_t> read(std::uint32_t logical) {
    const NandArray::Tag tag = next_tag++;
    layer->read(now, logical, tag);
    run();
    const TranslationRecorder::Read& read = sink.reads.at(tag);
    if (!read.is_readable) return std::nullopt;
    std::uint64_t value = 0;
    if (!read.data.empty()) std::memcpy(&value, read.data.data(), sizeof value);
    return value;
  }
};

}  // namespace asterism
