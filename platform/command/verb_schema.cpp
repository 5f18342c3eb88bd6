#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "platform/command/verbs.h"
#include "platform/host/config_kinds.h"
#include "platform/node/plugin.h"

namespace asterism {
namespace {

struct SchemaArguments {
  std::string kind;
  bool as_text = false;
};

int verb_schema(const SchemaArguments& arguments) {
  load_all_plugins();  // a node may have devices of their types
  const ConfigKind& kind = *std::ranges::find(config_kinds(), arguments.kind, &ConfigKind::name);
  std::fputs((arguments.as_text ? kind.documentation() : kind.schema()).c_str(), stdout);
  return 0;
}

}  // namespace

Verb add_schema(CLI::App& app) {
  const auto arguments = std::make_shared<SchemaArguments>();
  std::vector<std::string> kinds;
  for (const ConfigKind& kind : config_kinds()) kinds.emplace_back(kind.name);
  CLI::App* verb = app.add_subcommand("schema", "Print the JSON Schema of a kind of configuration file");
  verb->add_option("KIND", arguments->kind, fmt::format("One of {}", fmt::join(kinds, ", ")))
      ->required()
      ->check([kinds](const std::string& kind) {
        if (std::ranges::count(kinds, kind) != 0) return std::string();
        return fmt::format(
            "there is no kind \"{}\" of files; the kinds are {}. The keys of devices are in `schema node`",
            kind, fmt::join(kinds, ", "));
      });
  verb->add_flag("--text", arguments->as_text, "Print every key with its default and its meaning as text");
  return {verb, [arguments](Ranks*) { return verb_schema(*arguments); }};
}

}  // namespace asterism
