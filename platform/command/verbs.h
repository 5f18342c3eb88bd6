// The verbs of the `asterism` command, one file for each, which also has its options.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace asterism {

class Ranks;

struct Verb {
  const CLI::App* command;
  // Returns the exit status. Throws ConfigError or InputMissing.
  std::function<int(Ranks* ranks)> run;
  bool distributes = false;  // its work over the ranks of mpirun
};

// Each adds a verb and its options to the command.
Verb add_check(CLI::App& app);
Verb add_compare(CLI::App& app);
Verb add_fit(CLI::App& app);
Verb add_list(CLI::App& app);
Verb add_new(CLI::App& app);
Verb add_paper(CLI::App& app);
Verb add_plugin(CLI::App& app);
Verb add_report(CLI::App& app);
Verb add_rtl(CLI::App& app);
Verb add_run(CLI::App& app);
Verb add_schema(CLI::App& app);
Verb add_study(CLI::App& app);
Verb add_sweep(CLI::App& app);
Verb add_trace(CLI::App& app);

// `rtl list` and `list blocks`, perhaps with the file of --json. Returns the exit status.
int list_blocks(const std::optional<std::string>& json);

}  // namespace asterism
