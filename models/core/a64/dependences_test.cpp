#include "core/a64/dependences.h"

#include <gtest/gtest.h>

namespace asterism::a64 {
namespace {

using Is = InstructionClass;
constexpr std::uint64_t flags = std::uint64_t{1} << 31;
constexpr std::uint64_t x(unsigned n) { return std::uint64_t{1} << n; }
constexpr std::uint64_t v(unsigned n) { return std::uint64_t{1} << (32 + n); }

struct Case {
  const char* text;
  std::uint32_t word;
  Is is;
  std::uint64_t from, to;
};

TEST(Dependences, AreThoseOfTheInstruction) {
  for (const Case& c : {
           Case{"add x1, x2, #1", 0x91000441, Is::integer, x(2), x(1)},
           Case{"subs x1, x1, #1", 0xf1000421, Is::integer, x(1), x(1) | flags},
           Case{"mov x1, #3", 0xd2800061, Is::integer, 0, x(1)},
           Case{"movk x1, #3", 0xf2800061, Is::integer, x(1), x(1)},
           Case{"adr x2, .", 0x10000002, Is::integer, 0, x(2)},
           Case{"add x3, x4, x5", 0x8b050083, Is::integer, x(4) | x(5), x(3)},
           Case{"cmp x4, x5", 0xeb05009f, Is::integer, x(4) | x(5), flags},
           Case{"ands x3, x4, x5", 0xea050083, Is::integer, x(4) | x(5), x(3) | flags},
           Case{"orr x3, x4, x5", 0xaa050083, Is::integer, x(4) | x(5), x(3)},
           Case{"csel x3, x4, x5, eq", 0x9a850083, Is::integer, x(4) | x(5) | flags, x(3)},
           Case{"madd x3, x4, x5, x6", 0x9b051883, Is::multiply, x(4) | x(5) | x(6), x(3)},
           Case{"udiv x3, x4, x5", 0x9ac50883, Is::divide, x(4) | x(5), x(3)},
           Case{"lsl x3, x4, x5", 0x9ac52083, Is::integer, x(4) | x(5), x(3)},
           Case{"clz x3, x4", 0xdac01083, Is::integer, x(4), x(3)},
           Case{"b.ne .", 0x54000001, Is::branch, flags, 0},
           Case{"cbz x3, .", 0xb4000003, Is::branch, x(3), 0},
           Case{"bl .", 0x94000000, Is::branch, 0, x(30)},
           Case{"ret", 0xd65f03c0, Is::branch, x(30), 0},
           Case{"ldr x1, [x2]", 0xf9400041, Is::load, x(2), x(1)},
           Case{"ldr x1, [x2, x3]", 0xf8636841, Is::load, x(2) | x(3), x(1)},
           Case{"ldp x1, x3, [x2]", 0xa9400c41, Is::load, x(2), x(1) | x(3)},
           Case{"str x1, [x2]", 0xf9000041, Is::store, x(1) | x(2), 0},
           Case{"ldr d1, [x2]", 0xfd400041, Is::load, x(2), v(1)},
           Case{"str q1, [x2]", 0x3d800041, Is::store, x(2) | v(1), 0},
           Case{"ldrsw x1, [x2]", 0xb9800041, Is::load, x(2), x(1)},
           Case{"fadd d1, d2, d3", 0x1e632841, Is::fp_add, v(2) | v(3), v(1)},
           Case{"fmul d1, d2, d3", 0x1e630841, Is::fp_multiply, v(2) | v(3), v(1)},
           Case{"fdiv d1, d2, d3", 0x1e631841, Is::fp_divide, v(2) | v(3), v(1)},
           Case{"fsqrt d1, d2", 0x1e61c041, Is::fp_divide, v(2), v(1)},
           Case{"fmadd d1, d2, d3, d4", 0x1f431041, Is::fp_fused, v(2) | v(3) | v(4), v(1)},
           Case{"fmla v1.2d, v2.2d, v3.2d", 0x4e63cc41, Is::fp_fused, v(1) | v(2) | v(3), v(1)},
           Case{"fadd v1.2d, v2.2d, v3.2d", 0x4e63d441, Is::fp_add, v(2) | v(3), v(1)},
           Case{"fmul v1.2d, v2.2d, v3.2d", 0x6e63dc41, Is::fp_multiply, v(2) | v(3), v(1)},
           Case{"add v1.2d, v2.2d, v3.2d", 0x4ee38441, Is::vector, v(2) | v(3), v(1)},
           Case{"fcmp d2, d3", 0x1e632040, Is::fp_add, v(2) | v(3), flags},
           Case{"fmov x1, d2", 0x9e660041, Is::vector, v(2), x(1)},
           Case{"scvtf d1, x2", 0x9e620041, Is::fp_add, x(2), v(1)},
           Case{"dmb ish", 0xd5033bbf, Is::other, 0, 0},
       }) {
    const Dependences d = dependences(c.word);
    EXPECT_EQ(static_cast<int>(d.is), static_cast<int>(c.is)) << c.text;
    EXPECT_EQ(d.from, c.from) << c.text;
    EXPECT_EQ(d.to, c.to) << c.text;
  }
}

}  // namespace
}  // namespace asterism::a64
