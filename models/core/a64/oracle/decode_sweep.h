// Which words are instructions: the engine's decoder against Unicorn's. With the features of a Cortex-A57 it
// is held against that; what the others add, against Unicorn's "max".
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

// All patterns of the bits above the two lowest register fields, every `stride`-th of them, from one to the
// other; in those fields a few register numbers, and all of them where they are no registers.
std::vector<std::uint32_t> sweep_words(std::uint32_t first, std::uint32_t last, unsigned stride);

// Each row's neighbours: its fixed bits as they are and each of them turned over, with its other bits at
// random.
std::vector<std::uint32_t> row_neighbours(unsigned times, std::uint64_t seed);

}  // namespace asterism::a64::oracle
