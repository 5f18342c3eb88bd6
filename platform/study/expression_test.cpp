#include "platform/study/expression.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/thrown.h"

namespace asterism {
namespace {

double value(std::string_view expression) {
  return evaluate(expression,
                  [](const ExpressionTerm& term) { return term.column == "two" ? 2.0 : 10 + term.reaches; });
}

std::string mistake(std::string_view expression) {
  return thrown<std::invalid_argument>([&] { value(expression); });
}

TEST(ExpressionTest, ProductsGoBeforeSums) {
  EXPECT_EQ(value("1 + 2 * 3 - 8 / 4"), 5);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("8 / 4 / 2"), 1);
}

TEST(ExpressionTest, ATermIsAColumnOfAStudy) {
  EXPECT_EQ(value("two(mesh_curve)"), 2);
  EXPECT_EQ(value("watt(mesh2) / two(x)"), 5);
}

TEST(ExpressionTest, OrAColumnWhereAnotherReachesAValue) { EXPECT_EQ(value("rate(curve, power_w=30)"), 40); }

TEST(ExpressionTest, AGeometricMeanIsOfExpressions) {
  EXPECT_DOUBLE_EQ(value("1 + geometric_mean(two(x) * 2, 9, 6)"), 7);
  EXPECT_DOUBLE_EQ(value("geometric_mean(0.25, 1)"), 0.5);
  EXPECT_DOUBLE_EQ(value("geometric_mean(3)"), 3);
}

TEST(ExpressionTest, AMeanAndAMaximumAreOfAnyExpressions) {
  EXPECT_DOUBLE_EQ(value("mean(two(x), 0 - 1, 5)"), 2);
  EXPECT_DOUBLE_EQ(value("max(0 - 3, 0 - two(x)) * 2"), -4);
  EXPECT_TRUE(std::isnan(value("max(1, 0 / 0)")));
}

TEST(ExpressionTest, WhatIsNoneSaysWhere) {
  EXPECT_EQ(mistake("1 +"), "expected a number or a column of a study at character 4 of \"1 +\"");
  EXPECT_EQ(mistake("two mesh"), "expected '(' at character 5 of \"two mesh\"");
  EXPECT_EQ(mistake("two(mesh"), "expected ')' at character 9 of \"two(mesh\"");
  EXPECT_EQ(mistake("1 2"), "expected an operator at character 3 of \"1 2\"");
  EXPECT_EQ(mistake("rate(curve, 30)"), "expected '=' at character 15 of \"rate(curve, 30)\"");
}

TEST(ExpressionTest, AClaimHasParts) {
  EXPECT_EQ(parts_of_claim("a(x) < b(y)<3"), (std::vector<std::string>{"a(x) ", " b(y)", "3"}));
}

}  // namespace
}  // namespace asterism
