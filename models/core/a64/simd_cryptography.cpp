// Cryptographic AES and SHA, and PMULL of 64 bits (Arm DDI 0487, C4.1.96: cryptographic AES, two-register
// SHA, three-register SHA; J1.3: shared/functions/crypto). The algorithms are those of FIPS 197 and FIPS
// 180-4.
#include <array>
#include <bit>
#include <utility>

#include "core/a64/simd_tables.h"

namespace asterism::a64 {
namespace simd_cryptography {
namespace {

// ---- AES: byte i of a register is row i % 4 of column i / 4 ----

// Arithmetic in GF(2^8), modulo x^8 + x^4 + x^3 + x + 1.
constexpr std::uint8_t times_x(std::uint8_t a) {
  return static_cast<std::uint8_t>(a << 1 ^ (a & 0x80 ? 0x1b : 0));
}
constexpr std::uint8_t times(std::uint8_t a, unsigned factor) {
  std::uint8_t result = 0;
  for (; factor != 0; factor >>= 1, a = times_x(a))
    if (factor & 1) result ^= a;
  return result;
}

using Bytes256 = std::array<std::uint8_t, 256>;

constexpr Bytes256 substitutions = [] {
  Bytes256 result{};
  // Powers of 3 and of its inverse, which are all elements except 0.
  std::uint8_t power = 1, inverse = 1;
  do {
    power = times(power, 3);
    inverse = times(inverse, 0xf6);
    const std::uint8_t turned = inverse ^ std::rotl(inverse, 1) ^ std::rotl(inverse, 2) ^
                                std::rotl(inverse, 3) ^ std::rotl(inverse, 4);
    result[power] = turned ^ 0x63;
  } while (power != 1);
  result[0] = 0x63;
  return result;
}();
constexpr Bytes256 inverse_substitutions = [] {
  Bytes256 result{};
  for (unsigned i = 0; i < 256; ++i) result[substitutions[i]] = static_cast<std::uint8_t>(i);
  return result;
}();
static_assert(substitutions[0x53] == 0xed && inverse_substitutions[0x53] == 0x50);

// AddRoundKey, ShiftRows and SubBytes, or the inverse of the latter two.
template <bool decrypts>
void aes_round(Cpu& cpu, const Operation& op) {
  const auto a = lanes<std::uint8_t>(cpu.v[op.rd]), key = lanes<std::uint8_t>(cpu.v[op.rn]);
  constexpr const Bytes256& box = decrypts ? inverse_substitutions : substitutions;
  Lanes<std::uint8_t> result;
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned from = (i + (decrypts ? 12u : 4u) * (i % 4)) % 16;
    result[i] = box[a[from] ^ key[from]];
  }
  put(cpu.v[op.rd], result);
}

// Each column times the polynomial that begins with these factors.
template <unsigned f0, unsigned f1, unsigned f2, unsigned f3>
void aes_mix_columns(Cpu& cpu, const Operation& op) {
  static constexpr auto products = [] {
    std::array<std::uint32_t, 256> result{};
    for (unsigned i = 0; i < 256; ++i) {
      const auto a = static_cast<std::uint8_t>(i);
      result[i] = times(a, f0) | times(a, f3) << 8 | times(a, f2) << 16 |
                  static_cast<std::uint32_t>(times(a, f1)) << 24;
    }
    return result;
  }();
  const auto a = lanes<std::uint8_t>(cpu.v[op.rn]);
  Lanes<std::uint32_t> result;
  for (unsigned column = 0; column < 4; ++column) {
    result[column] = 0;
    for (unsigned row = 0; row < 4; ++row)
      result[column] ^= std::rotl(products[a[4 * column + row]], static_cast<int>(8 * row));
  }
  put(cpu.v[op.rd], result);
}

// ---- SHA ----

using Words = Lanes<std::uint32_t>;

constexpr std::uint32_t choose(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return ((y ^ z) & x) ^ z;
}
constexpr std::uint32_t parity(std::uint32_t x, std::uint32_t y, std::uint32_t z) { return x ^ y ^ z; }
constexpr std::uint32_t majority(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return (x & y) | ((x | y) & z);
}

// Four rounds of SHA-1: Vd is a to d, Sn is e, Vm the schedule with the round's constant.
template <auto f>
void sha1_rounds(Cpu& cpu, const Operation& op) {
  Words x = lanes<std::uint32_t>(cpu.v[op.rd]);
  auto y = static_cast<std::uint32_t>(cpu.v[op.rn].d[0]);
  const Words w = lanes<std::uint32_t>(cpu.v[op.rm]);
  for (const std::uint32_t word : w) {
    const std::uint32_t next = y + std::rotl(x[0], 5) + f(x[1], x[2], x[3]) + word;
    y = x[3];
    x = {next, x[0], std::rotl(x[1], 30), x[2]};
  }
  put(cpu.v[op.rd], x);
}
void sha1_turn(Cpu& cpu, const Operation& op) {
  cpu.v[op.rd].d = {std::rotl(static_cast<std::uint32_t>(cpu.v[op.rn].d[0]), 30), 0};
}
void sha1_schedule_0(Cpu& cpu, const Operation& op) {
  const auto d = cpu.v[op.rd].d, n = cpu.v[op.rn].d, m = cpu.v[op.rm].d;
  cpu.v[op.rd].d = {d[1] ^ d[0] ^ m[0], n[0] ^ d[1] ^ m[1]};
}
void sha1_schedule_1(Cpu& cpu, const Operation& op) {
  const Words d = lanes<std::uint32_t>(cpu.v[op.rd]), n = lanes<std::uint32_t>(cpu.v[op.rn]);
  Words result;
  for (unsigned i = 0; i < 4; ++i) result[i] = std::rotl(d[i] ^ (i < 3 ? n[i + 1] : 0), 1);
  result[3] ^= std::rotl(result[0], 1);
  put(cpu.v[op.rd], result);
}

// Four rounds of SHA-256: x is a to d, y is e to h.
struct Sha256 {
  Words x, y;
};
Sha256 sha256_rounds(Words x, Words y, const Words& w) {
  for (const std::uint32_t word : w) {
    const std::uint32_t sigma1 = std::rotr(y[0], 6) ^ std::rotr(y[0], 11) ^ std::rotr(y[0], 25);
    const std::uint32_t sigma0 = std::rotr(x[0], 2) ^ std::rotr(x[0], 13) ^ std::rotr(x[0], 22);
    const std::uint32_t t = y[3] + sigma1 + choose(y[0], y[1], y[2]) + word;
    const std::uint32_t e = t + x[3], a = t + sigma0 + majority(x[0], x[1], x[2]);
    x = {a, x[0], x[1], x[2]};
    y = {e, y[0], y[1], y[2]};
  }
  return {x, y};
}
void sha256_first_half(Cpu& cpu, const Operation& op) {
  put(cpu.v[op.rd], sha256_rounds(lanes<std::uint32_t>(cpu.v[op.rd]), lanes<std::uint32_t>(cpu.v[op.rn]),
                                  lanes<std::uint32_t>(cpu.v[op.rm]))
                        .x);
}
void sha256_second_half(Cpu& cpu, const Operation& op) {
  put(cpu.v[op.rd], sha256_rounds(lanes<std::uint32_t>(cpu.v[op.rn]), lanes<std::uint32_t>(cpu.v[op.rd]),
                                  lanes<std::uint32_t>(cpu.v[op.rm]))
                        .y);
}
void sha256_schedule_0(Cpu& cpu, const Operation& op) {
  const Words d = lanes<std::uint32_t>(cpu.v[op.rd]), n = lanes<std::uint32_t>(cpu.v[op.rn]);
  Words result;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t next = i < 3 ? d[i + 1] : n[0];
    result[i] = d[i] + (std::rotr(next, 7) ^ std::rotr(next, 18) ^ next >> 3);
  }
  put(cpu.v[op.rd], result);
}
void sha256_schedule_1(Cpu& cpu, const Operation& op) {
  const Words d = lanes<std::uint32_t>(cpu.v[op.rd]), n = lanes<std::uint32_t>(cpu.v[op.rn]);
  const Words m = lanes<std::uint32_t>(cpu.v[op.rm]);
  Words result;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t two_before = i < 2 ? m[i + 2] : result[i - 2];
    const std::uint32_t seven_before = i < 3 ? n[i + 1] : m[0];
    result[i] =
        d[i] + seven_before + (std::rotr(two_before, 17) ^ std::rotr(two_before, 19) ^ two_before >> 10);
  }
  put(cpu.v[op.rd], result);
}

// ---- PMULL, PMULL2: 64 bits by 64 without carries ----

template <unsigned half>
void polynomial_multiply_long(Cpu& cpu, const Operation& op) {
  const std::uint64_t a = cpu.v[op.rn].d[half], b = cpu.v[op.rm].d[half];
  std::uint64_t low = 0, high = 0;
  for (unsigned i = 0; i < 64; ++i) {
    const std::uint64_t mask = 0 - (b >> i & 1);
    low ^= a << i & mask;
    high ^= a >> 1 >> (63 - i) & mask;
  }
  cpu.v[op.rd].d = {low, high};
}

// ---- rows ----

template <auto work>
bool decode_as(Decoding& d) {
  take_registers(d);
  d.op.run = step<work>;
  return true;
}
bool decode_multiply_long(Decoding& d) {
  take_registers(d);
  d.op.run = d.bit(30) ? step<polynomial_multiply_long<1>> : step<polynomial_multiply_long<0>>;
  return true;
}

using enum Row::Needs;

constexpr Row rows[] = {
    // clang-format off
    {encoding("01001110 00 10100 00100 10 Rn Rd"),    "AESE",       decode_as<aes_round<false>>, aes},
    {encoding("01001110 00 10100 00101 10 Rn Rd"),    "AESD",       decode_as<aes_round<true>>, aes},
    {encoding("01001110 00 10100 00110 10 Rn Rd"),    "AESMC",      decode_as<aes_mix_columns<2, 3, 1, 1>>, aes},
    {encoding("01001110 00 10100 00111 10 Rn Rd"),    "AESIMC",     decode_as<aes_mix_columns<14, 11, 13, 9>>, aes},

    {encoding("01011110 00 0 Rm 0 000 00 Rn Rd"),     "SHA1C",      decode_as<sha1_rounds<choose>>, sha1},
    {encoding("01011110 00 0 Rm 0 001 00 Rn Rd"),     "SHA1P",      decode_as<sha1_rounds<parity>>, sha1},
    {encoding("01011110 00 0 Rm 0 010 00 Rn Rd"),     "SHA1M",      decode_as<sha1_rounds<majority>>, sha1},
    {encoding("01011110 00 0 Rm 0 011 00 Rn Rd"),     "SHA1SU0",    decode_as<sha1_schedule_0>, sha1},
    {encoding("01011110 00 0 Rm 0 100 00 Rn Rd"),     "SHA256H",    decode_as<sha256_first_half>, sha2},
    {encoding("01011110 00 0 Rm 0 101 00 Rn Rd"),     "SHA256H2",   decode_as<sha256_second_half>, sha2},
    {encoding("01011110 00 0 Rm 0 110 00 Rn Rd"),     "SHA256SU1",  decode_as<sha256_schedule_1>, sha2},
    {encoding("01011110 00 10100 00000 10 Rn Rd"),    "SHA1H",      decode_as<sha1_turn>, sha1},
    {encoding("01011110 00 10100 00001 10 Rn Rd"),    "SHA1SU1",    decode_as<sha1_schedule_1>, sha1},
    {encoding("01011110 00 10100 00010 10 Rn Rd"),    "SHA256SU0",  decode_as<sha256_schedule_0>, sha2},

    {encoding("0 Q 0 01110 11 1 Rm 1110 00 Rn Rd"),   "PMULL (64 bits)", decode_multiply_long, pmull},
    // clang-format on
};

}  // namespace
}  // namespace simd_cryptography

std::span<const Row> simd_cryptography_rows() { return simd_cryptography::rows; }

}  // namespace asterism::a64
