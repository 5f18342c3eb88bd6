// The words of the command line: the verbs, which each add their own options, and messages for words that
// none of them knows.
#pragma once

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "platform/command/verbs.h"

namespace asterism {

class CommandLine {
 public:
  CommandLine();

  // Whether the verb of this name distributes its work over the ranks of mpirun.
  bool distributes(std::string_view verb) const;
  // Runs the verb that the words name and returns the exit status. `ranks` is nullptr without mpirun.
  int run(int argc, char** argv, Ranks* ranks);

 private:
  CLI::App app_;
  std::vector<Verb> verbs_;
};

}  // namespace asterism
