#include <fmt/format.h>
#include <pthread.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/sanitizers.h"
#include "platform/command/exit_statuses.h"
#include "platform/command/graph_file.h"
#include "platform/command/option_checks.h"
#include "platform/command/result_output.h"
#include "platform/command/verbs.h"
#include "platform/config/diagnostics.h"
#include "platform/host/config_kinds.h"
#include "platform/host/exit_status.h"
#include "platform/host/installed_files.h"
#include "platform/host/output_failure.h"
#include "platform/node/plugin_watch.h"

namespace asterism {
namespace {

using namespace std::chrono_literals;

// A check may take one second. A build with sanitizers is several times slower.
constexpr auto time_of_host = is_sanitized ? 6s : 600ms, max_time = is_sanitized ? 30s : 3000ms;

// The processor time that a thread has used. The limit of a check therefore does not depend on the load of
// the host.
std::chrono::nanoseconds used_by(std::thread& thread) {
  clockid_t clock{};
  timespec used{};
  if (pthread_getcpuclockid(thread.native_handle(), &clock) != 0 || clock_gettime(clock, &used) != 0)
    return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// Returns the text of `all` if it takes no longer than a check may, or throws its exception.
std::optional<std::string> in_time(const std::function<std::string()>& all) {
  std::packaged_task<std::string()> task(all);
  std::future<std::string> text = task.get_future();
  std::thread thread(std::move(task));
  const auto begun = std::chrono::steady_clock::now();
  while (text.wait_for(5ms) != std::future_status::ready) {
    if (is_calling_plugin()) continue;  // whether it hangs shows after a limit of its own
    if (used_by(thread) > time_of_host || std::chrono::steady_clock::now() - begun > max_time) {
      thread.detach();
      return std::nullopt;
    }
  }
  thread.join();
  return text.get();
}

struct CheckArguments {
  std::string file;
  std::vector<std::string> overrides;
  std::optional<std::string> graph, json;
};

// A drawing is made of the whole node, however long its checks take.
void draw(const ConfigFile& read, const CheckArguments& arguments, const InstalledFiles& installed) {
  if (!read.kind->checks.draw)
    refuse_option("--graph", fmt::format("{} is a {}; only a node or a scenario can be drawn", arguments.file,
                                         read.kind->name));
  write_graph(read.kind->checks.draw(read.document, arguments.file, installed), *arguments.graph, "--graph");
  fmt::print("{:<10} {}\n", "written", *arguments.graph);
}

using Json = nlohmann::ordered_json;

Json json_of(const Diagnostic& mistake) {
  Json json{{"message", mistake.text()}, {"path", mistake.path}};
  if (!mistake.origin.is_command_line()) json["file"] = mistake.origin.file;
  if (mistake.origin.line > 0) json["line"] = mistake.origin.line;
  if (mistake.origin.column > 0) json["column"] = mistake.origin.column;
  for (const auto& [name, value] : {std::pair("problem", &mistake.problem),
                                    {"expected", &mistake.expected},
                                    {"got", &mistake.got},
                                    {"detail", &mistake.detail},
                                    {"nearest", &mistake.nearest}})
    if (!value->empty()) json[name] = *value;
  return json;
}

// What a check has found: for people, and for the file of --json.
class CheckOutput {
 public:
  explicit CheckOutput(const CheckArguments& arguments)
      : file_(arguments.file), json_(arguments.json, "--json") {}
  void found(std::string_view kind) { kind_ = kind; }
  void write(const std::string& expanded, bool are_only_keys_checked) {
    if (!json_.is_standard_output()) std::fputs(expanded.c_str(), stdout);
    write(Json::array(), are_only_keys_checked, Json::parse(expanded));
    if (are_only_keys_checked)
      std::fputs(
          "asterism: only the single keys were checked, because building what they describe takes longer "
          "than a check may take; `run` and `study` make the remaining checks before they start\n",
          stderr);
  }
  void write(const ConfigError& error) {
    Json mistakes = Json::array();
    for (const Diagnostic& mistake : error.diagnostics().ordered()) mistakes.push_back(json_of(mistake));
    write(std::move(mistakes), false, nullptr);
  }

 private:
  void write(Json mistakes, bool are_only_keys_checked, Json expanded) {
    if (!json_.is_wanted()) return;
    const Json all{{"file", file_},
                   {"kind", kind_},
                   {"mistakes", std::move(mistakes)},
                   {"only_keys_checked", are_only_keys_checked},
                   {"expanded", std::move(expanded)}};
    json_.write(all.dump(2) + "\n");
  }

  const std::string& file_;
  std::string kind_;  // "" if there is no such file
  ResultOutput json_;
};

// Of a check that must not end by an exception.
template <class Check>
ExitStatus status_of(const Check& check, CheckOutput& output) try {
  try {
    check();
    return ExitStatus::success;
  } catch (const ConfigError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    output.write(error);
    return ExitStatus::bad_input;
  }
} catch (const OutputFailure& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return ExitStatus::internal;
}

int check(const CheckArguments& arguments, CheckOutput& output) {
  const InstalledFiles installed = InstalledFiles::find();
  const ConfigFile read = load_config_file(arguments.file, arguments.overrides, installed.configs);
  for (const ConfigKind* other : read.other_kinds)
    fmt::print(stderr, "asterism: this is the {} \"{}\"; `asterism check {}/{}` checks the {} of that name\n",
               read.kind->name, arguments.file, other->folder, arguments.file, other->name);
  output.found(read.kind->name);
  if (arguments.graph) {
    draw(read, arguments, installed);
    return 0;
  }
  const auto expanded = [=](const ExpandConfig& expand) {
    return expand(read.document, arguments.file, installed);
  };
  if (const auto text = in_time([=] { return expanded(read.kind->checks.check); })) {
    output.write(*text, false);
    return 0;
  }
  // The thread continues; the process ends without waiting for it.
  const ExitStatus status =
      status_of([&] { output.write(expanded(read.kind->checks.check_keys), true); }, output);
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(status));
}

int verb_check(const CheckArguments& arguments) {
  CheckOutput output(arguments);
  try {
    return check(arguments, output);
  } catch (const ConfigError& error) {
    output.write(error);
    throw;
  }
}

}  // namespace

Verb add_check(CLI::App& app) {
  const auto arguments = std::make_shared<CheckArguments>();
  CLI::App* verb = app.add_subcommand("check", "Check a configuration file and print it with all defaults");
  verb->footer(exit_statuses());
  verb->add_option("FILE", arguments->file,
                   "A node, a scenario, a study, another file of configs/, or a block.json")
      ->required()
      ->check(mistake_in_name);
  verb->add_option("KEY=VALUE", arguments->overrides, "Overrides keys of the file")
      ->check(mistake_in_override);
  verb->add_option("--graph", arguments->graph,
                   "Draw the node (cores, fabric, devices, addresses, interrupts, RTL) to this file, " +
                       graph_formats() + "; all but .dot need graphviz")
      ->type_name("FILE")
      ->check(mistake_in_graph_file);
  verb->add_option(
          "--json", arguments->json,
          "Write the mistakes, or the file with all defaults, to this file as JSON; - prints it instead")
      ->type_name("FILE")
      ->check(mistake_in_file)
      ->excludes("--graph");
  return {verb, [arguments](Ranks*) { return verb_check(*arguments); }};
}

}  // namespace asterism
