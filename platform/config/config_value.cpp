#include "platform/config/config_value.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace asterism {
namespace {

constexpr std::size_t longest_shown = 60;

std::optional<std::size_t> as_index(std::string_view text) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

void set_left_out(ConfigValue& value, const std::string& left_out) {
  value.origin.left_out = left_out;
  if (value.list())
    for (ConfigValue& element : *value.list()) set_left_out(element, left_out);
  if (value.object())
    for (ConfigMember& member : *value.object()) set_left_out(member, left_out);
}

void merge(ConfigValue& target, ConfigValue value) {
  const bool clears = value.object() && value.object()->empty();
  if (!value.object() || !target.object() || clears || value.find("use")) {
    value.removes = value.is_null() && (!target.is_null() || target.removes);
    target = std::move(value);
    return;
  }
  const bool in_order = target.find("use");  // the keys next to it are assignments; the last one wins
  for (ConfigMember& member : *value.object()) {
    ConfigMember* there = in_order ? nullptr : target.member(member.key);
    if (there) {
      there->key_origin = member.key_origin;
      merge(there->value, std::move(member.value));
    } else {
      target.object()->push_back(std::move(member));
    }
  }
}

// One assignment on its way down the tree.
class Assignment {
 public:
  Assignment(ConfigMember assignment, Diagnostics& problems, std::string_view prefix)
      : keys_(split_path(assignment.key)),
        origin_(std::move(assignment.key_origin)),
        value_(std::move(assignment.value)),
        problems_(problems),
        prefix_(prefix) {}

  void into(ConfigValue& target, std::size_t depth = 0) {
    if (depth == keys_.size()) return merge(target, std::move(value_));
    if (target.list()) return into_list(target, depth);
    if (target.object()) return into_object(target, depth);
    fail(target.message_text() + ", which has no keys", depth);
  }

 private:
  void into_list(ConfigValue& target, std::size_t depth) {
    ConfigValue::List& list = *target.list();
    const std::optional<std::size_t> index = as_index(keys_[depth]);
    if (!index || *index > list.size())
      return fail(
          "a list of " + std::to_string(list.size()) + ", which has no element \"" + keys_[depth] + "\"",
          depth);
    if (*index == list.size()) list.push_back(made_for(depth + 1));
    into(list[*index], depth + 1);
  }

  void into_object(ConfigValue& target, std::size_t depth) {
    if (target.find("use") && keys_[depth] != "use") return keep_dotted(target, depth);
    ConfigMember* there = target.member(keys_[depth]);
    if (!there) {
      target.object()->push_back({keys_[depth], origin_, made_for(depth + 1)});
      there = &target.object()->back();
    }
    if (depth + 1 == keys_.size()) there->key_origin = origin_;
    into(there->value, depth + 1);
  }

  void keep_dotted(ConfigValue& target, std::size_t depth) {
    std::string rest;
    for (; depth < keys_.size(); ++depth) rest = join_path(rest, keys_[depth]);
    target.object()->push_back({rest, origin_, std::move(value_)});
  }

  // A new value on the way to the target. The next key decides whether it is a list or an object.
  ConfigValue made_for(std::size_t depth) const {
    ConfigValue made{ConfigValue::Null{}, origin_, "", value_.layer};
    if (depth == keys_.size()) return made;
    if (as_index(keys_[depth]))
      made.content = ConfigValue::List{};
    else
      made.content = ConfigValue::Object{};
    return made;
  }

  // `what` describes the value at the first `depth` keys.
  void fail(const std::string& what, std::size_t depth) {
    std::string at(prefix_), whole(prefix_);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      whole = join_path(whole, keys_[i]);
      if (i + 1 == depth) at = whole;
    }
    problems_.add({origin_, whole, "cannot be set: " + (at.empty() ? "the file" : at) + " is " + what});
  }

  std::vector<std::string> keys_;
  Origin origin_;
  ConfigValue value_;
  Diagnostics& problems_;
  std::string_view prefix_;
};

}  // namespace

const ConfigMember* ConfigValue::member(std::string_view key) const {
  if (!object()) return nullptr;
  const auto found =
      std::find_if(object()->begin(), object()->end(), [&](const auto& m) { return m.key == key; });
  return found != object()->end() ? &*found : nullptr;
}

ConfigMember* ConfigValue::member(std::string_view key) {
  return const_cast<ConfigMember*>(std::as_const(*this).member(key));
}

const ConfigValue* ConfigValue::find(std::string_view key) const {
  const ConfigMember* found = member(key);
  return found ? &found->value : nullptr;
}

ConfigValue* ConfigValue::find(std::string_view key) {
  return const_cast<ConfigValue*>(std::as_const(*this).find(key));
}

void ConfigValue::erase(std::string_view key) {
  if (object()) std::erase_if(*object(), [&](const ConfigMember& m) { return m.key == key; });
}

std::string ConfigValue::message_text() const {
  if (object()) return "an object";
  if (is_null()) return "null";
  std::string text;
  if (list()) {
    text = "[";
    for (std::size_t i = 0; i < list()->size() && text.size() <= longest_shown; ++i)
      text += (i == 0 ? "" : ", ") + (*list())[i].message_text();
    text += "]";
  } else {
    text = std::holds_alternative<std::string>(*scalar()) ? to_text(*scalar()) : raw;
  }
  if (text.size() > longest_shown) text = text.substr(0, longest_shown) + "...";
  return text;
}

void set_layer(ConfigValue& value, int layer) {
  value.layer = layer;
  if (value.list())
    for (ConfigValue& element : *value.list()) set_layer(element, layer);
  if (value.object())
    for (ConfigMember& member : *value.object()) set_layer(member.value, layer);
}

void set_origin(ConfigValue& value, const Origin& origin) {
  value.origin = origin;
  if (value.list())
    for (ConfigValue& element : *value.list()) set_origin(element, origin);
  if (value.object()) {
    for (ConfigMember& member : *value.object()) {
      member.key_origin = origin;
      set_origin(member.value, origin);
    }
  }
}

void set_left_out(ConfigMember& member, const std::string& left_out) {
  member.key_origin.left_out = left_out;
  set_left_out(member.value, left_out);
}

std::string join_path(std::string_view path, std::string_view key) {
  const bool has_both = !path.empty() && !key.empty();
  return std::string(path) + (has_both ? "." : "") + std::string(key);
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> keys;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    keys.emplace_back(path.substr(0, dot));
    path.remove_prefix(dot + 1);
  }
  keys.emplace_back(path);
  return keys;
}

void assign(ConfigValue& root, ConfigMember assignment, Diagnostics& problems, std::string_view prefix) {
  const auto depth =
      static_cast<std::size_t>(std::count(assignment.key.begin(), assignment.key.end(), '.')) + 1;
  if (depth > deepest_nesting) {
    const std::string start = assignment.key.substr(0, longest_shown) + "...";
    problems.add({assignment.key_origin, join_path(prefix, start),
                  "cannot be set: nested deeper than " + std::to_string(deepest_nesting)});
    return;
  }
  Assignment(std::move(assignment), problems, prefix).into(root);
}

}  // namespace asterism
