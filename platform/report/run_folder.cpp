#include "platform/report/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "platform/config/diagnostics.h"
#include "platform/instruments/page_map_file.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// "" if there is no such file.
std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::error_code none;
  if (!in && fs::exists(file, none))
    throw InputMissing(
        Diagnostic::of_file(file.string(), fmt::format("cannot be read: {}", std::strerror(errno))));
  return {std::istreambuf_iterator<char>(in), {}};
}

Json parsed(const std::string& text, const fs::path& file, int line) {
  try {
    return Json::parse(text);
  } catch (const Json::exception&) {
    throw ConfigError(Diagnostic{.origin = {.file = file.string(), .line = line, .column = line == 0 ? 0 : 1},
                                 .path = "",
                                 .problem = line == 0 ? "is no JSON, expected what a run has written"
                                                      : "is no event, expected a JSON object"});
  }
}

Json object_in(const fs::path& file) {
  std::error_code none;
  if (!fs::exists(file, none)) return Json::object();
  Json json = parsed(contents(file), file, 0);
  if (!json.is_object())
    throw ConfigError(
        Diagnostic::of_file(file.string(), "is no JSON object, expected what a run has written"));
  return json;
}

RecordedEvent event_of(Json line, const fs::path& file, int number) {
  try {
    RecordedEvent event{.at = Picoseconds(line.at("time_ps").get<std::uint64_t>()),
                        .source = line.at("source").get<std::string>(),
                        .kind = line.at("kind").get<std::string>(),
                        .details = {}};
    for (const char* key : {"time_ps", "source", "kind"}) line.erase(key);
    event.details = std::move(line);
    return event;
  } catch (const Json::exception&) {
    throw ConfigError(Diagnostic{.origin = {.file = file.string(), .line = number, .column = 1},
                                 .path = "",
                                 .problem = "is no event, expected time_ps, source and kind"});
  }
}

std::vector<RecordedEvent> events_in(const fs::path& file) {
  std::vector<RecordedEvent> events;
  std::istringstream lines(contents(file));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (lines.eof()) break;  // without a newline: a run that was killed has written only a part of it
    events.push_back(event_of(parsed(line, file, number), file, number));
  }
  return events;
}

void flatten(const Json& tree, const std::string& path, std::vector<FlatValue>& to) {
  const auto below = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (tree.is_object()) {
    for (const auto& [key, value] : tree.items()) flatten(value, below(key), to);
  } else if (tree.is_array() && std::ranges::any_of(tree, &Json::is_structured)) {
    for (std::size_t i = 0; i < tree.size(); ++i) flatten(tree[i], below(std::to_string(i)), to);
  } else {
    to.push_back({path, tree});
  }
}

}  // namespace

RunFolder RunFolder::read(const fs::path& path) {
  std::error_code none;
  for (const char* needed : {"scenario.json", "events.jsonl"}) {
    if (fs::exists(path / needed, none)) continue;
    fs::path partial = path.has_filename() ? path : path.parent_path();
    partial += ".partial";
    throw InputMissing(Diagnostic::of_file(
        path.string(),
        fs::is_directory(path, none) ? fmt::format("is no folder of a run: it has no {}", needed)
        : fs::exists(path, none)     ? "is no folder, expected that of a run"
        : fs::is_directory(partial, none)
            ? fmt::format("there is no such folder; a run that was interrupted has left {}", partial.string())
            : "there is no such folder, expected that of a run"));
  }
  return {.path = path,
          .scenario = object_in(path / "scenario.json"),
          .stats = object_in(path / "stats.json"),
          .host = object_in(path / "host.json"),
          .events = events_in(path / "events.jsonl")};
}

Picoseconds RunFolder::last_known_time() const {
  Picoseconds last(number_in(stats, "simulated_time_ps"));
  for (const RecordedEvent& event : events) last = std::max(last, event.at);
  return last;
}

std::string RunFolder::text_of(const std::string& name) const { return contents(path / name); }

std::optional<PageMap> RunFolder::page_map() const {
  const std::string bytes = text_of(page_map_name);
  if (bytes.empty()) return std::nullopt;
  try {
    return read_page_map(bytes);
  } catch (const RunRecordError& error) {
    throw ConfigError(
        Diagnostic::of_file((path / page_map_name).string(), fmt::format("file {}", error.what())));
  }
}

std::vector<std::string> RunFolder::files_below(const std::string& folder) const {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(path / folder, none))
    if (entry.is_regular_file(none)) names.push_back(entry.path().lexically_relative(path).string());
  std::ranges::sort(names);
  return names;
}

std::uint64_t number_in(const Json& object, const char* name) {
  const auto value = object.find(name);
  return value != object.end() && value->is_number_unsigned() ? value->get<std::uint64_t>() : 0;
}

std::vector<FlatValue> flattened(const Json& tree) {
  std::vector<FlatValue> all;
  flatten(tree, "", all);
  return all;
}

}  // namespace asterism
