#include "virtio/disk_image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/quantity_text.h"

namespace asterism {
namespace {

std::string host_error() { return std::strerror(errno); }

}  // namespace

DiskImage::DiskImage(const Settings& settings)
    : copy_on_write_(settings.copy_on_write || settings.file.empty()),
      caches_writes_(settings.caches_writes),
      size_(settings.file.empty() ? settings.size : open(settings)) {}

DiskImage::~DiskImage() {
  try {
    flush();
  } catch (const DiskImageError& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  if (file_ >= 0) ::close(file_);
}

Bytes DiskImage::open(const Settings& settings) {
  const std::string name = settings.file.string();
  file_ = ::open(name.c_str(), copy_on_write_ ? O_RDONLY | O_CLOEXEC : O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw DiskImageError(fmt::format("{}: {}", name, host_error()));
  const auto fail = [&](const std::string& why) {
    ::close(file_);
    throw DiskImageError(fmt::format("{} {}", name, why));
  };
  struct stat status {};
  if (::fstat(file_, &status) != 0) fail("cannot be examined: " + host_error());
  if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)) fail("is not a file with an image");
  const off_t end = ::lseek(file_, 0, SEEK_END);
  if (end < 0) fail("cannot be examined: " + host_error());
  file_size_ = Bytes(static_cast<std::uint64_t>(end));
  const Bytes size = settings.size == 0_B ? file_size_ : settings.size;
  if (size < file_size_)
    fail(fmt::format("has {} bytes, which is more than the size of the disk, {}", end, to_text(size)));
  if (file_size_ % sector != 0_B) fail(fmt::format("has {} bytes, expected a multiple of 512", end));
  if (size == 0_B) fail("is empty: give the disk a size");
  return size;
}

void DiskImage::read_below_cache(std::uint64_t number, std::span<std::byte> data) const {
  const auto kept = written_.find(number);
  if (kept != written_.end()) {
    std::ranges::copy(kept->second, data.begin());
  } else if (sector * number >= file_size_) {
    std::ranges::fill(data, std::byte{0});
  } else {
    const ssize_t done =
        ::pread(file_, data.data(), data.size(), static_cast<off_t>((sector * number).count()));
    if (done != static_cast<ssize_t>(data.size()))
      throw DiskImageError(fmt::format("sector {} of the image cannot be read: {}", number,
                                       done < 0 ? host_error() : "the file has become shorter"));
  }
}

void DiskImage::write_below_cache(std::uint64_t number, std::span<const std::byte> data) {
  if (copy_on_write_) {
    std::ranges::copy(data, written_[number].begin());
    return;
  }
  const ssize_t done =
      ::pwrite(file_, data.data(), data.size(), static_cast<off_t>((sector * number).count()));
  if (done != static_cast<ssize_t>(data.size()))
    throw DiskImageError(fmt::format("sector {} of the image cannot be written: {}", number,
                                     done < 0 ? host_error() : "no space is left"));
  file_size_ = std::max(file_size_, sector * (number + 1));
}

void DiskImage::read(Bytes offset, std::span<std::byte> data) const {
  std::uint64_t number = offset / sector;
  for (; !data.empty(); data = data.subspan(sector.count()), ++number) {
    const auto cached = cache_.find(number);
    if (cached != cache_.end())
      std::ranges::copy(cached->second, data.begin());
    else
      read_below_cache(number, data.first(sector.count()));
  }
}

void DiskImage::write(Bytes offset, std::span<const std::byte> data) {
  std::uint64_t number = offset / sector;
  for (; !data.empty(); data = data.subspan(sector.count()), ++number) {
    const std::span<const std::byte> one = data.first(sector.count());
    if (caches_writes_)
      std::ranges::copy(one, cache_[number].begin());
    else
      write_below_cache(number, one);
  }
}

void DiskImage::flush() {
  for (const auto& [number, data] : cache_) write_below_cache(number, data);
  cache_.clear();
}

void DiskImage::lose_power(Random& random) {
  for (const auto& [number, data] : cache_)
    if (random.below(2)) write_below_cache(number, data);
  cache_.clear();
}

}  // namespace asterism
