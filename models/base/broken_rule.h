// For tests: which of the rules between a struct's members does not hold.
#pragma once

#include <string>

#include "base/fields.h"

namespace asterism {

class BrokenRule final : public Fields {
 public:
  std::string text;

 private:
  void field(const Line&, const ShowValue&) override {}
  void choice(const Condition& condition, const std::function<void()>& body) override {
    if (condition.holds) body();
  }
  void relation(const Relation& relation, const std::function<bool()>& holds) override {
    if (text.empty() && !holds()) text = std::string(relation.key) + " " + std::string(relation.rule);
  }
};

// Returns the first rule that does not hold, as "key rule", or "" if all hold.
template <class T>
std::string broken_rule(T value) {
  BrokenRule rules;
  describe(rules, value);
  return rules.text;
}

}  // namespace asterism
