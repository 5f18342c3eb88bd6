// The contents of a disk: an image file of the host, writes that are kept beside it or in it, and a cache of
// writes that is volatile.
//
// With copy_on_write the file is only read, and writes last as long as this object. Otherwise the file is
// changed; it is created if it does not exist. Without a file the disk is zero at first.
//
// A write is in the cache until flush(), or until the end of this object, which is no loss of power. When the
// power fails, each sector in the cache is lost or is on the disk, independently of the others, as on a disk
// that reorders writes; half a sector is never written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <stdexcept>
#include <unordered_map>

#include "base/random.h"
#include "base/units.h"

namespace asterism {

class DiskImageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class DiskImage {
 public:
  static constexpr Bytes sector{512};

  struct Settings {
    std::filesystem::path file = {};  // empty: none
    Bytes size = {};                  // 0: that of the file
    bool copy_on_write = true;
    bool caches_writes = true;
  };
  // Throws DiskImageError for a file that cannot be opened or whose size does not fit.
  explicit DiskImage(const Settings& settings);
  ~DiskImage();
  DiskImage(const DiskImage&) = delete;
  DiskImage& operator=(const DiskImage&) = delete;

  Bytes size() const { return size_; }
  // Whole sectors within the disk. All three throw DiskImageError if the host cannot read or write the file.
  void read(Bytes offset, std::span<std::byte> data) const;
  void write(Bytes offset, std::span<const std::byte> data);
  void flush();
  std::size_t cached_sectors() const { return cache_.size(); }
  // `random` chooses the sectors that are lost.
  void lose_power(Random& random);

 private:
  using Sector = std::array<std::byte, sector.count()>;

  Bytes open(const Settings& settings);
  void read_below_cache(std::uint64_t number, std::span<std::byte> data) const;
  void write_below_cache(std::uint64_t number, std::span<const std::byte> data);

  const bool copy_on_write_, caches_writes_;
  int file_ = -1;
  Bytes file_size_;
  Bytes size_;
  std::unordered_map<std::uint64_t, Sector> written_;  // beside the file
  std::map<std::uint64_t, Sector> cache_;
};

}  // namespace asterism
