// The program that the ranks of a cluster compute together: a ring of 64-bit words, updated in steps with
// exact integer arithmetic. Each word depends on its neighbours, so that a wrong or stale word spreads and
// changes the result. The firmware's implementation is sw/cluster/ring_program.h.
//
//   word i of rank r at the beginning: SplitMix64's element r * words + i for the seed (base/random.h)
//   a step: w'[i] = rotl(w[i - 1], 7) + 3 * w[i] ^ rotl(w[i + 1], 19)      (+ before ^), all i at once
//   result of a rank: h = 0; for each word: h = (rotl(h, 5) ^ w) * 0x9E3779B97F4A7C15
//   result of all: the same fold over the ranks' results
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace asterism {

class RingProgram {
 public:
  RingProgram(std::uint64_t seed, std::uint32_t rank, std::size_t words);  // words >= 1
  void begin();                                                            // makes the initial state
  void step(std::uint64_t left_edge, std::uint64_t right_edge);

  std::uint64_t first() const { return words_.front(); }
  std::uint64_t last() const { return words_.back(); }
  std::span<std::uint64_t> words() { return words_; }
  std::span<const std::uint64_t> words() const { return words_; }
  std::uint64_t result() const { return fold(words_); }

  static std::uint64_t fold(std::span<const std::uint64_t> words) {
    std::uint64_t h = 0;
    for (const std::uint64_t w : words) h = (std::rotl(h, 5) ^ w) * 0x9E3779B97F4A7C15u;
    return h;
  }
  // The result of `ranks` ranks after `steps` steps, computed in one piece: the reference for a run.
  static std::uint64_t expected(std::uint64_t seed, std::uint32_t ranks, std::size_t words,
                                std::uint64_t steps);

 private:
  std::uint64_t seed_;
  std::uint32_t rank_;
  std::vector<std::uint64_t> words_, next_;
};

}  // namespace asterism
