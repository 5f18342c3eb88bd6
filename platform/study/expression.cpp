#include "platform/study/expression.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace asterism {
namespace {

// Newton's method from above: decreases until it no longer changes.
double root(double of, unsigned degree) {
  if (of <= 0) return 0;
  double result = of > 1 ? of : 1;
  for (;;) {
    double power = 1;
    for (unsigned i = 1; i < degree; ++i) power *= result;
    const double next = ((degree - 1) * result + of / power) / degree;
    if (!(next < result)) return result;
    result = next;
  }
}

class Parser {
 public:
  Parser(std::string_view text, const std::function<double(const ExpressionTerm&)>& value)
      : text_(text), value_(value) {}

  double whole() {
    const double result = sum();
    skip_blanks();
    if (at_ < text_.size()) fail("an operator");
    return result;
  }

 private:
  double sum() {
    double result = product();
    for (;;) {
      if (take('+'))
        result += product();
      else if (take('-'))
        result -= product();
      else
        return result;
    }
  }
  double product() {
    double result = factor();
    for (;;) {
      if (take('*'))
        result *= factor();
      else if (take('/'))
        result /= factor();
      else
        return result;
    }
  }
  double factor() {
    if (take('(')) {
      const double result = sum();
      expect(')');
      return result;
    }
    skip_blanks();
    if (at_ < text_.size() && is_letter(text_[at_])) return term();
    return number();
  }
  double term() {
    ExpressionTerm term{.column = name(), .study = ""};
    expect('(');
    if (term.column == "geometric_mean" || term.column == "mean" || term.column == "max")
      return of_several(term.column);
    term.study = name();
    if (take(',')) {
      term.along = name();
      expect('=');
      term.reaches = number();
    }
    expect(')');
    return value_(term);
  }
  double of_several(std::string_view function) {
    double product = 1, all = 0, largest = -std::numeric_limits<double>::infinity();
    unsigned count = 0;
    do {
      const double one = sum();
      product *= one;
      all += one;
      largest = one > largest ? one : largest;
      ++count;
    } while (take(','));
    expect(')');
    if (function == "max") return std::isnan(all) ? all : largest;
    return function == "mean" ? all / count : root(product, count);
  }
  double number() {
    skip_blanks();
    double result = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), result);
    if (error != std::errc()) fail("a number or a column of a study");
    at_ = static_cast<std::size_t>(end - text_.data());
    return result;
  }
  std::string name() {
    skip_blanks();
    const std::size_t first = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || (text_[at_] >= '0' && text_[at_] <= '9'))) ++at_;
    if (at_ == first) fail("a name");
    return std::string(text_.substr(first, at_ - first));
  }

  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(fmt::format("'{}'", c));
  }
  [[noreturn]] void fail(std::string_view expected) const {
    throw std::invalid_argument(
        fmt::format("expected {} at character {} of \"{}\"", expected, at_ + 1, text_));
  }

  std::string_view text_;
  const std::function<double(const ExpressionTerm&)>& value_;
  std::size_t at_ = 0;
};

}  // namespace

double evaluate(std::string_view expression, const std::function<double(const ExpressionTerm&)>& value) {
  return Parser(expression, value).whole();
}

std::vector<std::string> parts_of_claim(std::string_view claim) {
  std::vector<std::string> parts;
  for (std::size_t end = claim.find('<'); end != std::string_view::npos; end = claim.find('<')) {
    parts.emplace_back(claim.substr(0, end));
    claim.remove_prefix(end + 1);
  }
  parts.emplace_back(claim);
  return parts;
}

}  // namespace asterism
