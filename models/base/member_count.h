// Counts the members of an aggregate at compile time and finds them at run time. C++20 has no reflection, but
// an aggregate can be initialised from as many empty braces as it has members, and decomposed by a structured
// binding.
//
//   static_assert(member_count<DramConfig>() == 3);
//
// Members must be default-constructible from {}. Bit-fields, base classes and more than 32 members are not
// supported.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace asterism {

template <class T>
consteval std::size_t member_count() {
  static_assert(std::is_aggregate_v<T>,
                "a described struct is a plain aggregate: no constructor, no private member");
  // clang-format off
  static_assert(!requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }, "more than 32 members: nest some of them in a struct");
  if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 32;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 31;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 30;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 29;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 28;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 27;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 26;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 25;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 24;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 23;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 22;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 21;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 20;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 19;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 18;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 17;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 16;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 15;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 14;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 13;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{},{}}; }) return 12;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{},{}}; }) return 11;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{},{}}; }) return 10;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{},{}}; }) return 9;
  else if constexpr (requires { T{{},{},{},{},{},{},{},{}}; }) return 8;
  else if constexpr (requires { T{{},{},{},{},{},{},{}}; }) return 7;
  else if constexpr (requires { T{{},{},{},{},{},{}}; }) return 6;
  else if constexpr (requires { T{{},{},{},{},{}}; }) return 5;
  else if constexpr (requires { T{{},{},{},{}}; }) return 4;
  else if constexpr (requires { T{{},{},{}}; }) return 3;
  else if constexpr (requires { T{{},{}}; }) return 2;
  else if constexpr (requires { T{{}}; }) return 1;
  else return 0;
  // clang-format on
}

// The location of one member in its struct.
struct MemberSpan {
  const std::byte* first;
  std::size_t size;
  bool contains(const void* address) const {
    const auto* at = static_cast<const std::byte*>(address);
    return at >= first && at < first + size;
  }
};

template <class... Members>
std::vector<MemberSpan> spans_of(const Members&... members) {
  return {MemberSpan{reinterpret_cast<const std::byte*>(&members), sizeof(members)}...};
}

// The members in the order of their declaration.
template <class T>
std::vector<MemberSpan> member_spans(const T& t) {
  constexpr std::size_t n = member_count<T>();
  // clang-format off
  if constexpr (n == 0) { static_cast<void>(t); return {}; }
  else if constexpr (n == 1) { const auto& [m1] = t; return spans_of(m1); }
  else if constexpr (n == 2) { const auto& [m1,m2] = t; return spans_of(m1,m2); }
  else if constexpr (n == 3) { const auto& [m1,m2,m3] = t; return spans_of(m1,m2,m3); }
  else if constexpr (n == 4) { const auto& [m1,m2,m3,m4] = t; return spans_of(m1,m2,m3,m4); }
  else if constexpr (n == 5) { const auto& [m1,m2,m3,m4,m5] = t; return spans_of(m1,m2,m3,m4,m5); }
  else if constexpr (n == 6) { const auto& [m1,m2,m3,m4,m5,m6] = t; return spans_of(m1,m2,m3,m4,m5,m6); }
  else if constexpr (n == 7) { const auto& [m1,m2,m3,m4,m5,m6,m7] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7); }
  else if constexpr (n == 8) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8); }
  else if constexpr (n == 9) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9); }
  else if constexpr (n == 10) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10); }
  else if constexpr (n == 11) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11); }
  else if constexpr (n == 12) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12); }
  else if constexpr (n == 13) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13); }
  else if constexpr (n == 14) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14); }
  else if constexpr (n == 15) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15); }
  else if constexpr (n == 16) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16); }
  else if constexpr (n == 17) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17); }
  else if constexpr (n == 18) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18); }
  else if constexpr (n == 19) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19); }
  else if constexpr (n == 20) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20); }
  else if constexpr (n == 21) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21); }
  else if constexpr (n == 22) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22); }
  else if constexpr (n == 23) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23); }
  else if constexpr (n == 24) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24); }
  else if constexpr (n == 25) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25); }
  else if constexpr (n == 26) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25,m26] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25,m26); }
  else if constexpr (n == 27) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25,m26,m27] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25,m26,m27); }
  else if constexpr (n == 28) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25,m26,m27,m28] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25,m26,m27,m28); }
  else if constexpr (n == 29) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25,m26,m27,m28,m29] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25,m26,m27,m28,m29); }
  else if constexpr (n == 30) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25,m26,m27,m28,m29,m30] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25,m26,m27,m28,m29,m30); }
  else if constexpr (n == 31) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25,m26,m27,m28,m29,m30,m31] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25,m26,m27,m28,m29,m30,m31); }
  else if constexpr (n == 32) { const auto& [m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25,m26,m27,m28,m29,m30,m31,m32] = t; return spans_of(m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18,m19,m20,m21,m22,m23,m24,m25,m26,m27,m28,m29,m30,m31,m32); }
  // clang-format on
}

}  // namespace asterism
