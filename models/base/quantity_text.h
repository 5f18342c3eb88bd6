// Quantities as people write them: "12.4ms", "2GiB", "1GHz", "250MB/s", "3cycles"; addresses as
// "0x0900_0000".
//
// A text is a decimal number followed at once by a unit; nothing is rounded: a text that is no whole count of
// the quantity's own unit ("0.5ps") is refused. to_text() writes the shortest exact text, so that reading it
// again gives the same quantity. Another kind of quantity joins by an overload of quantity_kind() beside its
// type.
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

// How one kind of quantity is written.
struct QuantityKind {
  std::string_view noun;                // "a duration"
  std::string_view example;             // "1us"
  std::span<const QuantityUnit> units;  // the larger first
};

const QuantityKind& quantity_kind(Picoseconds);
const QuantityKind& quantity_kind(Cycles);
const QuantityKind& quantity_kind(Bytes);
const QuantityKind& quantity_kind(Frequency);
const QuantityKind& quantity_kind(Bandwidth);
const QuantityKind& quantity_kind(Micrometres);

// The count that a text stands for. Throws std::invalid_argument whose what() says what is wrong with the
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

// "0x" and hexadecimal digits, underscores between them at will. Throws like parse_count.
Address parse_address(std::string_view text);
// Groups of four digits, two groups at least: "0x0900_0000".
std::string to_text(Address address);

}  // namespace asterism
