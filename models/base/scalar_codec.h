// How each scalar type of a config struct is decoded from a plain value and encoded to one.
//
//   decode(plain)  the value; throws std::invalid_argument, whose what() is a detail for the message or ""
//   encode(value)  the plain value that decodes to the same value
//   type()         the form, before the rules of a line narrow it
#pragma once

#include <concepts>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/described_value.h"
#include "base/enum_names.h"
#include "base/quantity_text.h"
#include "base/units.h"

namespace asterism {

template <class T>
struct ScalarCodec;  // without a specialisation the type cannot be used in a config struct

template <class T>
concept ScalarMember = requires {
  ScalarCodec<T>::type();
};

// The alternative that a plain value holds, or std::invalid_argument.
template <class T>
const T& plain_as(const PlainValue& plain) {
  if (const T* value = std::get_if<T>(&plain)) return *value;
  throw std::invalid_argument("");
}

template <>
struct ScalarCodec<bool> {
  static bool decode(const PlainValue& plain) { return plain_as<bool>(plain); }
  static PlainValue encode(bool value) { return value; }
  static ScalarType type() { return {.form = ScalarType::Form::boolean, .noun = "true or false"}; }
};

template <std::integral T>
struct ScalarCodec<T> {
  static T decode(const PlainValue& plain) {
    if (const auto* negative = std::get_if<std::int64_t>(&plain)) return checked(*negative);
    return checked(plain_as<std::uint64_t>(plain));
  }
  static PlainValue encode(T value) {
    if (std::cmp_less(value, 0)) return static_cast<std::int64_t>(value);
    return static_cast<std::uint64_t>(value);
  }
  static ScalarType type() {
    ScalarType type{.form = ScalarType::Form::integer, .noun = "an integer"};
    if (std::unsigned_integral<T> || sizeof(T) < 4) type.low = encode(std::numeric_limits<T>::min());
    if (sizeof(T) < 4) type.high = encode(std::numeric_limits<T>::max());
    return type;
  }

 private:
  static T checked(auto value) {
    if (!std::in_range<T>(value)) throw std::invalid_argument("");
    return static_cast<T>(value);
  }
};

template <std::floating_point T>
struct ScalarCodec<T> {
  static T decode(const PlainValue& plain) {
    if (const auto* integer = std::get_if<std::uint64_t>(&plain)) return static_cast<T>(*integer);
    if (const auto* integer = std::get_if<std::int64_t>(&plain)) return static_cast<T>(*integer);
    return static_cast<T>(plain_as<double>(plain));
  }
  static PlainValue encode(T value) { return static_cast<double>(value); }
  static ScalarType type() { return {.form = ScalarType::Form::number, .noun = "a number"}; }
};

template <>
struct ScalarCodec<std::string> {
  static std::string decode(const PlainValue& plain) { return plain_as<std::string>(plain); }
  static PlainValue encode(const std::string& value) { return value; }
  static ScalarType type() { return {.noun = "a text"}; }
};

template <>
struct ScalarCodec<std::filesystem::path> {
  static std::filesystem::path decode(const PlainValue& plain) { return plain_as<std::string>(plain); }
  static PlainValue encode(const std::filesystem::path& value) { return value.string(); }
  static ScalarType type() { return {.noun = "the path of a file"}; }
};

template <NamedEnum E>
struct ScalarCodec<E> {
  static E decode(const PlainValue& plain) {
    if (auto value = enum_from_text<E>(plain_as<std::string>(plain))) return *value;
    throw std::invalid_argument("");
  }
  static PlainValue encode(E value) { return std::string(to_text(value)); }
  static ScalarType type() {
    ScalarType type{.noun = "a name"};
    for (const EnumName<E>& entry : enum_names(E{}))
      type.choices.push_back({std::string(entry.name), entry.meaning});
    return type;
  }
};

template <class Unit>
struct ScalarCodec<Quantity<Unit>> {
  using Q = Quantity<Unit>;
  static Q decode(const PlainValue& plain) { return parse_quantity<Q>(plain_as<std::string>(plain)); }
  static PlainValue encode(Q value) { return to_text(value); }
  static ScalarType type() { return quantity_type(quantity_kind(Q{})); }

 private:
  static ScalarType quantity_type(const QuantityKind& kind) {
    ScalarType type{.noun = std::string(kind.noun), .example = std::string(kind.example)};
    for (const QuantityUnit& unit : kind.units)
      type.pattern += (type.pattern.empty() ? "" : "|") + std::string(unit.suffix);
    type.pattern = "^[0-9]+([.][0-9]+)?(" + type.pattern + ")$";
    return type;
  }
};

template <>
struct ScalarCodec<Address> {
  static Address decode(const PlainValue& plain) { return parse_address(plain_as<std::string>(plain)); }
  static PlainValue encode(Address value) { return to_text(value); }
  static ScalarType type() {
    return {.noun = "an address", .example = "0x0900_0000", .pattern = "^0x[0-9a-fA-F]+(_[0-9a-fA-F]+)*$"};
  }
};

}  // namespace asterism
