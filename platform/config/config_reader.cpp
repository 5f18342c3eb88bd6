#include "platform/config/config_reader.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/fields.h"
#include "platform/config/file_names.h"
#include "platform/config/hexadecimal_text.h"
#include "platform/config/nearest_name.h"
#include "platform/config/renamed_keys.h"
#include "platform/config/type_file.h"

namespace asterism {
namespace {

struct Context {
  Diagnostics& problems;
  const ConfigLibrary* library;
  std::vector<std::string> files_in_use;  // outermost first, to detect a file that uses itself
};

// Whether a value must have a source, and whether an enclosing object has given one (Fields::sourced).
struct SourceRule {
  bool due = false;
  bool given = false;
};

// The meaning of a key, a sentence, as the end of another one: "The first address." becomes "the first
// address".
std::string as_clause(std::string_view meaning) {
  std::string text(meaning);
  if (text.ends_with('.')) text.pop_back();
  for (const std::string_view article : {"The ", "A ", "An "})
    if (text.starts_with(article)) text.front() = static_cast<char>(text.front() - 'A' + 'a');
  return text;
}

// "the keys here are a, b"; "" if there are none.
std::string listed(std::string_view introduction, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? std::string(introduction) : ", ") + name;
  return text;
}

// The file that a value of a kind names or is the path of; if there is none, why.
struct FileOfKind {
  std::optional<std::filesystem::path> file = {};
  bool is_path = false;
  std::string why_none = {}, nearest = {};
};

FileOfKind file_of_kind(const ConfigLibrary& library, std::string_view kind, const std::string& value,
                        const Origin& origin, const std::string& key) {
  if (auto file = library.find(kind, value)) return {.file = std::move(file)};
  const std::vector<std::string> names = library.list(kind);
  if (const auto path = ConfigLibrary::as_path(value, origin)) {
    refuse_overlong_name(*path, origin, key);
    std::error_code none;
    if (std::filesystem::is_regular_file(*path, none)) return {.file = path, .is_path = true};
    return {.why_none = "there is no file " + path->string(),
            .nearest = nearest_name(path->stem().string(), names)};
  }
  const std::string nearest = nearest_name(value, names);
  std::string why = nearest.empty() ? listed("there are ", names) : "";
  if (const std::string places = library.places(kind); places.find(", ") != std::string::npos)
    why += (why.empty() ? "" : "; ") + ("searched in " + places);
  return {.why_none = why, .nearest = nearest};
}

// The text of a scalar's value, and the dotted path of the scalar from an object.
struct PathText {
  std::string path, text;
};

// The keys of an object, whether their conditions hold or not.
class KeysOf final : public Fields {
 public:
  explicit KeysOf(ObjectValue& value) { value.walk(*this); }
  std::vector<std::string> keys = {};

 private:
  void reusable(std::string_view) override { keys.emplace_back("use"); }
  void field(const Line& line, const ShowValue&) override { keys.emplace_back(line.key); }
  void choice(const Condition&, const std::function<void()>& body) override { body(); }
  void relation(const Relation&, const std::function<bool()>&) override {}
};

// Reads one object, following the lines of its description.
class ObjectReader final : public Fields {
 public:
  ObjectReader(Context& context, ConfigValue& json, std::string path, SourceRule sources,
               ObjectValue* value = nullptr)
      : context_(context), json_(json), path_(std::move(path)), sources_(sources), value_(value) {
    if (sources_.due) read_sources();
  }

  void abbreviates(std::string_view map) override {
    abbreviated_ = map;
    if (value_) own_keys_ = KeysOf(*value_).keys;
  }
  void reusable(std::string_view kind) override;
  void sourced() override {
    if (!std::exchange(sources_.due, true)) read_sources();
  }
  // To be called after the last line. Keys of layers below `above` are ignored.
  void refuse_unknown_keys(int above = -command_line_layer);

 private:
  // Why the lines inside a when() are not valid.
  struct Inactive {
    bool because_selector_is_bad;
    std::string condition;  // "kind is "power_loss""
    std::string actual;     // "bit_flip"
    int selector_layer;
  };

  void field(const Line& line, const ShowValue& show) override;
  void choice(const Condition& condition, const std::function<void()>& body) override;
  void relation(const Relation& relation, const std::function<bool()>& holds) override;

  bool is_unsound(std::string_view path) const;
  void read_sources();
  void expand(ConfigMember member, ConfigValue& in);
  void expand_abbreviations();
  std::vector<std::string> abbreviations() const;
  void refuse_own_keys_as_entries();
  void refuse_unknown_key(const ConfigMember& member, const std::string& path);
  void use_file(std::string_view kind, const ConfigValue& name);
  ConfigValue used_file(std::string_view kind, const ConfigValue& name);
  void refuse_inactive(std::string_view key);
  bool is_given_under_old_name(std::string_view key) const;
  const ConfigValue* given(std::string_view path) const;  // nullptr: the value is a default
  std::string value_text(std::string_view path) const;

  Context& context_;
  ConfigValue& json_;
  std::string path_;
  SourceRule sources_;
  ObjectValue* value_;                 // nullptr if the lines are not those of an object
  std::vector<std::string> keys_;      // the keys of the lines so far
  std::vector<std::string> bad_keys_;  // the keys whose value was refused, wholly or in part, or is missing
  // The same as paths, as exactly as they are known, and keys that are not read as their selector is refused.
  std::vector<std::string> bad_paths_;
  std::vector<PathText> texts_;   // of all scalars, including those in nested objects
  std::string_view abbreviated_;  // the map whose entries are also keys of this object; "" if there is none
  std::vector<std::string>
      own_keys_;  // with an abbreviated map: the keys of the object, which abbreviate none
  std::optional<Inactive> inactive_;
  bool base_is_bad_ =
      false;  // the file named by "use" could not be read, so it is not known which keys are missing
};

// Why a number without a unit is refused as a quantity: "it has no unit (B, KiB, MiB)".
std::string lack_of_a_unit(ScalarValue& value, const ScalarType& type, const PlainValue& plain) {
  const bool is_number = !std::holds_alternative<bool>(plain) && !std::holds_alternative<std::string>(plain);
  if (!is_number || type.pattern.empty()) return "";
  return value.set(PlainValue(to_text(plain))).value_or("");
}

// Reads one value of any shape.
class ValueReader final : public ValueVisitor {
 public:
  ValueReader(Context& context, ConfigValue& json, std::string path, SourceRule sources)
      : context_(context), json_(json), path_(std::move(path)), sources_(sources) {}

  void scalar(ScalarValue& value) override {
    const ScalarType type = value.type();
    if (!json_.scalar()) return refuse(type.expected());
    const PlainValue plain = plain_value(type);
    if (const std::optional<std::string> detail = value.set(plain))
      return refuse(type.expected(), *detail + lack_of_a_unit(value, type, plain),
                    nearest_choice(type, plain));
    if (!type.file_kind.empty()) check_file(value, type, std::get<std::string>(plain));
    if (type.may_be_beside) take_file_beside(value, std::get<std::string>(plain));
    if (sources_.due && !sources_.given)
      refuse("a source: \"source\" in its object, or an entry under its key in \"sources\" of that object",
             "", "", "none");
  }

  void object(ObjectValue& value) override {
    if (!json_.object()) return refuse("an object");
    ObjectReader reader(context_, json_, path_, sources_, &value);
    value.walk(reader);
    reader.refuse_unknown_keys();
  }

  // What keys an object of an unknown type has is unknown. If only an override of the type made a key
  // meaningless, the key has no effect and is no error.
  void typed(TypedValue& value) override {
    if (!json_.object()) return refuse("an object");
    const ConfigValue* type = json_.find(value.selector());
    const auto* name = type && type->scalar() ? std::get_if<std::string>(type->scalar()) : nullptr;
    const int layer = type ? type->layer : 0;
    const std::string wanted = name ? *name : "";
    if (auto* const from_file = dynamic_cast<TypeFromFile*>(&value); from_file && name)
      if (!is_provided(*from_file, wanted, std::string(value.selector()))) return;
    const bool is_known = value.become(wanted);
    ObjectReader reader(context_, json_, path_, sources_);
    value.walk(reader);
    if (is_known) reader.refuse_unknown_keys(layer);
  }

  void list(ListValue& value) override {
    ConfigValue::List* list = json_.list();
    if (!list && value.takes_single()) {
      value.resize(json_.is_null() ? 0 : 1);
      if (!json_.is_null()) value.element(0, *this);
      return;
    }
    if (!list) return refuse("a list");
    value.resize(list->size());
    for (std::size_t i = 0; i < list->size(); ++i) {
      ValueReader element(context_, (*list)[i], join_path(path_, std::to_string(i)), sources_);
      value.element(i, element);
    }
  }

  void map(MapValue& value) override {
    if (!json_.object()) return refuse("an object");
    value.clear();
    for (ConfigMember& member : *json_.object()) {
      if (member.value.is_null()) continue;  // an override has removed it
      ValueReader entry(context_, member.value, join_path(path_, member.key), sources_);
      value.entry(member.key, entry);
    }
  }

  void optional(OptionalValue& value) override {
    if (json_.is_null())
      value.reset();
    else
      value.value(*this);
  }

 private:
  // Free text on the command line needs no quotes, even if it looks like a number.
  PlainValue plain_value(const ScalarType& type) const {
    const bool free_text =
        type.form == ScalarType::Form::text && type.choices.empty() && type.pattern.empty();
    if (free_text && json_.origin.is_command_line() && !std::holds_alternative<std::string>(*json_.scalar()))
      return json_.raw;
    const auto* text = std::get_if<std::string>(json_.scalar());
    const auto number = text && takes_hexadecimal(type) ? from_hexadecimal(*text) : std::nullopt;
    return number ? PlainValue(*number) : *json_.scalar();
  }

  static std::string nearest_choice(const ScalarType& type, const PlainValue& given) {
    std::vector<std::string> names;
    for (const ScalarType::Choice& choice : type.choices)
      if (const auto* name = std::get_if<std::string>(&choice.value)) names.push_back(*name);
    const auto* text = std::get_if<std::string>(&given);
    return text ? nearest_name(*text, names) : "";
  }

  // Takes a type from the file that has it, if it needs one. The key of the file then has its absolute path,
  // because the expanded text is written elsewhere. Returns false after it has reported a problem.
  bool is_provided(TypeFromFile& type, const std::string& name, const std::string& selector) {
    const std::string key(type.file_key());
    const ConfigValue* file = json_.find(key);
    const auto* given = file && file->scalar() ? std::get_if<std::string>(file->scalar()) : nullptr;
    const ConfigMember at = *json_.member(given ? key : selector);
    const Origin& origin = at.value.origin;
    try {
      const auto beside = origin.is_command_line() ? "" : std::filesystem::path(origin.file).parent_path();
      std::string found = type.provide(name, given ? *given : "", beside);
      if (found.empty()) return true;
      if (!file) json_.object()->push_back({key, at.key_origin, at.value});
      json_.find(key)->content = PlainValue(std::move(found));
      return true;
    } catch (const TypeFileError& error) {
      Diagnostic problem{.origin = origin, .path = join_path(path_, at.key), .problem = error.what()};
      if (error.is_missing) throw InputMissing(std::move(problem));
      context_.problems.add(std::move(problem));
      return false;
    }
  }

  // The member gets the absolute path, because the expanded text is written elsewhere.
  void check_file(ScalarValue& value, const ScalarType& type, const std::string& name) {
    if (!context_.library) return;
    const FileOfKind found = file_of_kind(*context_.library, type.file_kind, name, json_.origin, path_);
    if (!found.file) return refuse(type.expected(), found.why_none, found.nearest);
    if (found.is_path) value.set(PlainValue(found.file->string()));
  }

  void take_file_beside(ScalarValue& value, const std::string& name) {
    const bool is_path =
        name.find_first_of("/.") != std::string::npos;  // and no name of ours, such as an app's
    if (!is_path || json_.origin.is_command_line()) return;
    const auto path = std::filesystem::absolute(std::filesystem::path(json_.origin.file).parent_path() / name)
                          .lexically_normal();
    std::error_code none;
    if (std::filesystem::is_regular_file(path, none)) value.set(PlainValue(path.string()));
  }

  void refuse(const std::string& expected, const std::string& detail = "", const std::string& nearest = "",
              const std::string& got = "") {
    const std::string change = got.empty() ? change_of_value(path_, json_.message_text()) : "";
    context_.problems.add({json_.origin, path_, "", expected, got.empty() ? json_.message_text() : got,
                           change.empty() ? detail : change, change.empty() ? nearest : ""});
  }

  Context& context_;
  ConfigValue& json_;
  std::string path_;
  SourceRule sources_;
};

// Collects the texts of a scalar, or of the scalars in an object, for messages. Lists, maps and absent values
// have none.
class ScalarTexts final : public ValueVisitor {
 public:
  ScalarTexts(std::vector<PathText>& texts, std::string path) : texts_(texts), path_(std::move(path)) {}
  void scalar(ScalarValue& value) override { texts_.push_back({path_, to_text(value.get())}); }
  void object(ObjectValue& value) override {
    Members members(texts_, path_);
    value.walk(members);
  }
  void list(ListValue&) override {}
  void map(MapValue&) override {}
  void optional(OptionalValue& value) override {
    if (value.present()) value.value(*this);
  }

 private:
  class Members final : public Fields {
   public:
    Members(std::vector<PathText>& texts, std::string path) : texts_(texts), path_(std::move(path)) {}

   private:
    void field(const Line& line, const ShowValue& show) override {
      ScalarTexts texts(texts_, join_path(path_, line.key));
      show(texts);
    }
    void choice(const Condition&, const std::function<void()>& body) override { body(); }
    void relation(const Relation&, const std::function<bool()>&) override {}

    std::vector<PathText>& texts_;
    std::string path_;
  };

  std::vector<PathText>& texts_;
  std::string path_;
};

bool is_within(std::string_view path, std::string_view above) {
  return path.starts_with(above) && (path.size() == above.size() || path[above.size()] == '.');
}

std::string_view parent_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? "" : path.substr(0, dot);
}

// The dotted paths in the text of a rule, for example "is at most program.steps".
std::vector<std::string> paths_in(std::string_view words) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789_.";
  std::vector<std::string> paths;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find_first_not_of(letters));
    const std::size_t dot = word.find('.');
    if (dot != std::string_view::npos && dot > 0 && dot + 1 < word.size()) paths.emplace_back(word);
    words.remove_prefix(std::min(std::max<std::size_t>(word.size(), 1), words.size()));
  }
  return paths;
}

std::vector<std::string> words_in_backquotes(std::string_view words) {
  std::vector<std::string> found;
  for (bool is_inside = false; !words.empty(); is_inside = !is_inside) {
    const std::size_t end = std::min(words.find('`'), words.size());
    if (is_inside) found.emplace_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return found;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void ObjectReader::field(const Line& line, const ShowValue& show) {
  keys_.emplace_back(line.key);
  if (inactive_) return refuse_inactive(line.key);
  const std::string path = join_path(path_, line.key);
  ConfigValue* json = json_.find(line.key);
  if (!json) {
    const bool is_renamed = is_given_under_old_name(line.key);
    if (line.required || is_renamed) {
      bad_keys_.emplace_back(line.key);
      bad_paths_.emplace_back(line.key);
      if (!base_is_bad_ && !is_renamed)
        context_.problems.add({.origin = json_.origin,
                               .path = path,
                               .problem = "this key is required: " + as_clause(line.meaning)});
      return;
    }
    ScalarTexts initial(texts_, std::string(line.key));
    show(initial);
    return;
  }
  SourceRule sources = sources_;
  if (const ConfigValue* by_key = json_.find("sources"); sources.due && by_key && by_key->find(line.key))
    sources.given = true;
  const std::size_t before = context_.problems.size();
  if (line.key == abbreviated_) refuse_own_keys_as_entries();
  ValueReader reader(context_, *json, path, sources);
  show(reader);
  ScalarTexts read(texts_, std::string(line.key));
  show(read);
  if (context_.problems.size() == before) return;
  bad_keys_.emplace_back(line.key);
  for (std::size_t i = before; i < context_.problems.size(); ++i) {
    const Diagnostic& problem = context_.problems.all()[i];
    // A misspelt key may mean any other key of its object; a file that cannot be read may hold all of them.
    const bool is_of_all = problem.problem == "unknown key" || problem.path.ends_with(".use");
    const std::string_view at = is_of_all ? parent_of(problem.path) : std::string_view(problem.path);
    const bool is_inside = is_within(at, path);
    bad_paths_.emplace_back(is_inside ? at.substr(path_.empty() ? 0 : path_.size() + 1) : line.key);
  }
}

void ObjectReader::choice(const Condition& condition, const std::function<void()>& body) {
  const bool bad = contains(bad_keys_, condition.key);
  if (inactive_ || (condition.holds && !bad)) return body();
  Inactive inactive{bad, std::string(condition.key) + " is ", value_text(condition.key), -command_line_layer};
  for (std::size_t i = 0; i < condition.values.size(); ++i)
    inactive.condition += (i > 0 ? " or " : "") + to_text(condition.values[i]);
  if (const ConfigMember* selector = json_.member(condition.key))
    inactive.selector_layer = selector->value.layer;
  inactive_ = inactive;
  body();
  inactive_.reset();
}

// Handles a key inside a when() whose condition does not hold. The key is an error unless an override of the
// selector made it meaningless: if the command line sets "impl" to "model", the node's "variant" has no
// effect and is no error.
void ObjectReader::refuse_inactive(std::string_view key) {
  const ConfigMember* given = json_.member(key);
  if (!given) return;
  if (inactive_->because_selector_is_bad) bad_paths_.emplace_back(key);
  if (inactive_->because_selector_is_bad || given->value.layer < inactive_->selector_layer) return;
  context_.problems.add({.origin = given->key_origin,
                         .path = join_path(path_, key),
                         .problem = "this key is valid only if " + inactive_->condition +
                                    ", but here it is " + inactive_->actual});
}

bool ObjectReader::is_given_under_old_name(std::string_view key) const {
  if (!json_.object()) return false;
  return std::ranges::any_of(*json_.object(), [&](const ConfigMember& member) {
    return new_name_of(join_path(path_, member.key), {std::string(key)}).has_value();
  });
}

bool ObjectReader::is_unsound(std::string_view path) const {
  return std::ranges::any_of(
      bad_paths_, [&](const std::string& bad) { return is_within(path, bad) || is_within(bad, path); });
}

// If a rule names other values, by their dotted paths or in backquotes, the message shows these values, and
// its place is that of the value that was given last: an override that does not suit a file is reported on
// the command line. A rule that names values is checked if these are valid, even if others are not. Every
// other rule may depend on all members.
void ObjectReader::relation(const Relation& relation, const std::function<bool()>& holds) {
  if (inactive_ || base_is_bad_) return;
  std::vector<std::string> named = paths_in(relation.rule);
  for (std::string& name : words_in_backquotes(relation.rule)) named.push_back(std::move(name));
  std::erase_if(named, [&](const std::string& path) { return value_text(path) == "the default"; });
  const auto unsound = [&](const std::string& path) { return is_unsound(path); };
  const bool is_computable =
      named.empty() ? bad_keys_.empty() : !is_unsound(relation.key) && std::ranges::none_of(named, unsound);
  if (!is_computable || holds()) return;
  const ConfigValue* at = &json_;
  Origin origin = json_.origin;
  int layer = json_.layer;
  for (const std::string& key : split_path(relation.key)) {
    if ((at = at->find(key)) == nullptr) break;
    origin = at->origin;
    layer = at->layer;
  }
  std::erase_if(named, [&](const std::string& path) { return given(path) && !given(path)->scalar(); });
  std::string detail;
  for (const std::string& path : named) {
    detail += (detail.empty() ? "" : ", ") + path + " is " + value_text(path);
    const ConfigValue* value = given(path);
    if (!value || value->layer <= layer) continue;
    origin = value->origin;
    layer = value->layer;
  }
  context_.problems.add({.origin = origin,
                         .path = join_path(path_, relation.key),
                         .problem = "",
                         .expected = "a value that " + std::string(relation.rule),
                         .got = value_text(relation.key),
                         .detail = detail});
}

void ObjectReader::read_sources() {
  const auto refuse = [&](const std::string& path, const ConfigValue& at, const std::string& expected) {
    context_.problems.add({at.origin, join_path(path_, path), "", expected, at.message_text()});
  };
  const auto is_text = [](const ConfigValue& v) {
    return v.scalar() && std::get_if<std::string>(v.scalar());
  };
  if (const ConfigValue* source = json_.find("source")) {
    sources_.given = true;
    if (!is_text(*source)) refuse("source", *source, "a text");
  }
  if (const ConfigValue* sources = json_.find("sources")) {
    if (!sources->object()) return refuse("sources", *sources, "an object of texts");
    for (const ConfigMember& entry : *sources->object())
      if (!is_text(entry.value)) refuse("sources." + entry.key, entry.value, "a text");
  }
}

void ObjectReader::reusable(std::string_view kind) {
  if (const ConfigMember* use = json_.member("use")) use_file(kind, ConfigValue(use->value));
  expand_abbreviations();
}

// Assigns the keys next to "use" on top of the contents of the file that it names. If that file cannot be
// read, they are assigned to an empty object, so that they are still checked.
void ObjectReader::use_file(std::string_view kind, const ConfigValue& name) {
  ConfigValue base{ConfigValue::Object{}, json_.origin, "", 0};
  try {
    base = used_file(kind, name);
  } catch (const ConfigError& error) {
    base_is_bad_ = true;
    context_.problems.add(error.diagnostics());
  }
  for (ConfigMember& beside : *json_.object())
    if (beside.key != "use") expand(std::move(beside), base);
  json_.content = std::move(base.content);
}

// Assigns a member. If its key begins with the name of an entry of the abbreviated map, it is assigned there.
void ObjectReader::expand(ConfigMember member, ConfigValue& in) {
  const ConfigValue* map = abbreviated_.empty() ? nullptr : in.find(abbreviated_);
  const std::string name = member.key.substr(0, member.key.find('.'));
  if (map && map->find(name) && !contains(own_keys_, name)) {
    member.key = join_path(abbreviated_, member.key);
    set_left_out(member, join_path(path_, abbreviated_));
  }
  assign(in, std::move(member), context_.problems, path_);
}

// For keys that stand before their entry, and in objects that use no file.
void ObjectReader::expand_abbreviations() {
  const std::vector<std::string> names = abbreviations();
  if (!json_.object() || names.empty()) return;
  ConfigValue::Object members = std::move(*json_.object());
  json_.object()->clear();
  std::stable_partition(members.begin(), members.end(),
                        [&](const ConfigMember& member) { return member.key == abbreviated_; });
  for (ConfigMember& member : members) expand(std::move(member), json_);
}

// The names of the entries of the abbreviated map.
std::vector<std::string> ObjectReader::abbreviations() const {
  std::vector<std::string> names;
  const ConfigValue* map = abbreviated_.empty() ? nullptr : json_.find(abbreviated_);
  if (map && map->object())
    for (const ConfigMember& entry : *map->object())
      if (!entry.value.is_null() && !contains(own_keys_, entry.key)) names.push_back(entry.key);
  return names;
}

// An entry that is named as a key of the object could not be abbreviated. Removes them after the message.
void ObjectReader::refuse_own_keys_as_entries() {
  ConfigValue* map = json_.find(abbreviated_);
  if (!map || !map->object()) return;
  std::erase_if(*map->object(), [&](const ConfigMember& entry) {
    if (!contains(own_keys_, entry.key)) return false;
    const std::string in_map = join_path(abbreviated_, entry.key);
    context_.problems.add({.origin = entry.key_origin,
                           .path = join_path(path_, in_map),
                           .problem = "\"" + entry.key + "\" is not one of the " + std::string(abbreviated_) +
                                      ", but a key beside them: " + join_path(path_, entry.key)});
    return true;
  });
}

// The tree of the file, merged with the file that it uses itself.
ConfigValue ObjectReader::used_file(std::string_view kind, const ConfigValue& name) {
  const auto refuse = [&](const std::string& got, const std::string& detail = "",
                          const std::string& nearest = "") {
    const std::string expected = "the name of a file in configs/" + std::string(kind) + ", or a path";
    throw ConfigError(Diagnostic{name.origin, join_path(path_, "use"), "", expected, got, detail, nearest});
  };
  const auto* text = name.scalar() ? std::get_if<std::string>(name.scalar()) : nullptr;
  if (!text || !context_.library) refuse(name.message_text());
  const FileOfKind found = file_of_kind(*context_.library, kind, *text, name.origin, join_path(path_, "use"));
  if (!found.file) refuse(name.message_text(), found.why_none, found.nearest);
  const std::optional<std::filesystem::path>& file = found.file;
  if (contains(context_.files_in_use, file->string()))
    refuse(name.message_text() + ", which itself uses this file");

  ConfigDocument document = ConfigDocument::load(*file);
  context_.problems.add(document.problems());
  if (!document.root().object())
    throw ConfigError(
        Diagnostic{document.root().origin, "", "", "an object", document.root().message_text()});
  set_layer(document.root(), std::min(name.layer, 0) - 1);
  context_.files_in_use.push_back(file->string());
  ObjectReader used(context_, document.root(), path_, {});
  used.abbreviated_ = abbreviated_;
  used.own_keys_ = own_keys_;
  used.reusable(kind);
  context_.files_in_use.pop_back();
  return std::move(document.root());
}

void ObjectReader::refuse_unknown_keys(int above) {
  if (!json_.object()) return;
  for (const ConfigMember& member : *json_.object()) {
    const bool about_sources = sources_.due && (member.key == "source" || member.key == "sources");
    if (!about_sources && !contains(keys_, member.key) && member.value.layer >= above)
      refuse_unknown_key(member, path_);
    if (about_sources && member.value.object())
      for (const ConfigMember& source : *member.value.object())
        if (!contains(keys_, source.key)) refuse_unknown_key(source, join_path(path_, "sources"));
  }
}

void ObjectReader::refuse_unknown_key(const ConfigMember& member, const std::string& path) {
  const std::string whole = join_path(path, member.key);
  std::vector<std::string> keys = keys_;
  const std::vector<std::string> entries = abbreviations();
  keys.insert(keys.end(), entries.begin(), entries.end());
  std::string detail = change_of_key(whole, keys_);
  const std::string nearest = detail.empty() ? nearest_name(member.key, keys) : "";
  if (detail.empty() && member.key.find('.') != std::string::npos)
    detail = "a dotted key is allowed only next to \"use\"";
  else if (detail.empty() && nearest.empty() && !abbreviated_.empty())
    detail =
        listed("the keys here are ", keys_) + listed("; the " + std::string(abbreviated_) + " are ", entries);
  else if (detail.empty() && nearest.empty())
    detail = listed("the keys here are ", keys_);
  context_.problems.add({.origin = member.key_origin,
                         .path = whole,
                         .problem = "unknown key",
                         .detail = detail,
                         .nearest = nearest});
}

// The value at a path as a message shows it, whether it was given or not; "the default" if it is not a
// scalar.
const ConfigValue* ObjectReader::given(std::string_view path) const {
  const ConfigValue* value = &json_;
  for (const std::string& key : split_path(path))
    if (value) value = value->find(key);
  return value;
}

std::string ObjectReader::value_text(std::string_view path) const {
  if (const ConfigValue* value = given(path)) return value->message_text();
  for (const PathText& scalar : texts_)
    if (scalar.path == path) return scalar.text + " (the default)";
  return "the default";
}

}  // namespace

void read_object(ObjectValue& object, ConfigDocument& document, const ConfigLibrary* library,
                 Diagnostics& problems) {
  problems.add(document.problems());
  Context context{problems, library, {document.root().origin.file}};
  ValueReader(context, document.root(), "", {}).object(object);
}

}  // namespace asterism
