// Which words are instructions, the engine's decoder against Unicorn's:
//   a64_sweep [--first WORD] [--last WORD] [--stride N] [--all-differences]
//
// The exit status is 0 when both agree, 1 when not or when nothing could be compared, 64 when the arguments
// are wrong.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "core/a64/oracle/decode_sweep.h"
#include "core/a64/oracle/known_differences.h"

namespace asterism::a64::oracle {
namespace {

constexpr int usage = 64;
constexpr std::uint64_t pattern = 1 << 10;  // words that differ in the two lowest register fields only

struct SweepRange {
  std::uint32_t first = 0, last = 0xffff'ffff;
  unsigned stride = 1;
};

// Differences that share the bits which distinguish instructions are reported once, with their number.
class Differences {
 public:
  explicit Differences(bool print_all) : prints_all_(print_all) {}
  void add(const SweepDifference& difference) {
    const std::string text =
        fmt::format("{:08x}  {}  {}\n", difference.word,
                    difference.is_defined ? "only in the engine" : "only in Unicorn", difference.row);
    Reported& one = reported_[{difference.word & 0xffe0'0c00, difference.is_defined}];
    if (one.count++ == 0) one.text = text;
    if (prints_all_) fmt::print("{}", text);
    ++count_;
  }
  void print() const {
    for (const auto& [key, one] : reported_) fmt::print("{:7} x {}", one.count, one.text);
  }
  std::uint64_t count() const { return count_; }

 private:
  struct Reported {
    std::uint64_t count = 0;
    std::string text;
  };
  bool prints_all_;
  std::uint64_t count_ = 0;
  std::map<std::pair<std::uint32_t, bool>, Reported> reported_;
};

void show_progress(const SweepRange& range, std::uint64_t at) {
  if (!isatty(STDERR_FILENO)) return;
  const double part =
      static_cast<double>(at - range.first) / (static_cast<double>(range.last) - range.first + 1);
  fmt::print(stderr, "\r\033[K{:08x}, {:.0f}%", at, 100 * std::min(part, 1.0));
  std::fflush(stderr);
}

int sweep(const SweepRange& range, bool print_all) {
  Sweep sweep;
  Differences differences(print_all);
  std::uint64_t words = 0, compared = 0;
  const std::uint64_t part = range.stride * pattern * 256;
  for (std::uint64_t from = range.first / pattern * pattern; from <= range.last; from += part) {
    show_progress(range, std::max<std::uint64_t>(from, range.first));
    const auto to = static_cast<std::uint32_t>(std::min<std::uint64_t>(from + part - 1, range.last));
    const std::vector<std::uint32_t> some = sweep_words(static_cast<std::uint32_t>(from), to, range.stride);
    words += some.size();
    compared += static_cast<std::uint64_t>(std::ranges::count_if(
        some, [](std::uint32_t word) { return !known_difference(word, Aspect::decoding); }));
    for (const SweepDifference& difference : sweep.compare(some)) differences.add(difference);
  }
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K");
  differences.print();
  fmt::print("{} words, {} of them left out as known differences, {} differences\n", words, words - compared,
             differences.count());
  if (compared == 0) fmt::print("NOTHING was compared\n");
  return differences.count() == 0 && compared != 0 ? 0 : 1;
}

}  // namespace
}  // namespace asterism::a64::oracle

int main(int argc, char** argv) {
  using namespace asterism::a64::oracle;
  CLI::App app{"Which words are instructions, the engine's decoder against Unicorn's", "a64_sweep"};
  SweepRange range;
  bool print_all = false;
  app.add_option("--first", range.first,
                 "The first word; all 1024 that share its upper 22 bits count as one");
  app.add_option("--last", range.last, "The last word");
  app.add_option("--stride", range.stride, "Every so many patterns of the upper 22 bits")
      ->check(CLI::Range(1u, 1u << 22));
  app.add_flag("--all-differences", print_all, "Each difference, not one of each kind");
  try {
    app.parse(argc, argv);
    if (range.first > range.last)
      throw CLI::ValidationError("--last",
                                 fmt::format("{:#x} is before --first {:#x}", range.last, range.first));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage;
  }
  return sweep(range, print_all);
}
