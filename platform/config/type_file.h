// A type of an object (TypedValue) that is not linked into the program, but comes from a file which a key of
// the object names: a plug-in.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace asterism {

// Why the type cannot be taken from a file.
struct TypeFileError : std::runtime_error {
  explicit TypeFileError(const std::string& problem, bool is_missing_file = false)
      : std::runtime_error(problem), is_missing(is_missing_file) {}
  bool is_missing;  // there is no such file
};

// An interface beside TypedValue.
class TypeFromFile {
 public:
  virtual ~TypeFromFile() = default;
  virtual std::string_view file_key() const = 0;
  // Makes a type known, before become(). Returns the absolute path of the file that has it; "" if none is
  // needed. `given` is the value of the key, "" without one; it may be relative to the folder `beside`.
  // Throws TypeFileError.
  virtual std::string provide(const std::string& type, const std::string& given,
                              const std::filesystem::path& beside) = 0;
};

}  // namespace asterism
