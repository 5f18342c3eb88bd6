#include "platform/host/progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <string_view>

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
  // A line that wraps would not be erased by the next one. The last column is left free, because some
  // terminals wrap behind it.
  winsize size{};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  const std::size_t most = is_known ? size.ws_col - 1u : text.size();
  fmt::print(stderr, "\r{}\033[K", std::string_view(text).substr(0, most));
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
