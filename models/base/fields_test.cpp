#include "base/fields.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace asterism {
namespace {

enum class Impl { model, rtl, lockstep };
constexpr auto enum_names(Impl) {
  return std::to_array<EnumName<Impl>>(
      {{Impl::model, "model", "fast"}, {Impl::rtl, "rtl", "exact"}, {Impl::lockstep, "lockstep"}});
}

struct Arbiter {
  Impl impl = Impl::model;
  std::string variant;
};
void describe(Fields& f, Arbiter& c) {
  f("impl", c.impl, "Which implementation answers", one_of<Impl>());
  f.when("impl", c.impl, {Impl::rtl, Impl::lockstep}, [&] { f("variant", c.variant, "The block's file"); });
}

struct Switch {
  int radix = 8;
  Bytes buffer = 4_KiB;
  Arbiter arbiter;
  std::vector<Picoseconds> hops;
};
void describe(Fields& f, Switch& c) {
  f("radix", c.radix, "Ports; a larger radix lowers the clock", within(2, 128));
  f("buffer", c.buffer, "Per port", within(1_KiB, 1_MiB));
  f("arbiter", c.arbiter, "Who wins");
  f("hops", c.hops, "Latency of each hop", at_least(1_ns));
  f.check(c.buffer % Bytes(static_cast<unsigned>(c.radix)) == 0_B, "buffer", "splits evenly");
}
static_assert(member_count<Switch>() == 4);

// Collects what a description requires of each scalar; list elements are represented by their prototype.
class Expectations final : public Fields, public ValueVisitor {
 public:
  std::vector<std::string> lines;
  void scalar(ScalarValue& value) override { lines.push_back(key_ + ": " + value.type().expected()); }
  void object(ObjectValue& value) override { value.walk(*this); }
  void list(ListValue& value) override { value.prototype(*this); }
  void map(MapValue& value) override { value.prototype(*this); }
  void optional(OptionalValue& value) override { value.prototype(*this); }

 private:
  void field(const Line& line, const ShowValue& show) override {
    key_ = line.key;
    show(*this);
  }
  void choice(const Condition&, const std::function<void()>& body) override { body(); }
  void relation(const Relation&, const std::function<bool()>&) override {}
  std::string key_;
};

TEST(FieldsTest, LinesSayWhatIsExpected) {
  Switch config;
  Expectations expectations;
  ObjectOf<Switch>(config).walk(expectations);
  EXPECT_EQ(
      expectations.lines,
      (std::vector<std::string>{"radix: an integer from 2 to 128", "buffer: a size from \"1KiB\" to \"1MiB\"",
                                "impl: one of \"model\", \"rtl\", \"lockstep\"", "variant: a text",
                                "hops: a duration of at least \"1ns\""}));
}

template <class T>
std::optional<std::string> refusal(T& member, const PlainValue& value, Limits<T> limits = {}) {
  return ScalarOf<T>(member, limits).set(value);
}

TEST(FieldsTest, ARefusedValueLeavesTheMember) {
  int radix = 8;
  EXPECT_EQ(refusal(radix, std::uint64_t{200}, {.low = 2, .high = 128}), "");
  EXPECT_EQ(refusal(radix, std::string("16")), "");
  EXPECT_EQ(refusal(radix, 16.0), "");
  EXPECT_EQ(radix, 8);
  EXPECT_EQ(refusal(radix, std::uint64_t{128}, {.low = 2, .high = 128}), std::nullopt);
  EXPECT_EQ(radix, 128);
}

TEST(FieldsTest, IntegersStayInTheirType) {
  unsigned count = 1;
  EXPECT_EQ(refusal(count, std::int64_t{-1}), "");
  EXPECT_EQ(refusal(count, std::uint64_t{1} << 32), "");
  EXPECT_EQ(refusal(count, std::uint64_t{0xffff'ffff}), std::nullopt);
  EXPECT_EQ(ScalarCodec<std::uint8_t>::type().low, PlainValue(std::uint64_t{0}));
  EXPECT_EQ(ScalarCodec<std::uint8_t>::type().high, PlainValue(std::uint64_t{255}));
}

TEST(FieldsTest, ABareNumberIsNoQuantity) {
  Picoseconds time = 1_us;
  EXPECT_EQ(refusal(time, std::uint64_t{5}), "");
  EXPECT_EQ(refusal(time, std::string("5parsec")), "unknown unit \"parsec\" (ps, ns, us, ms, s)");
  EXPECT_EQ(refusal(time, std::string("5ms")), std::nullopt);
  EXPECT_EQ(time, 5_ms);
}

TEST(FieldsTest, PlainValuesLookLikeJson) {
  EXPECT_EQ(to_text(PlainValue(1.0)), "1.0");
  EXPECT_EQ(to_text(PlainValue(0.1)), "0.1");
  EXPECT_EQ(to_text(PlainValue(std::int64_t{-3})), "-3");
  EXPECT_EQ(to_text(PlainValue(std::string("a\"b"))), "\"a\\\"b\"");
  EXPECT_EQ(to_text(PlainValue(true)), "true");
}

struct Forgetful {
  int first = 1, second = 2, third = 3;
};
void describe(Fields& f, Forgetful& c) {
  f("first", c.first, "One");
  f("third", c.third, "Three");
}

TEST(FieldsTest, AMemberWithoutALineIsNamed) {
  EXPECT_EQ(description_problem<Forgetful>(),
            "asterism::(anonymous namespace)::Forgetful: member 2 of 3, after \"first\", has no line in "
            "describe()");
  Forgetful config;
  EXPECT_THROW((ObjectOf<Forgetful>(config)), std::logic_error);
}

struct BadDefault {
  Bytes size;
};
void describe(Fields& f, BadDefault& c) { f("size", c.size, "Capacity", at_least(64_MiB)); }

struct TwoLines {
  int value = 0;
};
void describe(Fields& f, TwoLines& c) {
  f("value", c.value, "Once");
  f("value", c.value, "Twice");
}

struct Mute {
  int value = 0;
};
void describe(Fields& f, Mute& c) { f("value", c.value, ""); }

TEST(FieldsTest, ADescriptionThatContradictsItselfIsRefused) {
  EXPECT_TRUE(description_problem<BadDefault>().ends_with(
      "the default of \"size\" breaks its own rule: expected a size of at least \"64MiB\", got \"0B\""));
  EXPECT_TRUE(description_problem<TwoLines>().ends_with("key \"value\" has two lines"));
  EXPECT_TRUE(description_problem<Mute>().ends_with("key \"value\" says nothing about its meaning"));
  EXPECT_EQ(description_problem<Switch>(), "");
  EXPECT_EQ(description_problem<Arbiter>(), "");
}

TEST(FieldsTest, EnumNamesGoBothWays) {
  EXPECT_EQ(to_text(Impl::rtl), "rtl");
  EXPECT_EQ(enum_from_text<Impl>("lockstep"), Impl::lockstep);
  EXPECT_EQ(enum_from_text<Impl>("vhdl"), std::nullopt);
}

}  // namespace
}  // namespace asterism
