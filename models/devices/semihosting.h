// Arm semihosting for AArch64 (Arm, "Semihosting for AArch32 and AArch64", release 3.0): the requests of
// firmware to its host by HLT #0xF000, with the operation in W0 and its argument, usually the address of a
// block of 64-bit words, in X1; the result goes to X0. An engine in plain C++: the core reads the registers,
// calls call(), and writes X0.
//
// The behaviour follows QEMU 7.2: SYS_WRITE and SYS_READ return the number of bytes NOT transferred; ":tt"
// opens the console (read: input, write: output, append: error); handles start at 1; SYS_EXIT takes the
// two-word block, and a reason other than 0x20026 (ApplicationExit) is status 1; SYS_ELAPSED counts
// nanoseconds; ":semihosting-features" announces both extensions; SYS_WRITEC and SYS_WRITE0 leave 0xdeadbeef
// in X0; errno values are Linux's. Intended differences: time is simulated (SYS_CLOCK, SYS_TIME, SYS_ELAPSED
// and SYS_TMPNAM do not depend on the host), and SYS_SYSTEM and unknown operations return -1 instead of
// having an effect or ending the run.
//
// Files are below one directory. An absolute path, one that climbs out by "..", or one whose symbolic links
// lead out is refused with EACCES and a log line; so is anything but a regular file. Without a directory
// every path is refused.
//
// A bad pointer, handle or length is a mistake of the guest and only causes an error return and a log line.
// Data move in pieces of 4 KiB, whatever length the guest specifies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/reset.h"
#include "base/statistics.h"
#include "base/units.h"
#include "devices/host_directory.h"

namespace asterism {

// The guest's memory as the calling core sees it. Returns false if any byte of the range does not exist.
class GuestMemory {
 public:
  virtual ~GuestMemory() = default;
  virtual bool read(Address first, std::span<std::byte> data) = 0;
  virtual bool write(Address first, std::span<const std::byte> data) = 0;
};

struct SemihostingConfig {
  std::filesystem::path directory;  // must exist; if empty, there are no files
  std::string command_line;
};

// What the firmware learns about the machine.
struct SemihostingMachine {
  std::uint64_t start_seconds = 0;  // SYS_TIME at simulated time 0: the start of the RTC
  // SYS_HEAPINFO: the memory that the firmware may use; the stack grows down from stack_base.
  Address heap_base = {}, heap_limit = {}, stack_base = {}, stack_limit = {};
};

struct GuestExit {
  std::uint64_t reason = 0;  // 0x20026 for an ordinary exit
  std::uint64_t status = 0;
};

struct SemihostingResult {
  std::uint64_t value = 0;        // for X0
  std::optional<GuestExit> exit;  // set if the firmware requests the end of the run
};

class Semihosting {
 public:
  enum Operation : std::uint32_t {
    sys_open = 0x01,
    sys_close = 0x02,
    sys_writec = 0x03,
    sys_write0 = 0x04,
    sys_write = 0x05,
    sys_read = 0x06,
    sys_readc = 0x07,
    sys_iserror = 0x08,
    sys_istty = 0x09,
    sys_seek = 0x0A,
    sys_flen = 0x0C,
    sys_tmpnam = 0x0D,
    sys_remove = 0x0E,
    sys_rename = 0x0F,
    sys_clock = 0x10,
    sys_time = 0x11,
    sys_system = 0x12,
    sys_errno = 0x13,
    sys_get_cmdline = 0x15,
    sys_heapinfo = 0x16,
    sys_exit = 0x18,
    sys_exit_extended = 0x20,
    sys_elapsed = 0x30,
    sys_tickfreq = 0x31
  };
  static constexpr unsigned max_handles = 64;
  static constexpr std::uint64_t failure = ~std::uint64_t{0}, application_exit = 0x20026;

  // Throws std::invalid_argument if the directory does not exist.
  explicit Semihosting(SemihostingConfig config, SemihostingMachine machine = {});

  // The console. Without `console_input` the input is at its end. It fills in the characters it has; 0 bytes
  // mean the end.
  std::function<void(std::string_view)> console_output = [](std::string_view) {};
  std::function<void(std::string_view)> console_error = [](std::string_view) {};
  std::function<std::size_t(std::span<char>)> console_input = [](std::span<char>) { return std::size_t{0}; };
  // Receives log lines about mistakes of the guest.
  std::function<void(const std::string&)> warn = [](const std::string&) {};

  SemihostingResult call(std::uint32_t operation, std::uint64_t argument, Picoseconds now,
                         GuestMemory& memory);

  // Every kind closes all handles and sets errno to 0. Files keep their contents, since they belong to the
  // host.
  void reset(Reset kind);
  void report(Statistics& statistics) const;
  // The directory has been renamed; open files stay open.
  void move_directory(const std::filesystem::path& directory) { directory_.move_to(directory); }

 private:
  // The object of a handle.
  struct Handle {
    enum class Kind { closed, console_input, console_output, console_error, file, features };
    Kind kind = Kind::closed;
    HostFile file = {};
    std::uint64_t position = 0;  // of features
  };
  class Call;  // one call in progress
  friend class Call;

  SemihostingConfig config_;
  SemihostingMachine machine_;
  HostDirectory directory_;
  std::vector<Handle> handles_;  // handle 1 is at index 0
  int errno_ = 0;
  std::uint64_t calls_ = 0, bytes_written_ = 0, bytes_read_ = 0, refused_paths_ = 0;
};

}  // namespace asterism
