// A script at a console: it waits for words, then types.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace asterism {

class Fields;

struct UartScriptLine {
  std::string after;  // words that the machine has printed since the last line was typed; not empty
  std::string type;   // typed as it is: a line ends by "\n" or "\r", as the machine expects; may be empty
};
void describe(Fields& f, UartScriptLine& c);

class UartScript {
 public:
  explicit UartScript(std::vector<UartScriptLine> lines) : lines_(std::move(lines)) {}

  // The machine has printed a character: returns what to type now, possibly nothing.
  std::string sees(char character);
  // The first line that was not typed yet; nullptr if all were.
  const UartScriptLine* waits_for() const { return next_ < lines_.size() ? &lines_[next_] : nullptr; }

 private:
  std::vector<UartScriptLine> lines_;
  std::size_t next_ = 0;
  std::string seen_;  // since the last line was typed, as far as it matters
};

}  // namespace asterism
