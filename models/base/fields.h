// The description of a config struct: an ordinary function beside the struct, which visitors walk. The same
// lines are used to read a file, check it, apply overrides, write the fully expanded form, and make the JSON
// Schema and the documentation (platform/config/README.md shows all of these).
//
//   struct DramConfig {                     // an aggregate; the initialisers are the defaults
//     Bytes size = 2_GiB;
//     std::string part = "ddr3_1600_2gb_x8";
//     EccMode ecc = EccMode::normal;
//   };
//   void describe(Fields& f, DramConfig& c) {
//     f("size", c.size, "The capacity. A larger memory makes a checkpoint of it slower.",
//       within(64_MiB, 1_TiB));
//     f("part", c.part, "The timing and geometry: a file in configs/dram.", names_file("dram"));
//     f("ecc", c.ecc, "The code for pages that are not strong. A stronger code costs bandwidth.",
//       one_of<EccMode>());
//     f.check([&] { return c.size % c.rank_size() == Bytes(0); }, "size", "is a whole number of ranks");
//   }
//
// A member is a scalar (bool, integer, double, std::string, std::filesystem::path, an enum with enum_names(),
// a Quantity, an Address), a struct with its own description, an object of a type (TypedStruct), or a
// std::vector, OneOrMore, std::optional or std::map<std::string, ...> of these. Every member has a line: on
// first use a description is compared with its struct, and a description that misses a member, uses a key
// twice or has a default that breaks its own rule throws a std::logic_error that names the problem. The
// compiler reports a missing line first if this stands above describe():
//
//   static_assert(member_count<DramConfig>() == 3);
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "base/described_value.h"
#include "base/member_count.h"
#include "base/scalar_codec.h"

namespace asterism {

// ---- rules: the trailing arguments of a line ----
//
// For a list, map or optional member the rules apply to each of its values.

// What the rules of a line require of a scalar.
template <class T>
struct Limits {
  std::optional<T> low = {}, high = {};
  std::vector<T> allowed = {};
  std::string_view file_kind = {};
  bool may_be_beside = false;
};
struct NoLimits {};  // the lines of the struct have its limits

// One line of a description.
struct Line {
  std::string_view key;
  std::string_view meaning;
  const void* member;
  bool required = false;
};

// A bound given as a plain integer fits every arithmetic member; any other bound has the member's own type.
template <class T, class Bound>
T to_member_type(const Bound& bound) {
  if constexpr (std::integral<T> && std::integral<Bound>) {
    if (!std::in_range<T>(bound)) throw std::logic_error("a rule's bound does not fit its member");
    return static_cast<T>(bound);
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(bound);
  } else {
    static_assert(std::same_as<T, Bound>, "a rule's bound has the type of its member");
    return bound;
  }
}

template <class Low, class High>
struct Within {
  std::optional<Low> low;
  std::optional<High> high;
  template <class T>
  void apply(Line&, Limits<T>& limits) const {
    if (low) limits.low = to_member_type<T>(*low);
    if (high) limits.high = to_member_type<T>(*high);
  }
};
// Both bounds are allowed values.
template <class Low, class High>
Within<Low, High> within(Low low, High high) {
  return {low, high};
}
template <class Low>
Within<Low, Low> at_least(Low low) {
  return {low, std::nullopt};
}
template <class High>
Within<High, High> at_most(High high) {
  return {std::nullopt, high};
}

template <class V>
struct OneOf {
  std::vector<V> values;  // if empty, all values of the type
  template <class T>
  void apply(Line&, Limits<T>& limits) const {
    for (const V& value : values) limits.allowed.push_back(to_member_type<T>(value));
  }
};
// Allows every name of the enum; documents this where the line is read.
template <NamedEnum E>
OneOf<E> one_of() {
  return {};
}
// Allows only these values: one_of({1, 2, 4, 8}), one_of({Impl::model, Impl::rtl}).
template <class V>
OneOf<V> one_of(std::initializer_list<V> values) {
  return {values};
}
template <class V>
OneOf<V> one_of(std::vector<V> values) {
  return {std::move(values)};
}

struct NamesFile {
  std::string_view kind;
  void apply(Line&, Limits<std::string>& limits) const { limits.file_kind = kind; }
};
// The text is the name of a file configs/<kind>/<name>.json, which must exist.
constexpr NamesFile names_file(std::string_view kind) { return {kind}; }

struct MayBeBeside {
  void apply(Line&, Limits<std::string>& limits) const { limits.may_be_beside = true; }
};
// The text is the path of a file. If there is such a file relative to the one that gives the value, the
// member gets its absolute path, otherwise the text as it is.
constexpr MayBeBeside may_be_beside() { return {}; }

struct Required {
  void apply(Line& line, auto&) const { line.required = true; }
};
// The key must be given; without this rule an absent key leaves the member's initialiser.
constexpr Required required() { return {}; }

// A list that a file may hold as a single value, if it has one: "interrupt": 8, "interrupt": [22, 23].
template <class T>
struct OneOrMore {
  std::vector<T> values = {};
  bool operator==(const OneOrMore&) const = default;
};

// ---- the visitor ----

class Fields {
 public:
  virtual ~Fields() = default;

  // Describes one member: its key, the member itself, its meaning (what it is and what changes with it), and
  // its rules.
  template <class T, class... Rules>
  void operator()(std::string_view key, T& member, std::string_view meaning, const Rules&... rules);

  // Lines that apply only if another key, whose line comes earlier, has this value (or one of these). If such
  // a key is given although the condition does not hold, that is an error that names the condition. Every
  // visitor calls `body`, which only adds lines.
  //
  //   f.when("kind", c.kind, FaultKind::power_loss, [&] { f("restore_after", c.restore_after, "..."); });
  template <class T>
  void when(std::string_view key, const T& selector, std::initializer_list<std::type_identity_t<T>> values,
            const std::function<void()>& body);
  template <class T>
  void when(std::string_view key, const T& selector, const std::type_identity_t<T>& value,
            const std::function<void()>& body) {
    when(key, selector, {value}, body);
  }

  // A rule over several members, reported at `key`. It is phrased to follow "a value that": "is a whole
  // number of ranks". A plain bool is computed from what was read (a refused value leaves the default); a
  // callable runs only if everything else is valid.
  template <std::same_as<bool> Bool>  // excludes types that merely convert to bool, such as a lambda
  void check(Bool holds, std::string_view key, std::string_view rule) {
    relation({key, rule}, [holds] { return holds; });
  }
  void check(const std::function<bool()>& holds, std::string_view key, std::string_view rule) {
    relation({key, rule}, holds);
  }

  // "use": "<name>" in an object of this struct takes configs/<kind>/<name>.json as its base. The keys beside
  // it override that file, including dotted ones: { "use": "checkpoint_node", "memory.ecc": "strong" }. Call
  // it before the first line.
  virtual void reusable(std::string_view /*kind*/) {}

  // A key of this object that is none of its own, but an entry of its map `map`, stands for that entry: with
  // abbreviates("devices") "uart0.input" is "devices.uart0.input". Call it before reusable().
  virtual void abbreviates(std::string_view /*map*/) {}

  // Marks the struct as the parameters of a part: every value has a source, in "source" of its object or of
  // an enclosing one, or under its key in "sources" of its object. This applies to nested structs too. Call
  // it before the first line.
  virtual void sourced() {}

 protected:
  struct Condition {
    std::string_view key;
    std::vector<PlainValue> values;
    bool holds;  // for the struct as it is now
  };
  struct Relation {
    std::string_view key;
    std::string_view rule;
  };
  virtual void field(const Line& line, const ShowValue& show) = 0;
  virtual void choice(const Condition& condition, const std::function<void()>& body) = 0;
  virtual void relation(const Relation& relation, const std::function<bool()>& holds) = 0;
};

template <class T>
concept DescribedStruct = requires(Fields& f, T& t) {
  describe(f, t);
};

// An object whose keys depend on its type, which is one of them:
//
//   class DeviceEntry {
//     static constexpr std::string_view selector = "type";
//     static std::vector<std::string> types();
//     static std::string meaning(const std::string& type);
//     bool become(const std::string& type);                 // as in TypedValue
//   };
//   void describe(Fields& f, DeviceEntry& e);  // the line of the selector, then those of its type
template <class T>
concept TypedStruct = DescribedStruct<T> && requires(T t, const std::string& type) {
  std::string_view(T::selector);
  T::types();
  T::meaning(type);
  { t.become(type) } -> std::same_as<bool>;
};

// Returns the problem of the description of T's own members, "" if there is none. For the tests of a folder:
//
//   EXPECT_EQ(description_problem<DramConfig>(), "");
template <DescribedStruct T>
std::string description_problem();

// ---- how members become values ----

std::string description_problem(const std::type_info& type, const std::vector<MemberSpan>& members,
                                const std::function<void(Fields&)>& describe_sample);
[[noreturn]] void refuse_description(const std::string& problem);  // throws std::logic_error

template <DescribedStruct T>
std::string description_problem() {
  // Not on the stack: GCC 12 reports a large struct there as uninitialised.
  const auto sample = std::make_unique<T>();
  return description_problem(typeid(T), member_spans(*sample), [&](Fields& f) { describe(f, *sample); });
}

template <DescribedStruct T>
class ObjectOf final : public ObjectValue {
 public:
  explicit ObjectOf(T& object) : object_(object) {
    static bool is_checked = false;
    if (is_checked) return;
    const std::string problem = description_problem<T>();
    if (!problem.empty()) refuse_description(problem);
    is_checked = true;
  }
  void walk(Fields& fields) override { describe(fields, object_); }

 private:
  T& object_;
};

template <TypedStruct T>
class TypedOf final : public TypedValue {
 public:
  explicit TypedOf(T& object) : object_(object) {}
  std::string_view selector() const override { return T::selector; }
  std::vector<std::string> types() const override { return T::types(); }
  std::string meaning(const std::string& type) const override { return T::meaning(type); }
  bool become(const std::string& type) override { return object_.become(type); }
  void walk(Fields& fields) override { describe(fields, object_); }

 private:
  T& object_;
};

template <ScalarMember T>
class ScalarOf final : public ScalarValue {
 public:
  ScalarOf(T& member, const Limits<T>& limits) : member_(member), limits_(limits) {}

  ScalarType type() const override {
    ScalarType type = ScalarCodec<T>::type();
    if (limits_.low) type.low = ScalarCodec<T>::encode(*limits_.low);
    if (limits_.high) type.high = ScalarCodec<T>::encode(*limits_.high);
    type.file_kind = limits_.file_kind;
    type.may_be_beside = limits_.may_be_beside;
    if (!limits_.allowed.empty()) narrow(type.choices);
    return type;
  }
  PlainValue get() const override { return ScalarCodec<T>::encode(member_); }
  std::optional<std::string> set(const PlainValue& plain) override try {
    T value = ScalarCodec<T>::decode(plain);
    const bool allowed = limits_.allowed.empty() || is_allowed(value);
    if (!allowed || (limits_.low && value < *limits_.low) || (limits_.high && *limits_.high < value))
      return "";
    member_ = std::move(value);
    return std::nullopt;
  } catch (const std::invalid_argument& error) {
    return error.what();
  }

 private:
  bool is_allowed(const T& value) const {
    return std::find(limits_.allowed.begin(), limits_.allowed.end(), value) != limits_.allowed.end();
  }
  // Keeps the allowed choices, with their meaning if the type has one.
  void narrow(std::vector<ScalarType::Choice>& choices) const {
    std::vector<ScalarType::Choice> kept;
    for (const T& value : limits_.allowed) {
      const PlainValue plain = ScalarCodec<T>::encode(value);
      auto known =
          std::find_if(choices.begin(), choices.end(), [&](const auto& c) { return c.value == plain; });
      kept.push_back(known != choices.end() ? *known : ScalarType::Choice{plain, {}});
    }
    choices = std::move(kept);
  }

  T& member_;
  const Limits<T>& limits_;
};

// The limits that fit a member: those of the scalar inside it.
template <class T>
struct LimitsOf {
  static_assert(ScalarMember<T> || DescribedStruct<T>,
                "a config member is a scalar or a struct with a describe()");
  using type = std::conditional_t<ScalarMember<T>, Limits<T>, NoLimits>;
};
template <class T>
struct LimitsOf<std::vector<T>> : LimitsOf<T> {};
template <class T>
struct LimitsOf<OneOrMore<T>> : LimitsOf<T> {};
template <class T>
struct LimitsOf<std::optional<T>> : LimitsOf<T> {};
template <class T>
struct LimitsOf<std::map<std::string, T>> : LimitsOf<T> {};

template <ScalarMember T>
void show_value(T& member, const Limits<T>& limits, ValueVisitor& visitor) {
  ScalarOf<T> value(member, limits);
  visitor.scalar(value);
}
template <DescribedStruct T>
void show_value(T& member, const NoLimits&, ValueVisitor& visitor) {
  ObjectOf<T> value(member);
  visitor.object(value);
}
template <TypedStruct T>
void show_value(T& member, const NoLimits&, ValueVisitor& visitor) {
  TypedOf<T> value(member);
  visitor.typed(value);
}
template <class T, class L>
void show_value(std::vector<T>& member, const L& limits, ValueVisitor& visitor);
template <class T, class L>
void show_value(OneOrMore<T>& member, const L& limits, ValueVisitor& visitor);
template <class T, class L>
void show_value(std::optional<T>& member, const L& limits, ValueVisitor& visitor);
template <class T, class L>
void show_value(std::map<std::string, T>& member, const L& limits, ValueVisitor& visitor);

// The common part of list, map and optional.
template <class Interface, class Container, class Inside, class L>
class ContainerOf : public Interface {
 public:
  ContainerOf(Container& member, const L& limits) : member_(member), limits_(limits) {}
  void prototype(ValueVisitor& visitor) override {
    Inside value{};
    show_value(value, limits_, visitor);
  }

 protected:
  Container& member_;
  const L& limits_;
};

template <class T, class L>
class ListOf final : public ContainerOf<ListValue, std::vector<T>, T, L> {
 public:
  static_assert(!std::same_as<T, bool>, "std::vector<bool> has no members to point at");
  using ListOf::ContainerOf::ContainerOf;
  std::size_t size() const override { return this->member_.size(); }
  void resize(std::size_t size) override { this->member_.assign(size, T{}); }
  void element(std::size_t index, ValueVisitor& visitor) override {
    show_value(this->member_.at(index), this->limits_, visitor);
  }
};

template <class T, class L>
class OneOrMoreOf final : public ContainerOf<ListValue, OneOrMore<T>, T, L> {
 public:
  using OneOrMoreOf::ContainerOf::ContainerOf;
  std::size_t size() const override { return this->member_.values.size(); }
  void resize(std::size_t size) override { this->member_.values.assign(size, T{}); }
  void element(std::size_t index, ValueVisitor& visitor) override {
    show_value(this->member_.values.at(index), this->limits_, visitor);
  }
  bool takes_single() const override { return true; }
};

template <class T, class L>
class MapOf final : public ContainerOf<MapValue, std::map<std::string, T>, T, L> {
 public:
  using MapOf::ContainerOf::ContainerOf;
  std::vector<std::string> keys() const override {
    std::vector<std::string> keys;
    for (const auto& entry : this->member_) keys.push_back(entry.first);
    return keys;
  }
  void clear() override { this->member_.clear(); }
  void entry(const std::string& key, ValueVisitor& visitor) override {
    show_value(this->member_[key], this->limits_, visitor);
  }
};

template <class T, class L>
class OptionalOf final : public ContainerOf<OptionalValue, std::optional<T>, T, L> {
 public:
  using OptionalOf::ContainerOf::ContainerOf;
  bool present() const override { return this->member_.has_value(); }
  void reset() override { this->member_.reset(); }
  void value(ValueVisitor& visitor) override {
    if (!this->member_) this->member_.emplace();
    show_value(*this->member_, this->limits_, visitor);
  }
};

template <class T, class L>
void show_value(std::vector<T>& member, const L& limits, ValueVisitor& visitor) {
  ListOf<T, L> value(member, limits);
  visitor.list(value);
}
template <class T, class L>
void show_value(OneOrMore<T>& member, const L& limits, ValueVisitor& visitor) {
  OneOrMoreOf<T, L> value(member, limits);
  visitor.list(value);
}
template <class T, class L>
void show_value(std::optional<T>& member, const L& limits, ValueVisitor& visitor) {
  OptionalOf<T, L> value(member, limits);
  visitor.optional(value);
}
template <class T, class L>
void show_value(std::map<std::string, T>& member, const L& limits, ValueVisitor& visitor) {
  MapOf<T, L> value(member, limits);
  visitor.map(value);
}

template <class T, class... Rules>
void Fields::operator()(std::string_view key, T& member, std::string_view meaning, const Rules&... rules) {
  Line line{key, meaning, &member};
  typename LimitsOf<T>::type limits;
  (rules.apply(line, limits), ...);
  field(line, [&](ValueVisitor& visitor) { show_value(member, limits, visitor); });
}

template <class T>
void Fields::when(std::string_view key, const T& selector,
                  std::initializer_list<std::type_identity_t<T>> values, const std::function<void()>& body) {
  Condition condition{key, {}, std::find(values.begin(), values.end(), selector) != values.end()};
  for (const T& value : values) condition.values.push_back(ScalarCodec<T>::encode(value));
  choice(condition, body);
}

}  // namespace asterism
