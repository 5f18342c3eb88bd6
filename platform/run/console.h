// The output of a guest.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "platform/host/shown_text.h"

namespace asterism {

// Writes the output of a guest to a file of the run directory and, if wanted, immediately to stdout.
class Console {
 public:
  Console(const std::filesystem::path& file, const bool& show) : file_(file, std::ios::binary), show_(show) {}
  // From now on the text may be written again, by processes that continue from live snapshots.
  void show_once() { shown_.emplace(); }
  void write(std::string_view text) {
    file_ << text << std::flush;
    if (shown_) text = shown_->unseen(text);
    if (!show_) return;
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

 private:
  std::ofstream file_;
  const bool& show_;
  std::optional<ShownText> shown_;
};

}  // namespace asterism
