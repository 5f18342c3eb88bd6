// What distinguishes a configuration from its defaults.
#pragma once

#include <nlohmann/json.hpp>

#include "base/described_value.h"

namespace asterism {

// The keys of an expanded configuration that differ from their defaults: [{"path", "value", "otherwise"}].
// `fresh` is a new object of its struct.
nlohmann::ordered_json changed_keys(const nlohmann::ordered_json& config, ObjectValue& fresh);

}  // namespace asterism
