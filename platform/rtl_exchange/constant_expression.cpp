#include "platform/rtl_exchange/constant_expression.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cctype>
#include <charconv>

namespace asterism {
namespace {

using Value = std::int64_t;

struct BinaryOperator {
  std::string_view text;
  int level;  // operators of a higher level bind more tightly
  Value (*apply)(Value, Value);
};

Value shift_left(Value a, Value b) {
  return b < 0 || b > 62 ? 0 : static_cast<Value>(static_cast<std::uint64_t>(a) << static_cast<unsigned>(b));
}
Value shift_right(Value a, Value b) {
  return b < 0 || b > 63 ? 0 : static_cast<Value>(static_cast<std::uint64_t>(a) >> static_cast<unsigned>(b));
}
Value nonzero(Value divisor) { return divisor != 0 ? divisor : throw std::invalid_argument("divides by 0"); }
Value power(Value base, Value exponent) {
  Value product = 1;
  for (Value i = 0; i < exponent && i < 64; ++i)
    product = static_cast<Value>(static_cast<std::uint64_t>(product) * static_cast<std::uint64_t>(base));
  return product;
}

// Longer texts come before their beginnings.
constexpr auto operators =
    std::to_array<BinaryOperator>({{"||", 1, [](Value a, Value b) -> Value { return a != 0 || b != 0; }},
                                   {"&&", 2, [](Value a, Value b) -> Value { return a != 0 && b != 0; }},
                                   {"==", 6, [](Value a, Value b) -> Value { return a == b; }},
                                   {"!=", 6, [](Value a, Value b) -> Value { return a != b; }},
                                   {"<<", 8, shift_left},
                                   {">>", 8, shift_right},
                                   {"<=", 7, [](Value a, Value b) -> Value { return a <= b; }},
                                   {">=", 7, [](Value a, Value b) -> Value { return a >= b; }},
                                   {"**", 11, power},
                                   {"|", 3, [](Value a, Value b) { return a | b; }},
                                   {"^", 4, [](Value a, Value b) { return a ^ b; }},
                                   {"&", 5, [](Value a, Value b) { return a & b; }},
                                   {"<", 7, [](Value a, Value b) -> Value { return a < b; }},
                                   {">", 7, [](Value a, Value b) -> Value { return a > b; }},
                                   {"+", 9, [](Value a, Value b) { return a + b; }},
                                   {"-", 9, [](Value a, Value b) { return a - b; }},
                                   {"*", 10, [](Value a, Value b) { return a * b; }},
                                   {"/", 10, [](Value a, Value b) { return a / nonzero(b); }},
                                   {"%", 10, [](Value a, Value b) { return a % nonzero(b); }}});

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const std::function<Value(const std::string&)>& value_of)
      : text_(text), value_of_(value_of) {}

  Value run() {
    const Value value = choice();
    skip_blanks();
    if (at_ < text_.size()) refuse("the end");
    return value;
  }

 private:
  [[noreturn]] void refuse(std::string_view expected) const {
    throw std::invalid_argument(
        fmt::format("expected {} at character {} of \"{}\"", expected, at_ + 1, text_));
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(std::string_view token) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  // condition ? a : b
  Value choice() {
    if (++depth_ > 100) refuse("fewer parentheses");
    const Value condition = binary(1);
    Value value = condition;
    if (take("?")) {
      const Value then = choice();
      if (!take(":")) refuse("a colon");
      const Value otherwise = choice();
      value = condition != 0 ? then : otherwise;
    }
    --depth_;
    return value;
  }

  Value binary(int level) {
    Value left = unary();
    for (;;) {
      skip_blanks();
      const BinaryOperator* found = nullptr;
      for (const BinaryOperator& each : operators)
        if (!found && text_.substr(at_).starts_with(each.text)) found = &each;
      if (!found || found->level < level) return left;
      at_ += found->text.size();
      left = found->apply(left, binary(found->level + 1));
    }
  }

  Value unary() {
    if (take("-")) return -unary();
    if (take("+")) return unary();
    if (take("~")) return ~unary();
    if (take("!")) return unary() == 0;
    if (take("(")) {
      const Value value = choice();
      if (!take(")")) refuse("a closing parenthesis");
      return value;
    }
    return primary();
  }

  Value primary() {
    skip_blanks();
    if (at_ >= text_.size()) refuse("a number or a name");
    const char first = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(first)) != 0 || first == '\'') return number();
    if (std::isalpha(static_cast<unsigned char>(first)) == 0 && first != '_' && first != '$')
      refuse("a number or a name");
    const std::string name = word();
    if (name == "true" || name == "false") return name == "true";
    if (!name.starts_with("$")) return value_of_(name);
    if (name != "$clog2") refuse("$clog2 as the only function");
    if (!take("(")) refuse("an opening parenthesis");
    const Value value = choice();
    if (!take(")")) refuse("a closing parenthesis");
    return value <= 1 ? 0 : static_cast<Value>(std::bit_width(static_cast<std::uint64_t>(value) - 1));
  }

  // Letters, digits and the characters of names.
  std::string word() {
    std::string word;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '_' || text_[at_] == '$' || text_[at_] == '.'))
      word += text_[at_++];
    return word;
  }

  // 12, 0x1f, 'h1f, 32'd12, 4'sb1010; the size is not needed.
  Value number() {
    std::string digits;
    int base = 10;
    if (text_[at_] != '\'') digits = word();
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
      base = 16;
      digits.erase(0, 2);
    } else if (at_ < text_.size() && text_[at_] == '\'') {
      ++at_;
      digits = word();
      if (digits.starts_with('s') || digits.starts_with('S')) digits.erase(0, 1);
      base = base_of(digits.empty() ? ' ' : digits.front());
      digits.erase(0, 1);
    }
    std::erase(digits, '_');
    std::uint64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
    if (digits.empty() || stop != end || error != std::errc()) refuse("a number before this");
    return static_cast<Value>(value);
  }
  int base_of(char letter) const {
    switch (std::tolower(static_cast<unsigned char>(letter))) {
      case 'h':
        return 16;
      case 'd':
        return 10;
      case 'o':
        return 8;
      case 'b':
        return 2;
      default:
        refuse("h, d, o or b before this");
    }
  }

  std::string_view text_;
  const std::function<Value(const std::string&)>& value_of_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::int64_t constant_value(std::string_view expression,
                            const std::function<std::int64_t(const std::string&)>& value_of) {
  return ExpressionParser(expression, value_of).run();
}

}  // namespace asterism
