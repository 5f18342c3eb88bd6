#include "base/value_digest.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <stdexcept>

namespace asterism {
namespace {

class EachScalar final : public Fields, private ValueVisitor {
 public:
  explicit EachScalar(const std::function<void(std::string_view, const PlainValue&)>& take) : take_(take) {}

 private:
  void field(const Line& line, const ShowValue& show) override {
    key_ = line.key;
    show(*this);
  }
  void choice(const Condition& condition, const std::function<void()>& body) override {
    if (condition.holds) body();
  }
  void relation(const Relation&, const std::function<bool()>&) override {}

  void scalar(ScalarValue& value) override { take_(key_, value.get()); }
  void object(ObjectValue&) override { refuse(); }
  void list(ListValue&) override { refuse(); }
  void map(MapValue&) override { refuse(); }
  void optional(OptionalValue& value) override {
    if (value.present()) value.value(*this);
  }
  void refuse() const { throw std::logic_error("the digest of " + std::string(key_) + ": no scalar"); }

  const std::function<void(std::string_view, const PlainValue&)>& take_;
  std::string_view key_;
};

}  // namespace

void ValueDigest::insert(std::string_view key, const PlainValue& value) {
  const std::string text = std::string(key) + "=" + to_text(value);
  values_.insert(std::ranges::upper_bound(values_, text), text);
}

void ValueDigest::insert_all(ObjectValue& values) {
  const std::function<void(std::string_view, const PlainValue&)> take =
      [this](std::string_view key, const PlainValue& value) { insert(key, value); };
  EachScalar each(take);
  values.walk(each);
}

std::string ValueDigest::text() const {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;  // FNV-1a
  for (const std::string& value : values_)
    for (const char c : value + "\n") hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3;
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[hash >> shift & 15];
  return digits;
}

std::vector<std::string> ValueDigest::differences(const ValueDigest& other) const {
  std::vector<std::string> found;
  std::ranges::set_difference(values_, other.values_, std::back_inserter(found));
  return found;
}

}  // namespace asterism
