#include "gpu/snapshot_config.h"

#include <gtest/gtest.h>

#include <set>

namespace asterism {
namespace {

TEST(SnapshotConfigNames, EachIsReadAndWrittenAgain) {
  std::set<std::string> written;
  for (const std::string_view name : snapshot_config_names) {
    std::string problem = "it was not cleared";
    const auto config = snapshot_config(name, &problem);
    ASSERT_TRUE(config) << name;
    EXPECT_EQ(problem, "");
    EXPECT_EQ(to_text(*config), name);
    written.insert(to_text(*config));
  }
  EXPECT_EQ(written.size(), 12u);
}

TEST(SnapshotConfigNames, PartsComeInAnyOrder) {
  const SnapshotConfig all{SnapshotKind::increment, true, true, true, true};
  EXPECT_EQ(snapshot_config("D+H+I-FG+NB"), all);
  EXPECT_EQ(snapshot_config("NB+I-FG+H+D"), all);
  EXPECT_EQ(snapshot_config("F+NB"), (SnapshotConfig{.non_blocking = true}));
}

TEST(SnapshotConfigNames, SaysWhatIsWrong) {
  const auto problem = [](std::string_view name) {
    std::string words;
    EXPECT_FALSE(snapshot_config(name, &words)) << name;
    return words;
  };
  EXPECT_EQ(problem("NB+X"), "'X' is not one of F, I, I-FG, NB, H and D, joined by '+'");
  EXPECT_EQ(problem("F+"), "'' is not one of F, I, I-FG, NB, H and D, joined by '+'");
  EXPECT_EQ(problem(""), "'' is not one of F, I, I-FG, NB, H and D, joined by '+'");
  EXPECT_EQ(problem("nb+f"), "'nb' is not one of F, I, I-FG, NB, H and D, joined by '+'");
  EXPECT_EQ(problem("NB+H"), "has one of F, I and I-FG");
  EXPECT_EQ(problem("F+I"), "has one of F, I and I-FG, and each part once");
  EXPECT_EQ(problem("NB+NB+F"), "has one of F, I and I-FG, and each part once");
  EXPECT_EQ(problem("F+H"), "has NB where it has H");
  EXPECT_EQ(problem("NB+F+D"), "has NB and H where it has D");
}

}  // namespace
}  // namespace asterism
