#include "platform/config/json_parser.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace asterism {
namespace {

// Follows the parser through the text, token by token. The text up to a token was valid, so this can be
// simple.
class TokenFinder {
 public:
  TokenFinder(std::string_view text, const std::string& file) : text_(text), file_(file) {
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') line_starts_.push_back(i + 1);
    if (text.starts_with("\xEF\xBB\xBF")) at_ = line_starts_[0] = 3;
  }

  struct Token {
    std::size_t first;
    std::string_view text;
  };
  // The next key, value or bracket.
  Token next() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n,:", at_), text_.size());
    const std::size_t first = at_;
    if (first == text_.size()) return {first, ""};
    const char c = text_[first];
    if (c == '"')
      skip_string();
    else if (c == '{' || c == '}' || c == '[' || c == ']')
      ++at_;
    else
      at_ = std::min(text_.find_first_of(" \t\r\n,:{}[]\"", first), text_.size());
    return {first, text_.substr(first, at_ - first)};
  }

  Origin origin(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    const std::size_t start = after == line_starts_.begin() ? 0 : *(after - 1);
    int column = 1;
    for (std::size_t i = start; i < offset; ++i)
      if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80) ++column;  // not inside a UTF-8 character
    return {file_, std::max(1, static_cast<int>(after - line_starts_.begin())), column};
  }

  std::size_t size() const { return text_.size(); }
  char character(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }

 private:
  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    at_ = std::min(at_ + 1, text_.size());
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::vector<std::size_t> line_starts_ = {0};
};

// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing value -
// invalid literal; last read: '/'" to "invalid literal; last read: '/'".
std::string reason(std::string what) {
  for (const std::string_view before : {"] ", ": ", " - "}) {
    const std::size_t end = what.find(before);
    if (end == std::string::npos || (before == ": " && !what.starts_with("parse error"))) continue;
    if (before == " - " && !what.starts_with("syntax error")) continue;
    what.erase(0, end + before.size());
  }
  return what;
}

class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(std::string_view text, const std::string& file, Diagnostics& problems)
      : tokens_(text, file), problems_(problems) {}

  ConfigValue take() { return std::move(root_); }

  bool null() override { return add(made(ConfigValue::Null{})); }
  bool boolean(bool value) override { return add(made(PlainValue(value))); }
  bool number_integer(std::int64_t value) override { return add(made(PlainValue(value))); }
  bool number_unsigned(std::uint64_t value) override { return add(made(PlainValue(value))); }
  bool number_float(double value, const std::string&) override { return add(made(PlainValue(value))); }
  bool string(std::string& value) override { return add(made(PlainValue(std::move(value)))); }
  bool binary(nlohmann::json::binary_t&) override { return false; }  // not in JSON text

  bool key(std::string& key) override {
    const Origin origin = tokens_.origin(tokens_.next().first);
    open_.back().key = std::move(key);
    open_.back().key_origin = origin;
    return true;
  }
  bool start_object(std::size_t) override { return open(ConfigValue::Object{}); }
  bool start_array(std::size_t) override { return open(ConfigValue::List{}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t read, const std::string&, const nlohmann::json::exception& error) override {
    const std::size_t offset = read > 0 ? read - 1 : 0;
    Diagnostic problem{
        .origin = tokens_.origin(offset), .path = "", .problem = "not valid JSON: " + reason(error.what())};
    const char c = tokens_.character(offset);
    if (c == '/' || c == '#') problem.detail = "JSON has no comments";
    if (offset >= tokens_.size() && !open_.empty()) {
      const ConfigValue& innermost = open_.back().value;
      problem.detail = std::string(innermost.object() ? "the object" : "the list") + " that begins at " +
                       place(innermost.origin) + " is not closed";
    }
    throw ConfigError(problem);
  }

 private:
  struct Open {
    ConfigValue value;
    std::string key;  // of the member to come
    Origin key_origin;
  };

  static std::string place(const Origin& origin) {
    return std::to_string(origin.line) + ":" + std::to_string(origin.column);
  }

  ConfigValue made(decltype(ConfigValue::content) content) {
    const TokenFinder::Token token = tokens_.next();
    return {std::move(content), tokens_.origin(token.first), std::string(token.text), 0};
  }

  bool open(decltype(ConfigValue::content) content) {
    open_.push_back({made(std::move(content)), "", {}});
    open_.back().value.raw.clear();
    if (open_.size() > deepest_nesting)
      throw ConfigError(
          Diagnostic{open_.back().value.origin, "", "nested deeper than " + std::to_string(deepest_nesting)});
    return true;
  }

  bool close() {
    tokens_.next();
    ConfigValue value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }

  bool add(ConfigValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (ConfigValue::List* list = open_.back().value.list()) {
      list->push_back(std::move(value));
    } else {
      add_member(std::move(value));
    }
    return true;
  }

  void add_member(ConfigValue value) {
    Open& object = open_.back();
    const auto same = [&](const ConfigMember& m) { return m.key == object.key; };
    ConfigValue::Object& members = *object.value.object();
    const auto first = std::find_if(members.begin(), members.end(), same);
    if (first == members.end())
      members.push_back({object.key, object.key_origin, std::move(value)});
    else
      problems_.add({.origin = object.key_origin,
                     .path = path_of_next(),
                     .problem = "duplicate key; the first is at " + place(first->key_origin)});
  }

  // The path of the member whose key was read last.
  std::string path_of_next() const {
    std::string path;
    for (const Open& open : open_)
      path = join_path(path, open.value.list() ? std::to_string(open.value.list()->size()) : open.key);
    return path;
  }

  TokenFinder tokens_;
  Diagnostics& problems_;
  std::vector<Open> open_;
  ConfigValue root_;
};

}  // namespace

ConfigValue parse_json(std::string_view text, const std::string& file, Diagnostics& problems) {
  TreeBuilder builder(text, file, problems);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

}  // namespace asterism
