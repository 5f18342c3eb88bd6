// Stores of every kind with the lines that they write, for tests, and two instructions that store nothing. X0
// holds the address, X2 the data, X3 32; V2 to V5 may hold any values.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/page_lines.h"

namespace asterism::a64 {

using Lines = std::map<std::uint64_t, std::uint64_t>;  // by page

inline Lines by_page(const std::vector<PageLines>& written) {
  Lines lines;
  for (const PageLines& each : written) lines[each.page.value()] |= each.lines;
  return lines;
}

constexpr std::uint64_t line(unsigned at) { return std::uint64_t{1} << at; }

struct StoreKind {
  std::uint32_t word;
  std::uint64_t address;
  Lines expected;
};

// Into the page p and the one behind it. STTR asks for memory of EL0.
inline std::vector<StoreKind> stores_of_every_kind(std::uint64_t p) {
  const std::uint64_t q = p + 4096;
  return {
      {0x39000002, p, {{p, line(0)}}},                         // strb w2, [x0]
      {0x39000002, p + 63, {{p, line(0)}}},                    // strb w2, [x0]
      {0x39000002, p + 64, {{p, line(1)}}},                    // strb w2, [x0]
      {0x79000002, p + 63, {{p, line(0) | line(1)}}},          // strh w2, [x0]
      {0xb9000002, p + 0xffc, {{p, line(63)}}},                // str w2, [x0]
      {0xf9000002, p + 0xff9, {{p, line(63)}, {q, line(0)}}},  // str x2, [x0]
      {0xf8040402, p + 128, {{p, line(2)}}},                   // str x2, [x0], #64
      {0xf8040c02, p + 128, {{p, line(3)}}},                   // str x2, [x0, #64]!
      {0xf81f8002, q, {{p, line(63)}}},                        // stur x2, [x0, #-8]
      {0xf8237802, p, {{p, line(4)}}},                         // str x2, [x0, x3, lsl #3]
      {0xf8000802, p + 72, {{p, line(1)}}},                    // sttr x2, [x0]
      {0x29000c02, p + 60, {{p, line(0) | line(1)}}},          // stp w2, w3, [x0]
      {0xa9bf0c02, q + 8, {{p, line(63)}, {q, line(0)}}},      // stp x2, x3, [x0, #-16]!
      {0xa8000c02, p + 64, {{p, line(1)}}},                    // stnp x2, x3, [x0]
      {0x3d000002, p + 191, {{p, line(2)}}},                   // str b2, [x0]
      {0xfd000002, p + 188, {{p, line(2) | line(3)}}},         // str d2, [x0]
      {0x3d800002, p + 64, {{p, line(1)}}},                    // str q2, [x0]
      {0x3d800002, p + 120, {{p, line(1) | line(2)}}},         // str q2, [x0]
      {0xad000c02, p + 32, {{p, line(0)}}},                    // stp q2, q3, [x0]
      {0xad000c02, p + 48, {{p, line(0) | line(1)}}},          // stp q2, q3, [x0]
      {0xad000c02, p + 0xff0, {{p, line(63)}, {q, line(0)}}},  // stp q2, q3, [x0]
      {0xc89ffc02, p + 320, {{p, line(5)}}},                   // stlr x2, [x0]
      {0xf8220004, p + 384, {{p, line(6)}}},                   // ldadd x2, x4, [x0]
      {0x38228004, p + 448, {{p, line(7)}}},                   // swpb w2, w4, [x0]
      {0xc8a57c02, p + 512, {{p, line(8)}}},                   // cas x5, x2, [x0]
      {0xd50b7420, p + 600, {{p, line(9)}}},                   // dc zva, x0
      {0x4c007002, p + 640, {{p, line(10)}}},                  // st1 {v2.16b}, [x0]
      {0x4c000002, p + 704, {{p, line(11)}}},                  // st4 {v2.16b-v5.16b}, [x0]
      {0x0d000c02, p + 768, {{p, line(12)}}},                  // st1 {v2.b}[3], [x0]
      {0xf9400002, p, {}},                                     // ldr x2, [x0]
      {0xc85f7c02, p, {}},                                     // ldxr x2, [x0]
  };
}

}  // namespace asterism::a64
