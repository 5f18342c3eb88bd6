// A file that a verb leaves where the user said. It is FILE.partial until it is complete, then it takes the name in one
// step; what stood there before stays as it was until then. A symlink keeps standing and what it names is written. A FIFO
// or a terminal is written as it is, without a name in between; other devices are refused.
#pragma once

#include <filesystem>
#include <string_view>

namespace asterism {

class OutputFile {
 public:
  // Throws ConfigError at once, naming `option`, when the file cannot be written.
  OutputFile(const std::filesystem::path& file, std::string_view option);
  ~OutputFile();  // one that was not written to the end is removed
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Complete, under its name; or what there was until an interruption, as FILE.partial. Returns the path.
  std::filesystem::path finish(std::string_view text);
  std::filesystem::path leave_partial(std::string_view text);
  // Another process writes it.
  void forget() { kept_ = true; }

 private:
  void resolve();
  void write(std::string_view text) const;
  [[noreturn]] void refuse(std::string_view why) const;

  std::filesystem::path file_, target_, partial_;  // as given, what it names, what is written
  std::string_view option_;
  bool direct_ = false;  // no partial: the target is no regular file
  bool kept_ = false;
};

}  // namespace asterism
