// What is wrong with a user's input, one entry a mistake. Printed the way compilers do, so that editors find
// the place:
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
  int line = 0;      // from 1; 0 for the file as a whole
  int column = 0;    // from 1, in characters

  static Origin command_line() { return Origin(); }
  bool is_command_line() const { return file.empty(); }
  std::string text() const;  // "file:4:17", "command line"
};

struct Diagnostic {
  Origin origin;
  std::string path;     // dotted, as an override would name it: "faults.0.at"; "" for the whole
  std::string problem;  // in its own words; or "" when it is: expected ..., got ...
  std::string expected = {};
  std::string got = {};
  std::string detail = {};   // more about it, "" for none
  std::string nearest = {};  // the valid name nearest to what came, "" for none

  // About a file as a whole.
  static Diagnostic of_file(std::string file, std::string problem);
  std::string text() const;  // the line shown above
};

class Diagnostics {
 public:
  void add(Diagnostic problem) { all_.push_back(std::move(problem)); }
  void add(const Diagnostics& others) { all_.insert(all_.end(), others.all_.begin(), others.all_.end()); }
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  const std::vector<Diagnostic>& all() const { return all_; }

  std::string text() const;   // a line each, in the order of the files' lines
  void throw_if_any() const;  // ConfigError

 private:
  std::vector<Diagnostic> all_;
};

// A user's mistake; what() is the text of all its diagnostics, without a newline at the end.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(Diagnostics diagnostics);
  explicit ConfigError(Diagnostic problem);
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
};

// A file that the user named is not there or cannot be read.
class InputMissing : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

}  // namespace asterism
