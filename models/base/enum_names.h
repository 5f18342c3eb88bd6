// The names of an enum's values, for config files, reports and messages. Beside the enum, in its namespace:
//
//   constexpr auto enum_names(EccMode) {
//     return std::to_array<EnumName<EccMode>>({
//         {EccMode::none, "none", "no parity: a fault reaches the guest"},
//         {EccMode::normal, "normal", "RS(36,32): corrects a failed device"},
//     });
//   }
#pragma once

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace asterism {

template <class E>
struct EnumName {
  E value;
  std::string_view name;
  std::string_view meaning = {};  // the effect of choosing it; appears in the documentation and the schema
};

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  enum_names(e);
};

template <NamedEnum E>
constexpr std::string_view to_text(E value) {
  for (const EnumName<E>& entry : enum_names(value))
    if (entry.value == value) return entry.name;
  throw std::logic_error("an enum value has no entry in its enum_names()");
}

template <NamedEnum E>
constexpr std::optional<E> enum_from_text(std::string_view name) {
  for (const EnumName<E>& entry : enum_names(E{}))
    if (entry.name == name) return entry.value;
  return std::nullopt;
}

}  // namespace asterism
