// A directory of the host that a guest's file names cannot leave.
//
// A name is refused (EACCES, `refused` says why) when it is absolute, climbs out by "..", or leads out by a
// symbolic link; so is anything that is no regular file, such as a device or a pipe. Links that stay inside
// are followed, but never created. Errors are errno values; 0 is success. The guest is the only adversary:
// nothing guards against another process of the host that swaps links meanwhile.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace asterism {

// An open file of the host.
class HostFile {
 public:
  HostFile() = default;
  explicit HostFile(int descriptor) : descriptor_(descriptor) {}
  HostFile(HostFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  HostFile& operator=(HostFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~HostFile();
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

class HostDirectory {
 public:
  // Empty: every name is refused. Throws std::invalid_argument when there is no such directory.
  explicit HostDirectory(const std::filesystem::path& root);
  // The same directory has another name. Throws likewise.
  void move_to(const std::filesystem::path& root) { *this = HostDirectory(root); }

  struct Outcome {
    int error = 0;
    std::string refused = {};
    HostFile file = {};
  };
  // `flags` as of open(2).
  Outcome open(std::string_view name, int flags) const;
  Outcome remove(std::string_view name) const;
  Outcome rename(std::string_view from, std::string_view to) const;

 private:
  struct Place {
    std::filesystem::path path;  // its directory has no links and lies inside; the last name may be a link
    int error = 0;
    std::string refused = {};
  };
  Place locate(std::string_view name) const;
  bool is_inside(const std::filesystem::path& canonical) const;

  std::filesystem::path root_;
};

}  // namespace asterism
