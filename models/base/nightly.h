// For tests that repeat something many times: an ordinary run of the tests takes a sample, a run with the
// environment variable ASTERISM_NIGHTLY (target `nightly`) repeats it at full counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace asterism {

inline bool is_nightly() { return std::getenv("ASTERISM_NIGHTLY") != nullptr; }

inline std::uint64_t repetitions(std::uint64_t sample, std::uint64_t nightly) {
  return is_nightly() ? nightly : sample;
}

// All elements, in a nightly run; otherwise at most `count`, evenly spaced, the first one among them.
template <class Range>
std::vector<typename Range::value_type> sampled(const Range& all, std::size_t count) {
  std::vector<typename Range::value_type> chosen;
  std::size_t number = 0;
  for (const auto& each : all) {
    // Chosen where number * count / size changes.
    if (is_nightly() || all.size() <= count || number * count % all.size() < count) chosen.push_back(each);
    ++number;
  }
  return chosen;
}

}  // namespace asterism
