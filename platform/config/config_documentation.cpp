#include "platform/config/config_documentation.h"

#include <utility>

#include "base/fields.h"
#include "base/wrapped_text.h"
#include "platform/config/config_value.h"

namespace asterism {
namespace {

// The text of one line of the description.
struct Entry {
  std::string key;  // with the index or name of an element of a list or map: "faults.N"
  std::string initial;
  std::string expected;
  std::string choices;  // one line for each value
  std::string inside;   // the lines of the struct that it contains, if there is one
};

// Writes what is expected after the key, or below it if the line is too long for both.
std::string beside(const std::string& key, const std::string& expected) {
  if (expected.empty()) return key + "\n";
  const std::string line = key + "    " + expected + "\n";
  return line.size() <= 81 ? line : key + "\n" + wrapped(expected, 4);
}

class Documentation final : public Fields {
 public:
  Documentation(std::string& text, std::string path) : text_(text), path_(std::move(path)) {}

 private:
  void field(const Line& line, const ShowValue& show) override;
  void choice(const Condition& condition, const std::function<void()>& body) override {
    const std::string outer = only_;
    only_ += (only_.empty() ? "Valid only if " : " and ") + std::string(condition.key) + " is ";
    for (std::size_t i = 0; i < condition.values.size(); ++i)
      only_ += (i > 0 ? " or " : "") + to_text(condition.values[i]);
    body();
    only_ = outer;
  }
  void relation(const Relation& relation, const std::function<bool()>&) override {
    text_ += wrapped(join_path(path_, relation.key) + " " + std::string(relation.rule), 4).substr(4);
  }
  void reusable(std::string_view kind) override {
    text_ += join_path(path_, "use") + "    the name of a file in configs/" + std::string(kind) +
             ", or a path\n    The keys next to it override those of the file. They may be dotted.\n";
  }
  void sourced() override {
    text_ += join_path(path_, "source") + ", " + join_path(path_, "sources") +
             "    the sources of the values\n    \"source\" is a text for the whole object; \"sources\" has "
             "a text under the key of each value.\n";
  }

  std::string& text_;
  std::string path_;
  std::string only_;
};

class Describe final : public ValueVisitor {
 public:
  explicit Describe(Entry& entry) : entry_(entry) {}

  void scalar(ScalarValue& value) override {
    const ScalarType type = value.type();
    entry_.initial = to_text(value.get());
    entry_.expected = type.expected();
    for (const ScalarType::Choice& choice : type.choices)
      if (!choice.meaning.empty())
        entry_.choices +=
            "        " + wrapped(to_text(choice.value) + ": " + std::string(choice.meaning), 12).substr(12);
  }
  void object(ObjectValue& value) override {
    Documentation inside(entry_.inside, entry_.key);
    value.walk(inside);
  }
  void typed(TypedValue& value) override {
    for (const std::string& type : value.types()) {
      value.become(type);
      entry_.inside += entry_.key + " of the type " + type + "\n" + wrapped(value.meaning(type), 4);
      Documentation inside(entry_.inside, entry_.key);
      value.walk(inside);
    }
  }
  void list(ListValue& value) override {
    if (value.takes_single())
      container(value, "", "one or a list, each ");
    else
      container(value, ".N", "a list, each ");
  }
  void map(MapValue& value) override { container(value, ".NAME", "by name, each "); }
  void optional(OptionalValue& value) override { container(value, "", "optional, "); }

 private:
  void container(auto& value, const char* suffix, const char* what) {
    entry_.key += suffix;
    value.prototype(*this);
    entry_.initial.clear();
    entry_.expected = what + (entry_.expected.empty() ? "an object" : entry_.expected);
  }
  Entry& entry_;
};

void Documentation::field(const Line& line, const ShowValue& show) {
  Entry entry{.key = join_path(path_, line.key), .initial = "", .expected = "", .choices = "", .inside = ""};
  Describe describe(entry);
  show(describe);
  std::string name = entry.key;
  if (!line.required && !entry.initial.empty()) name += " = " + entry.initial;
  if (line.required) entry.expected += entry.expected.empty() ? "required" : ", required";
  text_ += beside(name, entry.expected);
  std::string meaning(line.meaning);
  if (!only_.empty()) meaning += (meaning.ends_with('.') ? " " : ". ") + only_ + ".";
  text_ += wrapped(meaning, 4);
  text_ += entry.choices + entry.inside;
}

}  // namespace

std::string document_object(ObjectValue& object) {
  std::string text;
  Documentation documentation(text, "");
  object.walk(documentation);
  return text;
}

}  // namespace asterism
