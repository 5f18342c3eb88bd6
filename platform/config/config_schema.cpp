#include "platform/config/config_schema.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/fields.h"
#include "platform/config/hexadecimal_text.h"
#include "platform/config/plain_json.h"

namespace asterism {
namespace {

using Json = nlohmann::ordered_json;

class ObjectSchema final : public Fields {
 public:
  explicit ObjectSchema(bool sourced) : sourced_(sourced) {}
  Json take();

 private:
  void field(const Line& line, const ShowValue& show) override;
  void choice(const Condition& condition, const std::function<void()>& body) override;
  void relation(const Relation&, const std::function<bool()>&) override {}
  void reusable(std::string_view kind) override { used_kind_ = kind; }
  void sourced() override { sourced_ = true; }

  void add_use(Json& schema);

  Json properties_ = Json::object();
  Json required_ = Json::array();       // keys of the lines outside of any when(), or inside the current one
  Json conditional_ = Json::array();    // one if/then/else for each when()
  Json keys_in_when_ = Json::object();  // key: false, for the else branch of the current when()
  std::string used_kind_;
  bool sourced_;
};

class ValueSchema final : public ValueVisitor {
 public:
  ValueSchema(bool sourced, bool with_default) : sourced_(sourced), with_default_(with_default) {}
  Json schema;

  void scalar(ScalarValue& value) override {
    ScalarType type = value.type();
    expected = type.expected();
    if (takes_hexadecimal(type)) type.pattern = hexadecimal_pattern();
    constexpr std::array forms = {"boolean", "integer", "number", "string"};
    schema["type"] = forms[static_cast<std::size_t>(type.form)];
    if (type.form == ScalarType::Form::integer && !type.pattern.empty())
      schema["type"] = Json::array({"integer", "string"});
    if (!type.choices.empty()) add_choices(type);
    if (!type.pattern.empty()) schema["pattern"] = type.pattern;
    const bool is_numeric = type.form == ScalarType::Form::integer || type.form == ScalarType::Form::number;
    if (is_numeric && type.low) schema["minimum"] = plain_json(*type.low);
    if (is_numeric && type.high) schema["maximum"] = plain_json(*type.high);
    if (with_default_) schema["default"] = plain_json(value.get());
  }
  void object(ObjectValue& value) override {
    ObjectSchema object(sourced_);
    value.walk(object);
    schema = object.take();
  }
  // Next to a "use", the type and other required keys may be those of the file.
  void typed(TypedValue& value) override {
    Json alternatives = Json::array();
    for (const std::string& type : value.types()) {
      value.become(type);
      ObjectSchema object(sourced_);
      value.walk(object);
      Json alternative = {{"title", type}, {"description", value.meaning(type)}};
      alternative.update(object.take());
      alternative.erase("required");
      alternative["properties"][std::string(value.selector())]["enum"] = Json::array({type});
      alternatives.push_back(std::move(alternative));
    }
    schema["anyOf"] = std::move(alternatives);
  }
  void list(ListValue& value) override {
    const Json element = inside(value);
    schema = {{"type", "array"}, {"items", element}};
    if (value.takes_single()) schema = {{"anyOf", Json::array({element, schema, {{"type", "null"}}})}};
  }
  void map(MapValue& value) override {
    const Json entry = {
        {"anyOf", Json::array({inside(value), {{"type", "null"}}})}};  // null removes an entry
    schema = {{"type", "object"}, {"additionalProperties", entry}};
  }
  void optional(OptionalValue& value) override {
    schema["anyOf"] = Json::array({inside(value), {{"type", "null"}}});
  }

  std::string expected;  // what a scalar accepts, also one inside a list, map or optional

 private:
  Json inside(auto& container) {
    ValueSchema inner(sourced_, false);
    container.prototype(inner);
    expected = inner.expected;
    return inner.schema;
  }
  void add_choices(const ScalarType& type) {
    Json values = Json::array();
    for (const ScalarType::Choice& choice : type.choices) values.push_back(plain_json(choice.value));
    schema["enum"] = values;
  }

  bool sourced_;
  bool with_default_;
};

void ObjectSchema::field(const Line& line, const ShowValue& show) {
  const std::string key(line.key);
  ValueSchema value(sourced_, !line.required);
  show(value);
  Json schema = {{"description", std::string(line.meaning) +
                                     (value.expected.empty() ? "" : " Expected: " + value.expected + ".")}};
  schema.update(value.schema);
  properties_[key] = std::move(schema);
  keys_in_when_[key] = false;
  if (line.required) required_.push_back(key);
}

void ObjectSchema::choice(const Condition& condition, const std::function<void()>& body) {
  const std::string key(condition.key);
  Json values = Json::array();
  for (const PlainValue& value : condition.values) values.push_back(plain_json(value));
  Json selected = {{"properties", {{key, {{"enum", values}}}}}};
  if (!condition.holds) selected["required"] = Json::array({key});  // by default it does not hold

  Json outer_required = std::exchange(required_, Json::array());
  Json outer_keys = std::exchange(keys_in_when_, Json::object());
  Json outer_conditional = std::exchange(conditional_, Json::array());
  body();
  Json then = Json::object();
  if (!required_.empty()) then["required"] = required_;
  if (!conditional_.empty()) then["allOf"] = conditional_;
  conditional_ = std::move(outer_conditional);
  conditional_.push_back({{"if", selected}, {"then", then}, {"else", {{"properties", keys_in_when_}}}});
  required_ = std::move(outer_required);
  outer_keys.update(keys_in_when_);
  keys_in_when_ = std::move(outer_keys);
}

// Next to "use" no key is required, and the keys that a selector allows depend on the file.
void ObjectSchema::add_use(Json& schema) {
  schema["properties"]["use"] = {
      {"type", "string"},
      {"description", "The name of a file in configs/" + used_kind_ +
                          ". The keys next to this one override those of the file."}};
  schema["patternProperties"] = {{"^[a-z0-9_]+([.][a-z0-9_]+)+$", Json::object()}};
  Json whole = Json::object();
  for (const char* rule : {"required", "allOf"}) {
    if (!schema.contains(rule)) continue;
    whole[rule] = schema[rule];
    schema.erase(rule);
  }
  if (!whole.empty()) schema["anyOf"] = Json::array({{{"required", Json::array({"use"})}}, whole});
}

Json ObjectSchema::take() {
  Json schema = {{"type", "object"}, {"properties", properties_}, {"additionalProperties", false}};
  if (sourced_) {
    schema["properties"]["source"] = {{"type", "string"},
                                      {"description", "The source of the values of this object."}};
    schema["properties"]["sources"] = {
        {"type", "object"},
        {"additionalProperties", {{"type", "string"}}},
        {"description", "The source of the value of each key of this object."}};
  }
  if (!required_.empty()) schema["required"] = required_;
  if (!conditional_.empty()) schema["allOf"] = conditional_;
  if (!used_kind_.empty()) add_use(schema);
  return schema;
}

}  // namespace

std::string schema_of_object(ObjectValue& object, std::string_view title) {
  ObjectSchema maker(false);
  object.walk(maker);
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  schema.update(maker.take());
  schema["properties"]["$schema"] = {{"type", "string"}};
  return schema.dump(2) + "\n";
}

}  // namespace asterism
