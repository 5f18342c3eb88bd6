// What a verb writes for an option that names a file: the file, or standard output for "-".
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "platform/host/output_file.h"

namespace asterism {

// An option and the file that it names.
using NamedResult = std::pair<const char*, const std::optional<std::string>*>;

// Throws ConfigError if two options name the same file, or both standard output.
void refuse_a_file_twice(std::initializer_list<NamedResult> results);

// Make all outputs of a verb before anything is written: if one of the paths is wrong, no file is.
class ResultOutput {
 public:
  // Throws ConfigError with the name of the option if the file cannot be written, or if it exists and may not
  // be replaced, which is for verbs with the option --replace.
  ResultOutput(const std::optional<std::string>& file, const char* option, bool may_replace = true);
  bool is_wanted() const { return file_ || is_standard_output_; }
  bool is_standard_output() const { return is_standard_output_; }
  void write(const std::string& text);
  // The results up to an interruption: FILE.partial, whose path it returns, or standard output.
  std::string leave_partial(const std::string& text);

 private:
  bool is_standard_output_;
  std::optional<OutputFile> file_;
};

}  // namespace asterism
