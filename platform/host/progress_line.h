// The line on a terminal that shows the progress: on stderr, if that is a terminal, after two seconds. If
// stderr is not a terminal there is no line or, in the log of a batch job, one every ten seconds.
#pragma once

#include <chrono>
#include <string>

namespace asterism {

class ProgressLine {
 public:
  enum class Elsewhere { nothing, lines };
  explicit ProgressLine(bool wanted, Elsewhere elsewhere = Elsewhere::nothing);  // the two seconds begin
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  // Whether a text would be shown. It is not begun with less than one second left, since nobody could read
  // it.
  bool is_due(double left) const {
    if (in_lines_) return seconds() >= next_line_;
    return wanted_ && seconds() >= 2 && (!shown_.empty() || left >= 1);
  }
  bool is_due() const { return is_due(1); }
  // Replaces the text that is shown.
  void show(const std::string& text);
  // To be called before anything else is printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool wanted_, in_lines_;
  double next_line_ = 10;
  Clock::time_point start_ = Clock::now();
  std::string shown_;
};

}  // namespace asterism
