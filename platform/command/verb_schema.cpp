#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "platform/command/exit_statuses.h"
#include "platform/command/option_checks.h"
#include "platform/command/verbs.h"
#include "platform/host/config_kinds.h"
#include "platform/host/exit_status.h"
#include "platform/node/plugin.h"
#include "platform/study/study.h"

namespace asterism {
namespace {

std::vector<std::string> names_of_kinds() {
  std::vector<std::string> names;
  names.reserve(config_kinds().size());
  for (const ConfigKind& kind : config_kinds()) names.emplace_back(kind.name);
  return names;
}

struct SchemaArguments {
  std::string kind;
  std::optional<std::string> study;
  bool as_text = false;
};

// The kind of study of this name, or that of the study of this name in configs/studies; nullptr if there is
// none.
const StudyKind* kind_of_study(const std::string& name) {
  if (const StudyKind* kind = find_study_kind(name)) return kind;
  const auto file = InstalledFiles::find().configs.find("studies", name);
  if (!file) return nullptr;
  const ConfigDocument document = ConfigDocument::load(*file);
  const ConfigValue* kind = document.root().find("kind");
  const auto* text = kind && kind->scalar() ? std::get_if<std::string>(kind->scalar()) : nullptr;
  return text ? find_study_kind(*text) : nullptr;
}

int mistake_in_schema(const std::string& mistake) {
  fmt::print(stderr, "asterism schema: {}\nRun with --help for more information.\n", mistake);
  return static_cast<int>(ExitStatus::usage);
}

int schema_of_study(const SchemaArguments& arguments) {
  const StudyKind* kind = kind_of_study(*arguments.study);
  if (!kind) {
    std::vector<std::string> names;
    for (const StudyKind& each : study_kinds()) names.emplace_back(each.name);
    return mistake_in_schema(
        fmt::format("STUDY: expected a kind of study or the name of a study, got \"{}\"; the kinds are {}",
                    *arguments.study, fmt::join(names, ", ")));
  }
  const std::span one(kind, 1);
  std::fputs((arguments.as_text ? study_documentation(one) : study_schema(one)).c_str(), stdout);
  return 0;
}

int verb_schema(const SchemaArguments& arguments) {
  load_all_plugins();  // a node may have devices of their types
  if (arguments.study && arguments.kind == "study") return schema_of_study(arguments);
  if (arguments.study)
    return mistake_in_schema(fmt::format("STUDY: only the kind study has one; got \"{}\" after {}",
                                         *arguments.study, arguments.kind));
  const auto kind = std::ranges::find(config_kinds(), arguments.kind, &ConfigKind::name);
  if (kind == config_kinds().end()) {
    if (kind_of_study(arguments.kind))
      return mistake_in_schema(
          fmt::format("KIND: \"{0}\" is a study; its keys are printed by asterism schema study {0} --text",
                      arguments.kind));
    return mistake_in_schema(
        fmt::format("KIND: expected one of {}, got \"{}\"; the keys of devices are in asterism schema node",
                    fmt::join(names_of_kinds(), ", "), arguments.kind));
  }
  std::fputs((arguments.as_text ? kind->documentation() : kind->schema()).c_str(), stdout);
  return 0;
}

}  // namespace

Verb add_schema(CLI::App& app) {
  const auto arguments = std::make_shared<SchemaArguments>();
  CLI::App* verb = app.add_subcommand("schema", "Print the JSON Schema of a kind of configuration file");
  verb->footer(exit_statuses());
  verb->add_option("KIND", arguments->kind, fmt::format("One of {}", fmt::join(names_of_kinds(), ", ")))
      ->required()
      ->check(mistake_in_value);
  verb->add_option("STUDY", arguments->study, "Of the kind study: only the keys of this study")
      ->check(mistake_in_value);
  verb->add_flag("--text", arguments->as_text, "Print every key with its default and its meaning as text");
  return {verb, [arguments](Ranks*) { return verb_schema(*arguments); }};
}

}  // namespace asterism
