// A digest of values, which is kept beside what was computed from them and says later whether they have
// changed. It depends on the keys and the values, not on their order, and is the same on every machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"

namespace asterism {

class ValueDigest {
 public:
  template <ScalarMember T>
  void add(std::string_view key, const T& value) {
    insert(key, ScalarCodec<T>::encode(value));
  }
  // The values of a struct that has only scalars, by their keys: those that apply, and of optional ones those
  // that are there.
  template <DescribedStruct T>
  void add(const T& values) {
    T copy = values;
    ObjectOf<T> object(copy);
    insert_all(object);
  }

  std::string text() const;  // 16 hexadecimal digits
  // The values, "key=value", that are not in `other`, in the order of their keys.
  std::vector<std::string> differences(const ValueDigest& other) const;

 private:
  void insert(std::string_view key, const PlainValue& value);
  void insert_all(ObjectValue& values);

  std::vector<std::string> values_;  // sorted
};

}  // namespace asterism
