// A config value with its C++ type erased: the form in which a description (base/fields.h) passes it to the
// visitors that read, write or document it. There are six shapes: scalar, object, object of a type, list,
// map, optional. fields.h makes the concrete classes; the visitors are the reader, the writer, the schema
// maker and the documentation in platform/config.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace asterism {

class Fields;

// A scalar as a file holds it. A non-negative integer is a std::uint64_t, a negative one a std::int64_t.
using PlainValue = std::variant<bool, std::int64_t, std::uint64_t, double, std::string>;

// The text of the value in JSON: true, 12, 0.5, "12.4ms".
std::string to_text(const PlainValue& value);

// The set of scalars that a member accepts.
struct ScalarType {
  enum class Form { boolean, integer, number, text };
  struct Choice {
    PlainValue value;
    std::string_view meaning;
  };

  Form form = Form::text;
  std::string noun = {};                   // "a duration"
  std::optional<PlainValue> example = {};  // set if the noun alone does not show the form: "1us"
  std::optional<PlainValue> low = {};      // bounds, inclusive
  std::optional<PlainValue> high = {};
  std::vector<Choice> choices = {};  // if not empty, the only allowed values
  // For a text: a regular expression (ECMA 262) that every valid text matches; "" for any text.
  std::string pattern = {};
  // If not empty, the text is the name of a file of this kind: "dram" is configs/dram/*.json.
  std::string_view file_kind = {};
  // The text is a path, which is first taken relative to the file that gives it.
  bool may_be_beside = false;

  std::string expected() const;  // "a duration from "1ns" to "1s"", "one of "none", "normal""
};

class ScalarValue {
 public:
  virtual ~ScalarValue() = default;
  virtual ScalarType type() const = 0;
  virtual PlainValue get() const = 0;
  // Returns nullopt if the member has taken the value. Otherwise the member is unchanged, and the text adds
  // what type().expected() does not say ("" if nothing): "unknown unit "parsec" (ps, ns, us, ms, s)".
  virtual std::optional<std::string> set(const PlainValue& value) = 0;
};

class ObjectValue {
 public:
  virtual ~ObjectValue() = default;
  virtual void walk(Fields& fields) = 0;  // every line of its description
};

// An object whose further keys depend on its type, which is the value of one of them.
class TypedValue : public ObjectValue {
 public:
  virtual std::string_view selector() const = 0;  // the key of the type
  virtual std::vector<std::string> types() const = 0;
  virtual std::string meaning(const std::string& type) const = 0;
  // Gives the object a type, with the defaults of its keys. Returns false if there is no such type; the
  // object then has the key of the type only.
  virtual bool become(const std::string& type) = 0;
};

class ValueVisitor;

class ListValue {
 public:
  virtual ~ListValue() = default;
  virtual std::size_t size() const = 0;
  virtual void resize(std::size_t size) = 0;  // new elements have their defaults
  virtual void element(std::size_t index, ValueVisitor& visitor) = 0;
  virtual void prototype(ValueVisitor& visitor) = 0;  // a default element of its own
  // Whether a file may hold a single element without a list around it. An empty list is then omitted.
  virtual bool takes_single() const { return false; }
};

class MapValue {
 public:
  virtual ~MapValue() = default;
  virtual std::vector<std::string> keys() const = 0;
  virtual void clear() = 0;
  virtual void entry(const std::string& key, ValueVisitor& visitor) = 0;  // created if it does not exist
  virtual void prototype(ValueVisitor& visitor) = 0;
};

class OptionalValue {
 public:
  virtual ~OptionalValue() = default;
  virtual bool present() const = 0;
  virtual void reset() = 0;
  virtual void value(ValueVisitor& visitor) = 0;  // created if it does not exist
  virtual void prototype(ValueVisitor& visitor) = 0;
};

class ValueVisitor {
 public:
  virtual ~ValueVisitor() = default;
  virtual void scalar(ScalarValue& value) = 0;
  virtual void object(ObjectValue& value) = 0;
  virtual void typed(TypedValue& value) { object(value); }
  virtual void list(ListValue& value) = 0;
  virtual void map(MapValue& value) = 0;
  virtual void optional(OptionalValue& value) = 0;
};

// Passes a value to a visitor.
using ShowValue = std::function<void(ValueVisitor&)>;

}  // namespace asterism
