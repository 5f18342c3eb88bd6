// The lines of a text trace: fields parted by blanks or tabs; what follows a '#' and empty lines are skipped. Reads as a
// stream: a trace takes no memory.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace asterism {

// what() is "FILE:LINE: expected ..., got ...".
class TraceError : public std::runtime_error {
  using runtime_error::runtime_error;
};

class TraceLines {
 public:
  // `name` is for messages.
  TraceLines(std::unique_ptr<std::istream> in, std::string name);

  // The fields of the next line that has some, good until the next call; none at the end. Throws TraceError.
  std::span<const std::string_view> next();

  // Of the last line. Throws TraceError.
  [[noreturn]] void refuse(const std::string& problem) const;
  // A time with its unit, or a plain number of picoseconds, not below the one before; refuses others.
  Picoseconds time(std::string_view field);
  // As a time, but of any length up to that.
  Picoseconds duration(std::string_view field, Picoseconds longest) const;
  // Decimal, or hexadecimal behind 0x; refuses others: `what` is "a page".
  std::uint64_t number_below(std::string_view field, std::string_view what, std::uint64_t limit) const;

 private:
  std::unique_ptr<std::istream> in_;
  std::string name_;
  std::string line_;
  std::uint64_t number_ = 0;  // from 1
  std::vector<std::string_view> fields_;
  Picoseconds last_;
};

// All of the text in that base, nothing else.
std::optional<std::uint64_t> plain_number(std::string_view text, int base);
// What a text shows of itself in a message.
std::string quoted_text(std::string_view text);

}  // namespace asterism
