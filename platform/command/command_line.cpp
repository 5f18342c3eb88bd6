#include "platform/command/command_line.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "base/wrapped_text.h"
#include "platform/command/command_description.h"
#include "platform/command/version.h"
#include "platform/config/nearest_name.h"
#include "platform/host/exit_status.h"

namespace asterism {
namespace {

// Returns whether an unknown word stands in the place of a subcommand, and if so reports it with the nearest
// verb.
bool report_unknown(const CLI::App& app, const char* command) {
  const auto words = app.remaining();
  if (words.empty()) return false;
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  const std::string nearest = nearest_name(words.front(), names);
  std::fprintf(stderr, "%s: there is no verb \"%s\"%s\nRun with --help for more information.\n", command,
               words.front().c_str(), nearest.empty() ? "" : ("; did you mean \"" + nearest + "\"?").c_str());
  return true;
}

// Returns whether an unknown option was given to this verb, and if so reports it. This comes before other
// checks, because the word after the option would be taken for an argument and refused as one.
bool report_unknown_option(const CLI::App& verb, const std::string& command) {
  const auto words = verb.remaining();
  const auto is_option = [](const std::string& word) { return word.size() > 1 && word[0] == '-'; };
  const auto found = std::ranges::find_if(words, is_option);
  if (found == words.end()) return false;
  const std::string given = found->substr(0, found->find('='));
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::string nearest = nearest_name(given, names);
  const bool takes_keys = verb.get_option_no_throw("KEY=VALUE") != nullptr;
  std::fprintf(
      stderr, "%s: there is no option \"%s\"%s%s\nRun with --help for more information.\n", command.c_str(),
      given.c_str(), nearest.empty() ? "" : ("; did you mean \"" + nearest + "\"?").c_str(),
      nearest.empty() && takes_keys ? "; set a key of the configuration by KEY=VALUE, without dashes" : "");
  return true;
}

// The verb that the user chose, with the words before it: "asterism rtl build".
std::pair<const CLI::App*, std::string> chosen_verb(const CLI::App& app) {
  std::string command = "asterism";
  const CLI::App* verb = &app;
  for (auto below = app.get_subcommands(); !below.empty(); below = verb->get_subcommands()) {
    verb = below.front();
    command += " " + verb->get_name();
  }
  return {verb, command};
}

// Returns whether a required argument or the value of an option is missing, and if so reports it with what it
// is.
bool report_missing(const CLI::App& app, const CLI::ParseError& error) {
  std::string mistake = error.what();
  const bool lacks_value = error.get_name() == "ArgumentMismatch" && mistake.ends_with(" missing");
  if (!lacks_value && error.get_name() != "RequiredError") return false;
  const auto [verb, command] = chosen_verb(app);
  std::string name = mistake.substr(0, mistake.find_first_of(lacks_value ? ":" : " "));
  const CLI::Option* option = verb->get_option_no_throw(name);
  if (!option) return false;
  if (lacks_value) {
    mistake = name + " is given without " + option->get_type_name();
    name += " " + option->get_type_name();
  }
  std::fprintf(stderr, "%s: %s\n%sRun with --help for more information.\n", command.c_str(), mistake.c_str(),
               wrapped("  " + name, option->get_description(), 20).c_str());
  return true;
}

// Returns whether there is a word that is neither a verb nor an option, and if so reports it.
bool report_unknown_word(const CLI::App& app) {
  const auto [verb, command] = chosen_verb(app);
  if (report_unknown_option(*verb, command)) return true;
  return verb->get_require_subcommand_min() > 0 && report_unknown(*verb, command.c_str());
}

// "; not with --gdb, --live"
std::string with_names(const char* before, const std::set<CLI::Option*>& options) {
  std::string text;
  for (const CLI::Option* option : options) text += (text.empty() ? before : ", ") + option->get_name();
  return text;
}

// Prints everything in 80 columns.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(20); }
  // The usage says which arguments are required, and an argument's name what it is.
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::string value = make_option_opts(option);
    const std::size_t end = std::min(value.find(" Needs:"), value.find(" Excludes:"));
    return wrapped(
        "  " + make_option_name(option, is_positional) + (is_positional ? "" : value.substr(0, end)),
        make_option_desc(option) + with_names("; only with ", option->get_needs()) +
            with_names("; not with ", option->get_excludes()),
        get_column_width());
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    return wrapped("  " + verb->get_display_name(true), verb->get_description(), get_column_width());
  }
  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description(), 0);
  }
  std::string make_footer(const CLI::App* app) const override { return wrapped(app->get_footer(), 0); }
};

}  // namespace

CommandLine::CommandLine() : app_("Asterism: a virtual platform of an exascale compute node", "asterism") {
  app_.require_subcommand(1);
  app_.set_version_flag("--version", version_text,
                        "Print the version, the engines, and the libraries with their licences");
  app_.add_flag_callback(
      "--help-json", [this] { throw CLI::CallForVersion(description_of(app_).dump(2), 0); },
      "Print all verbs with their arguments and options as JSON");
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.footer(
      "Exit status: 0 success, 64 usage, 65 error in a configuration or input file, 66 input missing, 70 "
      "internal error or output that cannot be written. The help of a verb names those that it can return.");
  for (const auto add : {add_run, add_study, add_sweep, add_paper, add_check, add_schema, add_list, add_fit,
                         add_new, add_plugin, add_trace, add_report, add_compare, add_rtl})
    verbs_.push_back(add(app_));
}

bool CommandLine::distributes(std::string_view verb) const {
  return std::ranges::any_of(
      verbs_, [&](const Verb& each) { return each.distributes && each.command->get_name() == verb; });
}

int CommandLine::run(int argc, char** argv, Ranks* ranks) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool is_mistake = error.get_exit_code() != 0;
    if (is_mistake && (report_unknown_word(app_) || report_missing(app_, error)))
      return static_cast<int>(ExitStatus::usage);
    return app_.exit(error) == 0 ? 0 : static_cast<int>(ExitStatus::usage);
  }
  const auto is_chosen = [](const Verb& verb) { return verb.command->parsed(); };
  return std::ranges::find_if(verbs_, is_chosen)->run(ranks);
}

}  // namespace asterism
