#include "platform/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/wrapped_text.h"
#include "platform/config/config.h"
#include "platform/config/nearest_name.h"
#include "platform/host/config_kinds.h"
#include "platform/study/seeds.h"
#include "platform/study/sweep.h"

namespace asterism {
namespace {

using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

// Swept values are above the command line, and earlier axes, which may select the later ones, above later
// axes. So a key that does not apply under one of the swept values is left out there.
int swept_layer(std::size_t axes_after) { return command_line_layer + 1 + static_cast<int>(axes_after); }

const StudyKind& kind_of(const ConfigDocument& document, std::span<const StudyKind> kinds) {
  const ConfigValue* given = document.root().find("kind");
  std::vector<std::string> names;
  for (const StudyKind& kind : kinds) names.emplace_back(kind.name);
  const auto* text = given && given->scalar() ? std::get_if<std::string>(given->scalar()) : nullptr;
  if (text)
    for (const StudyKind& kind : kinds)
      if (kind.name == *text) return kind;
  std::string expected = "one of";
  for (const std::string& name : names) expected += (name == names.front() ? " \"" : ", \"") + name + "\"";
  throw ConfigError(Diagnostic{.origin = given ? given->origin : document.root().origin,
                               .path = "kind",
                               .problem = "",
                               .expected = expected,
                               .got = given ? given->message_text() : "none",
                               .nearest = text ? nearest_name(*text, names) : ""});
}

// Reports the same mistake of many points once.
class Mistakes {
 public:
  void add(const Diagnostics& found) {
    for (const Diagnostic& problem : found.all())
      if (reported_.insert(problem.text()).second) all_.add(problem);
  }
  void add(Diagnostic problem) {
    Diagnostics one;
    one.add(std::move(problem));
    add(one);
  }
  void throw_if_any() const { all_.throw_if_any(); }
  bool empty() const { return all_.empty(); }

 private:
  std::set<std::string> reported_;
  Diagnostics all_;
};

std::optional<std::size_t> as_index(const std::string& key, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    if (key == std::to_string(i)) return i;
  return std::nullopt;
}

// The value at a path. Next to a "use" keys are dotted, and the last one of several counts.
ConfigValue* value_at(ConfigValue& root, std::string_view path) {
  if (path.empty()) return &root;
  const std::string first(path.substr(0, path.find('.')));
  if (ConfigValue::List* list = root.list()) {
    const auto index = as_index(first, list->size());
    return index ? value_at((*list)[*index], path.substr(std::min(first.size() + 1, path.size()))) : nullptr;
  }
  if (!root.object()) return nullptr;
  ConfigValue::Object& members = *root.object();
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    const std::string_view key = member->key;
    if (!path.starts_with(key) || (path.size() > key.size() && path[key.size()] != '.')) continue;
    if (ConfigValue* found = value_at(member->value, path.substr(std::min(key.size() + 1, path.size()))))
      return found;
  }
  return nullptr;
}

void erase_at(ConfigValue& root, std::string_view path) {
  const std::size_t dot = path.rfind('.');
  ConfigValue* above = dot == std::string_view::npos ? &root : value_at(root, path.substr(0, dot));
  if (above && above->find(path.substr(dot + 1))) return above->erase(path.substr(dot + 1));
  for (std::size_t at = path.find('.'); at != std::string_view::npos; at = path.find('.', at + 1))
    if (ConfigValue* object = value_at(root, path.substr(0, at))) object->erase(path.substr(at + 1));
}

Json* json_at(Json& root, const std::string& path) {
  Json* at = &root;
  for (const std::string& key : split_path(path)) {
    const auto index = at->is_array() ? as_index(key, at->size()) : std::nullopt;
    if (index)
      at = &(*at)[*index];
    else if (at->is_object() && at->contains(key))
      at = &at->at(key);
    else
      return nullptr;
  }
  return at;
}
const Json* json_at(const Json& root, const std::string& path) {
  return json_at(const_cast<Json&>(root), path);
}

// Adds what can be in place of a "*" behind `path`: the indices of a list, or the names of an object's
// members.
void add_names(const ConfigValue& value, std::string_view path, std::vector<std::string>& names) {
  const auto add = [&](std::string_view name) {
    if (std::ranges::count(names, name) == 0) names.emplace_back(name);
  };
  if (const ConfigValue::List* list = value.list(); list && path.empty())
    for (std::size_t i = 0; i < list->size(); ++i) add(std::to_string(i));
  if (!value.object()) return;
  for (const ConfigMember& member : *value.object()) {
    const std::string_view key = member.key;
    if (path.empty())
      add(key.substr(0, key.find('.')));
    else if (key.starts_with(path) && key.size() > path.size() && key[path.size()] == '.')
      add(key.substr(path.size() + 1, key.find('.', path.size() + 1) - path.size() - 1));
    else if (path.starts_with(key) && (path.size() == key.size() || path[key.size()] == '.'))
      add_names(member.value, path.substr(std::min(key.size() + 1, path.size())), names);
  }
}

// A path in a document, and the same one without abbreviation.
struct ConcretePath {
  std::string path, full;
};

// The paths that a key stands for: "faults.0.at" and "faults.1.at" for "faults.*.at".
std::vector<ConcretePath> concrete_paths(const ConfigValue& root, const std::string& path,
                                         const std::string& full) {
  const std::size_t star = path.find('*');
  if (star == std::string::npos) return {{path, full}};
  const auto with = [](const std::string& in, const std::string& name) {
    const std::size_t at = in.find('*');
    return in.substr(0, at) + name + in.substr(at + 1);
  };
  std::vector<ConcretePath> paths;
  std::vector<std::string> names;
  add_names(root, std::string_view(path).substr(0, star == 0 ? 0 : star - 1), names);
  for (const std::string& name : names)
    for (ConcretePath& found : concrete_paths(root, with(path, name), with(full, name)))
      paths.push_back(std::move(found));
  return paths;
}

Cell cell_of(const Json* json) {
  if (!json || json->is_null()) return {};
  if (json->is_number_unsigned()) return json->get<std::uint64_t>();
  if (json->is_number()) return json->get<double>();
  if (json->is_string()) return json->get<std::string>();
  return json->dump();
}

// A value that was swept: a scalar or a list of scalars.
Json json_of(const ConfigValue& value) {
  if (value.scalar()) return std::visit([](const auto& v) { return Json(v); }, *value.scalar());
  if (value.is_null()) return nullptr;
  Json list = Json::array();
  for (const ConfigValue& element : *value.list()) list.push_back(json_of(element));
  return list;
}

// The diagnostic of a mistake, at the key that the user typed or that a file gives.
Diagnostic diagnostic_of(const StudyMistake& mistake, const ConfigDocument& document) {
  const auto is_given = [&](const std::string& key) { return document.has(key); };
  const auto is_typed = [&](const std::string& key) {
    return is_given(key) && document.origin_of(key).is_command_line();
  };
  auto key = std::ranges::find_if(mistake.keys(), is_typed);
  if (key == mistake.keys().end()) key = std::ranges::find_if(mistake.keys(), is_given);
  if (key == mistake.keys().end()) key = mistake.keys().begin();
  return {.origin = document.origin_of(*key), .path = *key, .problem = mistake.what()};
}

constexpr const char* seeds_key = "seeds";
constexpr const char* seeds_meaning =
    "The number of seeds with which each point runs. Results are their means, with 95% confidence intervals.";

// A key of the study that takes several values.
struct Axis {
  std::string path;  // as it is written
  std::string full;  // without abbreviation
  std::vector<ConfigValue> values;
};

class Reader {
 public:
  Reader(ConfigDocument document, std::string name, const ConfigLibrary& library, const StudyKind& kind,
         const StudyReading& reading)
      : document_(std::move(document)), library_(library), reading_(reading) {
    study_.name = std::move(name);
    study_.kind = &kind;
    word_ = kind.word;
  }

  Study read() {
    mistakes_.add(document_.problems());
    take_seeds();
    find_axes();
    const std::size_t count = point_count();
    for (std::size_t index = 0; index < count && study_.unread == 0; ++index)
      if (index != 0 && is_late())
        study_.unread = count - index;
      else
        add_point(index);
    refuse_idle_keys();
    refuse_idle_seeds();
    mistakes_.throw_if_any();
    set_coordinates();
    add_typed(document_.root(), "");
    write_expanded();
    study_.document = std::move(document_);
    return std::move(study_);
  }

 private:
  bool is_late() const { return reading_.deadline && std::chrono::steady_clock::now() > *reading_.deadline; }

  // `seeds` is a key of the study and not of its points.
  void take_seeds() {
    const ConfigValue* given = document_.root().find(seeds_key);
    if (!given || (study_.kind->only_typed_sweeps && !given->origin.is_command_line())) return;
    const auto* number = given->scalar() ? std::get_if<std::uint64_t>(given->scalar()) : nullptr;
    if (number && *number > 0 && *number <= max_points)
      study_.seeds = static_cast<unsigned>(*number);
    else
      mistakes_.add(Diagnostic{.origin = given->origin,
                               .path = seeds_key,
                               .problem = "",
                               .expected = fmt::format("an integer from 1 to {}", max_points),
                               .got = given->message_text()});
    seeds_ = *given;
    document_.root().erase(seeds_key);
  }

  void find_axes() {
    const std::unique_ptr<StudyPoint> sample = study_.kind->make();
    for (const SweepableKey& key : sweepable_keys(sample->config()))
      for (const ConcretePath& at :
           concrete_paths(document_.root(), key.path, key.full_path.empty() ? key.path : key.full_path))
        find_axis(at, key);
    std::size_t points = study_.seeds;
    for (const Axis& axis : axes_)
      if ((points *= axis.values.size()) > max_points)
        throw ConfigError(Diagnostic{
            .origin = axis.values.front().origin,
            .path = axis.path,
            .problem = fmt::format("the study has more than {} points with this sweep", max_points)});
  }

  void find_axis(const ConcretePath& at, const SweepableKey& key) {
    const std::string& path = at.path;
    if (!looked_at_.insert(path).second) return;
    const ConfigValue* given = value_at(document_.root(), path);
    if (!given || (study_.kind->only_typed_sweeps && !given->origin.is_command_line())) return;
    Diagnostics found;
    Axis axis{path, at.full, swept_values(*given, {path, key.type, key.is_list, key.takes_single}, found)};
    mistakes_.add(found);
    if (axis.values.empty()) {
      erase_at(document_.root(), path);  // it has been reported; the rest is checked without it
      return;
    }
    const bool replaces =
        is_list_of_values(*given, key) || axis.values.size() > 1 || has_word(axis.path, axis.values.front());
    if (replaces) axes_.push_back(std::move(axis));
  }

  bool has_word(const std::string& path, const ConfigValue& value) const {
    const auto* text = value.scalar() ? std::get_if<std::string>(value.scalar()) : nullptr;
    return text && !study_.kind->word.empty() && path == study_.kind->word_of && *text == study_.kind->word;
  }

  std::size_t point_count() const {
    std::size_t points = 1;
    for (const Axis& axis : axes_) points *= axis.values.size();
    return points;
  }

  void add_point(std::size_t index) {
    const std::size_t at = index;
    ConfigDocument document = document_;
    std::vector<std::pair<std::string, Json>> used;  // an expanded object does not say which file it uses
    for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
      ConfigValue value = axis->values[index % axis->values.size()];
      index /= axis->values.size();
      value.layer = swept_layer(static_cast<std::size_t>(axis - axes_.rbegin()));
      if (axis->path.ends_with(".use"))
        used.emplace_back(axis->path.substr(0, axis->path.rfind('.')), json_of(value));
      if (has_word(axis->path, value)) {
        document.root().erase(study_.kind->word_of);
        value.content = PlainValue(true);
        assign(document.root(), {std::string(study_.kind->word_sets), value.origin, value}, problems_);
      } else {
        *value_at(document.root(), axis->path) = std::move(value);
      }
    }
    Study::Point point{study_.kind->make(), {}, ""};
    point.point->set_kind(study_.kind->name);
    Diagnostics found;
    read_object(point.point->config(), document, &library_, found);
    mistakes_.add(found);
    if (!found.empty()) return;
    point.config = write_object(point.point->config());
    if (!seen_.insert(point.config).second) return;
    if (reading_.prepares) prepare(*point.point, document);
    expanded_.push_back(Json::parse(point.config));
    for (const auto& [object, file] : used) (*json_at(expanded_.back(), object))["use"] = file;
    add_seeds(point, document);
    study_.points.push_back(std::move(point));
    at_.push_back(at);
  }

  // The point with its further seeds, unless it has none.
  void add_seeds(Study::Point& point, const ConfigDocument& document) {
    const Json& config = expanded_.back();
    if (!config.contains("seed")) return;
    has_seed_ = true;
    const std::string distance(study_.kind->seeds_of_point);
    const auto seed = config["seed"].get<std::uint64_t>(),
               step = distance.empty() ? 1 : config[distance].get<std::uint64_t>();
    for (std::uint64_t i = 1; i < study_.seeds; ++i) {
      Study::Seed further{seed + i * step, study_.kind->make(), ""};
      ConfigDocument with_seed = document;
      with_seed.apply_override(fmt::format("seed={}", further.seed));
      further.point->set_kind(study_.kind->name);
      Diagnostics none;  // all was found in the point itself
      read_object(further.point->config(), with_seed, &library_, none);
      further.config = write_object(further.point->config());
      if (reading_.prepares) prepare(*further.point, document);
      point.further.push_back(std::move(further));
    }
  }

  void refuse_idle_seeds() {
    if (!seeds_) return;
    const auto refuse = [&](const std::string& problem) {
      mistakes_.add(Diagnostic{.origin = seeds_->origin, .path = seeds_key, .problem = problem});
    };
    if (std::ranges::any_of(axes_, [](const Axis& axis) { return axis.path == "seed"; }))
      refuse("the key seed takes several values already; give one of the two");
    else if (!has_seed_ && mistakes_.empty())
      refuse(
          fmt::format("nothing in this study of kind \"{}\" is random: its results do not depend on a seed",
                      study_.kind->name));
  }

  void prepare(StudyPoint& point, const ConfigDocument& document) {
    try {
      point.prepare(library_);
    } catch (const ConfigError& error) {
      mistakes_.add(error.diagnostics());
    } catch (const StudyFileMissing& missing) {
      throw InputMissing(diagnostic_of(missing, document));
    } catch (const StudyMistake& mistake) {
      mistakes_.add(diagnostic_of(mistake, document));
    }
  }

  // A swept selector hides the keys that do not apply under one of its values. A key that applies under none
  // is a mistake.
  void refuse_idle_keys() {
    if (axes_.empty() || !mistakes_.empty() || study_.unread != 0) return;
    for (const ConfigMember& member : *document_.root().object()) {
      const std::string& key = member.key;
      const bool used =
          std::ranges::any_of(expanded_, [&](const Json& point) { return point.contains(key); });
      if (used || member.value.is_null()) continue;
      ConfigDocument plain = document_;
      for (const Axis& axis : axes_) {
        ConfigValue value = axis.values.front();
        value.layer = 0;
        if (!has_word(axis.path, value)) *value_at(plain.root(), axis.path) = std::move(value);
      }
      set_layer(plain.root(), 0);
      Diagnostics found;
      read_object(study_.kind->make()->config(), plain, &library_, found);
      for (const Diagnostic& problem : found.all())
        if (problem.path == key) mistakes_.add(problem);
    }
  }

  void set_coordinates() {
    for (const std::string_view key : study_.kind->coordinates) study_.keys.emplace_back(key);
    for (const Axis& axis : axes_) {
      if (axis.values.size() > 1) study_.swept.push_back(axis.full);
      if (axis.values.size() > 1 && std::ranges::count(study_.keys, axis.full) == 0)
        study_.keys.push_back(axis.full);
    }
    for (std::size_t i = 0; i < study_.points.size(); ++i)
      for (const std::string& key : study_.keys)
        study_.points[i].coordinates.push_back(cell_of(coordinate(expanded_[i], key)));
    for (std::size_t i = 0; i < study_.points.size(); ++i) write_as_given(i);
  }

  // Quantities that are swept as they were written: 1min, 5min, 15min, which are 60s, 5min, 900s expanded.
  void write_as_given(std::size_t point) {
    std::size_t index = at_[point];
    for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
      const ConfigValue& value = axis->values[index % axis->values.size()];
      index /= axis->values.size();
      const auto* text = value.scalar() ? std::get_if<std::string>(value.scalar()) : nullptr;
      const auto key = std::ranges::find(study_.keys, axis->full);
      if (!text || key == study_.keys.end()) continue;
      Cell& cell = study_.points[point].coordinates[static_cast<std::size_t>(key - study_.keys.begin())];
      if (std::holds_alternative<std::string>(cell)) cell = *text;
    }
  }

  // Objects and lists of them key by key.
  void add_typed(const ConfigValue& value, const std::string& path) {
    const auto is_object = [](const ConfigValue& element) { return element.object() != nullptr; };
    if (const ConfigValue::Object* object = value.object()) {
      for (const ConfigMember& member : *object) add_typed(member.value, join_path(path, member.key));
    } else if (value.list() && std::ranges::any_of(*value.list(), is_object)) {
      for (std::size_t i = 0; i < value.list()->size(); ++i)
        add_typed((*value.list())[i], join_path(path, std::to_string(i)));
    } else if (value.origin.is_command_line()) {
      const auto axis = std::ranges::find(axes_, path, &Axis::path);
      const std::string& key = axis == axes_.end() ? path : axis->full;
      if (std::ranges::count(study_.keys, key) != 0) return;
      const Json json = json_of(value);
      std::erase_if(study_.typed, [&](const auto& typed) { return typed.first == key; });  // the last counts
      study_.typed.emplace_back(key, json.is_string() ? json.get<std::string>() : json.dump());
    }
  }

  const Json* coordinate(const Json& point, const std::string& key) const {
    const StudyKind& kind = *study_.kind;
    const bool word = key == kind.word_of && json_at(point, std::string(kind.word_sets)) != nullptr &&
                      *json_at(point, std::string(kind.word_sets)) == true;
    if (word) return &word_;
    return json_at(point, key);
  }

  // The keys of all points, with the swept keys as they were given.
  void write_expanded() {
    Json whole = {{"kind", study_.kind->name}};
    if (seeds_) whole[seeds_key] = study_.seeds;
    for (const Json& point : expanded_) add_missing(whole, point);
    for (const Axis& axis : axes_) {
      Json values = Json::array();
      for (const ConfigValue& value : axis.values) values.push_back(json_of(value));
      if (Json* at = json_at(whole, axis.full)) *at = values.size() == 1 ? values.front() : values;
      if (std::ranges::any_of(axis.values, [&](const auto& value) { return has_word(axis.path, value); }))
        whole.erase(std::string(study_.kind->word_sets));  // the word implies it
    }
    study_.expanded = whole.dump(2) + "\n";
  }

  static void add_missing(Json& whole, const Json& more) {
    for (const auto& [key, value] : more.items()) {
      if (!whole.contains(key))
        whole[key] = value;
      else if (whole[key].is_object() && value.is_object())
        add_missing(whole[key], value);
    }
  }

  ConfigDocument document_;
  const ConfigLibrary& library_;
  const StudyReading& reading_;
  Study study_;
  std::optional<ConfigValue> seeds_;
  bool has_seed_ = false;
  std::vector<Axis> axes_;
  std::vector<Json> expanded_;   // of the points
  std::vector<std::size_t> at_;  // the number of each point among all combinations of the axes
  Json word_;                    // the kind's
  std::set<std::string> seen_;
  std::set<std::string> looked_at_;  // the paths for which an axis was looked for
  Diagnostics problems_;             // of assigning words; there are none
  Mistakes mistakes_;
};

// Besides a value, a key takes a list, or a text with a list or a range; a list of lists if a list is a
// value.
Json sweepable(const Json& value) {
  const bool list = value.contains("type") && value["type"] == "array";
  const bool scalar = value.contains("type") && value["type"] != "object" && !list;
  if (!scalar && !list) return value;
  Json plain = value, out;
  for (const char* key : {"description", "default"})
    if (plain.contains(key)) {
      out[key] = plain[key];
      plain.erase(key);
    }
  if (list) {
    out["anyOf"] = Json::array({plain, {{"type", "array"}, {"minItems", 1}, {"items", plain}}});
    return out;
  }
  out["anyOf"] =
      Json::array({plain, {{"type", "array"}, {"minItems", 1}}, {{"type", "string"}, {"pattern", "[,:]"}}});
  return out;
}

constexpr auto time_for_keys = 200ms;

std::string expand_study(ConfigDocument document, const std::string& file, const InstalledFiles& installed) {
  return read_study(std::move(document), file, installed.configs).expanded;
}

std::string expand_study_in_time(ConfigDocument document, const std::string& file,
                                 const InstalledFiles& installed) {
  const auto deadline = std::chrono::steady_clock::now() + time_for_keys;
  return read_study(std::move(document), file, installed.configs, study_kinds(),
                    {.prepares = false, .deadline = deadline})
      .expanded;
}

const RegisteredConfigKind study_files{
    {.name = "study",
     .folder = "studies",
     .title = "Asterism study",
     .keys = {"kind"},
     .has_foreign_keys = true,
     .schema = [] { return study_schema(); },
     .documentation = [] { return study_documentation(); },
     .checks = {.check = expand_study, .check_keys = expand_study_in_time}}};

}  // namespace

Study read_study(ConfigDocument document, std::string name, const ConfigLibrary& library,
                 std::span<const StudyKind> kinds, const StudyReading& reading) {
  if (!document.root().object())
    throw ConfigError(
        Diagnostic{document.root().origin, "", "", "an object", document.root().message_text()});
  const StudyKind& kind = kind_of(document, kinds);
  document.root().erase("kind");
  return read_study(std::move(document), std::move(name), library, kind, reading);
}

Study read_study(ConfigDocument document, std::string name, const ConfigLibrary& library,
                 const StudyKind& kind, const StudyReading& reading) {
  return Reader(std::move(document), std::move(name), library, kind, reading).read();
}

PointRun run_study(const Study& study, const PointRunSettings& settings) {
  std::vector<StudyPoint*> points;
  for (const SeededPoint& one : points_of(study)) points.push_back(one.point);
  try {
    return run_all_seeds(study, points, settings);
  } catch (const StudyMistake& mistake) {
    throw ConfigError(diagnostic_of(mistake, study.document));
  }
}

std::uint64_t seed_of(const Study::Point& point) {
  return Json::parse(point.config)["seed"].get<std::uint64_t>();
}

std::string study_schema(std::span<const StudyKind> kinds) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Asterism study"}};
  schema["oneOf"] = Json::array();
  for (const StudyKind& kind : kinds) {
    Json one = Json::parse(schema_of_object(kind.make()->config(), kind.meaning));
    one.erase("$schema");
    one.erase("allOf");  // a schema cannot say which keys apply if their selector sweeps
    Json properties = {{"kind", {{"const", kind.name}}}};
    if (one["properties"].contains("seed"))
      properties[seeds_key] = {
          {"type", "integer"}, {"minimum", 1}, {"maximum", max_points}, {"description", seeds_meaning}};
    for (const auto& [key, value] : one["properties"].items()) properties[key] = sweepable(value);
    if (!kind.word.empty()) properties[std::string(kind.word_of)]["anyOf"].push_back({{"const", kind.word}});
    one["properties"] = properties;
    one["required"].push_back("kind");
    schema["oneOf"].push_back(one);
  }
  return schema.dump(2) + "\n";
}

std::string study_documentation(std::span<const StudyKind> kinds) {
  std::string text;
  for (const StudyKind& kind : kinds) {
    text += wrapped(fmt::format("kind = \"{}\"    {}", kind.name, kind.meaning), 0) + "\n";
    text += document_object(kind.make()->config());
    text += fmt::format("\nresults of kind \"{}\"\n", kind.name);
    for (const Column& column : kind.columns)
      text += "    " + wrapped(fmt::format("{}: {}", column.name, column.meaning), 8).substr(8);
    text += "\n";
  }
  text += wrapped(
      "Every scalar takes a list a,b,c or [\"a\", \"b\"]; every number and quantity a range from:to:step. "
      "Where a list [a,b] is one value, [a,b],[c,d] sweeps. Every study with a key seed takes seeds=N. " +
          std::string(seeds_meaning),
      0);
  return text;
}

}  // namespace asterism
