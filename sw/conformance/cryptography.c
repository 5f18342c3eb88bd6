// AES, SHA-1, SHA-256 and PMULL by the core's instructions, compared with published answers: FIPS 197
// appendix C, the examples of FIPS 180-4, and the test cases of GCM's specification (McGrew and Viega).
// Instructions that a core lacks are left out, and a line says so.
//
//   conformance_cryptography
//
// The exit status is 1 if an answer differs from the published one.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#pragma GCC target("+crypto")
#include <arm_neon.h>

static bool all_right = true;

static void print_result(const char* what, const uint8_t* actual, const uint8_t* expected, unsigned size) {
  const bool is_right = memcmp(actual, expected, size) == 0;
  printf("%s: ", what);
  for (unsigned i = 0; i < size; ++i) printf("%02x", actual[i]);
  printf("%s\n", is_right ? "" : ", NOT as published");
  all_right = all_right && is_right;
}

// Field `low` of ID_AA64ISAR0_EL1.
static unsigned announced(unsigned low) {
  uint64_t features;
  __asm__("mrs %0, id_aa64isar0_el1" : "=r"(features));
  return features >> low & 0xf;
}

// ---- AES ----

typedef struct {
  uint8x16_t round[15];
  unsigned rounds;
} AesKey;

// AESE of four equal columns, so that the shift of rows has no effect.
static uint32_t substituted(uint32_t word) {
  const uint8x16_t columns = vreinterpretq_u8_u32(vdupq_n_u32(word));
  return vgetq_lane_u32(vreinterpretq_u32_u8(vaeseq_u8(columns, vdupq_n_u8(0))), 0);
}

static AesKey expand(const uint8_t* key, unsigned words) {
  uint32_t schedule[60];
  AesKey result = {.rounds = words + 6};
  uint32_t constant = 1;
  memcpy(schedule, key, 4 * words);
  for (unsigned i = words; i < 4 * (result.rounds + 1); ++i) {
    uint32_t word = schedule[i - 1];
    if (i % words == 0) {
      word = substituted(word >> 8 | word << 24) ^ constant;
      constant = constant << 1 ^ (constant & 0x80 ? 0x11b : 0);
    } else if (words > 6 && i % words == 4) {
      word = substituted(word);
    }
    schedule[i] = schedule[i - words] ^ word;
  }
  for (unsigned i = 0; i <= result.rounds; ++i)
    result.round[i] = vreinterpretq_u8_u32(vld1q_u32(&schedule[4 * i]));
  return result;
}

static uint8x16_t encrypt(const AesKey* key, uint8x16_t block) {
  for (unsigned i = 0; i + 1 < key->rounds; ++i) block = vaesmcq_u8(vaeseq_u8(block, key->round[i]));
  return veorq_u8(vaeseq_u8(block, key->round[key->rounds - 1]), key->round[key->rounds]);
}

static uint8x16_t decrypt(const AesKey* key, uint8x16_t block) {
  block = vaesimcq_u8(vaesdq_u8(block, key->round[key->rounds]));
  for (unsigned i = key->rounds - 1; i > 1; --i)
    block = vaesimcq_u8(vaesdq_u8(block, vaesimcq_u8(key->round[i])));
  return veorq_u8(vaesdq_u8(block, vaesimcq_u8(key->round[1])), key->round[0]);
}

static void aes(void) {
  static const uint8_t answers[3][16] = {
      {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a},
      {0xdd, 0xa9, 0x7c, 0xa4, 0x86, 0x4c, 0xdf, 0xe0, 0x6e, 0xaf, 0x70, 0xa0, 0xec, 0x0d, 0x71, 0x91},
      {0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf, 0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49, 0x60, 0x89}};
  uint8_t secret[32], plain[16], block[16];
  for (unsigned i = 0; i < sizeof secret; ++i) secret[i] = i;
  for (unsigned i = 0; i < sizeof plain; ++i) plain[i] = i * 0x11;
  for (unsigned i = 0; i < 3; ++i) {
    const AesKey key = expand(secret, 4 + 2 * i);
    char name[32];
    snprintf(name, sizeof name, "AES-%u", 128 + 64 * i);
    vst1q_u8(block, encrypt(&key, vld1q_u8(plain)));
    print_result(name, block, answers[i], sizeof block);
    vst1q_u8(block, decrypt(&key, vld1q_u8(block)));
    print_result("  and back", block, plain, sizeof block);
  }
}

// ---- SHA ----

// A message with its padding, and its length in blocks of 64 bytes.
static unsigned padded(uint8_t* blocks, const char* message) {
  const size_t length = strlen(message), size = (length + 9 + 63) / 64 * 64;
  memset(blocks, 0, size);
  memcpy(blocks, message, length);
  blocks[length] = 0x80;
  for (unsigned i = 0; i < 8; ++i) blocks[size - 1 - i] = (uint8_t)((uint64_t)length * 8 >> (8 * i));
  return (unsigned)(size / 64);
}

static uint32x4_t big_endian(const uint8_t* bytes) {
  return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes)));
}
static void put_big_endian(uint8_t* bytes, uint32x4_t words) {
  vst1q_u8(bytes, vrev32q_u8(vreinterpretq_u8_u32(words)));
}

static void sha1_block(uint32x4_t* abcd, uint32_t* e, const uint8_t* block) {
  static const uint32_t constants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
  uint32x4_t w[4], x = *abcd;
  uint32_t y = *e;
  for (unsigned i = 0; i < 4; ++i) w[i] = big_endian(block + 16 * i);
  for (unsigned i = 0; i < 20; ++i) {
    const uint32x4_t sum = vaddq_u32(w[0], vdupq_n_u32(constants[i / 5]));
    const uint32_t next = vsha1h_u32(vgetq_lane_u32(x, 0));
    x = i < 5 ? vsha1cq_u32(x, y, sum) : i >= 10 && i < 15 ? vsha1mq_u32(x, y, sum) : vsha1pq_u32(x, y, sum);
    y = next;
    const uint32x4_t words = vsha1su1q_u32(vsha1su0q_u32(w[0], w[1], w[2]), w[3]);
    w[0] = w[1], w[1] = w[2], w[2] = w[3], w[3] = words;
  }
  *abcd = vaddq_u32(*abcd, x);
  *e += y;
}

static void sha1(const char* name, const char* message, const uint8_t* answer) {
  static const uint32_t first[] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  uint8_t blocks[192], digest[20];
  uint32x4_t abcd = vld1q_u32(first);
  uint32_t e = 0xc3d2e1f0;
  const unsigned count = padded(blocks, message);
  for (unsigned i = 0; i < count; ++i) sha1_block(&abcd, &e, blocks + 64 * i);
  put_big_endian(digest, abcd);
  for (unsigned i = 0; i < 4; ++i) digest[16 + i] = (uint8_t)(e >> (24 - 8 * i));
  print_result(name, digest, answer, sizeof digest);
}

static void sha256_block(uint32x4_t state[2], const uint8_t* block) {
  static const uint32_t constants[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  uint32x4_t w[4], x = state[0], y = state[1];
  for (unsigned i = 0; i < 4; ++i) w[i] = big_endian(block + 16 * i);
  for (unsigned i = 0; i < 16; ++i) {
    const uint32x4_t sum = vaddq_u32(w[0], vld1q_u32(&constants[4 * i])), before = x;
    x = vsha256hq_u32(x, y, sum);
    y = vsha256h2q_u32(y, before, sum);
    const uint32x4_t words = vsha256su1q_u32(vsha256su0q_u32(w[0], w[1]), w[2], w[3]);
    w[0] = w[1], w[1] = w[2], w[2] = w[3], w[3] = words;
  }
  state[0] = vaddq_u32(state[0], x);
  state[1] = vaddq_u32(state[1], y);
}

static void sha256(const char* name, const char* message, const uint8_t* answer) {
  static const uint32_t first[] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint8_t blocks[192], digest[32];
  uint32x4_t state[2] = {vld1q_u32(first), vld1q_u32(first + 4)};
  const unsigned count = padded(blocks, message);
  for (unsigned i = 0; i < count; ++i) sha256_block(state, blocks + 64 * i);
  put_big_endian(digest, state[0]);
  put_big_endian(digest + 16, state[1]);
  print_result(name, digest, answer, sizeof digest);
}

static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

static void sha1_examples(void) {
  static const uint8_t of_abc[] = {0xa9, 0x99, 0x3e, 0x36, 0x47, 0x06, 0x81, 0x6a, 0xba, 0x3e,
                                   0x25, 0x71, 0x78, 0x50, 0xc2, 0x6c, 0x9c, 0xd0, 0xd8, 0x9d};
  static const uint8_t of_two[] = {0x84, 0x98, 0x3e, 0x44, 0x1c, 0x3b, 0xd2, 0x6e, 0xba, 0xae,
                                   0x4a, 0xa1, 0xf9, 0x51, 0x29, 0xe5, 0xe5, 0x46, 0x70, 0xf1};
  sha1("SHA-1 of one block", "abc", of_abc);
  sha1("SHA-1 of two blocks", two_blocks, of_two);
}

static void sha256_examples(void) {
  static const uint8_t of_abc[] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40,
                                   0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17,
                                   0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
  static const uint8_t of_two[] = {0x24, 0x8d, 0x6a, 0x61, 0xd2, 0x06, 0x38, 0xb8, 0xe5, 0xc0, 0x26,
                                   0x93, 0x0c, 0x3e, 0x60, 0x39, 0xa3, 0x3c, 0xe4, 0x59, 0x64, 0xff,
                                   0x21, 0x67, 0xf6, 0xec, 0xed, 0xd4, 0x19, 0xdb, 0x06, 0xc1};
  sha256("SHA-256 of one block", "abc", of_abc);
  sha256("SHA-256 of two blocks", two_blocks, of_two);
}

// ---- GHASH by PMULL ----

// Multiplication in GF(2^128), modulo x^128 + x^7 + x^2 + x + 1: with the bits of its bytes reversed, a block
// is a number whose bit i is x^i.
static uint64x2_t product(poly64_t a, poly64_t b) { return vreinterpretq_u64_p128(vmull_p64(a, b)); }
static uint8x16_t multiplied(uint8x16_t a, uint8x16_t b) {
  const poly64x2_t x = vreinterpretq_p64_u8(vrbitq_u8(a)), y = vreinterpretq_p64_u8(vrbitq_u8(b));
  const uint64x2_t low = product(vgetq_lane_p64(x, 0), vgetq_lane_p64(y, 0));
  const uint64x2_t high = vreinterpretq_u64_p128(vmull_high_p64(x, y));
  const uint64x2_t middle = veorq_u64(product(vgetq_lane_p64(x, 0), vgetq_lane_p64(y, 1)),
                                      product(vgetq_lane_p64(x, 1), vgetq_lane_p64(y, 0)));
  uint64_t words[4] = {vgetq_lane_u64(low, 0), vgetq_lane_u64(low, 1) ^ vgetq_lane_u64(middle, 0),
                       vgetq_lane_u64(high, 0) ^ vgetq_lane_u64(middle, 1), vgetq_lane_u64(high, 1)};
  for (unsigned i = 3; i >= 2; --i) {
    const uint64x2_t folded = product((poly64_t)words[i], (poly64_t)0x87);
    words[i - 2] ^= vgetq_lane_u64(folded, 0);
    words[i - 1] ^= vgetq_lane_u64(folded, 1);
  }
  return vrbitq_u8(vreinterpretq_u8_u64(vld1q_u64(words)));
}

static void ghash(void) {
  static const uint8_t text[] = {0x03, 0x88, 0xda, 0xce, 0x60, 0xb6, 0xa3, 0x92,
                                 0xf3, 0x28, 0xc2, 0xb9, 0x71, 0xb2, 0xfe, 0x78};
  static const uint8_t lengths[16] = {[15] = 128};
  static const uint8_t answer[] = {0xf3, 0x8c, 0xbb, 0x1a, 0xd6, 0x92, 0x23, 0xdc,
                                   0xc3, 0x45, 0x7a, 0xe5, 0xb6, 0xb0, 0xf8, 0x85};
  static const uint8_t key[] = {0x66, 0xe9, 0x4b, 0xd4, 0xef, 0x8a, 0x2c, 0x3b,
                                0x88, 0x4c, 0xfa, 0x59, 0xca, 0x34, 0x2b, 0x2e};
  uint8_t block[16];
  const uint8x16_t h = vld1q_u8(key);
  vst1q_u8(block, multiplied(veorq_u8(multiplied(vld1q_u8(text), h), vld1q_u8(lengths)), h));
  print_result("GHASH of GCM's test case 2", block, answer, sizeof block);
}

int main(void) {
  const struct {
    const char* name;
    unsigned low, least;
    void (*examples)(void);
  } parts[] = {{"AES", 4, 1, aes},
               {"SHA-1", 8, 1, sha1_examples},
               {"SHA-256", 12, 1, sha256_examples},
               {"PMULL", 4, 2, ghash}};
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; ++i) {
    if (announced(parts[i].low) >= parts[i].least)
      parts[i].examples();
    else
      printf("%s is left out: this core has no instructions for it\n", parts[i].name);
  }
  return all_right ? 0 : 1;
}
