// A process as a file can hold it: its memory and registers at one moment, for another process of the same program to go on
// with. What is in memory is what a run is: models, kernel, RTL and the stacks on which they wait in the midst of something.
//
// freeze() forks. The copy stands still and is read by the process that goes on, so that nothing moves while it is written, and
// the only thread of the copy is the one that asked: threads are started again by their owners after thaw(). Mappings of files
// (program, libraries) are held by name, place and hash, with the pages in which they differ (files in memory by their contents); pages never written are not held.
//
// Goes on: memory, registers, signal handlers and mask. The caller's business: file descriptors (descriptors of the image), child
// processes, threads. Linux on x86-64; not under sanitizers.
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

struct ProcessImage {
  static constexpr std::uint64_t page_bytes = 4096;

  struct Mapping {
    std::uint64_t start = 0, end = 0;
    int protection = 0;        // PROT_...
    std::string file;          // absolute; "" for anonymous memory, "[vdso]" and the like for the kernel's
    std::uint64_t offset = 0;  // in the file, bytes
    std::uint64_t hash = 0;    // of what the file holds there
    std::uint64_t file_bytes = 0;  // how much that is
  };
  struct MemoryFile {  // of memfd_create(2)
    std::string name;  // as that of its mappings
    std::uint64_t bytes = 0;
    int descriptor = -1;  // that it is open as
  };
  struct Pages {  // neighbours that are held
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
  std::vector<Pages> pages;  // likewise
  std::vector<Descriptor> descriptors;
  std::uint64_t context = 0;  // where what thaw() needs stands in that memory
  std::string kernel;         // whose vdso is among the mappings

  std::uint64_t bytes() const;  // of all memory files and pages: the contents
};

// Fills `to` with what comes next of the contents: the memory files, then the pages, in their order.
using ContentsReader = std::function<void(std::span<std::byte> to)>;

// Whether this build on this system can do it: "" or why not.
std::string why_no_process_image();

// Calls write() with this process as it is now, and returns nullopt. Returns once more, with the message, in each process that
// calls thaw() with that image; nothing of write() has happened there. Throws ImageError; what write() throws goes through.
std::optional<std::string> freeze(
    const std::function<void(const ProcessImage& image, const ContentsReader& read)>& write);

// Becomes the process of the image. Everything is checked before anything is given up: throws ImageError when a file of the
// image is not there or not the same, or this is another kernel. `read` is called until it has given all of the contents.
// Descriptors stay as they are. Returns never; a failure half-way ends the process with `status_of_failure`.
[[noreturn]] void thaw(const ProcessImage& image, const ContentsReader& read, std::string_view message,
                       int status_of_failure);

}  // namespace asterism
