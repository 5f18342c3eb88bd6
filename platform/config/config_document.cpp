#include "platform/config/config_document.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "platform/config/built_in_files.h"
#include "platform/config/json_parser.h"

namespace asterism {
namespace {

std::string text_of(const std::filesystem::path& file) {
  if (const auto built_in = built_in_text(file)) return std::string(*built_in);
  std::error_code none;
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file, none))
    throw InputMissing(Diagnostic{Origin{file.string(), 0, 0}, "", "cannot be read"});
  return {std::istreambuf_iterator<char>(in), {}};
}

// A text that begins like a JSON list, object or string is meant as one.
bool looks_like_json(std::string_view text) { return text.find_first_of("[{\"") == 0; }

// Text that is not UTF-8 could be read but not written as JSON.
bool is_utf8(std::string_view text) {
  const nlohmann::json json = text;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::ignore) ==
         json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The parts between the commas outside of brackets. nullopt if the brackets do not match, or if quotes or
// braces show that the text is meant as JSON.
std::optional<std::vector<std::string_view>> parts_of_list(std::string_view text) {
  if (text.find_first_of("\"{}") != std::string_view::npos) return std::nullopt;
  std::vector<std::string_view> parts;
  std::size_t begun = 0, depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' && ++depth > deepest_nesting) return std::nullopt;
    if (text[i] == ']' && depth-- == 0) return std::nullopt;
    if (text[i] != ',' || depth != 0) continue;
    parts.push_back(text.substr(begun, i - begun));
    begun = i + 1;
  }
  if (depth != 0) return std::nullopt;
  parts.push_back(text.substr(begun));
  return parts;
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

bool is_bracketed(std::string_view text) { return text.starts_with('[') && text.ends_with(']'); }

std::optional<ConfigValue> list_of_words(std::string_view text);

// "9s", "5", "[0,200]": JSON if it is valid JSON, else a list of words or a word.
std::optional<ConfigValue> element_of_list(std::string_view text) {
  if (is_bracketed(text)) return list_of_words(text);
  if (text.empty() || text.find_first_of("[]") != std::string_view::npos) return std::nullopt;
  try {
    Diagnostics none;
    return parse_json(text, "value", none);
  } catch (const ConfigError&) {
    ConfigValue word;
    word.content = PlainValue(std::string(text));
    word.raw = text;
    return word;
  }
}

// "[9s,50s]" or "[0,200],[200,200]"; nullopt if it is neither.
std::optional<ConfigValue> list_of_words(std::string_view text) {
  std::optional<std::vector<std::string_view>> parts = parts_of_list(text);
  if (!parts) return std::nullopt;
  if (parts->size() == 1) {
    if (!is_bracketed(text)) return std::nullopt;
    const std::string_view inside = without_blanks(text.substr(1, text.size() - 2));
    parts = inside.empty() ? std::vector<std::string_view>() : parts_of_list(inside);
    if (!parts) return std::nullopt;
  } else if (!std::ranges::all_of(*parts, [](auto part) { return is_bracketed(without_blanks(part)); })) {
    return std::nullopt;
  }
  ConfigValue::List elements;
  for (const std::string_view part : *parts) {
    std::optional<ConfigValue> element = element_of_list(without_blanks(part));
    if (!element) return std::nullopt;
    elements.push_back(std::move(*element));
  }
  ConfigValue list;
  list.content = std::move(elements);
  return list;
}

ConfigValue override_value(std::string_view path, std::string_view text, Diagnostics& problems) {
  ConfigValue value;
  try {
    Diagnostics found;
    value = parse_json(text, "value", found);
    for (Diagnostic problem : found.all()) {
      problem.path = join_path(path, problem.path);
      problem.origin = Origin::command_line();
      problems.add(problem);
    }
  } catch (const ConfigError& error) {
    std::optional<ConfigValue> list = list_of_words(text);
    if (list)
      value = std::move(*list);
    else if (looks_like_json(text))
      problems.add({.origin = Origin::command_line(),
                    .path = std::string(path),
                    .problem = error.diagnostics().all().front().problem});
    if (!list) {
      value.content = PlainValue(std::string(text));
      value.raw = text;
    }
  }
  set_origin(value, Origin::command_line());
  set_layer(value, command_line_layer);
  return value;
}

}  // namespace

ConfigDocument ConfigDocument::load(const std::filesystem::path& file) {
  return parse(text_of(file), file.string());
}

ConfigDocument ConfigDocument::parse(std::string_view text, const std::string& file_name) {
  ConfigDocument document;
  document.root_ = parse_json(text, file_name, document.problems_);
  document.root_.erase("$schema");  // for editors
  return document;
}

void ConfigDocument::apply_override(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string_view path = assignment.substr(0, equals);
  const auto malformed = [&](const std::string& expected) {
    problems_.add({.origin = Origin::command_line(),
                   .path = "",
                   .problem = "",
                   .expected = expected,
                   .got = "\"" + std::string(assignment) + "\""});
  };
  if (!is_utf8(assignment)) return malformed("an override in UTF-8");
  if (equals == std::string_view::npos)
    return malformed("an override such as \"KEY=VALUE\" or \"KEY.KEY=VALUE\"");
  for (const std::string& key : split_path(path))
    if (key.empty()) return malformed("a key before and after every dot of an override");

  const std::size_t problems_before = problems_.size();
  ConfigValue value = override_value(path, assignment.substr(equals + 1), problems_);
  if (problems_.size() == problems_before)
    assign(root_, {std::string(path), Origin::command_line(), std::move(value)}, problems_);
}

Origin ConfigDocument::origin_of(std::string_view path) const { return deepest_on(path).first->origin; }

int ConfigDocument::layer_of(std::string_view path) const { return deepest_on(path).first->layer; }

std::pair<const ConfigValue*, bool> ConfigDocument::deepest_on(std::string_view path) const {
  const ConfigValue* at = &root_;
  if (path.empty()) return {at, true};
  for (const std::string& key : split_path(path)) {
    const ConfigValue* inside = at->find(key);
    if (const ConfigValue::List* list = at->list())
      for (std::size_t i = 0; i < list->size(); ++i)
        if (std::to_string(i) == key) inside = &(*list)[i];
    if (!inside) return {at, false};
    at = inside;
  }
  return {at, true};
}

}  // namespace asterism
