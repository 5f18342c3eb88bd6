// Common parts of all benchmarks: printing figures, measuring times, and the main function.
#pragma once

#include <fmt/format.h>
#include <sys/resource.h>

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace asterism {

// Prints a line for each figure, and records whether all have met their limits.
class Figures {
 public:
  bool all_met() const { return all_met_; }
  void add(const std::string& name, const std::string& measured, bool met, const std::string& limit);
  // Adds a figure without a limit.
  void add(const std::string& name, const std::string& measured) { add(name, measured, true, ""); }

 private:
  bool all_met_ = true;
};

// The figures of this program.
inline Figures figures;

double median(std::vector<double> values);

// Processor time of this process and of the children that it has waited for, so that other work on the
// machine does not count.
double cpu_seconds();
double seconds_of(const std::function<void()>& work);

// Time in user mode only, without the system's time for the first access to memory: of this process
// (RUSAGE_SELF), or of the children that it has waited for (RUSAGE_CHILDREN).
double user_seconds_of(int who, const std::function<void()>& work);

// The main function of a benchmark: parses --check and the options of `app`, and measures. The status is 1
// when a figure misses its limit with --check, 64 for wrong arguments, and 70 when measuring throws.
int bench_main(int argc, char** argv, CLI::App& app, const std::function<void()>& measure);
// For a benchmark without options of its own.
int bench_main(int argc, char** argv, const std::function<void()>& measure);

}  // namespace asterism
