// For tests of errors: the text of the Error that an action throws, "none" if it throws nothing. Any other
// exception passes through, so that a test distinguishes the types.
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
