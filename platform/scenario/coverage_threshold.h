// A value of expect.coverage in a scenario: how many points of a coverage group a run must reach, as a number
// (20) or as a share of the group's points ("40%").
#pragma once

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "base/scalar_codec.h"

namespace asterism {

struct CoverageThreshold {
  std::uint64_t value = 0;
  bool is_percentage = false;
  // In a group of this size. A share is rounded up.
  std::uint64_t wanted(std::uint64_t points) const {
    return is_percentage ? (points * value + 99) / 100 : value;
  }
  auto operator<=>(const CoverageThreshold&) const = default;
};

template <>
struct ScalarCodec<CoverageThreshold> {
  static CoverageThreshold decode(const PlainValue& plain) {
    if (const auto* count = std::get_if<std::uint64_t>(&plain)) return {*count, false};
    const std::string& text = plain_as<std::string>(plain);
    std::uint64_t percent = 0;
    const char *const first = text.data(), *const last = first + text.size();
    const auto [end, error] = std::from_chars(first, last, percent);
    if (error != std::errc() || std::string_view(end, last) != "%") throw std::invalid_argument("");
    if (percent > 100) throw std::invalid_argument("a share is at most 100%");
    return {percent, true};
  }
  static PlainValue encode(const CoverageThreshold& threshold) {
    if (!threshold.is_percentage) return threshold.value;
    return std::to_string(threshold.value) + "%";
  }
  // An integer with a pattern may be a text as well.
  static ScalarType type() {
    return {.form = ScalarType::Form::integer,
            .noun = "a number of points, or a share of them",
            .example = "40%",
            .pattern = "^[0-9]+%$"};
  }
};

}  // namespace asterism
