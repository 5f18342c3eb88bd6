#include "platform/study/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "base/fields.h"
#include "base/quantity_text.h"
#include "platform/config/json_parser.h"
#include "platform/study/share.h"
#include "resilience/long_duration.h"

namespace asterism {
namespace {

class KeyCollector final : public Fields {
 public:
  KeyCollector(std::vector<SweepableKey>& keys, std::string path) : keys_(keys), path_(std::move(path)) {}

 private:
  class Value final : public ValueVisitor {
   public:
    Value(std::vector<SweepableKey>& keys, std::string path, bool in_list = false, bool takes_single = false)
        : keys_(keys), path_(std::move(path)), in_list_(in_list), takes_single_(takes_single) {}
    void scalar(ScalarValue& value) override {
      keys_.push_back({path_, value.type(), in_list_, takes_single_});
    }
    void object(ObjectValue& value) override {
      KeyCollector inside(keys_, in_list_ ? join_path(path_, "*") : path_);
      value.walk(inside);
    }
    void typed(TypedValue& value) override {
      std::vector<SweepableKey> all;
      for (const std::string& type : value.types()) {
        value.become(type);
        Value of_type(all, path_, in_list_);
        of_type.object(value);
      }
      std::set<std::string> seen;
      for (SweepableKey& key : all)
        if (seen.insert(key.path).second) keys_.push_back(std::move(key));
    }
    void optional(OptionalValue& value) override { value.prototype(*this); }
    void list(ListValue& value) override {
      Value element(keys_, path_, true, value.takes_single());
      if (!in_list_) value.prototype(element);
    }
    void map(MapValue& value) override {
      Value entry(keys_, join_path(path_, "*"));
      if (!in_list_) value.prototype(entry);
    }

   private:
    std::vector<SweepableKey>& keys_;
    std::string path_;
    bool in_list_, takes_single_;
  };

  void abbreviates(std::string_view map) override { abbreviated_ = map; }
  void reusable(std::string_view) override {
    keys_.push_back({join_path(path_, "use"), {.form = ScalarType::Form::text}});
  }
  void field(const Line& line, const ShowValue& show) override {
    const std::size_t before = keys_.size();
    Value value(keys_, join_path(path_, line.key));
    show(value);
    if (line.key == abbreviated_) add_abbreviations(before, join_path(path_, line.key));
  }
  void choice(const Condition&, const std::function<void()>& body) override { body(); }
  void relation(const Relation&, const std::function<bool()>&) override {}

  void add_abbreviations(std::size_t first, const std::string& map) {
    for (std::size_t i = first, end = keys_.size(); i < end; ++i) {
      SweepableKey key = keys_[i];
      key.full_path = key.path;
      key.path = join_path(path_, key.path.substr(map.size() + 1));
      keys_.push_back(std::move(key));
    }
  }

  std::vector<SweepableKey>& keys_;
  std::string path_;
  std::string abbreviated_;  // the map whose entries are also keys of this object
};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(at); end != std::string_view::npos; end = text.find(at)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

// A decimal number that is no larger than 10^15, as `count` of 10^-places.
struct Decimal {
  std::uint64_t count = 0;
  std::size_t places = 0;
};

Decimal parse_decimal(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string whole(text.substr(0, point)), part(text.substr(std::min(point + 1, text.size())));
  const bool digits = (whole + part).find_first_not_of("0123456789") == std::string::npos;
  if (!digits || whole.empty() || (point < text.size() && part.empty()))
    throw std::invalid_argument(fmt::format("\"{}\" is no decimal number", text));
  if (whole.size() + part.size() > 15)
    throw std::invalid_argument(fmt::format("\"{}\" has too many digits", text));
  return {std::stoull(whole + part), part.size()};
}

std::string decimal_text(std::uint64_t count, std::size_t places) {
  std::string digits = std::to_string(count);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places == 0) return digits;
  digits.insert(digits.size() - places, ".");
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

const QuantityKind* quantity_of(const ScalarType& type) {
  static const std::array kinds = {&quantity_kind(Picoseconds{}), &quantity_kind(Cycles{}),
                                   &quantity_kind(Bytes{}),       &quantity_kind(Frequency{}),
                                   &quantity_kind(Bandwidth{}),   &quantity_kind(Micrometres{}),
                                   &quantity_kind(Share{}),       &quantity_kind(LongDuration{})};
  const auto found = std::ranges::find(kinds, type.noun, [](const QuantityKind* kind) { return kind->noun; });
  return found == kinds.end() ? nullptr : *found;
}

bool is_numeric(const ScalarType& type) {
  return type.form == ScalarType::Form::integer || type.form == ScalarType::Form::number;
}

std::vector<std::uint64_t> steps(std::uint64_t from, std::uint64_t to, std::uint64_t step) {
  if (step == 0) throw std::invalid_argument("a step of nothing never arrives");
  if (from > to) throw std::invalid_argument("a range goes upwards");
  if ((to - from) / step >= max_points)
    throw std::invalid_argument(fmt::format("more than {} values", max_points));
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i <= (to - from) / step; ++i) all.push_back(from + i * step);
  return all;
}

// The texts of the values of a range. Throws std::invalid_argument that says what is wrong.
std::vector<std::string> range(std::string_view text, const QuantityKind* quantity) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() != 3) throw std::invalid_argument("");
  std::vector<std::string> texts;
  if (quantity) {
    std::array<std::uint64_t, 3> counts{};
    for (std::size_t i = 0; i < 3; ++i) counts[i] = parse_count(parts[i], *quantity);
    for (const std::uint64_t count : steps(counts[0], counts[1], counts[2]))
      texts.push_back(count_text(count, *quantity));
    return texts;
  }
  std::array<Decimal, 3> decimals{};
  std::size_t places = 0;
  for (std::size_t i = 0; i < 3; ++i)
    places = std::max(places, (decimals[i] = parse_decimal(parts[i])).places);
  for (Decimal& decimal : decimals)
    for (; decimal.places < places; ++decimal.places)
      if (__builtin_mul_overflow(decimal.count, std::uint64_t{10}, &decimal.count))
        throw std::invalid_argument("it has too many digits");
  for (const std::uint64_t count : steps(decimals[0].count, decimals[1].count, decimals[2].count))
    texts.push_back(decimal_text(count, places));
  return texts;
}

// One value as in an override: JSON if it is a JSON scalar, otherwise a text.
ConfigValue value_of(std::string_view text, const ConfigValue& given) {
  ConfigValue value{PlainValue(std::string(text)), given.origin, std::string(text), given.layer};
  try {
    Diagnostics none;
    const ConfigValue parsed = parse_json(text, "value", none);
    if (parsed.scalar() || parsed.is_null()) value.content = parsed.content;
  } catch (const ConfigError&) {
    // It is not JSON, so it is a text.
  }
  return value;
}

void add_values(const ConfigValue& given, const SweepableKey& key, std::vector<ConfigValue>& values,
                Diagnostics& problems) {
  if (const ConfigValue::List* list = given.list()) {
    for (const ConfigValue& element : *list) add_values(element, key, values, problems);
    return;
  }
  const auto* text = given.scalar() ? std::get_if<std::string>(given.scalar()) : nullptr;
  if (!text) {
    values.push_back(given);
    return;
  }
  const QuantityKind* quantity = quantity_of(key.type);
  const bool takes_ranges = quantity || is_numeric(key.type);
  if (text->find(',') == std::string::npos && !(takes_ranges && text->find(':') != std::string::npos)) {
    values.push_back(given);  // as it was written: "5" is not a number
    return;
  }
  for (const std::string_view part : split(*text, ',')) {
    if (part.find(':') == std::string_view::npos || !takes_ranges) {
      values.push_back(value_of(part, given));
      continue;
    }
    try {
      for (const std::string& one : range(part, quantity)) values.push_back(value_of(one, given));
    } catch (const std::invalid_argument& error) {
      problems.add({.origin = given.origin,
                    .path = key.path,
                    .problem = "",
                    .expected = fmt::format("{}, or a range from:to:step of such", key.type.expected()),
                    .got = "\"" + std::string(part) + "\"",
                    .detail = error.what()});
    }
  }
}

}  // namespace

std::vector<SweepableKey> sweepable_keys(ObjectValue& object) {
  std::vector<SweepableKey> keys;
  KeyCollector collector(keys, "");
  object.walk(collector);
  // A key of the object itself has precedence over an abbreviation that matches it.
  std::stable_partition(keys.begin(), keys.end(),
                        [](const SweepableKey& key) { return key.full_path.empty(); });
  return keys;
}

bool is_list_of_values(const ConfigValue& given, const SweepableKey& key) {
  const auto is_list = [](const ConfigValue& element) { return element.list() != nullptr; };
  if (!given.list() || !key.is_list) return given.list() != nullptr;
  return !given.list()->empty() && std::ranges::all_of(*given.list(), is_list);
}

std::vector<ConfigValue> swept_values(const ConfigValue& given, const SweepableKey& key,
                                      Diagnostics& problems) {
  if (key.is_list && !(key.takes_single && given.scalar()))
    return is_list_of_values(given, key) ? *given.list() : std::vector<ConfigValue>{given};
  std::vector<ConfigValue> values;
  Diagnostics found;
  add_values(given, key, values, found);
  if (found.empty() && values.empty())
    found.add({.origin = given.origin, .path = key.path, .problem = "an empty list has no value to take"});
  problems.add(found);
  if (!found.empty()) values.clear();
  return values;
}

}  // namespace asterism
