#include "memory/dram.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "base/random.h"

namespace asterism {

// The pattern is one small file, mapped copy-on-write over and over: losing the contents of 2 GiB is a
// thousand mmap calls instead of 2 GiB of stores, and an untouched page costs nothing. Large memories take a
// longer pattern to stay far from the host's limit of mappings.
Dram::Dram(Bytes size, std::uint64_t seed) : size_(size), pattern_size_(std::max(2_MiB, size / 4096)) {
  pattern_ = memfd_create("asterism-dram-pattern", MFD_CLOEXEC);
  if (pattern_ < 0 || ftruncate(pattern_, static_cast<off_t>(pattern_size_.count())) != 0)
    throw std::bad_alloc();
  void* words = mmap(nullptr, pattern_size_.count(), PROT_READ | PROT_WRITE, MAP_SHARED, pattern_, 0);
  if (words == MAP_FAILED) throw std::bad_alloc();
  const Random random(seed);
  for (std::uint64_t i = 0; i < pattern_size_.count() / 8; ++i)
    static_cast<std::uint64_t*>(words)[i] = random.at(i);
  munmap(words, pattern_size_.count());

  void* base = mmap(nullptr, size.count(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(base);
  fill_with_pattern();
}

Dram::~Dram() {
  if (base_) munmap(base_, size_.count());
  if (pattern_ >= 0) close(pattern_);
}

void Dram::fill_with_pattern() {
  for (Bytes at; at < size_; at += pattern_size_) {
    const Bytes length = std::min(pattern_size_, size_ - at);
    if (mmap(base_ + at.count(), length.count(), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, pattern_, 0) == MAP_FAILED)
      throw std::bad_alloc();
  }
}

void Dram::reset(Reset kind) {
  if (kind != Reset::warm) fill_with_pattern();
}

// A page that was written is a copy of the process's own, and no page of the pattern's file any more.
std::vector<Bytes> Dram::written_pages() const {
  constexpr std::uint64_t present = 1ULL << 63, swapped = 1ULL << 62, of_file = 1ULL << 61;
  const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  std::vector<Bytes> written;
  std::vector<std::uint64_t> entries(1 << 16);
  const std::uint64_t first = reinterpret_cast<std::uintptr_t>(base_) / 4096, pages = size_.count() / 4096;
  for (std::uint64_t page = 0; pagemap >= 0 && page < pages;) {
    const std::size_t bytes = 8 * std::min<std::uint64_t>(entries.size(), pages - page);
    if (pread(pagemap, entries.data(), bytes, static_cast<off_t>(8 * (first + page))) !=
        static_cast<ssize_t>(bytes))
      break;
    for (std::size_t i = 0; i < bytes / 8; ++i, ++page)
      if ((entries[i] & (present | swapped)) != 0 && (entries[i] & of_file) == 0)
        written.push_back(page * 4_KiB);
  }
  if (pagemap >= 0) close(pagemap);
  return written;
}

}  // namespace asterism
