#include "platform/rtl_exchange/constant_expression.h"

#include <gmock/gmock.h>

#include <limits>

#include "base/thrown.h"

namespace asterism {
namespace {

std::int64_t value(std::string_view expression) {
  return constant_value(expression, [](const std::string& name) -> std::int64_t {
    if (name == "Width") return 32;
    throw std::invalid_argument("there is no parameter " + name);
  });
}
std::string refused(std::string_view expression) {
  return thrown<std::invalid_argument>([&] { value(expression); });
}

TEST(ConstantExpressionTest, NumbersHaveAllBases) {
  EXPECT_EQ(value("12"), 12);
  EXPECT_EQ(value("0x1f"), 31);
  EXPECT_EQ(value("'h1F"), 31);
  EXPECT_EQ(value("32'h5449_4d31"), 0x54494d31);
  EXPECT_EQ(value("4'b1010"), 10);
  EXPECT_EQ(value("8'sd7"), 7);
}

TEST(ConstantExpressionTest, OperatorsBindAsInSystemVerilog) {
  EXPECT_EQ(value("1 + 2 * 3 - 4 / 2"), 5);
  EXPECT_EQ(value("(1 + 2) * 3 % 5"), 4);
  EXPECT_EQ(value("2 ** 3 ** 1 << 1"), 16);
  EXPECT_EQ(value("8 - 3 - 2"), 3);
  EXPECT_EQ(value("-1 + 1"), 0);
  EXPECT_EQ(value("1 | 2 & 3 == 3"), 1);
  EXPECT_EQ(value("4 > 3 && 2 <= 1 ? 10 : 20"), 20);
}

TEST(ConstantExpressionTest, ParametersAndTheirLogarithms) {
  EXPECT_EQ(value("Width/8 - 1"), 3);
  EXPECT_EQ(value("$clog2(Width)"), 5);
  EXPECT_EQ(value("$clog2(Width + 1)"), 6);
  EXPECT_EQ(value("$clog2(1)"), 0);
}

TEST(ConstantExpressionTest, ATextThatIsNoneSaysWhere) {
  EXPECT_EQ(refused("1 +"), "expected a number or a name at character 4 of \"1 +\"");
  EXPECT_EQ(refused("1 2"), "expected the end at character 3 of \"1 2\"");
  EXPECT_EQ(refused("(1"), "expected a closing parenthesis at character 3 of \"(1\"");
  EXPECT_EQ(refused("Depth"), "there is no parameter Depth");
  EXPECT_EQ(refused("1 / 0"), "divides by 0");
  EXPECT_EQ(refused("$bits(Width)"),
            "expected $clog2 as the only function at character 6 of \"$bits(Width)\"");
}

TEST(ConstantExpressionTest, NumbersWrapAsThoseOf64Bits) {
  const std::string smallest = "(1 << 62) * 2";
  EXPECT_EQ(value(smallest + " - 1"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(value("-(" + smallest + ")"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(value("(" + smallest + ") / -1"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(value("(" + smallest + ") % -1"), 0);
  EXPECT_EQ(value("2 ** 64"), 0);
  EXPECT_EQ(value("(-1) ** 9223372036854775807"), -1);
  EXPECT_EQ(value("2 ** -1"), 0);
}

TEST(ConstantExpressionTest, OnlyTheChosenSideIsEvaluated) {
  EXPECT_EQ(value("Width == 0 ? 8 / 0 + Depth : 3"), 3);
  EXPECT_EQ(refused("Width != 0 ? 8 / 0 : 3"), "divides by 0");
}

TEST(ConstantExpressionTest, DeepNestingIsRefused) {
  EXPECT_EQ(value(std::string(50, '(') + "1" + std::string(50, ')')), 1);
  std::string chain;
  for (int i = 0; i < 100'000; ++i) chain += "1?1:";
  for (const std::string& deep : {std::string(1'000'000, '('), std::string(1'000'000, '-'), chain})
    EXPECT_THAT(refused(deep), testing::StartsWith("expected fewer parentheses and signs at character "));
}

}  // namespace
}  // namespace asterism
