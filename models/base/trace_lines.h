// The lines of a text trace: fields separated by blanks or tabs. Empty lines and text after a '#' are
// skipped. The trace is read as a stream and is not kept in memory.
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

// what() is "FILE:LINE: expected ..., got ...", or "FILE: packet N: ..." for a binary trace.
class TraceError : public std::runtime_error {
  using runtime_error::runtime_error;
};

class TraceLines {
 public:
  // `name` is used in messages.
  TraceLines(std::unique_ptr<std::istream> in, std::string name);

  // The fields of the next line that has any, valid until the next call; empty at the end. Throws TraceError.
  std::span<const std::string_view> next();

  // Reports a problem of the last line. Throws TraceError.
  [[noreturn]] void refuse(const std::string& problem) const;
  // Parses a time with its unit, or a plain number of picoseconds, which is not before the previous time;
  // refuses anything else.
  Picoseconds time(std::string_view field);
  // Parses a duration in the same form, of at most `longest`.
  Picoseconds duration(std::string_view field, Picoseconds longest) const;
  // Parses a decimal number, or a hexadecimal one after 0x, below `limit`; refuses anything else. `what` is a
  // noun for the message: "a page".
  std::uint64_t number_below(std::string_view field, std::string_view what, std::uint64_t limit) const;

 private:
  std::unique_ptr<std::istream> in_;
  std::string name_;
  std::string line_;
  std::uint64_t number_ = 0;  // from 1
  std::vector<std::string_view> fields_;
  Picoseconds last_;
};

// Parses the whole text as a number in this base.
std::optional<std::uint64_t> plain_number(std::string_view text, int base);
// The form in which a message quotes a text.
std::string quoted_text(std::string_view text);

}  // namespace asterism
