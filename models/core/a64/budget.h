// The instructions that a core may execute until it attends to something else, and the time of those that it
// has executed, in one word: entering a block charges both with one addition.
#pragma once

#include <cstdint>

namespace asterism::a64 {

class Budget {
 public:
  // So many instructions and a block more fit; with times, as long as they may be.
  static constexpr std::int64_t most = std::int64_t{1} << 30, most_timed = std::int64_t{1} << 15;

  // What instructions cost: their number, and their time in thousandths of a cycle.
  static constexpr std::int64_t charge(std::uint64_t count, std::uint64_t time) {
    return static_cast<std::int64_t>(time) - (static_cast<std::int64_t>(count) << 32);
  }
  void add(std::int64_t charge) { word_ += charge; }
  void take_back(std::int64_t charge) { word_ -= charge; }
  // With the time of instructions that are charged already and not executed yet.
  void restart(std::int64_t instructions, std::uint64_t time) {
    word_ = (instructions << 32) + static_cast<std::int64_t>(time);
  }

  bool is_overdrawn() const { return word_ < 0; }
  std::int64_t left() const { return word_ >> 32; }
  // Since restart().
  std::uint64_t time() const { return static_cast<std::uint32_t>(word_); }

 private:
  std::int64_t word_ = 0;
};

}  // namespace asterism::a64
