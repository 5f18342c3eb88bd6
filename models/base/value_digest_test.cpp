#include "base/value_digest.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

struct ChipValues {
  Cycles cl = 11_cycles;
  bool is_fast = false;
  int beats = 8;
};
void describe(Fields& f, ChipValues& t) {
  f("cl", t.cl, "Latency.");
  f("fast", t.is_fast, "Whether it is fast.");
  f.when("fast", t.is_fast, true, [&] { f("beats", t.beats, "Of a burst."); });
}

struct ChipBoard {
  ChipValues chip;
};
void describe(Fields& f, ChipBoard& b) { f("chip", b.chip, "Values."); }

ValueDigest digest_of_values(const ChipValues& values, unsigned banks) {
  ValueDigest digest;
  digest.add("banks", banks);
  digest.add(values);
  return digest;
}

// The digits are in files, so they may never change.
TEST(ValueDigestTest, IsTheSameOnEveryMachine) {
  EXPECT_EQ(ValueDigest().text(), "cbf29ce484222325");
  EXPECT_EQ(digest_of_values({}, 8).text(), "06214d5996952bb6");
}

TEST(ValueDigestTest, EachValueThatAppliesChangesIt) {
  const std::string before = digest_of_values({}, 8).text();
  EXPECT_NE(digest_of_values({}, 16).text(), before);
  EXPECT_NE(digest_of_values({.cl = 14_cycles}, 8).text(), before);
  EXPECT_EQ(digest_of_values({.beats = 4}, 8).text(), before);
  EXPECT_NE(digest_of_values({.is_fast = true, .beats = 4}, 8).text(),
            digest_of_values({.is_fast = true}, 8).text());
}

TEST(ValueDigestTest, TheOrderDoesNot) {
  ValueDigest one, other;
  one.add("a", 1u), one.add("b", 2u);
  other.add("b", 2u), other.add("a", 1u);
  EXPECT_EQ(one.text(), other.text());
}

TEST(ValueDigestTest, SaysWhatDiffers) {
  EXPECT_EQ(digest_of_values({.cl = 14_cycles, .is_fast = true}, 8).differences(digest_of_values({}, 8)),
            (std::vector<std::string>{"beats=8", "cl=\"14cycles\"", "fast=true"}));
}

TEST(ValueDigestTest, AStructOfStructsHasNone) {
  ValueDigest digest;
  EXPECT_THROW(digest.add(ChipBoard{}), std::logic_error);
}

}  // namespace
}  // namespace asterism
