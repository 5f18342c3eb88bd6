// The speed of the flash models with the flash of abeyratne2017 chapter V: one channel, eight packages, pages
// of 16 KiB.
//
//   flash_bench [--check]
//
// With --check the exit status is 1 when a figure misses its limit.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/temporary_folder.h"
#include "figures.h"
#include "flash/nand_array.h"
#include "flash/translation_layer.h"

namespace asterism {
namespace {

constexpr FlashGeometry chapter{.blocks = 16};

// Keeps two programs in progress in every plane, block after block; erases a block before it is used again.
class Stream : private NandArray::Sink {
 public:
  Stream(const FlashPart& part, FlashImage& image)
      : array_(part, image), keeps_(image.keeps_contents()), at_(image.geometry().all_planes()) {
    for (std::uint32_t plane = 0; plane < at_.size(); ++plane) at_[plane].plane = plane;
  }

  void run(std::uint64_t programs) {
    left_ = programs;
    for (std::uint32_t plane = 0; plane < at_.size(); ++plane) {
      give(elapsed_, plane);
      give(elapsed_, plane);
    }
    while (auto t = array_.next_event()) array_.advance_to(elapsed_ = *t, *this);
  }
  Picoseconds elapsed() const { return elapsed_; }

 private:
  void give(Picoseconds now, std::uint32_t plane) {
    if (left_ == 0) return;
    --left_;
    const FlashGeometry& g = array_.geometry();
    FlashAddress& at = at_[plane];
    if (at.page == 0 && array_.image().next_page(at.whole_block()) != 0)
      array_.erase(now, at.whole_block(), plane);
    array_.program(now, at, page(), {.logical = left_, .sequence = left_}, plane);
    if (++at.page < g.pages_per_block) return;
    at.page = 0;
    if (++at.block == g.blocks) at.block = 0;
  }
  std::vector<std::byte> page() const {
    return keeps_ ? std::vector<std::byte>(array_.geometry().page.count(), std::byte(left_))
                  : std::vector<std::byte>();
  }

  void transferred(Picoseconds at, NandArray::Tag plane) override {
    give(at, static_cast<std::uint32_t>(plane));
  }
  void programmed(Picoseconds, NandArray::Tag, NandArray::Outcome) override {}
  void erased(Picoseconds, NandArray::Tag, NandArray::Outcome) override {}
  void read_done(Picoseconds, NandArray::Tag, const NandArray::Read&) override {}

  NandArray array_;
  bool keeps_;
  std::vector<FlashAddress> at_;
  std::uint64_t left_ = 0;
  Picoseconds elapsed_;
};

double best_of(int rounds, const std::function<double()>& figure) {
  double best = 0;
  for (int round = 0; round < rounds; ++round) best = std::max(best, figure());
  return best;
}

void measure_array() {
  constexpr std::uint64_t programs = 2'000'000;
  const auto rate = [](const FlashGeometry& geometry) {
    return best_of(5, [&] {
      FlashImage image(geometry, FlashImage::Contents::none);
      Stream stream(FlashPart{}, image);
      return programs / seconds_of([&] { stream.run(programs); }) / 1e6;
    });
  };
  const double plain = rate(chapter);
  figures.add("M programs/s, NAND array alone", fmt::format("{:.1f}", plain), plain >= 8, ">= 8");
  const double wide = rate({.channels = 8, .packages = 8, .dies = 4, .planes = 2, .blocks = 4});
  figures.add("  with 8 channels of 8 packages, 4 dies, 2 planes", fmt::format("{:.1f}", wide));
}

// A page takes 82.5 us if the programs of eight packages overlap with transfers, and 87.62 us if they do not.
void measure_time() {
  const auto a_page = [](bool cache_register) {
    FlashPart part;
    part.cache_register = cache_register;
    FlashImage image(chapter, FlashImage::Contents::none);
    Stream stream(part, image);
    constexpr std::uint64_t programs = 8'000;  // less than a block of each package, so nothing is erased
    static_assert(programs < 8 * chapter.blocks * chapter.pages_per_block);
    stream.run(programs);
    return static_cast<double>(stream.elapsed().count()) / 1e6 / programs;
  };
  const double with = a_page(true), without = a_page(false);
  figures.add("us a page, cache register", fmt::format("{:.2f}", with), with > 82.49 && with < 82.7,
              "82.5 to 82.7");
  figures.add("us a page, no cache register", fmt::format("{:.2f}", without),
              without > 87.6 && without < 87.8, "87.6 to 87.8");
}

// Keeps 32 writes in progress in a translation layer, in the order of the pages or at random.
class Writer : private TranslationLayer::Sink {
 public:
  Writer(FlashImage& image, bool random)
      : layer_(TranslationConfig{}, FlashPart{}, image, *this), random_(random) {
    layer_.power_up(0_ps);
    work();
  }
  void run(std::uint64_t writes) {
    left_ = writes;
    for (int i = 0; i < 32; ++i) give(now_);
    work();
  }
  std::uint32_t pages() const { return layer_.pages(); }
  // The page programs of the flash, including the layer's own.
  std::uint64_t programs() const {
    Statistics statistics;
    layer_.report(statistics);
    return std::get<std::uint64_t>(
        std::ranges::find(statistics.entries(), "page_programs", get_name)->second);
  }

 private:
  static constexpr auto get_name = [](const auto& entry) -> std::string_view { return entry.first; };

  void work() {
    while (auto t = layer_.next_event()) layer_.advance_to(now_ = *t);
  }
  void give(Picoseconds now) {
    if (left_ == 0) return;
    const auto page = random_ ? numbers_.below(pages()) : left_ % pages();
    --left_;
    layer_.write(now, static_cast<std::uint32_t>(page), {}, 0);
  }
  void recovered(Picoseconds) override {}
  void left_buffer(Picoseconds, TranslationLayer::Tag) override {}
  void written(Picoseconds at, TranslationLayer::Tag, NandArray::Outcome) override { give(at); }
  void read_done(Picoseconds, TranslationLayer::Tag, bool, std::span<const std::byte>) override {}

  TranslationLayer layer_;
  bool random_;
  Random numbers_{1};
  Picoseconds now_;
  std::uint64_t left_ = 0;
};

void measure_layer() {
  const auto measure = [](const std::string& name, bool random) {
    double share = 0;
    const double rate = best_of(random ? 1 : 3, [&] {
      FlashImage image({.blocks = 64}, FlashImage::Contents::none);
      Writer writer(image, random);
      writer.run(2 * std::uint64_t{writer.pages()});  // from here on only collection provides free pages
      const std::uint64_t before = writer.programs(), writes = random ? 200'000 : 2'000'000;
      const double seconds = user_seconds_of(RUSAGE_SELF, [&] { writer.run(writes); });
      const auto programs = static_cast<double>(writer.programs() - before);
      share = programs / static_cast<double>(writes);
      return programs / seconds / 1e6;
    });
    // Random writes mainly move pages, and each moved page is also read, so they have no limit.
    figures.add(fmt::format("M programs/s, {} writes through the translation layer", name),
                fmt::format("{:.1f}", rate), random || rate >= 4,
                fmt::format("{}{:.3f} programs a write", random ? "" : ">= 4; ", share));
  };
  measure("sequential", false);
  measure("random", true);
}

// The minimal cost of keeping contents: pages are made, held until as many others as the packages hold have
// followed, and copied to memory that is accessed for the first time or again.
double copy_mb_per_second(std::uint64_t pages, bool fresh) {
  const std::size_t size = chapter.page.count();
  const auto target = std::make_unique_for_overwrite<std::byte[]>(pages * size);
  if (!fresh) std::memset(target.get(), 1, pages * size);
  const double seconds = seconds_of([&] {
    std::array<std::vector<std::byte>, 2 * chapter.packages> waiting;
    for (std::uint64_t i = 0; i < pages; ++i) {
      std::vector<std::byte>& page = waiting[i % waiting.size()];
      if (!page.empty()) std::memcpy(target.get() + (i - waiting.size()) * size, page.data(), size);
      page = std::vector<std::byte>(size, std::byte(i));
    }
  });
  return static_cast<double>(pages * size) / 1e6 / seconds;
}

struct Rates {
  double fresh, again;  // MB/s, for the first time and over erased blocks
};
Rates rates(FlashImage& image) {
  const std::uint64_t pages = image.geometry().all_pages();
  Stream stream(FlashPart{}, image);
  const auto rate = [&] {
    return static_cast<double>(pages * image.geometry().page.count()) / 1e6 /
           seconds_of([&] { stream.run(pages); });
  };
  const double fresh = rate();
  return {fresh, rate()};
}

void measure_contents() {
  constexpr FlashGeometry geometry{.blocks = 4};  // 256 MiB
  const std::uint64_t pages = geometry.all_pages();
  Rates memory{}, limit{};
  for (int round = 0; round < 5; ++round) {
    FlashImage image(geometry);
    const Rates now = rates(image);
    memory = {std::max(memory.fresh, now.fresh), std::max(memory.again, now.again)};
    limit = {std::max(limit.fresh, copy_mb_per_second(pages, true)),
             std::max(limit.again, copy_mb_per_second(pages, false))};
  }
  const auto add = [](const std::string& name, double rate, double limit, double least) {
    figures.add(name, fmt::format("{:.0f}", rate), rate >= least * limit,
                fmt::format(">= {} of memcpy: {:.2f}", least, rate / limit));
  };
  add("MB/s, contents in memory, the first time", memory.fresh, limit.fresh, 0.8);
  add("MB/s, contents in memory, after an erase", memory.again, limit.again, 0.8);

  const TemporaryFolder folder;
  const std::string file = folder / "image";
  {
    FlashImage image(geometry, file);
    const Rates disk = rates(image);
    figures.add("MB/s, in a file, the first time", fmt::format("{:.0f}", disk.fresh));
    figures.add("MB/s, in a file, after an erase", fmt::format("{:.0f}", disk.again));
  }
  const double seconds = seconds_of([&] { FlashImage(geometry, file).keeps_contents(); });
  const double bytes = static_cast<double>(pages * geometry.page.count());
  figures.add("MB/s, checked when a file is opened", fmt::format("{:.0f}", bytes / 1e6 / seconds));
}

void measure() {
  measure_time();
  measure_array();
  measure_layer();
  measure_contents();
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) { return asterism::bench_main(argc, argv, asterism::measure); }
