// The cost of tracking a core's stores: the copy loop on the native engine, with and without write
// protection of all of its memory whose dirty lines are reported to a MATT every 100 us of simulated time,
// alternately in one run.
//
//   tracking_bench [--check] [--tracked ROUNDS | --untracked ROUNDS]
//
// --check: the exit status is 1 when a figure misses its limit. The other options run only the loop of one
// figure, for a profiler.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/units.h"
#include "core/a64/native_iss.h"
#include "core/idle_iss_host.h"
#include "figures.h"
#include "matt/matt.h"

namespace asterism {
namespace {

constexpr std::uint64_t base = 0x4000'0000, page_size = 4096;
// Sample is in instructions: 100 us at 1 GHz.
constexpr std::uint64_t memory_size = 12 << 20, sample = 100'000;

// Copies `size` bytes again and again.
std::vector<std::uint32_t> copy_loop(std::uint32_t size) {
  return {
      0xd2a8080a,                         // mov x10, #0x40400000
      0xd2a8100b,                         // mov x11, #0x40800000
      0xd280000c | (size & 0xffff) << 5,  // outer: movz x12, #size
      0xf2a0000c | (size >> 16) << 5,     // movk x12, #size >> 16, lsl #16
      0xaa0a03ed,                         // mov x13, x10
      0xaa0b03ee,                         // mov x14, x11
      0xa8c109a1,                         // loop: ldp x1, x2, [x13], #16
      0xa8c111a3,                         // ldp x3, x4, [x13], #16
      0xa88109c1,                         // stp x1, x2, [x14], #16
      0xa88111c3,                         // stp x3, x4, [x14], #16
      0xf100818c,                         // subs x12, x12, #32
      0x54ffff61,                         // b.ne loop
      0x17fffff6,                         // b outer
  };
}

class Core final : private IdleIssHost {
 public:
  Core(std::uint32_t size, bool tracked) : tracked_(tracked), core_(make_native_iss(*this, 0)) {
    memory_ = storage_.data() + (page_size - reinterpret_cast<std::uintptr_t>(storage_.data()) % page_size);
    const std::vector<std::uint32_t> words = copy_loop(size);
    std::memcpy(memory_, words.data(), words.size() * 4);
    core_->map_direct(all, memory_);
    core_->start(Address(base), 0);
    for (std::uint32_t page = 0; page < memory_size / page_size; ++page) matt_.track(page, true);
    if (tracked_) core_->ask_before_stores(all);
  }

  double mips(unsigned samples) {
    const double before = cpu_seconds();
    for (unsigned i = 0; i < samples; ++i) {
      core_->call_at(core_->instructions() + sample);
      if (core_->run() != Iss::Stop::requested) throw std::runtime_error(core_->why());
      if (tracked_) report(core_->collect_writes(all));
    }
    return static_cast<double>(samples * sample) / (cpu_seconds() - before) / 1e6;
  }
  std::uint64_t asked() const { return asked_; }
  std::uint64_t lines() const { return lines_; }

 private:
  static constexpr AddressRange all{Address(base), Bytes(memory_size)};
  static std::uint32_t number(Address page) {
    return static_cast<std::uint32_t>((page.value() - base) / page_size);
  }

  void due() override { core_->request_stop(); }
  void about_to_store(Address page, unsigned) override {
    ++asked_;
    if (matt_.peek(number(page)) != Matt::Answer::ready) throw std::runtime_error("nothing is pending");
  }
  void report(const std::vector<PageLines>& written) {
    for (const auto& [page, lines] : written) {
      lines_ += static_cast<std::uint64_t>(std::popcount(lines));
      matt_.write(number(page), lines);
    }
  }

  const bool tracked_;
  std::vector<std::uint8_t> storage_ = std::vector<std::uint8_t>(memory_size + page_size);
  std::uint8_t* memory_ = nullptr;
  Matt matt_{MattConfig{}, static_cast<std::uint32_t>(memory_size / page_size)};
  std::unique_ptr<NativeIss> core_;
  std::uint64_t asked_ = 0, lines_ = 0;
};

void measure(std::uint32_t size, double limit) {
  constexpr int rounds = 15;
  constexpr unsigned samples = 200;
  Core plain(size, false), tracked(size, true);
  plain.mips(samples), tracked.mips(samples);
  std::vector<double> plain_mips, tracked_mips, ratios;
  for (int i = 0; i < rounds; ++i) {
    plain_mips.push_back(plain.mips(samples));
    tracked_mips.push_back(tracked.mips(samples));
    ratios.push_back(tracked_mips.back() / plain_mips.back());
  }
  fmt::print("{:4} KiB: {:.0f} MIPS, tracked {:.0f}; a sample finds {} lines and asks {} times\n",
             size / 1024, median(plain_mips), median(tracked_mips),
             tracked.lines() / ((rounds + 1) * samples), tracked.asked() / ((rounds + 1) * samples));
  const std::string name = fmt::format("copying {} KiB with its lines tracked", size / 1024);
  if (limit == 0) return figures.add(name, fmt::format("{:.3f}", median(ratios)));
  figures.add(name, fmt::format("{:.3f}", median(ratios)), median(ratios) >= limit,
              fmt::format(">= {:.2f} of the MIPS without", limit));
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) {
  using namespace asterism;
  CLI::App app;
  std::optional<unsigned> tracked, untracked;
  CLI::Option* with = app.add_option("--tracked", tracked, "The loop alone, tracked, for so many rounds");
  app.add_option("--untracked", untracked, "The loop alone, untracked, for so many rounds")->excludes(with);
  return bench_main(argc, argv, app, [&] {
    if (tracked) return void(Core(4096, true).mips(*tracked));
    if (untracked) return void(Core(4096, false).mips(*untracked));
    measure(4096, 0.9);
    measure(64 << 10, 0);
    measure(2 << 20, 0);
  });
}
