// Runs the programs of a build, several at a time, and ends them with the build.
//
// Each program has a process group of its own, so that Ctrl-C at a terminal reaches only asterism. While a
// BuildSignals object exists, it handles SIGINT, SIGTERM and SIGHUP: they kill the running programs and throw
// Interrupted.
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

  // Waits until a child ends, at most for this time. Throws Interrupted if a signal was received.
  void wait(long milliseconds) const;
  const sigset_t& before() const { return before_; }

 private:
  sigset_t watched_{}, before_{};
  struct sigaction child_before_ {};
};

struct ChildProgram {
  std::vector<std::string> words;     // the first one is searched in PATH
  std::filesystem::path log;          // the file for its output
  std::filesystem::path folder = {};  // its working folder; "" for the current one
};

// Runs all programs, `at_once` at a time, until all have ended or one has failed. Returns the index of a
// failed program, or the number of programs. Throws Interrupted when all of them have ended after a signal,
// and std::system_error if one cannot be started.
std::size_t run_all(const std::vector<ChildProgram>& programs, unsigned at_once, const BuildSignals& signals);

}  // namespace asterism
