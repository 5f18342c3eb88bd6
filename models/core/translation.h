// What is known of an engine's translation of instructions to code of the host (a64/translator/).
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "base/units.h"

namespace asterism {

// Up to now.
struct TranslationCounts {
  bool is_refused = false;  // the host does not let the process make code, or there is no translator for it
  std::uint64_t blocks = 0, instructions = 0;  // translated
  std::uint64_t code_bytes = 0;                // of the code made for them
  std::uint64_t nanoseconds = 0;               // that this took
  std::uint64_t compared = 0;                  // instructions executed in lockstep

  TranslationCounts& operator+=(const TranslationCounts& other) {
    is_refused |= other.is_refused;
    blocks += other.blocks, instructions += other.instructions;
    code_bytes += other.code_bytes;
    nanoseconds += other.nanoseconds;
    compared += other.compared;
    return *this;
  }
};

// What translated code has done differently from the interpreter.
struct TranslationMismatch {
  Address pc = {};                 // of the first instruction of the block that is wrong
  std::uint64_t instructions = 0;  // that the core has executed at the block's end
  std::vector<std::uint32_t> code = {};
  struct Difference {
    std::string what;  // "x3", "nzcv", "memory at 0x40001000"
    std::string translated, interpreted;
  };
  std::vector<Difference> differences = {};

  // One line.
  std::string text() const {
    std::ostringstream text;
    text << std::hex << "the translation of the block at 0x" << pc.value() << " differs after " << std::dec
         << instructions << " instructions:" << std::hex;
    for (const Difference& each : differences)
      text << ' ' << each.what << " is " << each.translated << ", and of the interpreter " << each.interpreted
           << ';';
    text << " code";
    for (const std::uint32_t word : code) text << ' ' << word;
    return text.str();
  }
};

}  // namespace asterism
