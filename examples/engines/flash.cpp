// A page that is written to flash through the translation layer, and survives a loss of power.
#include <asterism/flash/translation_layer.h>

#include <iostream>

using namespace asterism;

struct Printer : TranslationLayer::Sink {
  void recovered(Picoseconds at) override { std::cout << at.count() << " ps: ready\n"; }
  void left_buffer(Picoseconds, TranslationLayer::Tag) override {}
  void written(Picoseconds at, TranslationLayer::Tag, TranslationLayer::Outcome) override {
    std::cout << at.count() << " ps: written\n";
  }
  void read_done(Picoseconds at, TranslationLayer::Tag, bool is_readable,
                 std::span<const std::byte> data) override {
    std::cout << at.count() << " ps: " << (is_readable ? std::to_integer<int>(data[0]) : -1) << " read\n";
  }
};

int main() {
  FlashImage image(FlashGeometry{});
  Printer printer;
  TranslationLayer layer(TranslationConfig{}, FlashPart{}, image, printer);
  Picoseconds now;
  const auto run = [&] {
    while (const auto next = layer.next_event()) layer.advance_to(now = *next);
  };
  layer.power_up(now), run();
  layer.write(now, 5, std::vector(layer.page_size().count(), std::byte{42}), 1), run();
  layer.reset(Reset::power_loss);
  layer.power_up(now), run();
  layer.read(now, 5, 2), run();
}
