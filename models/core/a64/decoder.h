// Decodes instruction words to operations.
//
// The encodings are in tables, one row each, written like the diagrams of the manual (Arm DDI 0487, C4):
//
//   constexpr Row rows[] = {
//       {encoding("sf 0 0 100010 sh imm12 Rn Rd"), "ADD (immediate)", decode_add_immediate},
//
// A group of instructions (branches.cpp, load_store.cpp, ...) exports its rows; decoder.cpp joins them. If
// two rows match a word, the one with more fixed bits applies. An instruction is UNDEFINED if no row matches,
// or if the decode function returns false (a reserved combination).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/a64/operation.h"
#include "core/core_feature.h"
#include "core/core_timing.h"
#include "core/guest_rules.h"

namespace asterism::a64 {

struct Encoding {
  std::uint32_t mask = 0, value = 0;
  constexpr bool matches(std::uint32_t word) const { return (word & mask) == value; }
};

// The fields are named as in the manual, from bit 31 down. 0 and 1 are fixed bits, x is any bit. Names that
// end in a number (such as imm12, but not Rt2) have that many bits; the widths of the others are below. Does
// not compile unless there are 32 bits.
consteval Encoding encoding(std::string_view diagram);

// A cache with lines of 64 bytes. The number of sets is a power of two.
struct CacheGeometry {
  std::uint32_t sets = 0, ways = 0;
};

// How blocks are translated to code of the host (translator/).
struct Translation {
  std::uint32_t after = 0;           // so many executions of a block; 0: never
  std::size_t code_bytes = 1 << 19;  // when code has taken so much memory, all of it is dropped
  bool is_checked = false;           // by the interpreter (translator/lockstep.h)
};
// Unless Options::translation is set. Each program has one.
extern const Translation usual_translation;

// The optional parts of an implementation.
struct Options {
  CoreFeatures features{usual_features};
  bool gic = false;  // system registers of a GICv3's CPU interface, implemented by the host
  // The host's data caches, the L1 first. The host is notified of maintenance operations, and of accesses
  // that bypass the caches.
  static constexpr std::size_t max_cache_levels = 3;
  std::array<CacheGeometry, max_cache_levels> data_caches{};  // those after the last one have no sets
  bool has_data_caches() const { return data_caches[0].sets != 0; }
  GuestRules rules{};
  // A load that the host refuses is a data abort (synchronous external abort) instead of an SError.
  bool aborts_refused_loads = false;
  // When decoded blocks have taken more memory than this, all are dropped.
  std::size_t block_bytes = 3 << 19;
  Translation translation = usual_translation;
  std::shared_ptr<const CoreTiming> timing{};  // nullptr: Iss::executed_time() is not counted
};

// The state that the decoding of a block depends on. Instructions that change it end a block.
struct Context {
  bool el0 = false;         // executes at EL0
  bool fp_enabled = false;  // CPACR_EL1.FPEN allows SIMD and floating point at this level
  bool interprets = false;  // its blocks are never translated
  std::uint8_t code() const { return static_cast<std::uint8_t>(el0 | fp_enabled << 1 | interprets << 2); }
  static Context of_code(std::uint8_t code) { return {(code & 1) != 0, (code & 2) != 0, (code & 4) != 0}; }
  bool operator==(const Context&) const = default;
};

// An instruction that is being decoded: its word and the resulting operation.
class Decoding {
 public:
  Decoding(std::uint32_t word, Context context, const Options& options, std::vector<std::uint64_t>& constants)
      : word(word), context(context), options(options), constants_(constants) {}

  const std::uint32_t word;
  const Context context;
  const Options& options;

  Operation op;
  bool ends_block = false;  // may change the control flow, or the meaning of later instructions

  constexpr std::uint32_t bits(unsigned high, unsigned low) const {
    return word >> low & static_cast<std::uint32_t>((std::uint64_t{2} << (high - low)) - 1);
  }
  constexpr bool bit(unsigned at) const { return word >> at & 1; }
  constexpr std::int64_t signed_bits(unsigned high, unsigned low) const {
    return static_cast<std::int64_t>(std::uint64_t{bits(high, low)} << (63 - (high - low))) >>
           (63 - (high - low));
  }
  // General-purpose registers. As a source, 31 is zero or the stack pointer; as a target, it is discarded or
  // the stack pointer.
  std::uint8_t source(unsigned low) const { return static_cast<std::uint8_t>(bits(low + 4, low)); }
  std::uint8_t source_or_sp(unsigned low) const { return or_index(low, 32); }
  std::uint8_t target(unsigned low) const { return or_index(low, 33); }
  std::uint8_t target_or_sp(unsigned low) const { return or_index(low, 32); }
  // SIMD and floating-point registers.
  std::uint8_t vector(unsigned low) const { return source(low); }

  // Gives the operation a 64-bit constant (Operation::wide()), at most one.
  void wide(std::uint64_t constant) {
    op.imm = static_cast<std::uint32_t>(constants_.size());
    constants_.push_back(constant);
    is_wide_ = true;
  }
  bool is_wide() const { return is_wide_; }
  void drop_constants() {
    if (is_wide_) constants_.pop_back();
    is_wide_ = false;
  }

 private:
  std::uint8_t or_index(unsigned low, std::uint8_t index) const {
    const std::uint8_t number = source(low);
    return number == 31 ? index : number;
  }
  std::vector<std::uint64_t>& constants_;
  bool is_wide_ = false;
};

struct Row {
  Encoding encoding;
  const char* name;  // of the manual's section
  bool (*decode)(Decoding&);
  // The rows from `fp` on also need SIMD and floating point to be enabled.
  enum class Needs : std::uint8_t {
    nothing,
    crc32,
    lse,
    rcpc,
    fp,
    aes,
    pmull,
    sha1,
    sha2,
    rdm,
    dotprod,
    fp16
  };
  Needs needs = Needs::nothing;
};

// The rows of each group.
std::span<const Row> branch_rows();
std::span<const Row> data_processing_immediate_rows();
std::span<const Row> data_processing_register_rows();
std::span<const Row> load_store_rows();
std::span<const Row> exclusive_rows();  // exclusives, acquire and release, LSE atomics
std::span<const Row> system_rows();
std::span<const Row> floating_point_rows();  // scalar
std::span<const Row> simd_rows();            // integer, permutations, copies, immediates
std::span<const Row> simd_floating_point_rows();
std::span<const Row> simd_load_store_rows();  // LD1 to LD4, ST1 to ST4

// Whether the row needs a feature that is not configured.
bool is_left_out(const Row& row, const Options& options);
// The row of a word; nullptr: none. Rows of features that are not configured (Options) are ignored.
const Row* find_row(std::uint32_t word, const Options& options);
// All rows, for tests that generate instructions from them.
std::vector<const Row*> all_rows();

// Fills in decoding.op. An UNDEFINED instruction becomes an operation that raises the exception.
void decode(Decoding& decoding);

// ---- encoding(): how diagrams are read ----

namespace detail {
struct FieldWidth {
  std::string_view name;
  unsigned bits;
};
inline constexpr FieldWidth field_widths[] = {
    {"sf", 1},    {"sh", 1},     {"op", 1},     {"S", 1},    {"N", 1},      {"immr", 6}, {"imms", 6},
    {"immlo", 2}, {"immhi", 19}, {"hw", 2},     {"cond", 4}, {"nzcv", 4},   {"b5", 1},   {"b40", 5},
    {"Rd", 5},    {"Rn", 5},     {"Rm", 5},     {"Ra", 5},   {"C", 1},      {"Rt", 5},   {"Rt2", 5},
    {"Rs", 5},    {"shift", 2},  {"option", 3}, {"o0", 1},   {"o1", 1},     {"o2", 1},   {"o3", 1},
    {"size", 2},  {"opc", 2},    {"V", 1},      {"L", 1},    {"A", 1},      {"R", 1},    {"Q", 1},
    {"U", 1},     {"sz", 1},     {"CRn", 4},    {"CRm", 4},  {"op0", 1},    {"op1", 3},  {"op2", 3},
    {"ptype", 2}, {"rmode", 2},  {"scale", 6},  {"H", 1},    {"M", 1},      {"immh", 4}, {"immb", 3},
    {"cmode", 4}, {"a", 1},      {"b", 1},      {"c", 1},    {"d", 1},      {"e", 1},    {"f", 1},
    {"g", 1},     {"h", 1},      {"i", 1},      {"len", 2},  {"opcode", 4},
};
consteval unsigned field_width(std::string_view name) {
  for (const FieldWidth& field : field_widths)
    if (field.name == name) return field.bits;
  unsigned width = 0;
  for (const char c : name)
    if (c >= '0' && c <= '9') width = width * 10 + static_cast<unsigned>(c - '0');
  if (width == 0) throw "a field of unknown width";
  return width;
}
consteval bool is_fixed(std::string_view token) {
  for (const char c : token)
    if (c != '0' && c != '1' && c != 'x') return false;
  return true;
}
}  // namespace detail

consteval Encoding encoding(std::string_view diagram) {
  Encoding result;
  unsigned used = 0;
  const auto add = [&](unsigned bits, std::uint32_t mask, std::uint32_t value) {
    result.mask = bits == 32 ? mask : result.mask << bits | mask;
    result.value = bits == 32 ? value : result.value << bits | value;
    used += bits;
  };
  while (!diagram.empty()) {
    const std::size_t end = diagram.find(' ') < diagram.size() ? diagram.find(' ') : diagram.size();
    const std::string_view token = diagram.substr(0, end);
    diagram.remove_prefix(end < diagram.size() ? end + 1 : end);
    if (detail::is_fixed(token)) {
      for (const char c : token) add(1, c != 'x', c == '1');
    } else {
      add(detail::field_width(token), 0, 0);
    }
  }
  if (used != 32) throw "a diagram without 32 bits";
  return result;
}

}  // namespace asterism::a64
