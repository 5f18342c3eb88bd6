// For tests of what is refused: the words of the Error that an action throws, "none" when it throws nothing. Any other
// exception passes through, so that a test tells the kinds apart.
#pragma once

#include <string>

namespace asterism {

template <class Error>
std::string thrown(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace asterism
