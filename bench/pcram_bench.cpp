// The time that the models of PCRAM take for a checkpoint of 2e9 bytes on a PCRAM-DIMM, and the resulting
// figures; also for a copy of all mats of a small stack.
//
//   pcram_bench [--check]
//
// Every line differs from the contents of its cells. The checkpoint is written over the same 18 MiB again and
// again, which does not affect its times.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <vector>

#include "base/random.h"
#include "figures.h"
#include "pcram/dimm_timing.h"
#include "pcram/pcram_array.h"
#include "pcram/stack_timing.h"

namespace asterism {
namespace {

constexpr std::uint64_t page_lines = PcramCells::lines_per_page;

// Keeps as many writes of pages in progress as the array executes in parallel.
class Stream final : private PcramArray::Sink {
 public:
  explicit Stream(PcramArray& array) : array_(array), contents_(128 * std::size_t{4096}) {
    Random random(1);
    for (std::byte& byte : contents_) byte = static_cast<std::byte>(random.next());
  }

  // Writes `lines` lines, from the start again after every `window` pages. Returns when the last pulse has
  // ended.
  Picoseconds run(std::uint64_t lines, std::uint64_t window) {
    left_ = lines;
    window_ = window;
    for (std::uint32_t i = 0; i < array_.timing().parallel_pages(); ++i) give(Picoseconds());
    while (const auto next = array_.next_event()) array_.advance_to(now_ = *next, *this);
    return now_;
  }

 private:
  void give(Picoseconds now) {
    if (left_ == 0) return;
    const std::uint64_t lines = std::min(left_, page_lines), round = page_ / window_;
    left_ -= lines;
    const std::size_t from = (page_ % window_ + round) % 127 * 64 * 64;
    array_.write(now, page_ % window_ * page_lines, std::span(contents_).subspan(from, lines * 64), page_);
    ++page_;
  }
  void written(Picoseconds at, PcramArray::Tag, std::uint32_t) override { give(at); }
  void read_done(Picoseconds, PcramArray::Tag, const PcramArray::Read&) override {}

  PcramArray& array_;
  std::vector<std::byte> contents_;
  std::uint64_t left_ = 0, window_ = 1, page_ = 0;
  Picoseconds now_;
};

struct Measured {
  double host, milliseconds, watts, rate;
};
Measured measure(PcramArray& array, std::uint64_t lines, std::uint64_t window) {
  Stream stream(array);
  Picoseconds end;
  const double host = seconds_of([&] { end = stream.run(lines, window); });
  const auto time = static_cast<double>(end.count());
  return {host, time / 1e9, static_cast<double>(array.write_energy().count()) / time,
          static_cast<double>(lines) * 64 / time * 1e3};
}

void add(const std::string& what, const Measured& m, double milliseconds, double tolerance,
         std::uint64_t lines) {
  figures.add(what,
              fmt::format("{:.2f} ms, {:.2f} GB/s, {:.3f} W of pulses", m.milliseconds, m.rate, m.watts),
              std::abs(m.milliseconds - milliseconds) <= tolerance,
              fmt::format("{} ms within {}", milliseconds, tolerance));
  const double rate = static_cast<double>(lines) / m.host;
  figures.add(what + ", of the host", fmt::format("{:.1f} M lines/s", rate / 1e6), rate >= 2e6, ">= 2");
}

void measure_all() {
  constexpr std::uint64_t lines = 2'000'000'000 / 64, window = 4608;
  const auto dimm = [](Bandwidth bus, bool suppress) {
    const PcramPart part;
    return PcramArray(part, std::make_unique<DimmTiming>(part, 1, bus), suppress);
  };
  PcramArray cells = dimm(Bandwidth(64'000'000'000), false), bus = dimm(Bandwidth(10'667'000'000), false),
             suppressed = dimm(Bandwidth(10'667'000'000), true);
  add("2e9 bytes, pulses alone", measure(cells, lines, window), 184.5, 0.5, lines);
  add("2e9 bytes behind DDR3-1333", measure(bus, lines, window), 187.5, 0.1, lines);
  add("2e9 bytes, redundant bits suppressed", measure(suppressed, lines, window), 215.3, 0.5, lines);

  PcramPart part;
  part.form = PcramForm::stack;
  part.capacity = 32_MiB;
  part.reset_energy = Picojoules(22'093);
  part.set_energy = Picojoules(13'747);
  for (const Bytes size : {64_MiB, 256_MiB}) {
    PcramArray stack(part, std::make_unique<StackTiming>(part, size, 1), false);
    const std::uint64_t all = size / 64_B;
    add(fmt::format("a copy of {} MiB by its mats", size / 1_MiB), measure(stack, all, all / page_lines),
        0.839, 0.001, all);
  }
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) { return asterism::bench_main(argc, argv, asterism::measure_all); }
