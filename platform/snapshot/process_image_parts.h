// Shared by freeze() and thaw() only: the data that a frozen process saves about itself, and the mappings
// that the kernel reports.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>

#include "platform/snapshot/process_image.h"

namespace asterism::process_image {

// The layout is that which the assembly code of both expects.
struct Registers {
  std::uint64_t rip, rsp, rbx, rbp, r12, r13, r14, r15;
  std::uint32_t mxcsr;
  std::uint16_t control;
};
static_assert(offsetof(Registers, mxcsr) == 64 && offsetof(Registers, control) == 68);

// Saved by the frozen process in its own memory. A page that was never written is not part of an image; the
// page of the registers always is, and it holds all that thaw() reads and writes.
struct alignas(ProcessImage::page_bytes) Context {
  // Written by thaw().
  std::uint64_t staging, staging_bytes, message, message_bytes;
  Registers registers;
  std::uint64_t thread_pointer;
  // For the process itself.
  void* robust_list;
  std::size_t robust_list_bytes;
  pid_t* thread_id;  // in the thread's control block
  std::array<struct sigaction, NSIG> handlers;
  stack_t handler_stack;
  sigset_t mask;
};

constexpr std::uint64_t page_bytes = ProcessImage::page_bytes;
// The limits of the addresses that a process can map.
constexpr std::uint64_t lowest = 0x10000, highest = 0x7ffffffff000;

// Addresses of another process, or of this process after it has become that one, are numbers.
template <class T>
T* pointer(std::uint64_t address) {
  // The only place where numbers become pointers: NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<T*>(address);
}

// Throws ImageError with the text of errno.
[[noreturn]] void fail(const std::string& what);

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const std::string& path, int flags) : descriptor_(open(path.c_str(), flags | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

std::uint64_t thread_pointer();
std::string kernel_name();
ProcessorFeatures processor_features();
std::uint64_t bytes_of_pages(const ProcessImage& image);

inline bool is_of_kernel(const ProcessImage::Mapping& mapping) {
  return mapping.file.starts_with("[vdso") || mapping.file.starts_with("[vvar");
}
inline bool is_of_memory_file(const ProcessImage::Mapping& mapping) {
  return mapping.file.starts_with("/memfd:");
}
inline bool is_of_file(const ProcessImage::Mapping& mapping) {
  return mapping.file.starts_with('/') && !is_of_memory_file(mapping);
}

// Parses a line of /proc/PID/maps. Throws ImageError if such a mapping cannot be saved.
ProcessImage::Mapping parse_mapping(const std::string& line);
std::string memory_file_name(std::uint64_t inode);

// The contents of a file at the place of a mapping.
struct FileContents {
  std::uint64_t hash, bytes;
};
FileContents hash_of(const ProcessImage::Mapping& mapping, int descriptor);

}  // namespace asterism::process_image
