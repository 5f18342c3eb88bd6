// A set of page numbers that finds its first element at or after any number in a few steps. It has a bit for
// each page, and for each 64 words a summary word that says which of them are not empty, up to one word at
// the top.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace asterism {

class PageSet {
 public:
  explicit PageSet(std::uint32_t pages) : words_((std::size_t{pages} + 63) / 64) {
    for (std::size_t bits = words_.size(); bits > 1;) {
      bits = (bits + 63) / 64;
      summaries_.emplace_back(bits);
    }
  }

  std::uint32_t count() const { return count_; }
  bool empty() const { return count_ == 0; }
  bool contains(std::uint32_t page) const { return words_[page / 64] >> page % 64 & 1; }

  void insert(std::uint32_t page) {
    if (contains(page)) return;
    ++count_;
    const bool was_empty = words_[page / 64] == 0;
    words_[page / 64] |= bit(page);
    if (was_empty) summarise(page / 64);
  }

  void erase(std::uint32_t page) {
    if (!contains(page)) return;
    --count_;
    words_[page / 64] &= ~bit(page);
    std::size_t at = page / 64;
    if (words_[at] != 0) return;
    for (auto& level : summaries_) {
      level[at / 64] &= ~bit(at);
      if (level[at / 64] != 0) return;
      at /= 64;
    }
  }

  // The first element at or after `page`, or if there is none the first of all.
  std::optional<std::uint32_t> first_around(std::uint32_t page) const {
    if (const auto found = first(page)) return found;
    return first(0);
  }

  void clear() {
    words_.assign(words_.size(), 0);
    for (auto& level : summaries_) level.assign(level.size(), 0);
    count_ = 0;
  }

  // Adds or removes the elements of another set of the same size.
  void add(const PageSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    sum_up();
  }
  void remove(const PageSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    sum_up();
  }

 private:
  static std::uint64_t bit(std::size_t at) { return std::uint64_t{1} << at % 64; }
  std::uint64_t word(std::size_t level, std::size_t at) const {
    return level == 0 ? words_[at] : summaries_[level - 1][at];
  }
  std::size_t words(std::size_t level) const {
    return level == 0 ? words_.size() : summaries_[level - 1].size();
  }

  // Word `at` is no longer empty.
  void summarise(std::size_t at) {
    for (auto& level : summaries_) {
      const bool was_empty = level[at / 64] == 0;
      level[at / 64] |= bit(at);
      if (!was_empty) return;
      at /= 64;
    }
  }
  void sum_up() {
    count_ = 0;
    for (auto& level : summaries_) level.assign(level.size(), 0);
    for (std::size_t i = 0; i < words_.size(); ++i) {
      count_ += static_cast<std::uint32_t>(std::popcount(words_[i]));
      if (words_[i] != 0) summarise(i);
    }
  }

  std::optional<std::uint32_t> first(std::size_t at) const {
    std::size_t level = 0;
    for (;;) {  // up, until a word has an element at or after `at`
      if (at / 64 >= words(level)) return std::nullopt;
      const std::uint64_t rest = word(level, at / 64) >> at % 64;
      if (rest != 0) {
        at += static_cast<std::size_t>(std::countr_zero(rest));
        break;
      }
      at = at / 64 + 1;
      if (++level > summaries_.size()) return std::nullopt;
    }
    while (level-- > 0) at = at * 64 + static_cast<std::size_t>(std::countr_zero(word(level, at)));
    return static_cast<std::uint32_t>(at);
  }

  std::vector<std::uint64_t> words_;                   // a bit for each page
  std::vector<std::vector<std::uint64_t>> summaries_;  // from the bottom to the top
  std::uint32_t count_ = 0;
};

}  // namespace asterism
