#include "base/member_count.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "base/units.h"

namespace asterism {
namespace {

enum class Colour { red };
struct Empty {};
struct Inner {
  int a = 1;
  int b = 2;
};
struct Outer {
  Inner inner;
  std::optional<Inner> maybe;
  std::vector<Inner> list;
  std::map<std::string, Inner> map;
  std::string name;
  Bytes size = 4_KiB;
  Colour colour = Colour::red;
  bool flag = false;
};

static_assert(member_count<Empty>() == 0);
static_assert(member_count<Inner>() == 2);
static_assert(member_count<Outer>() == 8);

TEST(MemberCountTest, SpansFollowTheDeclarationAndDoNotOverlap) {
  const Outer outer;
  const std::vector<MemberSpan> spans = member_spans(outer);
  ASSERT_EQ(spans.size(), 8u);
  EXPECT_TRUE(spans[0].contains(&outer.inner.b));
  EXPECT_FALSE(spans[0].contains(&outer.maybe));
  EXPECT_TRUE(spans[5].contains(&outer.size));
  EXPECT_TRUE(spans[7].contains(&outer.flag));
}

}  // namespace
}  // namespace asterism
