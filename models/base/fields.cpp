#include "base/fields.h"

#include <array>
#include <boost/core/demangle.hpp>
#include <charconv>
#include <set>
#include <stdexcept>

namespace asterism {
namespace {

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// The shortest digits that read back as the same number, with a point or an exponent so that it does not look
// like an integer.
std::string number_text(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

struct PlainText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return number_text(value); }
  std::string operator()(const std::string& value) const { return in_quotes(value); }
};

bool is_key(std::string_view key) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz";
  return !key.empty() && letters.find(key.front()) != std::string_view::npos &&
         key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

// Walks the description of a default object and records which members have a line, and what is wrong with a
// line.
class DescriptionCheck final : public Fields {
 public:
  std::string first_problem;
  struct Seen {
    const void* member;
    std::string_view key;
  };
  std::vector<Seen> lines;

  void sourced() override { sourced_ = true; }

 private:
  void field(const Line& line, const ShowValue& show) override {
    const std::string key = in_quotes(line.key);
    if (!is_key(line.key)) note("key " + key + " is not lower_case");
    if (line.key == "use" || (sourced_ && (line.key == "source" || line.key == "sources")))
      note("key " + key + " is reserved");
    if (line.meaning.empty()) note("key " + key + " says nothing about its meaning");
    if (!keys_.emplace(line.key).second) note("key " + key + " has two lines");
    lines.push_back({line.member, line.key});
    if (!line.required) check_default(key, show);
  }
  void choice(const Condition& condition, const std::function<void()>& body) override {
    if (!keys_.contains(std::string(condition.key)))
      note("when() on " + in_quotes(condition.key) + ", which has no line above");
    body();
  }
  void relation(const Relation& relation, const std::function<bool()>&) override {
    const std::string_view first = relation.key.substr(0, relation.key.find('.'));
    if (!keys_.contains(std::string(first)))
      note("check() at " + in_quotes(relation.key) + ", which has no line above");
  }
  void check_default(const std::string& key, const ShowValue& show);
  void note(const std::string& problem) {
    if (first_problem.empty()) first_problem = problem;
  }

  std::set<std::string> keys_;
  bool sourced_ = false;
};

// Only the default of a scalar is a constant of the description.
class DefaultCheck final : public ValueVisitor {
 public:
  std::string problem;

 private:
  void scalar(ScalarValue& value) override {
    const PlainValue initial = value.get();
    if (value.set(initial)) problem = "expected " + value.type().expected() + ", got " + to_text(initial);
  }
  void object(ObjectValue&) override {}
  void list(ListValue&) override {}
  void map(MapValue&) override {}
  void optional(OptionalValue&) override {}
};

void DescriptionCheck::check_default(const std::string& key, const ShowValue& show) {
  DefaultCheck check;
  show(check);
  if (!check.problem.empty()) note("the default of " + key + " breaks its own rule: " + check.problem);
}

}  // namespace

std::string to_text(const PlainValue& value) { return std::visit(PlainText{}, value); }

std::string ScalarType::expected() const {
  if (!file_kind.empty()) return "the name of a file in configs/" + std::string(file_kind) + ", or a path";
  if (!choices.empty()) {
    std::string text = choices.size() == 1 ? "" : "one of ";
    for (std::size_t i = 0; i < choices.size(); ++i) text += (i > 0 ? ", " : "") + to_text(choices[i].value);
    return text;
  }
  if (low && high) return noun + " from " + to_text(*low) + " to " + to_text(*high);
  if (low) return noun + " of at least " + to_text(*low);
  if (high) return noun + " of at most " + to_text(*high);
  return example ? noun + " such as " + to_text(*example) : noun;
}

std::string description_problem(const std::type_info& type, const std::vector<MemberSpan>& members,
                                const std::function<void(Fields&)>& describe_sample) {
  const std::string name = boost::core::demangle(type.name()) + ": ";
  DescriptionCheck check;
  describe_sample(check);
  std::string previous;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto line = std::find_if(check.lines.begin(), check.lines.end(),
                                   [&](const auto& seen) { return members[i].contains(seen.member); });
    if (line == check.lines.end())
      return name + "member " + std::to_string(i + 1) + " of " + std::to_string(members.size()) +
             (previous.empty() ? "" : ", after " + previous) + ", has no line in describe()";
    previous = in_quotes(line->key);
  }
  return check.first_problem.empty() ? "" : name + check.first_problem;
}

void refuse_description(const std::string& problem) { throw std::logic_error(problem); }

}  // namespace asterism
