// Advanced SIMD across lanes and scalar pairwise (Arm DDI 0487, C4.1.96), without floating point.
#include "core/a64/simd_tables.h"

namespace asterism::a64 {
namespace simd_across_lanes {
namespace {

// The result is one lane.
template <auto f>
struct AcrossLanes {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = lanes<T, bytes>(cpu.v[op.rn]);
    T result = a[0];
    for (std::size_t i = 1; i < a.size(); ++i) result = f(result, a[i]);
    put(cpu.v[op.rd], std::array{result});
  }
};

struct AddLongAcrossLanes {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = lanes<T, bytes>(cpu.v[op.rn]);
    Wide<T> result = 0;
    for (const T lane : a) result = static_cast<Wide<T>>(result + lane);
    put(cpu.v[op.rd], std::array{result});
  }
};

constexpr auto sum = []<class T>(T a, T b) -> T { return add(a, b); };
constexpr auto larger = []<class T>(T a, T b) -> T { return a > b ? a : b; };
constexpr auto smaller = []<class T>(T a, T b) -> T { return a < b ? a : b; };

// At least four words.
template <class Family, Sign sign = Sign::by_u>
bool decode_across(Decoding& d) {
  take_registers(d);
  if (d.bits(23, 22) == 2 && !d.bit(30)) return false;
  d.op.run = vector_handler<Family, sizes_bhs, sign>(d, d.bits(23, 22));
  return d.op.run != nullptr;
}

// A scalar result of two lanes.
bool decode_add_pair(Decoding& d) {
  take_registers(d);
  d.op.run = step<AcrossLanes<sum>::work<std::uint64_t, 16>>;
  return true;
}

constexpr Row::Needs fp = Row::Needs::fp;

constexpr Row rows[] = {
    // clang-format off
    {encoding("0 Q U 01110 size 11000 00011 10 Rn Rd"), "SADDLV, UADDLV", decode_across<AddLongAcrossLanes>, fp},
    {encoding("0 Q U 01110 size 11000 01010 10 Rn Rd"), "SMAXV, UMAXV",   decode_across<AcrossLanes<larger>>, fp},
    {encoding("0 Q U 01110 size 11000 11010 10 Rn Rd"), "SMINV, UMINV",   decode_across<AcrossLanes<smaller>>, fp},
    {encoding("0 Q 0 01110 size 11000 11011 10 Rn Rd"), "ADDV",           decode_across<AcrossLanes<sum>, Sign::is_unsigned>, fp},
    {encoding("01 0 11110 11 11000 11011 10 Rn Rd"),    "ADDP (scalar)",  decode_add_pair, fp},
    // clang-format on
};

}  // namespace
}  // namespace simd_across_lanes

std::span<const Row> simd_across_lanes_rows() { return simd_across_lanes::rows; }

}  // namespace asterism::a64
