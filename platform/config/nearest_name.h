// "did you mean": which of some names a misspelt one is nearest to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace asterism {

// Insertions, deletions, replacements and swaps of neighbours that turn one into the other; case counts for
// nothing.
int edit_distance(std::string_view a, std::string_view b);

// The name at the smallest distance, the first of several; "" when all need more than a third of the letters
// changed (one is always granted where there are two) and none begins with what was given.
std::string nearest_name(std::string_view given, const std::vector<std::string>& names);

}  // namespace asterism
