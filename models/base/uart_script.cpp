#include "base/uart_script.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<UartScriptLine>() == 2);
void describe(Fields& f, UartScriptLine& c) {
  f("after", c.after, "The words that the script waits for, printed since the previous line was typed.",
    required());
  f("type", c.type,
    "The text that is typed then, as it is: \\n or \\r ends a line. If absent, nothing is typed.");
  f.check(!c.after.empty(), "after", "names at least one character");
}

std::string UartScript::sees(char character) {
  const UartScriptLine* const line = waits_for();
  if (!line) return {};
  seen_ += character;
  if (seen_.size() > line->after.size()) seen_.erase(0, seen_.size() - line->after.size());
  if (seen_ != line->after) return {};
  seen_.clear();
  ++next_;
  return line->type;
}

}  // namespace asterism
