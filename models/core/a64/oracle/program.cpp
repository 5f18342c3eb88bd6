#include "core/a64/oracle/program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "core/a64/oracle/known_differences.h"
#include "core/a64/soft_float.h"

namespace asterism::a64::oracle {
namespace {

constexpr unsigned branch_register = 17, first_reserved = 18, first_base = 24, first_aligned_base = 26;

constexpr std::uint32_t field(std::uint32_t word, unsigned low, unsigned bits) {
  return word >> low & ((1u << bits) - 1);
}
constexpr void set_field(std::uint32_t& word, unsigned low, unsigned bits, std::uint32_t value) {
  const std::uint32_t mask = ((1u << bits) - 1) << low;
  word = (word & ~mask) | (value << low & mask);
}
constexpr bool is(std::uint32_t word, std::uint32_t mask, std::uint32_t value) {
  return (word & mask) == value;
}

// The groups of DDI 0487, C4.1.
constexpr bool is_load_store(std::uint32_t word) { return is(word, 0x0a00'0000, 0x0800'0000); }
constexpr bool is_system(std::uint32_t word) { return is(word, 0xff00'0000, 0xd500'0000); }
constexpr bool is_exception(std::uint32_t word) { return is(word, 0xff00'0000, 0xd400'0000); }
constexpr bool is_branch(std::uint32_t word) {
  return is(word, 0x1c00'0000, 0x1400'0000) && !is_system(word);
}
constexpr bool is_indirect(std::uint32_t word) { return is(word, 0xfe00'0000, 0xd600'0000); }
constexpr bool is_return_from_exception(std::uint32_t word) { return is(word, 0xffff'ffff, 0xd69f'03e0); }

constexpr bool is_literal(std::uint32_t word) { return is(word, 0x3b00'0000, 0x1800'0000); }
constexpr bool is_exclusive_group(std::uint32_t word) { return is(word, 0x3f00'0000, 0x0800'0000); }
constexpr bool is_compare_and_swap(std::uint32_t word) {  // CAS; CASP
  return is(word, 0x3fa0'7c00, 0x08a0'7c00) || is(word, 0xbfa0'7c00, 0x0820'7c00);
}
constexpr bool uses_monitor(std::uint32_t word) {
  return is(word, 0x3f80'0000, 0x0800'0000) && !is_compare_and_swap(word);
}
constexpr bool is_atomic(std::uint32_t word) { return is(word, 0x3f20'0c00, 0x3820'0000); }
constexpr bool is_pair(std::uint32_t word) { return is(word, 0x3a00'0000, 0x2800'0000); }
constexpr bool is_structure(std::uint32_t word) { return is(word, 0xbe00'0000, 0x0c00'0000); }
constexpr bool has_register_offset(std::uint32_t word) { return is(word, 0x3b20'0c00, 0x3820'0800); }
constexpr bool has_unsigned_offset(std::uint32_t word) { return is(word, 0x3b00'0000, 0x3900'0000); }

constexpr bool writes_back(std::uint32_t word) {
  if (is_structure(word)) return word >> 23 & 1;
  if (is_pair(word)) return word >> 23 & 1;
  return is(word, 0x3b20'0400, 0x3800'0400);
}

// Replaces reserved registers by others, even ones by even ones.
constexpr unsigned free_register(unsigned number) {
  if (number == branch_register) return number - 1;
  return number >= first_reserved && number < 29 ? number - 12 : number;
}
constexpr bool is_reserved(unsigned number) { return free_register(number) != number; }

struct SystemPlace {
  unsigned op0, op1, crn, crm, op2;
};
// Registers that are plain storage in both machines.
constexpr SystemPlace plain_registers[] = {
    {3, 3, 4, 2, 0},   // NZCV
    {3, 3, 4, 4, 0},   // FPCR
    {3, 3, 4, 4, 1},   // FPSR
    {3, 3, 13, 0, 2},  // TPIDR_EL0
    {3, 3, 13, 0, 3},  // TPIDRRO_EL0
    {3, 0, 13, 0, 4},  // TPIDR_EL1
};

bool is_plain_hint(std::uint32_t word) {  // neither YIELD, WFE nor WFI
  return is(word, 0xffff'f01f, 0xd503'201f) && (field(word, 5, 7) == 0 || field(word, 5, 7) > 3);
}
bool is_barrier(std::uint32_t word) { return is(word, 0xffff'f01f, 0xd503'301f); }
bool is_register_move(std::uint32_t word) { return is(word, 0xffd0'0000, 0xd510'0000); }

struct Class {
  const char* name;
  std::span<const Row> (*rows)();
};
constexpr Class class_table[] = {
    {"branches", branch_rows},
    {"immediate", data_processing_immediate_rows},
    {"register", data_processing_register_rows},
    {"load_store", load_store_rows},
    {"exclusive", exclusive_rows},
    {"system", system_rows},
    {"floating_point", floating_point_rows},
    {"simd", simd_rows},
    {"simd_floating_point", simd_floating_point_rows},
    {"simd_load_store", simd_load_store_rows},
};

// Data processing and branches.
bool is_integer(const Class& c) {
  return c.rows == branch_rows || c.rows == data_processing_immediate_rows ||
         c.rows == data_processing_register_rows;
}

bool decodes(const Row& row, std::uint32_t word, const Options& options) {
  if (find_row(word, options) != &row) return false;
  std::vector<std::uint64_t> constants;
  Decoding decoding(word, Context{.el0 = false, .fp_enabled = true}, options, constants);
  return row.decode(decoding);
}

}  // namespace

const std::vector<std::string>& Generator::classes() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Class& c : class_table) result.emplace_back(c.name);
    result.emplace_back("dense");
    return result;
  }();
  return names;
}

Generator::Generator(std::string_view of_class, std::string_view row_name, const Options& options,
                     std::uint64_t seed)
    : options_(options), random_(seed), mixed_(of_class == "all"), few_registers_(of_class == "dense") {
  for (const Class& c : class_table) {
    if (!mixed_ && of_class != c.name && !(few_registers_ && is_integer(c))) continue;
    for (const Row& row : c.rows()) {
      if (std::string_view(row.name).find(row_name) == std::string_view::npos || is_left_out(row, options))
        continue;
      std::uint32_t word = 0;
      bool any = false;
      for (int attempt = 0; attempt < 4096 && !any; ++attempt) choose_exclusives(), any = draw(row, word);
      if (!any) continue;
      rows_.push_back(&row);
      has_memory_ |= is_load_store(word);
      has_branches_ |= is_branch(word);
    }
  }
}

// ---- programs ----

// Whether a store-exclusive of another size than the load's succeeds is CONSTRAINED UNPREDICTABLE.
void Generator::choose_exclusives() {
  exclusive_pair_ = random_.next() & 1;
  exclusive_size_ = static_cast<unsigned>(exclusive_pair_ ? 2 + random_.below(2) : random_.below(4));
}

Program Generator::program(unsigned instructions) {
  std::vector<Slot> slots;
  while (slots.size() < instructions) {
    if (slots.empty()) choose_exclusives();  // the rows may need others
    const Row& row = *rows_[random_.below(rows_.size())];
    std::uint32_t word = 0;
    for (int attempt = 0; attempt < 64; ++attempt) {
      if (!draw(row, word)) continue;
      if (is_indirect(word)) slots.push_back({0x1000'0000 | branch_register});
      slots.push_back({word, is_indirect(word)});
      break;
    }
  }
  aim_branches(slots);
  Program result;
  for (const Slot& slot : slots) result.words.push_back(slot.word);
  return result;
}

// Branches go forward by a few instructions at most, and never between an ADR and the branch that uses it.
void Generator::aim_branches(std::vector<Slot>& slots) {
  for (std::size_t at = 0; at < slots.size(); ++at) {
    std::uint32_t& word = slots[at].word;
    if (!is_branch(word)) continue;
    std::size_t distance = 1 + random_.below(6);
    if (at + distance > slots.size()) distance = slots.size() - at;
    if (at + distance < slots.size() && slots[at + distance].is_behind_adr) ++distance;
    const auto words = static_cast<std::uint32_t>(distance);
    if (is_indirect(word)) {
      set_field(slots[at - 1].word, 5, 19, words + 1);
    } else if (is(word, 0x7c00'0000, 0x1400'0000)) {
      set_field(word, 0, 26, words);
    } else if (is(word, 0x7e00'0000, 0x3600'0000)) {
      set_field(word, 5, 14, words);
    } else {
      set_field(word, 5, 19, words);
    }
  }
}

bool Generator::draw(const Row& row, std::uint32_t& word) {
  word = row.encoding.value | (static_cast<std::uint32_t>(random_.next()) & ~row.encoding.mask);
  if (few_registers_ && !is_branch(word)) {
    for (const unsigned low : {0u, 5u, 16u})
      if (low != 16 || is(word, 0x0e00'0000, 0x0a00'0000)) word &= ~(0x1cu << low) | row.encoding.value;
  }
  return steer(word) && decodes(row, word, options_) && !known_difference(word, Aspect::execution);
}

bool Generator::steer(std::uint32_t& word) {
  if (is_exception(word) || is_return_from_exception(word)) return false;
  if (is_system(word)) {
    if (is_register_move(word)) {
      const SystemPlace& place = plain_registers[random_.below(std::size(plain_registers))];
      set_field(word, 5, 15,
                (place.op0 & 1) << 14 | place.op1 << 11 | place.crn << 7 | place.crm << 3 | place.op2);
      // FPCR and FPSR are not written: QEMU keeps the bits that only AArch32 has, which are RES0 here.
      if (place.crm == 4) word |= 1u << 21;
      steer_targets(word);
      return true;
    }
    return is_plain_hint(word) || is_barrier(word);
  }
  if (is_load_store(word)) return steer_load_store(word);
  if (is_indirect(word)) {
    set_field(word, 5, 5, branch_register);
  } else if (!is_branch(word)) {
    steer_targets(word);
  }
  return true;
}

void Generator::steer_targets(std::uint32_t& word) {
  if (mixed_) set_field(word, 0, 5, free_register(field(word, 0, 5)));
}

bool Generator::steer_load_store(std::uint32_t& word) {
  const bool is_vector = word >> 26 & 1;
  const unsigned rt = field(word, 0, 5), rt2 = field(word, 10, 5), rs = field(word, 16, 5);
  if (is_literal(word)) set_field(word, 5, 19, static_cast<std::uint32_t>(random_.below(0x2000)) - 0x1000);
  const bool is_aligned = is_exclusive_group(word) || is_atomic(word);
  if (!is_vector && is_reserved(rt)) set_field(word, 0, 5, free_register(rt));
  if (is_pair(word) && !is_vector) set_field(word, 10, 5, free_register(rt2));
  if (uses_monitor(word)) {
    if ((word >> 21 & 1) != exclusive_pair_) return false;
    set_field(word, 30, 2, exclusive_size_);
  }
  if (is_exclusive_group(word)) {
    if (!is_compare_and_swap(word)) set_field(word, 10, 5, free_register(rt2));
    // CASP writes the register behind Rs, too.
    set_field(word, 16, 5, is_compare_and_swap(word) && rs == branch_register - 1 ? 14 : free_register(rs));
    const bool is_store_exclusive = !(word >> 22 & 1) && !(word >> 23 & 1) && !is_compare_and_swap(word);
    if (is_store_exclusive && (field(word, 16, 5) == field(word, 0, 5) ||
                               ((word >> 21 & 1) && field(word, 16, 5) == field(word, 10, 5))))
      return false;  // CONSTRAINED UNPREDICTABLE, as the next ones
  }
  const bool loads_pair =
      (is_pair(word) || (is_exclusive_group(word) && (word >> 21 & 1))) && (word >> 22 & 1);
  if (loads_pair && !is_compare_and_swap(word) && field(word, 0, 5) == field(word, 10, 5)) return false;

  if (is_literal(word)) return true;
  if (has_register_offset(word)) {
    const unsigned option = field(word, 13, 3);
    static constexpr std::array<unsigned, 3> narrow = {20, 21, 22}, wide = {20, 21, 23};
    set_field(word, 16, 5, option == 2 || option == 6 ? narrow[random_.below(3)] : wide[random_.below(3)]);
  }
  if (has_unsigned_offset(word)) {
    const bool is_quad = is_vector && (word >> 23 & 1);
    const unsigned scale = is_quad ? 4 : word >> 30;
    set_field(word, 10, 12, field(word, 10, 12) & (0x3fffu >> scale));
  }
  if (is_structure(word) && writes_back(word) && rs != 31)
    set_field(word, 16, 5, random_.next() & 1 ? 20 : 23);
  unsigned base = first_base + static_cast<unsigned>(random_.below(mixed_ ? 5 : 6));
  if (is_aligned) {
    base = first_aligned_base + static_cast<unsigned>(random_.below(3));
  } else if (writes_back(word)) {
    base = first_base + static_cast<unsigned>(random_.below(mixed_ ? 2 : 3));
    if (base == first_aligned_base) base = 31;
  }
  set_field(word, 5, 5, base == 29 ? 31 : base);
  return true;
}

// ---- values ----

std::uint64_t Generator::value() {
  const std::uint64_t random = random_.next();
  switch (random_.below(8)) {
    case 0:
      return random & 1 ? 0 : random >> 56;
    case 1:
      return ~(random & 0xff);
    case 2:
      return std::uint64_t{1} << (random & 63);
    case 3:
      return 0x7fff'ffff + (random & 3);
    case 4:
      return 0x7fff'ffff'ffff'ffff + (random & 3);
    default:
      return random;
  }
}

std::uint64_t Generator::vector_half() {
  static constexpr std::array<std::uint64_t, 14> doubles = {
      0,
      0x8000'0000'0000'0000,
      0x3ff0'0000'0000'0000,
      0xbff8'0000'0000'0000,
      0x7ff0'0000'0000'0000,
      0xfff0'0000'0000'0000,
      0x7ff8'0000'0000'0123,
      0x7ff0'0000'0000'0001,
      0x0000'0000'0000'0001,
      0x800f'ffff'ffff'ffff,
      0x0010'0000'0000'0000,
      0x7fef'ffff'ffff'ffff,
      0x41df'ffff'ffc0'0000,
      0xc3e0'0000'0000'0000,
  };
  static constexpr std::array<std::uint16_t, 14> halves = {0,      0x8000, 0x3c00, 0xbe00, 0x7c00,
                                                           0xfc00, 0x7e12, 0x7c01, 0x0001, 0x83ff,
                                                           0x0400, 0x7bff, 0x77ff, 0xf800};
  static constexpr std::array<std::uint32_t, 14> singles = {
      0,           0x8000'0000, 0x3f80'0000, 0xbfc0'0000, 0x7f80'0000, 0xff80'0000, 0x7fc0'0123,
      0x7f80'0001, 0x0000'0001, 0x807f'ffff, 0x0080'0000, 0x7f7f'ffff, 0x4eff'ffff, 0xcf00'0000,
  };
  const std::uint64_t random = random_.next();
  switch (random_.below(10)) {
    case 8: {  // special halves, among others
      std::uint64_t result = random;
      for (unsigned at = 0; at < 64; at += 16)
        if (random_.next() & 1)
          result = (result & ~(std::uint64_t{0xffff} << at)) |
                   std::uint64_t{halves[random_.below(halves.size())]} << at;
      return result;
    }
    case 9:  // halves of moderate size
      return (random & 0x87ff'87ff'87ff'87ff) | 0x3000'3000'3000'3000;
    case 0:
      return doubles[random_.below(doubles.size())];
    case 1:
      return std::uint64_t{singles[random_.below(singles.size())]} << 32 |
             singles[random_.below(singles.size())];
    case 2:  // a double of moderate size
      return (random & 0x800f'ffff'ffff'ffff) | (1023 - 32 + (random >> 52 & 63)) << 52;
    case 3: {  // two such singles
      const std::uint64_t exponents =
          (127 - 16 + (random >> 23 & 31)) << 23 | (127 - 16 + (random >> 55 & 31)) << 55;
      return (random & 0x807f'ffff'807f'ffff) | exponents;
    }
    case 4:
      return random & random_.next() & random_.next();
    case 5:
      return value();
    default:
      return random;
  }
}

Registers Generator::registers() {
  Registers result;
  for (std::uint64_t& x : result.x) x = value();
  for (Vector& v : result.v) v = {{vector_half(), vector_half()}};
  result.nzcv = static_cast<std::uint32_t>(random_.below(16));
  // Default NaN, flush to zero, rounding mode: mostly none.
  if (random_.below(3) == 0) result.fpcr = static_cast<std::uint32_t>(random_.below(16)) << 22;
  if (options_.features.has(CoreFeature::fp16) && random_.below(4) == 0) result.fpcr |= fpcr_bit::fz16;
  if (random_.below(4) == 0) result.fpsr = static_cast<std::uint32_t>(random_.next()) & 0x0800'009f;
  result.sp = value();
  if (has_memory_) {
    result.x[20] = random_.below(256), result.x[21] = random_.below(32);
    result.x[22] = random_.next() << 32 | random_.below(256);
    result.x[23] = ~random_.below(256);
    for (unsigned i = first_base; i < first_aligned_base; ++i) result.x[i] = data_centre + random_.below(512);
    for (unsigned i = first_aligned_base; i < 29; ++i) result.x[i] = data_centre + 16 * random_.below(16);
    result.sp = data_centre + 16 * random_.below(64);
  }
  return result;
}

void Generator::fill(std::span<std::uint8_t> data) {
  for (std::size_t at = 0; at + 8 <= data.size(); at += 8) {
    const std::uint64_t bits = vector_half();
    std::memcpy(data.data() + at, &bits, sizeof bits);
  }
}

std::string describe(std::uint32_t word, const Options& options) {
  const Row* row = find_row(word, options);
  return row ? row->name : "(no row)";
}

}  // namespace asterism::a64::oracle
