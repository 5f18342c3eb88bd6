// A new, empty folder in the host's folder for temporary files (TMPDIR). It is removed with all its contents
// by the destructor.
#pragma once

#include <filesystem>

namespace asterism {

class TemporaryFolder {
 public:
  TemporaryFolder();  // throws std::system_error
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Absolute and without symbolic links.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::filesystem::path operator/(const TemporaryFolder& folder, const std::filesystem::path& inside) {
  return folder.path() / inside;
}

}  // namespace asterism
