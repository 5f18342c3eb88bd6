#include "platform/snapshot/process_image.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "platform/snapshot/process_image_parts.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace asterism {
namespace process_image {

void fail(const std::string& what) { throw ImageError(fmt::format("{}: {}", what, std::strerror(errno))); }

std::uint64_t thread_pointer() {
  std::uint64_t base = 0;
  constexpr int arch_get_fs = 0x1003;
  syscall(SYS_arch_prctl, arch_get_fs, &base);
  return base;
}

std::string kernel_name() {
  utsname name{};
  uname(&name);
  return fmt::format("{} {}", name.release, name.version);
}

ProcessorFeatures processor_features() {
  ProcessorFeatures features{};
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned in_virtual_machine = 1u << 31, saves_by_xsave = 1 << 27;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) features[0] = ecx & ~in_virtual_machine, features[1] = edx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
    features[2] = ebx, features[3] = ecx, features[4] = edx;
  if ((features[0] & saves_by_xsave) != 0) asm("xgetbv" : "=a"(features[5]), "=d"(edx) : "c"(0));
#endif
  return features;
}

std::uint64_t bytes_of_pages(const ProcessImage& image) {
  std::uint64_t sum = 0;
  for (const ProcessImage::Pages& each : image.pages) sum += each.count * page_bytes;
  return sum;
}

std::string memory_file_name(std::uint64_t inode) { return fmt::format("/memfd:{}", inode); }

ProcessImage::Mapping parse_mapping(const std::string& line) {
  ProcessImage::Mapping mapping;
  char access[5] = {};
  int name = 0;
  unsigned long start = 0, end = 0, offset = 0, inode = 0;
  if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx %*s %lu %n", &start, &end, access, &offset, &inode, &name) <
      5)
    throw ImageError("the kernel's list of mappings cannot be read: " + line);
  mapping.start = start, mapping.end = end, mapping.offset = offset;
  mapping.file = line.substr(static_cast<std::size_t>(name));
  if (is_of_memory_file(mapping)) mapping.file = memory_file_name(inode);
  if (access[0] == 'r') mapping.protection |= PROT_READ;
  if (access[1] == 'w') mapping.protection |= PROT_WRITE;
  if (access[2] == 'x') mapping.protection |= PROT_EXEC;
  if (access[3] == 's')
    throw ImageError("memory that is shared with a file or another process cannot be held: " + mapping.file);
  return mapping;
}

FileContents hash_of(const ProcessImage::Mapping& mapping, int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) fail(mapping.file);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t left = size > mapping.offset ? size - mapping.offset : 0,
                      bytes = std::min(mapping.end - mapping.start, left);
  if (bytes == 0) return {0, 0};
  void* const there =
      mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, static_cast<off_t>(mapping.offset));
  if (there == MAP_FAILED) fail(mapping.file);
  const FileContents held{XXH3_64bits(there, bytes), bytes};
  munmap(there, bytes);
  return held;
}

}  // namespace process_image

std::uint64_t ProcessImage::bytes() const {
  std::uint64_t sum = process_image::bytes_of_pages(*this);
  for (const MemoryFile& each : memory_files) sum += each.bytes;
  return sum;
}

bool has_features(const ProcessorFeatures& processor, const ProcessorFeatures& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if ((wanted[i] & ~processor[i]) != 0) return false;
  return true;
}

}  // namespace asterism
