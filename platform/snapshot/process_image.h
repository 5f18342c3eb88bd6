// The image of a process: its memory and registers at one moment, from which another process of the same
// program can continue. The memory contains the whole state of a run: models, the SystemC kernel, RTL, and
// the stacks of all waiting processes.
//
// freeze() forks. The copy sleeps, and the continuing process reads its memory, so the memory does not change
// while it is written. The copy has only the calling thread; other threads must be started again by their
// owners after thaw(). A mapping of a file (program, libraries) is saved by name, address and hash, with the
// pages that differ from the file; memory files are saved by their contents. Pages that were never written
// are not saved.
//
// Restored are memory, registers, signal handlers with their stack and the signal mask. The caller must
// handle file descriptors (descriptors of the image), child processes and threads.
//
// This works on Linux on x86-64 without sanitizers, and relies on four facts about glibc (2.36 is tested):
// - it keeps a thread's number in the word that the kernel clears when the thread ends (PR_GET_TID_ADDRESS);
// - the variable __curbrk is the end of the heap;
// - malloc takes its memory from mmap(2) after brk(2) has failed;
// - __rseq_offset says where the area for restartable sequences is (glibc 2.35 and later).
// why_no_process_image() checks the first two before a run; without the last the program does not link.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace asterism {

class ImageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The extensions of the instruction set, as CPUID has them, and the registers that the kernel saves. The C
// library, the interpreter of floating point and translated code have chosen instructions by them.
using ProcessorFeatures = std::array<std::uint32_t, 6>;

struct ProcessImage {
  static constexpr std::uint64_t page_bytes = 4096;

  struct Mapping {
    std::uint64_t start = 0, end = 0;
    int protection = 0;  // PROT_...
    std::string file;  // absolute; "" for anonymous memory, "[vdso]" and the like for mappings of the kernel
    std::uint64_t offset = 0;      // in the file, bytes
    std::uint64_t hash = 0;        // of the contents of the file there
    std::uint64_t file_bytes = 0;  // the length of these contents
  };
  struct MemoryFile {  // of memfd_create(2)
    std::string name;  // as in its mappings
    std::uint64_t bytes = 0;
    int descriptor = -1;  // under which it is open
  };
  struct Pages {  // adjacent pages that are saved
    std::uint64_t start = 0, count = 0;
  };
  struct Descriptor {
    int number = 0;
    std::string path;  // as the kernel names it
    int flags = 0;     // of open(2)
    std::uint64_t position = 0;
  };

  std::vector<Mapping> mappings;  // in the order of addresses
  std::vector<MemoryFile> memory_files;
  std::vector<Pages> pages;  // in the order of addresses
  std::vector<Descriptor> descriptors;
  std::uint64_t context = 0;  // the address, in this memory, of the data that thaw() needs
  std::string kernel;         // the version of the kernel whose vdso is among the mappings
  ProcessorFeatures processor{};

  std::uint64_t bytes() const;  // the size of the contents: all memory files and pages
};

// Fills `to` with the next part of the contents: the memory files, then the pages, in their order.
using ContentsReader = std::function<void(std::span<std::byte> to)>;

// Why this build on this system cannot make images: sanitizers, or a glibc of which one of the facts above
// does not hold. "" if it can.
std::string why_no_process_image();

// Whether it has all that is wanted; it may have more.
bool has_features(const ProcessorFeatures& processor, const ProcessorFeatures& wanted);

// Calls write() with the present state of this process, and returns nullopt. Returns again, with the message,
// in each process that calls thaw() with the image; there write() has had no effect. Throws ImageError, and
// passes on exceptions of write().
std::optional<std::string> freeze(
    const std::function<void(const ProcessImage& image, const ContentsReader& read)>& write);

// Becomes the process of the image. All checks come first: throws ImageError if a file of the image is
// missing or has changed, or if the kernel is another one. `read` is called until it has returned all
// contents. Descriptors are not changed. Never returns; a failure after the checks ends the process with
// `status_of_failure`.
[[noreturn]] void thaw(const ProcessImage& image, const ContentsReader& read, std::string_view message,
                       int status_of_failure);

}  // namespace asterism
