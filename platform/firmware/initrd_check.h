// Whether the initial file system of Linux is whole.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace asterism {

// Throws ConfigError with `name` if the file is cut short or damaged, or is neither a cpio archive ("newc")
// nor compressed. Behind an archive there may be another one. What is compressed by other programs than gzip
// and zstd is not looked into.
void check_initrd(std::span<const std::byte> bytes, const std::string& name);

}  // namespace asterism
