#include "platform/config/config_writer.h"

#include <nlohmann/json.hpp>

#include "base/fields.h"
#include "platform/config/plain_json.h"

namespace asterism {
namespace {

using Json = nlohmann::ordered_json;

class ObjectWriter final : public Fields {
 public:
  explicit ObjectWriter(Json& json) : json_(json) { json_ = Json::object(); }

 private:
  void field(const Line& line, const ShowValue& show) override;
  void choice(const Condition& condition, const std::function<void()>& body) override {
    if (condition.holds) body();
  }
  void relation(const Relation&, const std::function<bool()>&) override {}

  Json& json_;
};

class ValueWriter final : public ValueVisitor {
 public:
  std::optional<Json> json;  // nothing for an absent optional, and for an empty list that needs no brackets

  void scalar(ScalarValue& value) override { json = plain_json(value.get()); }
  void object(ObjectValue& value) override {
    ObjectWriter writer(json.emplace());
    value.walk(writer);
  }
  void list(ListValue& value) override {
    if (value.takes_single() && value.size() == 1) return value.element(0, *this);
    if (value.takes_single() && value.size() == 0) return;
    Json list = Json::array();
    for (std::size_t i = 0; i < value.size(); ++i) {
      ValueWriter element;
      value.element(i, element);
      list.push_back(element.json.value_or(nullptr));
    }
    json = std::move(list);
  }
  void map(MapValue& value) override {
    Json map = Json::object();
    for (const std::string& key : value.keys()) {
      ValueWriter entry;
      value.entry(key, entry);
      map[key] = entry.json.value_or(nullptr);
    }
    json = std::move(map);
  }
  void optional(OptionalValue& value) override {
    if (value.present()) value.value(*this);
  }
};

void ObjectWriter::field(const Line& line, const ShowValue& show) {
  ValueWriter writer;
  show(writer);
  if (writer.json) json_[std::string(line.key)] = std::move(*writer.json);
}

}  // namespace

std::string write_object(ObjectValue& object) {
  Json json;
  ObjectWriter writer(json);
  object.walk(writer);
  return json.dump(2) + "\n";
}

}  // namespace asterism
