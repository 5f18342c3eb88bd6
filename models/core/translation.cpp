#include "core/translation.h"

#include <fmt/format.h>

namespace asterism {

TranslationCounts& TranslationCounts::operator+=(const TranslationCounts& other) {
  is_refused |= other.is_refused;
  blocks += other.blocks, instructions += other.instructions;
  code_bytes += other.code_bytes;
  nanoseconds += other.nanoseconds;
  compared += other.compared;
  return *this;
}

std::string TranslationMismatch::text() const {
  std::string text = fmt::format(
      "the translation of the block at 0x{:x} differs after {} instructions:", pc.value(), instructions);
  for (const Difference& each : differences)
    text +=
        fmt::format(" {} is {}, and of the interpreter {};", each.what, each.translated, each.interpreted);
  text += " code";
  for (const std::uint32_t word : code) text += fmt::format(" {:08x}", word);
  return text;
}

}  // namespace asterism
