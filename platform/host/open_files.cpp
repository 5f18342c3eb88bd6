#include "platform/host/open_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace asterism {

namespace fs = std::filesystem;

OpenFiles::OpenFiles(const fs::path& folder) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    const fs::path inside = fs::read_symlink(entry.path(), none).lexically_relative(folder);
    if (inside.empty() || inside == "." || *inside.begin() == "..") continue;
    const int number = std::stoi(entry.path().filename().string());
    files_.push_back({number, inside, fcntl(number, F_GETFL), lseek(number, 0, SEEK_CUR)});
  }
}

void OpenFiles::reopen_in(const fs::path& folder) const {
  for (const File& file : files_) {
    const fs::path path = folder / file.path;
    const int opened = open(path.c_str(), file.flags | O_CLOEXEC);
    if (opened < 0) throw std::system_error(errno, std::generic_category(), path.string());
    lseek(opened, file.position, SEEK_SET);
    dup3(opened, file.number, O_CLOEXEC);
    close(opened);
  }
}

}  // namespace asterism
