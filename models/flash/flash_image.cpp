#include "flash/flash_image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace asterism {
namespace {

constexpr std::size_t header_bytes = 4096;

struct Header {
  char magic[16];
  std::uint32_t version, packages, blocks, pages_per_block;
  std::uint64_t page_bytes;
};

Header header_of(const FlashGeometry& g) {
  return {"asterism-flash\n", 1, g.packages, g.blocks, g.pages_per_block, g.page.count()};
}

constexpr std::size_t align(std::size_t n) { return (n + 4095) / 4096 * 4096; }

std::string describe(const Header& h) {
  return fmt::format("{} packages x {} blocks x {} pages of {} bytes", h.packages, h.blocks,
                     h.pages_per_block, h.page_bytes);
}

}  // namespace

struct FlashImage::BlockRecord {
  std::uint32_t erase_count;
  std::uint32_t next_page;
  std::uint32_t reserved[2];
};

FlashImage::FlashImage(const FlashGeometry& geometry) : geometry_(geometry) {
  const int file = memfd_create("asterism-flash", MFD_CLOEXEC);
  layout(file, "flash in memory");
}

FlashImage::FlashImage(const FlashGeometry& geometry, const std::string& name) : geometry_(geometry) {
  const int file = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0)
    throw FlashImageError(fmt::format("{}: cannot be opened for writing: {}", name, std::strerror(errno)));
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    close(file);
    throw FlashImageError(fmt::format("{}: flash image is in use by another run", name));
  }
  try {
    layout(file, name);
    reserve(base_, static_cast<std::size_t>(pages_ - base_));
  } catch (...) {
    close(file);
    throw;
  }
}

void FlashImage::layout(int file, const std::string& name) {
  const FlashGeometry& g = geometry_;
  const std::size_t states_at = header_bytes + align(g.total_blocks() * sizeof(BlockRecord));
  const std::size_t pages_at = states_at + align(g.total_pages());
  mapped_ = pages_at + g.total_pages() * g.page.count();

  struct stat info {};
  if (file < 0 || fstat(file, &info) != 0 || !(S_ISREG(info.st_mode)))
    throw FlashImageError(fmt::format("{}: flash image is not a regular file", name));
  const Header expected = header_of(g);
  if (info.st_size == 0) {
    if (ftruncate(file, static_cast<off_t>(mapped_)) != 0 ||
        pwrite(file, &expected, sizeof expected, 0) != static_cast<ssize_t>(sizeof expected))
      throw FlashImageError(
          fmt::format("{}: cannot be made {} bytes large: {}", name, mapped_, std::strerror(errno)));
  } else {
    Header found{};
    if (pread(file, &found, sizeof found, 0) != static_cast<ssize_t>(sizeof found) ||
        std::memcmp(found.magic, expected.magic, sizeof found.magic) != 0 ||
        found.version != expected.version)
      throw FlashImageError(
          fmt::format("{}: is not a flash image of this program (version {})", name, expected.version));
    if (std::memcmp(&found, &expected, sizeof found) != 0)
      throw FlashImageError(fmt::format("{}: flash image has {}, but the node has {}", name, describe(found),
                                        describe(expected)));
    if (static_cast<std::uint64_t>(info.st_size) != mapped_)
      throw FlashImageError(
          fmt::format("{}: flash image is {}: {} bytes, expected {}", name,
                      static_cast<std::uint64_t>(info.st_size) < mapped_ ? "cut short" : "too long",
                      info.st_size, mapped_));
  }
  void* base = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (base == MAP_FAILED)
    throw FlashImageError(fmt::format("{}: cannot be mapped: {}", name, std::strerror(errno)));
  file_ = file;
  name_ = name;
  base_ = static_cast<std::byte*>(base);
  blocks_ = reinterpret_cast<BlockRecord*>(base_ + header_bytes);
  states_ = reinterpret_cast<PageState*>(base_ + states_at);
  pages_ = base_ + pages_at;
}

// A mapped file that the disk has no room for ends the process by a signal; asking first makes it an error.
void FlashImage::reserve(const std::byte* first, std::size_t size) const {
  const int error = posix_fallocate(file_, first - base_, static_cast<off_t>(size));
  if (error != 0) throw FlashImageError(fmt::format("{}: cannot grow: {}", name_, std::strerror(error)));
}

FlashImage::~FlashImage() {
  if (base_) munmap(base_, mapped_);
  if (file_ >= 0) close(file_);
}

std::uint64_t FlashImage::index(FlashAddress at) const {
  return (std::uint64_t{at.package} * geometry_.blocks + at.block) * geometry_.pages_per_block + at.page;
}
std::byte* FlashImage::page_bytes(FlashAddress at) const {
  return pages_ + index(at) * geometry_.page.count();
}
FlashImage::BlockRecord& FlashImage::record(std::uint32_t package, std::uint32_t block) const {
  return blocks_[std::uint64_t{package} * geometry_.blocks + block];
}

std::span<const std::byte> FlashImage::page(FlashAddress at) const {
  return {page_bytes(at), geometry_.page.count()};
}
std::uint32_t FlashImage::next_page(std::uint32_t package, std::uint32_t block) const {
  return std::min(record(package, block).next_page, geometry_.pages_per_block);
}
std::uint32_t FlashImage::erase_count(std::uint32_t package, std::uint32_t block) const {
  return record(package, block).erase_count;
}

// The simulator may be killed between any two stores, and the image must then hold what a cut leaves: first the data,
// then the block's fill, then the page's state. The fences keep the compiler from another order.
void FlashImage::program(FlashAddress at, std::span<const std::byte> data) {
  set_page(at, data, PageState::programmed);
}

void FlashImage::tear_program(FlashAddress at, std::span<const std::byte> data) {
  set_page(at, data.first(data.size() / 2), PageState::torn);
}

void FlashImage::set_page(FlashAddress at, std::span<const std::byte> data, PageState state) {
  reserve(page_bytes(at), geometry_.page.count());
  std::ranges::copy(data, page_bytes(at));
  std::atomic_signal_fence(std::memory_order_seq_cst);
  record(at.package, at.block).next_page = at.page + 1;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  states_[index(at)] = state;
}

void FlashImage::erase(std::uint32_t package, std::uint32_t block) {
  BlockRecord& r = record(package, block);
  const std::uint64_t first = index({package, block, 0});
  std::fill_n(states_ + first, next_page(package, block), PageState::erased);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  ++r.erase_count;
  r.next_page = 0;
}

void FlashImage::tear_erase(std::uint32_t package, std::uint32_t block) {
  std::fill_n(states_ + index({package, block, 0}), next_page(package, block), PageState::torn);
}

}  // namespace asterism
