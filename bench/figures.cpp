#include "figures.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>

namespace asterism {
namespace {

constexpr int usage = 64, software = 70;

rusage usage_of(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return usage;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

void Figures::add(const std::string& name, const std::string& measured, bool met, const std::string& limit) {
  all_met_ = all_met_ && met;
  fmt::print("{:<58} {:>14}   {}{}\n", name, measured, limit, met ? "" : "   MISSED");
  std::fflush(stdout);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double cpu_seconds() {
  timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  const rusage children = usage_of(RUSAGE_CHILDREN);
  return static_cast<double>(own.tv_sec) + 1e-9 * static_cast<double>(own.tv_nsec) +
         seconds(children.ru_utime) + seconds(children.ru_stime);
}

double seconds_of(const std::function<void()>& work) {
  const double start = cpu_seconds();
  work();
  return cpu_seconds() - start;
}

double user_seconds_of(int who, const std::function<void()>& work) {
  const double start = seconds(usage_of(who).ru_utime);
  work();
  return seconds(usage_of(who).ru_utime) - start;
}

int bench_main(int argc, char** argv, CLI::App& app, const std::function<void()>& measure) {
  bool check = false;
  app.name(std::filesystem::path(argv[0]).filename());
  app.add_flag("--check", check, "Status 1 when a figure misses its limit");
  try {
    app.parse(argc, argv);
    measure();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
    return software;
  }
  return check && !figures.all_met() ? 1 : 0;
}

int bench_main(int argc, char** argv, const std::function<void()>& measure) {
  CLI::App app;
  return bench_main(argc, argv, app, measure);
}

}  // namespace asterism
