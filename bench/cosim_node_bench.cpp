// What RTL costs a node: whole runs of the command, turn about, in user time of the host.
//
//   cosim_node_bench [--check] ASTERISM
//
// ASTERISM is the command. With --check the exit status is 1 when a figure misses its limit. The idle block is
// counted in instructions where valgrind is installed, because 1% is less than the noise of any clock.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

bool all_met = true;

void figure(const std::string& name, const std::string& measured, bool met, const std::string& limit) {
  all_met = all_met && met;
  fmt::print("{:<58} {:>10}   {}{}\n", name, measured, limit, met ? "" : "   MISSED");
  std::fflush(stdout);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

class Runs {
 public:
  Runs(std::string program, fs::path folder) : program_(std::move(program)), folder_(std::move(folder)) {}

  // Throws when the run does not end with status 0.
  void run(const std::string& arguments, const std::string& before = "") const {
    const std::string line = fmt::format("{}{} run hello --quiet --out {} {} >{} 2>&1", before, program_,
                                         (folder_ / "run").string(), arguments, (folder_ / "log").string());
    if (std::system(line.c_str()) != 0) throw std::runtime_error("failed: " + line + "\n" + log());
  }
  double user_seconds(const std::string& arguments) const {
    const double before = of_children();
    run(arguments);
    return of_children() - before;
  }
  // How many times as long the second takes.
  double ratio(const std::string& one, const std::string& other, int pairs) const {
    std::vector<double> ratios;
    for (int i = 0; i < pairs; ++i) {
      const double first = user_seconds(one);
      ratios.push_back(user_seconds(other) / first);
    }
    return median(ratios);
  }
  // Instructions of the host; nullopt without valgrind.
  std::optional<double> instructions(const std::string& arguments) const {
    if (std::system("command -v valgrind >/dev/null") != 0) return std::nullopt;
    const fs::path out = folder_ / "callgrind";
    run(arguments, fmt::format("valgrind --tool=callgrind --callgrind-out-file={} ", out.string()));
    std::istringstream words(log());
    for (std::string word; words >> word;)
      if (word == "Collected") {
        double count = 0;
        words >> word >> count;
        return count;
      }
    return std::nullopt;
  }

 private:
  static double of_children() {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
  }
  std::string log() const {
    std::ifstream file(folder_ / "log");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::string program_;
  fs::path folder_;
};

// From a changed source to the end of a run in lockstep with it, in seconds of the clock on the wall.
double seconds_from_change(const Runs& runs, const fs::path& folder, const fs::path& block, int change) {
  const fs::path copy = folder / "mine";
  fs::remove_all(copy);
  fs::copy(block.parent_path(), copy, fs::copy_options::recursive);
  std::ofstream(copy / "lrg_arbiter.sv", std::ios::app) << "// change " << getpid() << "." << change << "\n";
  const auto start = std::chrono::steady_clock::now();
  runs.run(
      fmt::format("node.fabric.topology=swizzle_switch node.fabric.fidelity=flit "
                  "node.fabric.arbiter.impl=lockstep node.fabric.arbiter.variant={}",
                  (copy / "block.json").string()));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void measure(const Runs& runs, const fs::path& folder) {
  const std::string loose = "--firmware cg args=\"nx=16 interval=5\"";
  const std::string flit = loose + " node.fabric.topology=swizzle_switch node.fabric.fidelity=flit";
  const std::string lockstep = " node.fabric.arbiter.impl=lockstep";

  runs.run(loose + " node.rtc.impl=rtl");  // builds
  const auto without = runs.instructions(loose), with = runs.instructions(loose + " node.rtc.impl=rtl");
  if (without && with) {
    const double more = (*with / *without - 1) * 100;
    figure("main job with the RTC in RTL, idle: instructions", fmt::format("{:+.2f}%", more), more <= 1,
           "at most +1%");
  }

  runs.run("node.fabric.topology=swizzle_switch node.fabric.fidelity=flit" + lockstep);  // builds
  const double slower = runs.ratio(flit, flit + lockstep, 1);
  figure("main job, crossbar flit by flit: lockstep over the model", fmt::format("{:.2f}", slower),
         slower <= 3, "at most 3");
  const double loosely = runs.ratio(loose, loose + lockstep, 5);
  figure("main job, crossbar loosely timed: lockstep over the model", fmt::format("{:.2f}", loosely),
         loosely <= 3, "at most 3");

  std::vector<double> changes;
  for (int change = 0; change < 3; ++change)
    changes.push_back(
        seconds_from_change(runs, folder, fs::path(ASTERISM_SOURCE) / "rtl/lrg_arbiter/block.json", change));
  figure("changed arbiter to the end of a lockstep run", fmt::format("{:.1f} s", median(changes)),
         median(changes) < 20, "under 20 s on 2 cores");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool check = std::erase(arguments, "--check") > 0;
  if (arguments.size() != 1) {
    fmt::print(stderr, "cosim_node_bench [--check] ASTERISM\n");
    return 64;
  }
  const fs::path folder = fs::temp_directory_path() / fmt::format("cosim_node_bench.{}", getpid());
  fs::create_directories(folder);
  int status = 70;
  try {
    measure(Runs(fs::absolute(arguments[0]), folder), folder);
    status = check && !all_met ? 1 : 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  fs::remove_all(folder);
  return status;
}
