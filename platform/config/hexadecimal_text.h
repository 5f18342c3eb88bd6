// An integer as a text, in the form of addresses: "0x10", "0xffff_0000".
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "base/quantity_text.h"
#include "base/scalar_codec.h"

namespace asterism {

// Whether a scalar may be given in this way: any integer, unless only some are allowed, or it has texts of
// its own.
inline bool takes_hexadecimal(const ScalarType& type) {
  return type.form == ScalarType::Form::integer && type.choices.empty() && type.pattern.empty();
}

inline std::optional<std::uint64_t> from_hexadecimal(std::string_view text) {
  try {
    return parse_address(text).value();
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

// The form as a regular expression (ScalarType::pattern).
inline std::string hexadecimal_pattern() { return ScalarCodec<Address>::type().pattern; }

}  // namespace asterism
