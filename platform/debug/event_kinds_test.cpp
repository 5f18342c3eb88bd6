#include "platform/debug/event_kinds.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace asterism {
namespace {

TEST(EventKindsTest, AreThoseOfTheirPage) {
  std::ifstream page(ASTERISM_SOURCE_DOCS "/events.md");
  ASSERT_TRUE(page);
  std::set<std::string> of_page;
  bool below = false;  // the head of the table of kinds
  const std::regex row(R"(\| `([a-z_]+)` \|.*)");
  std::smatch found;
  for (std::string line; std::getline(page, line);) {
    below = below ? !line.empty() : line.starts_with("| kind | source | when |");
    if (below && std::regex_match(line, found, row)) of_page.insert(found[1]);
  }
  EXPECT_THAT(event_kinds(), testing::ElementsAreArray(of_page));
}

// The kinds by which the faults of a scenario are recorded.
TEST(EventKindsTest, AFaultIsEachOfThoseOfAScenario) {
  EXPECT_THAT(kinds_named("fault"),
              testing::UnorderedElementsAre("power_lost", "memory_fault", "flash_fault", "cxl_poison",
                                            "gpu_lost", "gpu_memory_fault", "gpu_clock", "node_loss"));
}

TEST(EventKindsTest, AGroupHasNothingButKinds) {
  for (const auto& [group, kinds] : event_groups())
    for (const std::string& kind : kinds) EXPECT_THAT(event_kinds(), testing::Contains(kind)) << group;
}

}  // namespace
}  // namespace asterism
