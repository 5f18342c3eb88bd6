// Lists and ranges: how one key of a study is given many values.
//
//   topology=mesh,superstar           a list; also "topology": ["mesh", "superstar"] in a file
//   rate=0.01:0.20:0.01               a range from:to:step, `to` included when a whole number of steps reaches it
//   clock=1GHz:2GHz:500MHz            of quantities, each with its unit
//   rate=0.01,0.1:0.3:0.1             a list of both
//   counts=[0,200],[200,200]          of lists, where a list is one value: counts=[0,200] sweeps nothing
//
// Ranges are computed in decimal, as they are written: 0.01:0.20:0.01 are exactly 20 values, and the third one is the
// number 0.03. A range stands only where a number or a quantity is due; in any other text a colon is a colon.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/described_value.h"
#include "platform/config/config_value.h"

namespace asterism {

constexpr std::size_t max_points = 10'000;  // of a range, and of a study

// A scalar of a described struct that can be swept, or a list of scalars.
struct SweepableKey {
  std::string path;      // dotted, as an override names it
  ScalarType type;       // of a list: of its elements
  bool is_list = false;  // a list is one value; a list of lists sweeps
};

// Every scalar and list of scalars of an object, those of nested objects and optionals too, in the order of the
// description.
std::vector<SweepableKey> sweepable_keys(ObjectValue& object);

// Whether what is given for a key is a list of its values, not a value.
bool is_list_of_values(const ConfigValue& given, const SweepableKey& key);

// The values that stand for a key, in order; one where nothing is swept. They keep the place where they were written.
// What is wrong with a range goes to `problems`; the result is then empty.
std::vector<ConfigValue> swept_values(const ConfigValue& given, const SweepableKey& key,
                                      Diagnostics& problems);

}  // namespace asterism
