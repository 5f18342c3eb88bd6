#include "platform/config/renamed_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "platform/config/config.h"

namespace asterism {
namespace {

TEST(RenamedKeysTest, TheTableIsSortedAndHasEachOldPathOnce) {
  const auto not_before = [](const RenamedKey& a, const RenamedKey& b) { return a.old_path >= b.old_path; };
  EXPECT_EQ(std::ranges::adjacent_find(renamed_keys(), not_before), renamed_keys().end());
  const auto replaced_not_before = [](const ReplacedKey& a, const ReplacedKey& b) {
    return std::tie(a.old_path, a.old_value) >= std::tie(b.old_path, b.old_value);
  };
  EXPECT_EQ(std::ranges::adjacent_find(replaced_keys(), replaced_not_before), replaced_keys().end());
}

TEST(RenamedKeysTest, AReplacedKeySaysWhatThereIsNow) {
  EXPECT_EQ(change_of_key("node.nic.present", {}),
            "a node has the NICs that its devices name; devices.nic=null removes one");
  EXPECT_EQ(change_of_key("nic.present", {}), change_of_key("node.nic.present", {}));
  EXPECT_EQ(change_of_key("present", {}), "");
  EXPECT_EQ(change_of_key("node.gpu.count", {}), "");
  for (const char* path : {"node.gpu.count", "node.devices.gpu.count"})
    EXPECT_EQ(change_of_value(path, "0"), "devices.gpu=null removes the GPUs");
  EXPECT_EQ(change_of_value("node.gpu.count", "33"), "");
}

TEST(RenamedKeysTest, AKeyOfANodeIsNoneOfAnObjectWithASimilarOne) {
  EXPECT_EQ(change_of_key("gpu", {"gpus", "work"}), "");
  EXPECT_NE(change_of_key("node.gpu", {"cores", "devices"}), "");
  EXPECT_EQ(change_of_key("failures.gpu", {"detection", "burst"}),
            "the failures of GPUs are gpu_fit, beside `failures`");
}

TEST(RenamedKeysTest, AnOldNameIsKnownWhereItsNewNameIsAKey) {
  EXPECT_EQ(new_name_of("plant", {"nodes", "mutant"}), "mutant");
  EXPECT_EQ(new_name_of("trials.3.plant", {"nodes", "mutant"}), "mutant");
  EXPECT_EQ(new_name_of("plant", {"nodes"}), std::nullopt);
  EXPECT_EQ(new_name_of("nodes", {"mutant"}), std::nullopt);
  EXPECT_EQ(new_name_of("3", {"nodes", "mutant"}), std::nullopt);
}

struct Trial {
  std::string mutant;
  int nodes = 2;
};
void describe(Fields& f, Trial& c) {
  f("mutant", c.mutant, "The mutant", required());
  f("nodes", c.nodes, "The number of nodes");
  f.check([&] { return c.mutant != "" || c.nodes > 2; }, "nodes", "is more than 2 without a mutant");
}

std::string problems_of(const std::string& text, const std::string& assignment) {
  ConfigDocument document = ConfigDocument::parse(text, "t.json");
  if (!assignment.empty()) document.apply_override(assignment);
  Diagnostics problems;
  read_config<Trial>(document, nullptr, problems);
  return problems.text();
}

TEST(RenamedKeysTest, AnOldKeyInAFileIsRefusedOnceWithItsNewName) {
  EXPECT_EQ(problems_of(R"({"plant": "late_flush"})", ""),
            "t.json:1:2: error: plant: unknown key; \"plant\" is now called \"mutant\"\n");
}

TEST(RenamedKeysTest, AnOldKeyInAnOverrideIsRefusedOnceWithItsNewName) {
  EXPECT_EQ(problems_of("{}", "plant=late_flush"),
            "command line: error: plant: unknown key; \"plant\" is now called \"mutant\"\n");
}

}  // namespace
}  // namespace asterism
