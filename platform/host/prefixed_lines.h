// Collects text into lines, and passes each complete line on with a prefix.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace asterism {

class PrefixedLines {
 public:
  using Out = std::function<void(std::string_view)>;
  explicit PrefixedLines(std::string prefix) : prefix_(std::move(prefix)) {}

  void write(std::string_view text, const Out& out) {
    line_ += text;
    for (std::size_t end; (end = line_.find('\n')) != std::string::npos; line_.erase(0, end + 1)) {
      last_ = line_.substr(0, end);
      out(prefix_ + line_.substr(0, end + 1));
    }
  }
  // Ends the line, if one has begun.
  void flush(const Out& out) {
    if (!line_.empty()) write("\n", out);
  }
  const std::string& last() const { return last_; }  // the last line, without prefix and newline

 private:
  std::string prefix_, line_, last_;
};

}  // namespace asterism
