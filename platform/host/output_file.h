// A file that a verb writes under a name given by the user. It is FILE.partial until it is complete, and is
// then renamed in one step; an older file is not changed until then. If the name is a symbolic link, its
// target is written and the link is kept. A FIFO or a terminal is written directly, without a partial file;
// other devices are refused.
#pragma once

#include <filesystem>
#include <string_view>

namespace asterism {

struct Diagnostic;

class OutputFile {
 public:
  // Throws ConfigError with the name `option` if the file cannot be written.
  OutputFile(const std::filesystem::path& file, std::string_view option);
  ~OutputFile();  // removes an incomplete file
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // finish() writes the complete file under its name; leave_partial() writes the results up to an
  // interruption as FILE.partial. Both return the path, and throw OutputFailure if that does not work.
  std::filesystem::path finish(std::string_view text);
  std::filesystem::path leave_partial(std::string_view text);
  // Leaves the file to another process, which writes it.
  void forget() { kept_ = true; }

 private:
  void resolve();
  void write(std::string_view text) const;
  [[noreturn]] void refuse(std::string_view why) const;
  Diagnostic problem(std::string_view why) const;

  std::filesystem::path file_, target_, partial_;  // as given, its target, the file that is written
  std::string_view option_;
  bool direct_ = false;  // without a partial file, because the target is not a regular file
  bool kept_ = false;
};

}  // namespace asterism
