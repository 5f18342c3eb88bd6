// The files of a folder that this process has open, to be opened again under the same numbers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace asterism {

class OpenFiles {
 public:
  // Those that are open now, below the folder (absolute), and where each is read or written next.
  explicit OpenFiles(const std::filesystem::path& folder);

  // In a folder with the same files. Throws std::system_error.
  void reopen_in(const std::filesystem::path& folder) const;

 private:
  struct File {
    int number;
    std::filesystem::path path;  // in the folder
    int flags;
    off_t position;
  };
  std::vector<File> files_;
};

}  // namespace asterism
