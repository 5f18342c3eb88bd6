// Two regions that the tests of the library's levels protect and write; their contents depend on the version.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

extern "C" {
#include "checkpoint/checkpoint.h"
}

// The second region has this number of words.
template <std::size_t words>
struct TwoRegions {
  static inline char text[100];
  static inline std::uint64_t vector[words];

  static void protect() {
    checkpoint_protect(0, text, sizeof text);
    checkpoint_protect(1, vector, sizeof vector);
  }
  static void fill(std::uint64_t version) {
    std::memset(text, 0, sizeof text);
    const std::string label = "version " + std::to_string(version) + "!";
    std::memcpy(text, label.c_str(), label.size());
    for (std::uint64_t i = 0; i < std::size(vector); ++i) vector[i] = version * 1000 + i;
  }
  static CheckpointStatus write(std::uint64_t version) {
    fill(version);
    return checkpoint_write("a", version);
  }
  static bool holds(std::uint64_t version) {
    const std::vector<std::uint64_t> found(std::begin(vector), std::end(vector));
    const std::string label = text;
    fill(version);
    return label == text && std::memcmp(found.data(), vector, sizeof vector) == 0;
  }
  static std::uint64_t newest(std::uint64_t max_version = checkpoint_any_version) {
    std::uint64_t version = 0;
    EXPECT_EQ(checkpoint_find_newest("a", max_version, &version), checkpoint_ok);
    return version;
  }
};
