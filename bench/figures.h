// What every benchmark prints its figures with, and takes its times by.
#pragma once

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

namespace asterism {

// A line for each figure; whether all have met their limits.
class Figures {
 public:
  bool all_met() const { return all_met_; }
  void add(const std::string& name, const std::string& measured, bool met, const std::string& limit) {
    all_met_ = all_met_ && met;
    fmt::print("{:<58} {:>14}   {}{}\n", name, measured, limit, met ? "" : "   MISSED");
    std::fflush(stdout);
  }
  // Without a limit.
  void add(const std::string& name, const std::string& measured) { add(name, measured, true, ""); }

 private:
  bool all_met_ = true;
};

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Of the processor, for this process.
inline double cpu_seconds() {
  timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  return static_cast<double>(own.tv_sec) + 1e-9 * static_cast<double>(own.tv_nsec);
}

// Of the processor in user mode, for processes that it has waited for.
inline double cpu_seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

}  // namespace asterism
