// A folder of one's own among the host's temporary ones (TMPDIR), empty at first, and gone with all that is in it.
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
