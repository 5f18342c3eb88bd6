// Advanced SIMD permute, extract and table lookup (Arm DDI 0487, C4.1.96).
#include <algorithm>

#include "core/a64/simd_tables.h"

namespace asterism::a64 {
namespace simd_permute {
namespace {

template <unsigned part>
struct Unzip {  // every second lane of both operands
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = lanes<T, bytes>(cpu.v[op.rn]);
    const auto b = lanes<T, bytes>(cpu.v[op.rm]);
    Lanes<T, bytes> result;
    constexpr std::size_t pairs = result.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i) {
      result[i] = a[2 * i + part];
      result[pairs + i] = b[2 * i + part];
    }
    put(cpu.v[op.rd], result);
  }
};

template <unsigned part>
struct Transpose {  // every second lane of one operand, each followed by that of the other
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = lanes<T, bytes>(cpu.v[op.rn]);
    const auto b = lanes<T, bytes>(cpu.v[op.rm]);
    Lanes<T, bytes> result;
    for (std::size_t i = 0; i < result.size(); i += 2) {
      result[i] = a[i + part];
      result[i + 1] = b[i + part];
    }
    put(cpu.v[op.rd], result);
  }
};

template <unsigned part>
struct Zip {  // the lower or upper halves, interleaved
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = lanes<T, bytes>(cpu.v[op.rn]);
    const auto b = lanes<T, bytes>(cpu.v[op.rm]);
    Lanes<T, bytes> result;
    constexpr std::size_t pairs = result.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i) {
      result[2 * i] = a[part * pairs + i];
      result[2 * i + 1] = b[part * pairs + i];
    }
    put(cpu.v[op.rd], result);
  }
};

// ---- EXT: bytes from the middle of two registers ----

// 64 bits out of 128, from a byte on.
template <unsigned from>
constexpr std::uint64_t between(std::uint64_t low, std::uint64_t high) {
  if constexpr (from == 0) {
    return low;
  } else {
    return low >> (8 * from) | high << (64 - 8 * from);
  }
}

template <unsigned from>
void extract_8(Cpu& cpu, const Operation& op) {
  cpu.v[op.rd].d = {between<from>(cpu.v[op.rn].d[0], cpu.v[op.rm].d[0]), 0};
}

template <unsigned from>
void extract_16(Cpu& cpu, const Operation& op) {
  const auto a = cpu.v[op.rn].d, b = cpu.v[op.rm].d;
  if constexpr (from < 8) {
    cpu.v[op.rd].d = {between<from>(a[0], a[1]), between<from>(a[1], b[0])};
  } else {
    cpu.v[op.rd].d = {between<from - 8>(a[1], b[0]), between<from - 8>(b[0], b[1])};
  }
}

template <std::size_t... from>
constexpr std::array<Handler, 8> extracts_8(std::index_sequence<from...>) {
  return {step<extract_8<from>>...};
}
template <std::size_t... from>
constexpr std::array<Handler, 16> extracts_16(std::index_sequence<from...>) {
  return {step<extract_16<from>>...};
}

bool decode_extract(Decoding& d) {
  static constexpr auto of_8 = extracts_8(std::make_index_sequence<8>());
  static constexpr auto of_16 = extracts_16(std::make_index_sequence<16>());
  take_registers(d);
  const unsigned from = d.bits(14, 11);
  if (!d.bit(30) && from >= 8) return false;
  d.op.run = d.bit(30) ? of_16[from] : of_8[from];
  return true;
}

// ---- table lookup: the table begins in Rn and continues in V0 after V31 ----

template <unsigned registers, bool keeps, unsigned bytes>
void look_up(Cpu& cpu, const Operation& op) {
  std::array<std::uint8_t, std::size_t{16} * registers> table;
  for (unsigned i = 0; i < registers; ++i) std::memcpy(&table[16 * i], cpu.v[(op.rn + i) % 32].d.data(), 16);
  const auto index = lanes<std::uint8_t, bytes>(cpu.v[op.rm]);
  auto result = lanes<std::uint8_t, bytes>(cpu.v[op.rd]);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::uint8_t otherwise = keeps ? result[i] : std::uint8_t{0};
    result[i] = index[i] < table.size() ? table[index[i]] : otherwise;
  }
  put(cpu.v[op.rd], result);
}

template <bool keeps, std::size_t... i>
constexpr std::array<Handler, 8> look_ups(std::index_sequence<i...>) {
  return {step<look_up<i / 2 + 1, keeps, i % 2 ? 16 : 8>>...};
}

bool decode_table(Decoding& d) {
  static constexpr auto tbl = look_ups<false>(std::make_index_sequence<8>());
  static constexpr auto tbx = look_ups<true>(std::make_index_sequence<8>());
  take_registers(d);
  d.op.run = (d.bit(12) ? tbx : tbl)[d.bits(14, 13) << 1 | d.bits(30, 30)];
  return true;
}

// ---- rows ----

template <class Family>
constexpr auto permute = decode_vector<Family, sizes_bhsd, Sign::is_unsigned>;

constexpr Row::Needs fp = Row::Needs::fp;

constexpr Row rows[] = {
    // clang-format off
    {encoding("0 Q 0 01110 size 0 Rm 0 001 10 Rn Rd"),   "UZP1",     permute<Unzip<0>>, fp},
    {encoding("0 Q 0 01110 size 0 Rm 0 010 10 Rn Rd"),   "TRN1",     permute<Transpose<0>>, fp},
    {encoding("0 Q 0 01110 size 0 Rm 0 011 10 Rn Rd"),   "ZIP1",     permute<Zip<0>>, fp},
    {encoding("0 Q 0 01110 size 0 Rm 0 101 10 Rn Rd"),   "UZP2",     permute<Unzip<1>>, fp},
    {encoding("0 Q 0 01110 size 0 Rm 0 110 10 Rn Rd"),   "TRN2",     permute<Transpose<1>>, fp},
    {encoding("0 Q 0 01110 size 0 Rm 0 111 10 Rn Rd"),   "ZIP2",     permute<Zip<1>>, fp},
    {encoding("0 Q 1 01110 00 0 Rm 0 imm4 0 Rn Rd"),     "EXT",      decode_extract, fp},
    {encoding("0 Q 0 01110 00 0 Rm 0 len op 00 Rn Rd"),  "TBL, TBX", decode_table, fp},
    // clang-format on
};

}  // namespace
}  // namespace simd_permute

std::span<const Row> simd_permute_rows() { return simd_permute::rows; }

}  // namespace asterism::a64
