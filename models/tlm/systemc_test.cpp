#include "tlm/systemc_test.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tlm/log.h"

namespace asterism {

void SystemCTest::run() {
  bool finished = false;
  sc_core::sc_spawn([&] {
    body();
    finished = true;
    sc_core::sc_stop();
  });
  sc_core::sc_start();
  EXPECT_TRUE(finished) << "no event is left at " << sc_core::sc_time_stamp() << ", but the test still waits";
}

void SystemCTest::wait_until(Picoseconds at) {
  ASSERT_GE(at, now());
  wait_for(at - now());
}

void SystemCTest::expect_earliest(Picoseconds at, const std::function<bool()>& condition) {
  wait_until(at - Picoseconds(1));
  EXPECT_FALSE(condition()) << "the condition was already true a picosecond before";
  wait_for(Picoseconds(1));
  settle();
  EXPECT_TRUE(condition()) << "the condition is not yet true at " << at.count() << " ps";
}

}  // namespace asterism

namespace {

// The full names of the cases that the given command line selects, as gtest itself lists them.
std::vector<std::string> selected_cases(const std::string& program, const std::string& filter) {
  std::vector<std::string> cases;
  std::FILE* list =
      popen(("'" + program + "' --gtest_list_tests '--gtest_filter=" + filter + "'").c_str(), "r");
  if (!list) return cases;
  std::string suite;
  char line[512];
  while (std::fgets(line, sizeof line, list)) {
    std::string text(line);
    text.erase(text.find_last_not_of(" \n") + 1);
    if (const auto comment = text.find("  #"); comment != std::string::npos) text.resize(comment);
    if (line[0] != ' ')
      suite = text;
    else
      cases.push_back(suite + text.substr(text.find_first_not_of(' ')));
  }
  pclose(list);
  return cases;
}

}  // namespace

// The stacks of SystemC's threads have guard pages, on which LeakSanitizer's scan crashes; AddressSanitizer
// calls this.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

int sc_main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  asterism::route_sc_reports();
  const auto cases = selected_cases(argv[0], testing::GTEST_FLAG(filter));
  if (cases.size() <= 1) return RUN_ALL_TESTS();
  int failed = 0;
  for (const std::string& name : cases)
    failed += std::system(("'" + std::string(argv[0]) + "' '--gtest_filter=" + name + "'").c_str()) != 0;
  std::printf("%zu cases, %d failed\n", cases.size(), failed);
  return failed != 0;
}

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
