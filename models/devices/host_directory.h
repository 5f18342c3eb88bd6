// A directory of the host that file names of a guest cannot leave.
//
// A name is refused (EACCES; `refused` gives the reason) if it is absolute, climbs out by "..", or leads out
// by a symbolic link. Anything but a regular file, such as a device or a pipe, is refused too. Links that
// stay inside are followed, but never created. Errors are errno values; 0 is success. Only the guest is an
// adversary: there is no protection against another process of the host that replaces links meanwhile.
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
  // If empty, every name is refused. Throws std::invalid_argument if there is no such directory.
  explicit HostDirectory(const std::filesystem::path& root);
  // The same directory has been renamed. Throws in the same way.
  void move_to(const std::filesystem::path& root) { *this = HostDirectory(root); }

  struct Outcome {
    int error = 0;
    std::string refused = {};
    HostFile file = {};
  };
  // `flags` are those of open(2).
  Outcome open(std::string_view name, int flags) const;
  Outcome remove(std::string_view name) const;
  Outcome rename(std::string_view from, std::string_view to) const;

 private:
  struct Place {
    // Its directory has no links and lies inside; only the last name may be a link.
    std::filesystem::path path;
    int error = 0;
    std::string refused = {};
  };
  Place locate(std::string_view name) const;
  bool is_inside(const std::filesystem::path& canonical) const;

  std::filesystem::path root_;
};

}  // namespace asterism
