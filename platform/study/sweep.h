// Lists and ranges, which give one key of a study many values.
//
//   topology=mesh,superstar           a list; also "topology": ["mesh", "superstar"] in a file
//   rate=0.01:0.20:0.01               a range from:to:step, which includes `to` if a whole number of steps
//                                     reaches it
//   clock=1GHz:2GHz:500MHz            of quantities, each with its unit
//   rate=0.01,0.1:0.3:0.1             a list of both
//   counts=[0,200],[200,200]          a list of lists, if a list is one value: counts=[0,200] sweeps nothing
//
// Ranges are computed in decimal, as they are written: 0.01:0.20:0.01 are exactly 20 values, and the third
// one is the number 0.03. Only numbers and quantities have ranges; in any other text a colon has no meaning.
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
  std::string path;           // dotted, as in an override, with "*" for the index in a list of objects or the
                              // name in a map
  ScalarType type;            // of a list: of its elements
  bool is_list = false;       // a list is one value; a list of lists sweeps
  bool takes_single = false;  // of a list: a text is one element, and a text with a list or a range sweeps
  std::string full_path = {};  // of a key that the path abbreviates: node.devices.*.base for node.*.base
};

// Every scalar and list of scalars of an object, those of nested objects, optionals, lists of objects and
// maps too, in the order of the description; then the abbreviations. An object that may "use" a file has
// that key, too. An object whose keys depend on its type has those of all types, each once.
std::vector<SweepableKey> sweepable_keys(ObjectValue& object);

// Whether the given value of a key is a list of its values, and not one value.
bool is_list_of_values(const ConfigValue& given, const SweepableKey& key);

// The values of a key, in order; one if it is not swept. They keep the place where they were written.
// Mistakes in a range are added to `problems`; the result is then empty.
std::vector<ConfigValue> swept_values(const ConfigValue& given, const SweepableKey& key,
                                      Diagnostics& problems);

}  // namespace asterism
