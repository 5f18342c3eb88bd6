// Which words are instructions, the engine's decoder against Unicorn's:
//   a64_sweep [--first WORD] [--last WORD] [--stride N] [--all-differences 1]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <utility>

#include "core/a64/oracle/decode_sweep.h"

int main(int argc, char** argv) {
  using namespace asterism::a64::oracle;
  std::map<std::string, std::uint64_t> options = {
      {"--first", 0}, {"--last", 0xffff'ffff}, {"--stride", 1}, {"--all-differences", 0}};
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!options.contains(argv[i])) {
      std::cerr << "unknown option " << argv[i] << "\n";
      return 2;
    }
    options[argv[i]] = std::strtoull(argv[i + 1], nullptr, 0);
  }
  const auto first = static_cast<std::uint32_t>(options["--first"]);
  const auto last = static_cast<std::uint32_t>(options["--last"]);
  const unsigned stride = std::max(1u, static_cast<unsigned>(options["--stride"]));

  Sweep sweep;
  std::uint64_t words = 0, differences = 0;
  // Differences that share the bits that tell instructions apart are told once, with their number.
  struct Told {
    std::uint64_t count = 0;
    std::string text;
  };
  std::map<std::pair<std::uint32_t, bool>, Told> told;
  const std::uint32_t part = std::uint32_t{stride} << 18;
  for (std::uint64_t from = first; from <= last; from += part) {
    const auto to = static_cast<std::uint32_t>(std::min<std::uint64_t>(from + part - 1, last));
    const std::vector<std::uint32_t> some = sweep_words(static_cast<std::uint32_t>(from), to, stride);
    words += some.size();
    for (const SweepDifference& difference : sweep.compare(some)) {
      ++differences;
      Told& one = told[{difference.word & 0xffe0'0c00, difference.is_defined}];
      const std::string text =
          fmt::format("{:08x}  {}  {}\n", difference.word,
                      difference.is_defined ? "only in the engine" : "only in Unicorn", difference.row);
      if (one.count++ == 0) one.text = text;
      if (options["--all-differences"]) std::cout << text;
    }
  }
  for (const auto& [key, one] : told) std::cout << fmt::format("{:7} x {}", one.count, one.text);
  std::cout << fmt::format("{} words, {} differences\n", words, differences);
  return differences == 0 ? 0 : 1;
}
