// The names of the parameters of a TEST_P, both in the names of the tests and in what GoogleTest prints. A
// struct used as a parameter has a PrintTo(const T&, std::ostream*) beside it.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <type_traits>

#include "base/enum_names.h"

namespace asterism {

template <NamedEnum E>
void PrintTo(const E& value, std::ostream* out) {
  *out << to_text(value);
}

// For INSTANTIATE_TEST_SUITE_P: the parameter as it is printed. A name consists of letters, digits and _, so
// one _ replaces a run of any other characters, and such a run at either end is dropped.
struct ParameterName {
  template <class T>
  std::string operator()(const testing::TestParamInfo<T>& info) const {
    std::string name;
    for (const char c : testing::PrintToString(info.param))
      if (('0' <= c && c <= '9') || ('A' <= c && c <= 'Z') || ('a' <= c && c <= 'z'))
        name += c;
      else if (!name.empty() && name.back() != '_')
        name += '_';
    if (name.ends_with('_')) name.pop_back();
    return name;
  }
};

}  // namespace asterism
