// The man pages of the command, from its own description (`asterism --help-json`) and from docs/command.md,
// which has the sections of verbs, the exit statuses, the environment and the files.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace asterism {

struct ManualSources {
  const nlohmann::json& command;  // what --help-json prints
  std::string_view page;          // docs/command.md
  std::string version, date;      // of the headings
};

// The page of each name: asterism, and asterism-VERB of each verb. Throws std::invalid_argument if
// docs/command.md has no section of a verb or lacks another one that it needs.
std::map<std::string, std::string> manual_pages(const ManualSources& sources);

// Markdown as docs/command.md uses it in the language of man pages: paragraphs, headings, lists, tables of
// two columns as definitions, indented blocks, code, emphasis; of links the text. Tables of options are left
// out. It stands below a heading, where the first paragraph begins by itself.
std::string man_of_markdown(std::string_view markdown);

}  // namespace asterism
