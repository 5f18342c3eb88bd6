// The output of a guest.
#pragma once

#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/host/log_file.h"
#include "platform/host/prefixed_lines.h"
#include "platform/host/shown_text.h"

namespace asterism {

// Writes the output of a guest to a file of the run directory and, if wanted, to stdout: immediately, or line
// by line with a prefix.
class Console {
 public:
  Console(const std::filesystem::path& file, const bool& show, const std::string& prefix = "")
      : file_(file), show_(show) {
    if (!prefix.empty()) lines_.emplace(prefix);
  }
  // From now on the text may be written again, by processes that continue from live snapshots.
  void show_once() { shown_.emplace(); }
  void write(std::string_view text) {
    file_.write(text);
    if (lines_)
      lines_->write(text, [this](std::string_view line) { show(line); });
    else
      show(text);
  }
  void flush() {
    if (lines_) lines_->flush([this](std::string_view line) { show(line); });
  }
  // LogFile::check()
  void check() const { file_.check(); }

 private:
  void show(std::string_view text) {
    if (shown_) text = shown_->unseen(text);
    if (!show_) return;
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

  LogFile file_;
  const bool& show_;
  std::optional<PrefixedLines> lines_;
  std::optional<ShownText> shown_;
};

// The consoles of the serial lines of a system: NAME.log. Lines of text of all but the first begin with its
// name.
class SerialConsoles {
 public:
  SerialConsoles(const std::filesystem::path& folder, const std::vector<std::string>& names,
                 const bool& show) {
    for (const std::string& name : names)
      consoles_.try_emplace(name, folder / (name + ".log"), show, name == names.front() ? "" : name + ": ");
  }
  void show_once() {
    for (auto& [name, console] : consoles_) console.show_once();
  }
  void write(const std::string& line, std::string_view text) { consoles_.at(line).write(text); }
  void flush() {
    for (auto& [name, console] : consoles_) console.flush();
  }
  void check() const {
    for (const auto& [name, console] : consoles_) console.check();
  }

 private:
  std::map<std::string, Console> consoles_;
};

}  // namespace asterism
