#include "base/quantity_text.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <stdexcept>

namespace asterism {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kilo = 1'000, mega = 1'000'000, giga = 1'000'000'000, tera = 1'000'000'000'000;
constexpr std::uint64_t kibi = 1u << 10, mebi = 1u << 20, gibi = 1u << 30, tebi = std::uint64_t{1} << 40;

constexpr std::array duration_units = {QuantityUnit{"s", tera}, QuantityUnit{"ms", giga},
                                       QuantityUnit{"us", mega}, QuantityUnit{"ns", kilo},
                                       QuantityUnit{"ps", 1}};
constexpr std::array cycle_units = {QuantityUnit{"cycles", 1}};
constexpr std::array length_units = {QuantityUnit{"mm", 1000}, QuantityUnit{"um", 1}};
constexpr std::array byte_units = {
    QuantityUnit{"TiB", tebi}, QuantityUnit{"TB", tera},  QuantityUnit{"GiB", gibi},
    QuantityUnit{"GB", giga},  QuantityUnit{"MiB", mebi}, QuantityUnit{"MB", mega},
    QuantityUnit{"KiB", kibi}, QuantityUnit{"kB", kilo},  QuantityUnit{"B", 1}};
constexpr std::array frequency_units = {QuantityUnit{"GHz", giga}, QuantityUnit{"MHz", mega},
                                        QuantityUnit{"kHz", kilo}, QuantityUnit{"Hz", 1}};
constexpr std::array bandwidth_units = {QuantityUnit{"TB/s", tera}, QuantityUnit{"GiB/s", gibi},
                                        QuantityUnit{"GB/s", giga}, QuantityUnit{"MiB/s", mebi},
                                        QuantityUnit{"MB/s", mega}, QuantityUnit{"KiB/s", kibi},
                                        QuantityUnit{"kB/s", kilo}, QuantityUnit{"B/s", 1}};

// 25 digits times the largest unit stay below 2^128.
constexpr std::size_t max_digits = 25;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A decimal number: mantissa / divisor, a power of ten.
struct Decimal {
  Wide mantissa = 0;
  Wide divisor = 1;
  std::size_t length = 0;  // the number of its characters
};

Decimal parse_decimal(std::string_view text) {
  if (text.size() > 1 && text[0] == '-' && is_digit(text[1]))
    throw std::invalid_argument("it must not be negative");
  Decimal d;
  std::size_t digits = 0;
  bool fraction = false;
  for (; d.length < text.size(); ++d.length) {
    const char c = text[d.length];
    if (c == '.' && !fraction && d.length > 0) {
      fraction = true;
      continue;
    }
    if (!is_digit(c)) break;
    if (++digits > max_digits) throw std::invalid_argument("it has too many digits");
    d.mantissa = d.mantissa * 10 + static_cast<unsigned>(c - '0');
    if (fraction) d.divisor *= 10;
  }
  if (digits == 0) throw std::invalid_argument("it does not begin with a number");
  if (!is_digit(text[d.length - 1])) throw std::invalid_argument("a digit must follow the point");
  return d;
}

std::string list_of_units(const QuantityKind& kind) {
  std::string list;
  for (auto unit = kind.units.rbegin(); unit != kind.units.rend(); ++unit) {
    if (!list.empty()) list += ", ";
    list += unit->suffix;
  }
  return list;
}

// count / unit as an exact decimal, if six digits after the point suffice.
std::optional<std::string> exact_decimal(std::uint64_t count, std::uint64_t unit) {
  std::string text = std::to_string(count / unit);
  Wide rest = count % unit;
  if (rest == 0) return text;
  text += '.';
  for (int digit = 0; digit < 6 && rest != 0; ++digit) {
    rest *= 10;
    text += static_cast<char>('0' + static_cast<int>(rest / unit));
    rest %= unit;
  }
  if (rest != 0) return std::nullopt;
  return text;
}

}  // namespace

const QuantityKind& quantity_kind(Picoseconds) {
  static constexpr QuantityKind kind{"a duration", "1us", duration_units};
  return kind;
}
const QuantityKind& quantity_kind(Cycles) {
  static constexpr QuantityKind kind{"a number of cycles", "3cycles", cycle_units};
  return kind;
}
const QuantityKind& quantity_kind(Bytes) {
  static constexpr QuantityKind kind{"a size", "64MiB", byte_units};
  return kind;
}
const QuantityKind& quantity_kind(Frequency) {
  static constexpr QuantityKind kind{"a frequency", "1GHz", frequency_units};
  return kind;
}
const QuantityKind& quantity_kind(Micrometres) {
  static constexpr QuantityKind kind{"a length", "0.9mm", length_units};
  return kind;
}
const QuantityKind& quantity_kind(Bandwidth) {
  static constexpr QuantityKind kind{"a bandwidth", "250MB/s", bandwidth_units};
  return kind;
}

std::uint64_t parse_count(std::string_view text, const QuantityKind& kind) {
  const Decimal number = parse_decimal(text);
  const std::string_view suffix = text.substr(number.length);
  if (suffix.empty()) throw std::invalid_argument("it has no unit (" + list_of_units(kind) + ")");
  const auto unit = std::find_if(kind.units.begin(), kind.units.end(),
                                 [&](const QuantityUnit& u) { return u.suffix == suffix; });
  if (unit == kind.units.end())
    throw std::invalid_argument("unknown unit \"" + std::string(suffix) + "\" (" + list_of_units(kind) + ")");

  const Wide scaled = number.mantissa * unit->size;
  if (scaled % number.divisor != 0)
    throw std::invalid_argument("it is not a whole number of " + std::string(kind.units.back().suffix));
  const Wide count = scaled / number.divisor;
  if (count > std::numeric_limits<std::uint64_t>::max())
    throw std::invalid_argument("it is larger than 64 bits of " + std::string(kind.units.back().suffix));
  return static_cast<std::uint64_t>(count);
}

std::string count_text(std::uint64_t count, const QuantityKind& kind) {
  const QuantityUnit& smallest = kind.units.back();
  std::string shortest =
      exact_decimal(count, smallest.size).value_or(std::to_string(count)) + std::string(smallest.suffix);
  if (count == 0) return shortest;
  for (auto unit = kind.units.rbegin(); unit != kind.units.rend() && unit->size <= count; ++unit) {
    std::optional<std::string> text = exact_decimal(count, unit->size);
    if (!text) continue;
    *text += unit->suffix;
    if (text->size() <= shortest.size()) shortest = *text;
  }
  return shortest;
}

Address parse_address(std::string_view text) {
  if (!text.starts_with("0x")) throw std::invalid_argument("it does not begin with 0x");
  std::uint64_t value = 0;
  int digits = 0;  // without leading zeros
  char previous = '_';
  for (char c : text.substr(2)) {
    if (c == '_' && previous == '_') throw std::invalid_argument("an underscore must stand between digits");
    previous = c;
    if (c == '_') continue;
    const std::size_t digit = std::string_view("0123456789abcdef0123456789ABCDEF").find(c);
    if (digit == std::string_view::npos)
      throw std::invalid_argument(std::string("'") + c + "' is not a hexadecimal digit");
    if (digits > 0 || digit % 16 != 0) ++digits;
    if (digits > 16) throw std::invalid_argument("it is larger than 64 bits");
    value = value << 4 | digit % 16;
  }
  if (previous == '_') throw std::invalid_argument("it does not end with a digit");
  return Address(value);
}

std::string to_text(Address address) {
  std::string digits;
  for (std::uint64_t rest = address.value(); rest != 0; rest >>= 4)
    digits.insert(digits.begin(), "0123456789abcdef"[rest & 15]);
  while (digits.size() < 8 || digits.size() % 4 != 0) digits.insert(digits.begin(), '0');
  std::string text = "0x";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i % 4 == 0) text += '_';
    text += digits[i];
  }
  return text;
}

}  // namespace asterism
