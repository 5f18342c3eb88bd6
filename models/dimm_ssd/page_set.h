// A set of page numbers that finds its first element at or after any number in a few steps: a bit for each page, and above
// each 64 words a word that says which of them are not empty, up to one word at the top.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace asterism {

class PageSet {
 public:
  explicit PageSet(std::uint32_t pages) {
    std::size_t bits = pages;
    do {
      bits = (bits + 63) / 64;
      levels_.emplace_back(bits);
    } while (bits > 1);
  }

  std::uint32_t count() const { return count_; }
  bool empty() const { return count_ == 0; }
  bool contains(std::uint32_t page) const { return levels_.front()[page / 64] >> page % 64 & 1; }

  void insert(std::uint32_t page) {
    if (contains(page)) return;
    ++count_;
    std::size_t at = page;
    for (auto& level : levels_) {
      std::uint64_t& word = level[at / 64];
      const bool was_empty = word == 0;
      word |= std::uint64_t{1} << at % 64;
      if (!was_empty) return;
      at /= 64;
    }
  }

  void erase(std::uint32_t page) {
    if (!contains(page)) return;
    --count_;
    std::size_t at = page;
    for (auto& level : levels_) {
      std::uint64_t& word = level[at / 64];
      word &= ~(std::uint64_t{1} << at % 64);
      if (word != 0) return;
      at /= 64;
    }
  }

  // The first element at or after `page`, or without one there the first of all.
  std::optional<std::uint32_t> first_around(std::uint32_t page) const {
    if (const auto found = first(page)) return found;
    return first(0);
  }

  void clear() {
    for (auto& level : levels_) level.assign(level.size(), 0);
    count_ = 0;
  }

  // The elements of another set, of the same size.
  void add(const PageSet& other) {
    for (std::size_t i = 0; i < levels_.front().size(); ++i) levels_.front()[i] |= other.levels_.front()[i];
    sum_up();
  }
  void remove(const PageSet& other) {
    for (std::size_t i = 0; i < levels_.front().size(); ++i) levels_.front()[i] &= ~other.levels_.front()[i];
    sum_up();
  }

 private:
  void sum_up() {
    count_ = 0;
    for (const std::uint64_t word : levels_.front())
      count_ += static_cast<std::uint32_t>(std::popcount(word));
    for (std::size_t level = 1; level < levels_.size(); ++level) {
      levels_[level].assign(levels_[level].size(), 0);
      for (std::size_t i = 0; i < levels_[level - 1].size(); ++i)
        if (levels_[level - 1][i] != 0) levels_[level][i / 64] |= std::uint64_t{1} << i % 64;
    }
  }

  std::optional<std::uint32_t> first(std::size_t at) const {
    std::size_t level = 0;
    for (;;) {  // up, until a word has an element at or after `at`
      if (at / 64 >= levels_[level].size()) return std::nullopt;
      const std::uint64_t rest = levels_[level][at / 64] >> at % 64;
      if (rest != 0) {
        at += static_cast<std::size_t>(std::countr_zero(rest));
        break;
      }
      at = at / 64 + 1;
      if (++level == levels_.size()) return std::nullopt;
    }
    while (level-- > 0) at = at * 64 + static_cast<std::size_t>(std::countr_zero(levels_[level][at]));
    return static_cast<std::uint32_t>(at);
  }

  std::vector<std::vector<std::uint64_t>> levels_;  // from the pages to the top
  std::uint32_t count_ = 0;
};

}  // namespace asterism
