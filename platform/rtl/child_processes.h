// Programs that a build starts, several at a time, ended with the build.
//
// Each runs in a process group of its own, so that Ctrl-C at a terminal reaches asterism only. While a BuildSignals
// lives, SIGINT, SIGTERM and SIGHUP are taken here: they kill what runs and become an Interrupted.
#pragma once

#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace asterism {

struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

class BuildSignals {
 public:
  BuildSignals();
  ~BuildSignals();
  BuildSignals(const BuildSignals&) = delete;
  BuildSignals& operator=(const BuildSignals&) = delete;

  // Waits for a child to end or this long, and throws Interrupted when a signal came.
  void wait(long milliseconds) const;
  const sigset_t& before() const { return before_; }

 private:
  sigset_t watched_{}, before_{};
  struct sigaction child_before_ {};
};

struct ChildProgram {
  std::vector<std::string> words;     // the first is looked for in PATH
  std::filesystem::path log;          // gets what it prints
  std::filesystem::path folder = {};  // where it runs; "" for here
};

// Runs all, `at_once` of them at a time, until all have ended or one has failed; returns the index of one that
// failed, or their number. Throws Interrupted when none of them runs any more, std::system_error when one cannot be
// started.
std::size_t run_all(const std::vector<ChildProgram>& programs, unsigned at_once, const BuildSignals& signals);

}  // namespace asterism
