#include "platform/host/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace asterism {

ProgressLine::ProgressLine(bool wanted, Elsewhere elsewhere)
    : wanted_(wanted && isatty(STDERR_FILENO)),
      in_lines_(wanted && !wanted_ && elsewhere == Elsewhere::lines) {}

// The rest of a longer line is erased after the new one is written; an empty line in between would flicker.
void ProgressLine::show(const std::string& text) {
  if (in_lines_) {
    fmt::print(stderr, "{}\n", text);
    next_line_ = seconds() + 10;
    return;
  }
  if (text == shown_) return;
  fmt::print(stderr, "\r{}\033[K", text);
  std::fflush(stderr);
  shown_ = text;
}

void ProgressLine::clear() {
  if (shown_.empty()) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_.clear();
}

}  // namespace asterism
