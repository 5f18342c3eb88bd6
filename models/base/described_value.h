// A config value with its C++ type erased: what a description (base/fields.h) shows to whoever reads, writes
// or documents it. Five shapes: scalar, object, list, map, optional. The concrete classes are made by
// fields.h; the users are visitors: the reader, the writer, the schema maker and the documentation in
// platform/config.
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

// A scalar as a file holds it. A non-negative integer comes as std::uint64_t, a negative one as std::int64_t.
using PlainValue = std::variant<bool, std::int64_t, std::uint64_t, double, std::string>;

// As it stands in JSON: true, 12, 0.5, "12.4ms".
std::string to_text(const PlainValue& value);

// Which scalars a member takes.
struct ScalarType {
  enum class Form { boolean, integer, number, text };
  struct Choice {
    PlainValue value;
    std::string_view meaning;
  };

  Form form = Form::text;
  std::string noun = {};                   // "a duration"
  std::optional<PlainValue> example = {};  // where the noun alone does not show the form: "1us"
  std::optional<PlainValue> low = {};      // bounds, inclusive
  std::optional<PlainValue> high = {};
  std::vector<Choice> choices = {};  // when not empty, the only values
  // Of a text: a regular expression (ECMA 262) that every valid one matches; "" for any.
  std::string pattern = {};
  // When not empty, the text names a file of this kind: "dram" is configs/dram/*.json.
  std::string_view file_kind = {};

  std::string expected() const;  // "a duration from "1ns" to "1s"", "one of "none", "normal""
};

class ScalarValue {
 public:
  virtual ~ScalarValue() = default;
  virtual ScalarType type() const = 0;
  virtual PlainValue get() const = 0;
  // nullopt when the member took the value; otherwise it is unchanged and the text says what
  // type().expected() leaves open ("" when nothing): "unknown unit "parsec" (ps, ns, us, ms, s)".
  virtual std::optional<std::string> set(const PlainValue& value) = 0;
};

class ObjectValue {
 public:
  virtual ~ObjectValue() = default;
  virtual void walk(Fields& fields) = 0;  // every line of its description
};

class ValueVisitor;

class ListValue {
 public:
  virtual ~ListValue() = default;
  virtual std::size_t size() const = 0;
  virtual void resize(std::size_t size) = 0;  // new elements have their defaults
  virtual void element(std::size_t index, ValueVisitor& visitor) = 0;
  virtual void prototype(ValueVisitor& visitor) = 0;  // a default element of its own
};

class MapValue {
 public:
  virtual ~MapValue() = default;
  virtual std::vector<std::string> keys() const = 0;
  virtual void clear() = 0;
  virtual void entry(const std::string& key, ValueVisitor& visitor) = 0;  // made when it is not there
  virtual void prototype(ValueVisitor& visitor) = 0;
};

class OptionalValue {
 public:
  virtual ~OptionalValue() = default;
  virtual bool present() const = 0;
  virtual void reset() = 0;
  virtual void value(ValueVisitor& visitor) = 0;  // made when it is not there
  virtual void prototype(ValueVisitor& visitor) = 0;
};

class ValueVisitor {
 public:
  virtual ~ValueVisitor() = default;
  virtual void scalar(ScalarValue& value) = 0;
  virtual void object(ObjectValue& value) = 0;
  virtual void list(ListValue& value) = 0;
  virtual void map(MapValue& value) = 0;
  virtual void optional(OptionalValue& value) = 0;
};

// Shows a value to a visitor.
using ShowValue = std::function<void(ValueVisitor&)>;

}  // namespace asterism
