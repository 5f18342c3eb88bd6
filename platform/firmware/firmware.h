// What the cores of a node execute: an ELF file or a kernel of Linux, which are loaded into DRAM, or the
// image of a ROM. Without any of them the memory holds nothing but the device tree.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "platform/firmware/elf_image.h"
#include "platform/firmware/function_symbols.h"
#include "platform/firmware/kernel_symbols.h"
#include "platform/firmware/linux_image.h"

namespace asterism {

struct Firmware {
  std::string file = {};
  ElfImage elf = {};
  std::optional<LinuxImage> linux_image = {};
  KernelSymbols kernel_symbols = {};      // of `linux_image`
  std::vector<std::byte> rom = {};        // core 0 starts at its first byte
  FunctionSymbols symbols = {};           // none if the file's table is damaged
  std::vector<AddressRange> stacks = {};  // that are known

  // Throws ConfigError as ElfImage::load() and parse().
  static Firmware of_elf(const std::string& file, AddressRange dram);
  static Firmware of_elf(std::vector<std::byte> bytes, const std::string& name, AddressRange dram);

  // What a boot ROM loads into DRAM, and where core 0 starts if that is not a ROM.
  const std::vector<Segment>& segments() const {
    return linux_image ? linux_image->segments() : elf.segments();
  }
  Address entry() const { return linux_image ? linux_image->entry() : elf.entry(); }
};

}  // namespace asterism
