#include "platform/rtl_exchange/constant_expression.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <functional>
#include <utility>

namespace asterism {
namespace {

using Value = std::int64_t;

struct BinaryOperator {
  std::string_view text;
  int level;  // operators of a higher level bind more tightly
  Value (*apply)(Value, Value);
};

// Sums and products wrap, as those of 64 bits do in SystemVerilog.
template <class Operation>
Value wrapping(Value a, Value b, Operation operation) {
  return static_cast<Value>(operation(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}
Value sum(Value a, Value b) { return wrapping(a, b, std::plus()); }
Value difference(Value a, Value b) { return wrapping(a, b, std::minus()); }
Value product(Value a, Value b) { return wrapping(a, b, std::multiplies()); }
Value shift_left(Value a, Value b) {
  return b < 0 || b > 62 ? 0 : static_cast<Value>(static_cast<std::uint64_t>(a) << static_cast<unsigned>(b));
}
Value shift_right(Value a, Value b) {
  return b < 0 || b > 63 ? 0 : static_cast<Value>(static_cast<std::uint64_t>(a) >> static_cast<unsigned>(b));
}
Value nonzero(Value divisor) { return divisor != 0 ? divisor : throw std::invalid_argument("divides by 0"); }
// The processor cannot divide the smallest number by -1.
Value quotient(Value a, Value b) { return nonzero(b) == -1 ? difference(0, a) : a / b; }
Value remainder_of(Value a, Value b) { return nonzero(b) == -1 ? 0 : a % b; }
Value power(Value base, Value exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  Value result = 1;
  for (; exponent != 0; exponent >>= 1, base = product(base, base))
    if ((exponent & 1) != 0) result = product(result, base);
  return result;
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
                                   {"+", 9, sum},
                                   {"-", 9, difference},
                                   {"*", 10, product},
                                   {"/", 10, quotient},
                                   {"%", 10, remainder_of}});

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
        fmt::format("expected {} at character {} of \"{}\"", expected, at_ + 1, text_.substr(0, 200)));
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

  void go_deeper() {
    if (++depth_ > 200) refuse("fewer parentheses and signs");
  }

  // What is not chosen may divide by 0: (Ports > 0) ? 64 / Ports : 1.
  Value choice(bool is_chosen) {
    const bool before = std::exchange(is_evaluated_, is_evaluated_ && is_chosen);
    const Value value = choice();
    is_evaluated_ = before;
    return value;
  }
  // condition ? a : b
  Value choice() {
    go_deeper();
    Value value = binary(1);
    if (take("?")) {
      const bool is_true = value != 0;
      const Value then = choice(is_true);
      if (!take(":")) refuse("a colon");
      const Value otherwise = choice(!is_true);
      value = is_true ? then : otherwise;
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
      const Value right = binary(found->level + 1);
      if (is_evaluated_) left = found->apply(left, right);
    }
  }

  Value unary() {
    go_deeper();
    const Value value = signed_primary();
    --depth_;
    return value;
  }
  Value signed_primary() {
    if (take("-")) return difference(0, unary());
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
    if (!name.starts_with("$")) return is_evaluated_ ? value_of_(name) : 0;
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
  bool is_evaluated_ = true;
};

}  // namespace

std::int64_t constant_value(std::string_view expression,
                            const std::function<std::int64_t(const std::string&)>& value_of) {
  return ExpressionParser(expression, value_of).run();
}

}  // namespace asterism
