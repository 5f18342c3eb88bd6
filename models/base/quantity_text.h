// Quantities in text form: "12.4ms", "2GiB", "1GHz", "250MB/s", "3cycles"; addresses as "0x0900_0000".
//
// A text is a decimal number directly followed by a unit. Nothing is rounded: a text that is not a whole
// multiple of the quantity's own unit ("0.5ps") is refused. to_text() writes the shortest exact text, so that
// reading it back gives the same quantity. To add another kind of quantity, overload quantity_kind() beside
// its type.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/units.h"

namespace asterism {

struct QuantityUnit {
  std::string_view suffix;
  std::uint64_t size;  // in the quantity's own unit
};

// The text form of one kind of quantity.
struct QuantityKind {
  std::string_view noun;                // "a duration"
  std::string_view example;             // "1us"
  std::span<const QuantityUnit> units;  // larger units first
};

const QuantityKind& quantity_kind(Picoseconds);
const QuantityKind& quantity_kind(Cycles);
const QuantityKind& quantity_kind(Bytes);
const QuantityKind& quantity_kind(Frequency);
const QuantityKind& quantity_kind(Bandwidth);
const QuantityKind& quantity_kind(Micrometres);

// The count that a text represents. Throws std::invalid_argument; its what() says what is wrong with the
// text: "it has no unit (ps, ns, us, ms, s)".
std::uint64_t parse_count(std::string_view text, const QuantityKind& kind);
std::string count_text(std::uint64_t count, const QuantityKind& kind);

template <class Unit>
std::string to_text(Quantity<Unit> quantity) {
  return count_text(quantity.count(), quantity_kind(quantity));
}

// parse_quantity<Picoseconds>("12.4ms")
template <class Q>
Q parse_quantity(std::string_view text) {
  return Q(parse_count(text, quantity_kind(Q{})));
}

// "0x" and hexadecimal digits, optionally separated by underscores. Throws like parse_count.
Address parse_address(std::string_view text);
// In groups of four digits, at least two groups: "0x0900_0000".
std::string to_text(Address address);

}  // namespace asterism
