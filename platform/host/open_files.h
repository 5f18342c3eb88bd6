// The open files of a folder, so that another process can reopen them under the same descriptors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace asterism {

class OpenFiles {
 public:
  // Records the files below the folder (an absolute path) that are open now, and the position of each.
  explicit OpenFiles(const std::filesystem::path& folder);

  // Reopens them in a folder with the same files. Throws std::system_error.
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
