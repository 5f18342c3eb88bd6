// Converts a plain value to nlohmann's JSON. Only the sources of this folder include it.
#pragma once

#include <nlohmann/json.hpp>
#include <variant>

#include "base/described_value.h"

namespace asterism {

inline nlohmann::ordered_json plain_json(const PlainValue& value) {
  return std::visit([](const auto& v) { return nlohmann::ordered_json(v); }, value);
}

}  // namespace asterism
