// Finds the valid name that is nearest to a misspelt one, for "did you mean".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace asterism {

// The number of insertions, deletions, replacements and swaps of adjacent characters that turn one name into
// the other. Upper and lower case count as equal.
int edit_distance(std::string_view a, std::string_view b);

// The name with the smallest distance, the first of several. It is "" if every name needs more than a third
// of the letters changed (but at least one change is allowed) and none begins with the given text or has it
// as a word: "goodput" is one of "training_goodput".
std::string nearest_name(std::string_view given, const std::vector<std::string>& names);

}  // namespace asterism
