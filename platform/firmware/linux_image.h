// A Linux kernel for AArch64 and its initial file system, and where a boot loader places them
// (Documentation/arm64/booting.rst of Linux 6.1):
//
//   base of DRAM            the device tree, within 2 MiB
//   base + 2 MiB            the kernel, at the offset from there that its header asks for, with as much
//                           memory as the header says (image_size)
//   the next 2 MiB          the initial file system
//
// The kernel's file is an Image, as it is or compressed (gzip, zstd), or the executable for UEFI that
// contains a compressed Image (drivers/firmware/efi/libstub/zboot-header.S). The initial file system is a
// cpio archive ("newc"), as it is or compressed, or several one behind the other; the kernel unpacks it.
//
// Errors: ConfigError names the file and what is wrong with it (no kernel, for another architecture, cut
// short, larger than DRAM); InputMissing if it cannot be read.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/units.h"
#include "platform/firmware/segment.h"

namespace asterism {

class LinuxImage {
 public:
  // The kernel's command line with a zero at its end (COMMAND_LINE_SIZE).
  static constexpr Bytes longest_command_line = 2_KiB;

  // `initrd` is "" if there is none.
  static LinuxImage load(const std::string& kernel, const std::string& initrd, AddressRange dram);

  struct File {
    std::string name;
    std::vector<std::byte> bytes;
  };
  static LinuxImage place(File kernel, File initrd, AddressRange dram);

  Address entry() const { return segments_.front().address; }
  // The initial file system; empty if there is none.
  AddressRange initrd() const;
  // The kernel and the initial file system.
  const std::vector<Segment>& segments() const { return segments_; }

 private:
  // The segments' contents point into these; moving a vector keeps the pointers valid.
  std::vector<std::byte> kernel_, initrd_;
  std::vector<Segment> segments_;
};

}  // namespace asterism
