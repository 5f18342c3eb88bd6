// Guests without a meaningful program: random words, words of random rows (system registers among them),
// jumps into data.
#include "core/a64/oracle/anything.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/a64/decoder.h"
#include "core/a64/oracle/program.h"

namespace asterism::a64::oracle {
namespace {

// Most words match some row. Most guests have handlers and few branches, so that they execute more of their
// words.
std::vector<std::uint8_t> random_bytes(std::uint64_t seed) {
  const std::vector<const Row*> rows = all_rows();
  Random random(seed);
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < head_of_anything; ++i)
    bytes.push_back(static_cast<std::uint8_t>(random.next()));
  if (random.below(8) != 0) bytes[0] |= 8;
  for (int i = 0; i < 300; ++i) {
    auto word = static_cast<std::uint32_t>(random.next());
    const Row& row = *rows[random.below(rows.size())];
    if (random.below(16) != 0) word = row.encoding.value | (word & ~row.encoding.mask);
    if ((word & 0x1c00'0000) == 0x1400'0000 && random.below(16) != 0) word = 0xd503'201f;
    for (unsigned byte = 0; byte < 4; ++byte) bytes.push_back(static_cast<std::uint8_t>(word >> (8 * byte)));
  }
  return bytes;
}

TEST(A64Anything, DoesTheSameAtAnyQuantum) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed)
    ASSERT_EQ(run_anything(random_bytes(seed), 3000), "") << "seed " << seed;
}

// Loops of a few instructions, many of which set or read flags, that end with a conditional branch; behind
// the loop, one more instruction and a branch into it. So flags are read in the next iteration, too.
class Loops {
 public:
  Loops(std::string_view of_class, std::string_view row) : mixed_in_(of_class, row, guest_options(), 1) {}

  std::vector<std::uint32_t> next() {
    std::vector<std::uint32_t> words;
    for (auto count = 1 + random_.below(9); count > 0; --count) {
      const auto which = random_.below(10);
      const bool is_sum = which < 3;
      auto more = (is_sum ? sums_ : which < 5 ? selections_ : mixed_in_).program(1).words;
      constexpr std::uint32_t sets_flags = 1 << 29;
      if (is_sum && (more[0] & sets_flags) != 0 && random_.below(3) == 0) more[0] |= 31;  // CMN, CMP
      words.insert(words.end(), more.begin(), more.end());
    }
    const auto any = static_cast<std::uint32_t>(random_.next());
    switch (random_.below(4)) {
      case 0:  // CBZ, CBNZ
        jump_back(words, 0x3400'0000 | (any & 0x8100'0003), 5, 19);
        break;
      case 1:  // TBZ, TBNZ
        jump_back(words, 0x3600'0000 | (any & 0x8138'0003), 5, 14);
        break;
      default:
        jump_back(words, 0x5400'0000 | (any & 0xf), 5, 19);
    }
    words.push_back(0x9100'0400 | (any >> 8 & 3) * 0x21);  // ADD Xn, Xn, #1
    jump_back(words, 0x1400'0000, 0, 26);
    return words;
  }
  // The head of `anything`, with handlers and without traps of floating point.
  std::vector<std::uint8_t> head() {
    std::vector<std::uint8_t> bytes(head_of_anything);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random_.next());
    bytes[0] = static_cast<std::uint8_t>((bytes[0] | 8) & ~4);
    return bytes;
  }

 private:
  static void jump_back(std::vector<std::uint32_t>& words, std::uint32_t branch, unsigned low,
                        unsigned bits) {
    const auto back = static_cast<std::uint32_t>(-static_cast<std::int32_t>(words.size()));
    words.push_back(branch | (back & ((1u << bits) - 1)) << low);
  }

  Generator sums_{"dense", "ADDS", guest_options(), 2}, selections_{"dense", "CSEL", guest_options(), 3},
      mixed_in_;
  Random random_{4};
};

TEST(A64Anything, LoopsDoTheSameTranslated) {
  struct {
    const char *of_class, *row;
  } const kinds[] = {{"dense", "ADDS"},          {"dense", ""},
                     {"load_store", ""},         {"load_store", "LDP"},
                     {"floating_point", "MADD"}, {"floating_point", "FADD"},
                     {"simd_load_store", ""},    {"all", ""}};
  for (const auto& [of_class, row] : kinds) {
    Loops loops(of_class, row);
    for (int i = 0; i < 500; ++i) {
      std::vector<std::uint8_t> bytes = loops.head();
      std::string listing;
      for (const std::uint32_t word : loops.next()) {
        listing += fmt::format(" {:08x}", word);
        for (unsigned at = 0; at < 32; at += 8) bytes.push_back(static_cast<std::uint8_t>(word >> at));
      }
      ASSERT_EQ(translate_anything(bytes, 1000), "") << of_class << " " << row << ", " << i << ":" << listing;
    }
  }
}

// The input is only the head, which chooses handlers or none and the MMU on or off; the guest executes
// nothing but UDF.
TEST(A64Anything, EndsWithoutAProgram) {
  for (unsigned head = 0; head < 16; ++head)
    EXPECT_EQ(run_anything(std::vector<std::uint8_t>{static_cast<std::uint8_t>(head), 1}, 1000), "");
}

}  // namespace
}  // namespace asterism::a64::oracle
