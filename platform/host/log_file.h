// A file of text that grows during a run, and can be read meanwhile: it is written at once.
#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

namespace asterism {

class LogFile {
 public:
  explicit LogFile(const std::filesystem::path& file);
  void write(std::string_view text);
  // At the end. Throws OutputFailure if the text is not complete, for example because the disk was full.
  void check() const;

 private:
  std::filesystem::path file_;
  std::ofstream out_;
  int error_ = 0;  // errno of what has failed first
};

}  // namespace asterism
