#include "platform/config/nearest_name.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

TEST(NearestNameTest, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("ecc", "ecc"), 0);
  EXPECT_EQ(edit_distance("ec", "ecc"), 1);
  EXPECT_EQ(edit_distance("eccc", "ecc"), 1);
  EXPECT_EQ(edit_distance("ekc", "ecc"), 1);
  EXPECT_EQ(edit_distance("quatnum", "quantum"), 1);
  EXPECT_EQ(edit_distance("ECC", "ecc"), 0);
  EXPECT_EQ(edit_distance("", "ecc"), 3);
}

TEST(NearestNameTest, OffersTheNearestNameAndNoneThatIsFar) {
  const std::vector<std::string> names = {"size", "part", "ecc", "restore_after"};
  EXPECT_EQ(nearest_name("siez", names), "size");
  EXPECT_EQ(nearest_name("Ecc", names), "ecc");
  EXPECT_EQ(nearest_name("restore_aftr", names), "restore_after");
  EXPECT_EQ(nearest_name("restore", names), "restore_after");
  EXPECT_EQ(nearest_name("after", names), "restore_after");
  EXPECT_EQ(nearest_name("store", names), "");
  EXPECT_EQ(nearest_name("bandwidth", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("y", {"x"}), "");
  EXPECT_EQ(nearest_name("X", {"x"}), "x");
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'x'), names), "");
}

}  // namespace
}  // namespace asterism
