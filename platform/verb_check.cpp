#include <algorithm>
#include <cstdio>

#include "platform/verbs.h"

namespace asterism {
namespace {

// A node file says nothing of firmware, faults or expectations.
bool is_scenario(const ConfigDocument& document) {
  return std::ranges::any_of(std::initializer_list<const char*>{"node", "firmware", "args", "files", "seed",
                                                                "until", "faults", "expect"},
                             [&](const char* key) { return document.has(key); });
}

bool is_flash_part(const ConfigDocument& document) { return document.has("pages_per_block"); }

}  // namespace

int verb_check(const std::string& file, const std::vector<std::string>& overrides) {
  const InstalledFiles installed = InstalledFiles::find();
  const char* kind = "scenarios";
  for (const char* other : {"nodes", "studies", "flash"})
    if (installed.configs.find(other, file)) kind = other;
  ConfigDocument document = ConfigDocument::load(installed.configs.locate(kind, file));
  for (const std::string& override : overrides) document.apply_override(override);
  if (is_study(document)) {
    std::fputs(read_study(std::move(document), file, installed.configs).expanded.c_str(), stdout);
    return 0;
  }
  const std::string text = is_scenario(document) ? expanded(check_scenario(document, installed))
                           : is_flash_part(document)
                               ? expanded(read_config<FlashPart>(document, installed.configs))
                               : expanded(check_node(document, installed));
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace asterism
