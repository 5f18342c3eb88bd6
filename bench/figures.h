// What every benchmark prints its figures with, takes its times by, and is started by.
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

// A line for each figure; whether all have met their limits.
class Figures {
 public:
  bool all_met() const { return all_met_; }
  void add(const std::string& name, const std::string& measured, bool met, const std::string& limit);
  // Without a limit.
  void add(const std::string& name, const std::string& measured) { add(name, measured, true, ""); }

 private:
  bool all_met_ = true;
};

// Of this program.
inline Figures figures;

double median(std::vector<double> values);

// Of the processor, for this process and the children that it has waited for: other work on the machine does
// not count.
double cpu_seconds();
double seconds_of(const std::function<void()>& work);

// In user mode alone, without what the system does for the first touch of memory: of this process
// (RUSAGE_SELF), or of the children that it has waited for (RUSAGE_CHILDREN).
double user_seconds_of(int who, const std::function<void()>& work);

// The main of a benchmark: takes --check and the options that `app` has, and measures. The status is 1 when a
// figure misses its limit with --check, 64 for wrong arguments, 70 when measuring throws.
int bench_main(int argc, char** argv, CLI::App& app, const std::function<void()>& measure);
// Without options of its own.
int bench_main(int argc, char** argv, const std::function<void()>& measure);

}  // namespace asterism
