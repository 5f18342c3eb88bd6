// The cost of a snapshot of a whole node, and the time that a campaign of faults from it saves.
//
//   snapshot_bench [--check] [--faults N] ASTERISM
//
// ASTERISM is the command. With --check the exit status is 1 when a figure misses its limit. Times are
// processor time of the host, for the command and all its children. The node has 2 GiB, of which the solver
// has written 88 MiB when its snapshot is made. In each of its runs the campaign flips a bit of memory
// shortly before the program ends, like the runs that boot for each fault.
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/temporary_folder.h"
#include "figures.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

class Commands {
 public:
  Commands(std::string program, fs::path folder) : program_(std::move(program)), folder_(std::move(folder)) {}
  fs::path in_folder(const std::string& name) const { return folder_ / name; }
  // Throws if the command fails; reaching the time limit, or a harmful fault, is no failure.
  double seconds(const std::string& arguments) const {
    return seconds_of([&] {
      const std::string line = fmt::format("cd {} && {} {} >log 2>&1", folder_.string(), program_, arguments);
      const int status = WEXITSTATUS(std::system(line.c_str()));
      constexpr int expectation = 67, time_limit = 69;
      if (status != 0 && status != expectation && status != time_limit)
        throw std::runtime_error("failed: " + line);
    });
  }

 private:
  std::string program_;
  fs::path folder_;
};

std::string solver(int nx, const std::string& more) {
  return fmt::format("run power_loss faults=[] expect={{}} args=\"nx={} interval=100\" --quiet --out run {}",
                     nx, more);
}

void snapshot_and_restore(const Commands& commands) {
  constexpr int pairs = 5;
  std::vector<double> saving, restoring;
  for (int i = 0; i < pairs; ++i) {
    const double without = commands.seconds(solver(56, "--until 150ms"));
    saving.push_back(commands.seconds(solver(56, "--until 150ms --snapshot-at 149ms --snapshot node")) -
                     without);
    restoring.push_back(commands.seconds("run --restore node --until 149001us --quiet --out restored"));
  }
  const auto megabytes = fs::file_size(commands.in_folder("node")) / 1'000'000;
  figures.add("snapshot of a node of 2 GiB, 88 MiB of them written",
              fmt::format("{:.2f} s, a file of {} MB", median(saving), megabytes), median(saving) < 0.5,
              "below 0.5 s");
  figures.add("restore", fmt::format("{:.2f} s", median(restoring)), median(restoring) < 0.5, "below 0.5 s");
}

void campaign(const Commands& commands, int faults) {
  const auto fault = [](int i) {
    return fmt::format(
        R"({{"at":"{}ns","kind":"bit","channel":0,"rank":{},"chip":{},"bank":{},"row":{},"column":{},"bit":{}}})",
        366'100'000 + i * 1000, i % 2, i % 16, i % 8, i * 37 % 4096, i % 64, i % 8);
  };
  {
    std::ofstream list(commands.in_folder("faults.jsonl"));
    for (int i = 0; i < faults; ++i) list << fault(i) << "\n";
  }
  commands.seconds(solver(40, "--snapshot-at 366ms --snapshot late"));
  const double from_one = commands.seconds("study campaign snapshot=late faults=faults.jsonl jobs=2");
  std::vector<double> boots;
  for (int i = 0; i < 3; ++i)
    boots.push_back(commands.seconds(fmt::format(
        "run power_loss 'faults=[{}]' expect={{}} args=\"nx=40 interval=100\" --quiet --out run", fault(i))));
  const double ratio = median(boots) * faults / from_one;
  figures.add(fmt::format("{} faults from one snapshot, against as many boots", faults),
              fmt::format("{:.0f} times faster: {:.3f} s and {:.2f} s a fault", ratio, from_one / faults,
                          median(boots)),
              ratio >= 20, "at least 20 times");
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) {
  CLI::App app;
  std::string program;
  int faults = 1000;
  app.add_option("ASTERISM", program, "The command")->required();
  app.add_option("--faults", faults, "Of the campaign");
  return asterism::bench_main(argc, argv, app, [&] {
    const asterism::TemporaryFolder folder;
    const asterism::Commands commands(std::filesystem::absolute(program), folder.path());
    asterism::snapshot_and_restore(commands);
    asterism::campaign(commands, faults);
  });
}
