#include "cluster/ring_program.h"

#include <stdexcept>
#include <utility>

#include "base/random.h"

namespace asterism {

namespace {

constexpr std::uint64_t next_word(std::uint64_t left, std::uint64_t word, std::uint64_t right) {
  return (std::rotl(left, 7) + 3 * word) ^ std::rotl(right, 19);
}

}  // namespace

RingProgram::RingProgram(std::uint64_t seed, std::uint32_t rank, std::size_t words)
    : seed_(seed), rank_(rank), words_(words), next_(words) {
  if (words == 0) throw std::invalid_argument("a rank without words");
  begin();
}

void RingProgram::begin() {
  const Random random(seed_);
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = random.at(rank_ * words_.size() + i);
}

void RingProgram::step(std::uint64_t left_edge, std::uint64_t right_edge) {
  const std::size_t end = words_.size() - 1;
  for (std::size_t i = 0; i <= end; ++i)
    next_[i] =
        next_word(i == 0 ? left_edge : words_[i - 1], words_[i], i == end ? right_edge : words_[i + 1]);
  std::swap(words_, next_);
}

std::uint64_t RingProgram::expected(std::uint64_t seed, std::uint32_t ranks, std::size_t words,
                                    std::uint64_t steps) {
  RingProgram whole(seed, 0, ranks * words);
  for (std::uint64_t step = 0; step < steps; ++step) whole.step(whole.last(), whole.first());
  std::vector<std::uint64_t> results;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    results.push_back(fold(whole.words().subspan(rank * words, words)));
  return fold(results);
}

}  // namespace asterism
