// The fixture of tests of SIMD: single instructions that take V0, V1 and X1 and write V2. Expected values
// were computed by hand or taken from Unicorn.
#pragma once

#include <gtest/gtest.h>

#include <span>

#include "core/a64/a64_test.h"

namespace asterism::a64 {

// A vector that is written as one number, with the high half first.
struct Quad {
  std::uint64_t high = 0, low = 0;
  operator Vector() const { return {{low, high}}; }
};

struct SimdCase {
  std::uint32_t word;
  Quad expected;           // in V2
  bool saturates = false;  // sets FPSR.QC
};

struct SimdTest : A64Test {
  using Case = SimdCase;
  static constexpr bool saturates = true;
  static constexpr std::uint32_t qc = 1u << 27;

  State with_vectors(const Quad& v0 = {}, const Quad& v1 = {}) const {
    State before = with(0, 0x1234'5678'9abc'def0);
    before.system.cpacr = 3 << 20;
    before.fpsr = 0;
    before.v[0] = v0, before.v[1] = v1;
    before.v[2] = Quad{0x1111'1111'1111'1111, 0x2222'2222'2222'2222};
    return before;
  }
  void check(std::span<const Case> cases, const Quad& v0 = {}, const Quad& v1 = {}) {
    for (const Case& c : cases) {
      State expected = with_vectors(v0, v1);
      const State after = run({c.word}, expected);
      expected.v[2] = after.v[2];
      EXPECT_EQ(after.v[2].d[1], c.expected.high) << std::hex << c.word;
      EXPECT_EQ(after.v[2].d[0], c.expected.low) << std::hex << c.word;
      EXPECT_EQ(after.v, expected.v) << std::hex << c.word << ": another register has changed";
      EXPECT_EQ(after.x, expected.x) << std::hex << c.word;
      EXPECT_EQ(after.fpsr, c.saturates ? qc : 0) << std::hex << c.word;
    }
  }
};

}  // namespace asterism::a64
