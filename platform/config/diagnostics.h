// The errors in a user's input, one entry for each. They are printed in the format of compilers, so that
// editors find the place:
//
//   configs/scenarios/power_loss.json:4:17: error: until: expected a duration such as "1us", got 5
//   configs/scenarios/power_loss.json:5:3: error: sed: unknown key; did you mean "seed"?
//   command line: error: node.memory.ec: unknown key; did you mean "ecc"?
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace asterism {

// Where a value or key was written.
struct Origin {
  std::string file;  // "" for the command line
  int line = 0;      // counted from 1; 0 for the file as a whole
  int column = 0;    // counted from 1, in characters
  // Where the path was abbreviated: "node.devices" if "node.gpu.ecc" stands for "node.devices.gpu.ecc".
  std::string left_out = {};

  static Origin command_line() { return Origin(); }
  bool is_command_line() const { return file.empty(); }
  std::string text() const;                               // "file:4:17", "command line"
  std::string as_written(const std::string& path) const;  // a path of a value or key that was written here
};

struct Diagnostic {
  Origin origin;
  std::string path;     // dotted, as in an override: "faults.0.at"; "" for the whole
  std::string problem;  // a text; "" if the message is "expected ..., got ..."
  std::string expected = {};
  std::string got = {};
  std::string detail = {};   // more information, "" for none
  std::string nearest = {};  // the valid name nearest to the given one, "" for none

  // An error that concerns a file as a whole.
  static Diagnostic of_file(std::string file, std::string problem);
  std::string text() const;  // one line as in the examples above
};

class Diagnostics {
 public:
  void add(Diagnostic problem) { all_.push_back(std::move(problem)); }
  void add(const Diagnostics& others) { all_.insert(all_.end(), others.all_.begin(), others.all_.end()); }
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  const std::vector<Diagnostic>& all() const { return all_; }

  std::vector<Diagnostic> ordered() const;  // by the lines of the files
  std::string text() const;                 // one line for each, ordered
  void throw_if_any() const;                // ConfigError

 private:
  std::vector<Diagnostic> all_;
};

// An error in the user's input. what() is the text of all its diagnostics, without a newline at the end.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(Diagnostics diagnostics);
  explicit ConfigError(Diagnostic problem);
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
};

// A file that the user named does not exist or cannot be read.
class InputMissing : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

// Throws a ConfigError about an option of the command line.
[[noreturn]] void refuse_option(const char* option, std::string problem);

}  // namespace asterism
