// Compares which words the engine's decoder and Unicorn's take for instructions. With the features of a
// Cortex-A57 the engine is compared with Unicorn's Cortex-A57, and words that other features add with
// Unicorn's "max".
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace asterism::a64::oracle {

struct SweepDifference {
  std::uint32_t word;
  bool is_defined;  // in the engine
  std::string row;
};

class Sweep {
 public:
  Sweep();
  ~Sweep();
  // Words that only one of the two takes for an instruction.
  std::vector<SweepDifference> compare(std::span<const std::uint32_t> words);

 private:
  class Translator;
  std::unique_ptr<Translator> a57_, max_;
};

// The words from `first` to `last` with every `stride`-th pattern of the bits above the two lowest register
// fields. These fields have a few register numbers, or all values where they are not registers.
std::vector<std::uint32_t> sweep_words(std::uint32_t first, std::uint32_t last, unsigned stride);

// The neighbours of each row: words with its fixed bits, and words with one of its fixed bits inverted. All
// other bits are random.
std::vector<std::uint32_t> row_neighbours(unsigned times, std::uint64_t seed);

}  // namespace asterism::a64::oracle
