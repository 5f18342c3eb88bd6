// The cost of a debugger that only waits: cg on four cores with two breakpoints that are never reached,
// against a run without a debugger.
//
//   debugger_bench [--check] ASTERISM
//
// ASTERISM is the command. With --check the exit status is 1 when a figure misses its limit. The two runs
// alternate; times are user time of the host.
#include <sys/wait.h>

#include <fstream>
#include <regex>
#include <systemc>
#include <thread>

#include "platform/debug/test_client.h"
#include "whole_runs.h"

namespace asterism {
namespace {

constexpr const char* scenario = "--firmware cg expect={} args=nx=40";

// The address at which the starting run waits for a debugger, from its output.
std::string address(const std::filesystem::path& log) {
  static const std::regex line("target remote (\\S+)\n");
  for (;;) {
    std::ifstream file(log);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    std::smatch found;
    if (std::regex_search(text, found, line)) return found[1];
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

double user_seconds_debugged(const WholeRuns& runs, const std::filesystem::path& folder) {
  std::filesystem::remove(folder / "log");
  std::thread debugger([&] {
    TestClient client(address(folder / "log"));
    client.ask("QStartNoAckMode");
    client.ask("Z0,40000000,4");
    client.ask("Z0,40000004,4");
    client.ask("vCont;c");
  });
  const double seconds = runs.user_seconds(std::string(scenario) + " --gdb :0");
  debugger.join();
  return seconds;
}

void measure(const WholeRuns& runs, const std::filesystem::path& folder) {
  std::vector<double> ratios;
  for (int pair = 0; pair < 9; ++pair) {
    const double alone = runs.user_seconds(scenario);
    ratios.push_back(user_seconds_debugged(runs, folder) / alone);
  }
  const double ratio = median(ratios);
  figures.add("four cores under a debugger, time over that without one", fmt::format("{:.3f}", ratio),
              ratio <= 1.05, "at most 1.05");
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) { return asterism::run_bench(argc, argv, asterism::measure); }

// The devices are linked, but nothing is simulated in this process.
int sc_main(int, char**) { return 0; }
