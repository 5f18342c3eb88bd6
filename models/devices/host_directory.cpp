#include "devices/host_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>

namespace asterism {
namespace fs = std::filesystem;

HostFile::~HostFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

HostDirectory::HostDirectory(const fs::path& root) {
  if (root.empty()) return;
  std::error_code error;
  root_ = fs::canonical(root, error);
  if (error || !fs::is_directory(root_))
    throw std::invalid_argument("semihosting: there is no directory '" + root.string() + "'");
}

bool HostDirectory::is_inside(const fs::path& canonical) const {
  return std::mismatch(root_.begin(), root_.end(), canonical.begin(), canonical.end()).first == root_.end();
}

HostDirectory::Place HostDirectory::locate(std::string_view name) const {
  if (root_.empty()) return {{}, EACCES, "no directory is configured"};
  if (name.empty()) return {{}, ENOENT};
  const fs::path path = fs::path(name).lexically_normal();
  if (path.is_absolute()) return {{}, EACCES, "the path is absolute"};
  if (*path.begin() == "..") return {{}, EACCES, "the path climbs out of the directory"};
  std::error_code error;
  const fs::path directory = fs::canonical(root_ / path.parent_path(), error);
  if (error) return {{}, error.value()};
  if (!is_inside(directory)) return {{}, EACCES, "a symbolic link leads out of the directory"};
  if (!path.has_filename() || path.filename() == ".") return {{}, EISDIR};
  return {directory / path.filename()};
}

HostDirectory::Outcome HostDirectory::open(std::string_view name, int flags) const {
  Place place = locate(name);
  if (place.error) return {place.error, place.refused};
  std::error_code error;
  if (fs::is_symlink(place.path, error)) {
    const fs::path target = fs::canonical(place.path, error);
    if (error || !is_inside(target)) return {EACCES, "a symbolic link leads out of the directory"};
    place.path = target;
  }
  const fs::file_status status = fs::symlink_status(place.path, error);
  if (fs::is_directory(status)) return {EISDIR};
  if (fs::exists(status) && !fs::is_regular_file(status)) return {EACCES, "it is not a regular file"};
  const int descriptor = ::open(place.path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0644);
  if (descriptor < 0) return {errno};
  return {0, {}, HostFile(descriptor)};
}

HostDirectory::Outcome HostDirectory::remove(std::string_view name) const {
  const Place place = locate(name);
  if (place.error) return {place.error, place.refused};
  return {std::remove(place.path.c_str()) == 0 ? 0 : errno};
}

HostDirectory::Outcome HostDirectory::rename(std::string_view from, std::string_view to) const {
  const Place source = locate(from);
  if (source.error) return {source.error, source.refused};
  const Place target = locate(to);
  if (target.error) return {target.error, target.refused};
  return {::rename(source.path.c_str(), target.path.c_str()) == 0 ? 0 : errno};
}

}  // namespace asterism
