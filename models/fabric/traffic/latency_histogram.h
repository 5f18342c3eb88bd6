// The distribution of a time. Count, sum, minimum and maximum are exact; percentiles are within 0.4%.
//
// Times below 256 ps have a bucket each, longer ones 128 buckets per octave (a bucket is narrower than 1/128
// of its times). Only integers are used: the same times in any order give the same histogram.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace asterism {

class LatencyHistogram {
 public:
  struct Bucket {
    Picoseconds first, last;  // both included
    std::uint64_t count;
    bool operator==(const Bucket&) const = default;
  };

  void add(Picoseconds time) {
    const std::size_t index = index_of(time.count());
    if (index >= counts_.size()) counts_.resize(index + 1);
    ++counts_[index];
    min_ = count_ == 0 ? time : std::min(min_, time);
    max_ = std::max(max_, time);
    ++count_;
    sum_ += time.count();
    squares_ += Wide{time.count()} * time.count();
  }

  std::uint64_t count() const { return count_; }
  Picoseconds min() const { return min_; }  // 0 if empty, as all of the following
  Picoseconds max() const { return max_; }
  // In ps and ps squared.
  double mean() const { return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_); }
  double variance() const {
    if (count_ == 0) return 0;
    return std::max(0.0, static_cast<double>(squares_) / static_cast<double>(count_) - mean() * mean());
  }

  // The time that `per_10000` of 10,000 times do not exceed: the middle of its bucket, within [min, max].
  // 5000 is the median, 9990 the 99.9th percentile, 0 the minimum and 10000 the maximum.
  Picoseconds percentile(unsigned per_10000) const {
    if (count_ == 0 || per_10000 == 0) return min_;
    if (per_10000 >= 10000) return max_;
    const std::uint64_t rank = scale(count_, per_10000, 10000, true);
    std::uint64_t seen = 0;
    std::size_t index = 0;
    while ((seen += counts_[index]) < rank) ++index;
    const std::uint64_t middle = first_of(index) + (first_of(index + 1) - 1 - first_of(index)) / 2;
    return std::clamp(Picoseconds(middle), min_, max_);
  }

  // The buckets that are not empty, in ascending order.
  std::vector<Bucket> buckets() const {
    std::vector<Bucket> buckets;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (counts_[i] != 0)
        buckets.push_back({Picoseconds(first_of(i)), Picoseconds(first_of(i + 1) - 1), counts_[i]});
    return buckets;
  }

  bool operator==(const LatencyHistogram&) const = default;

 private:
  __extension__ typedef unsigned __int128 Wide;
  static constexpr unsigned octave_bits = 7;

  // Octave k > 0 holds [2^(k + 7), 2^(k + 8)).
  static constexpr std::size_t index_of(std::uint64_t time) {
    const auto width = static_cast<unsigned>(std::bit_width(time));
    if (width <= octave_bits + 1) return time;
    const unsigned shift = width - octave_bits - 1;
    return (std::size_t{shift} << octave_bits) + (time >> shift);
  }
  static constexpr std::uint64_t first_of(std::size_t index) {
    if (index < std::size_t{2} << octave_bits) return index;
    const std::size_t shift = (index >> octave_bits) - 1;
    const std::size_t mantissa = index - (shift << octave_bits);
    return std::uint64_t{mantissa} << shift;
  }

  std::vector<std::uint64_t> counts_;  // up to the bucket of the longest time
  std::uint64_t count_ = 0, sum_ = 0;
  Wide squares_ = 0;
  Picoseconds min_, max_;
};

}  // namespace asterism
