// A firmware file: a 64-bit little-endian ELF executable for AArch64 whose segments lie in DRAM.
//
// Errors: ConfigError names the file and what is wrong with it (not ELF, 32-bit, another architecture,
// truncated, outside DRAM, entry outside its segments); InputMissing if it cannot be read. No damaged input
// has any other effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "platform/firmware/segment.h"

namespace asterism {

class ElfImage {
 public:
  static ElfImage load(const std::string& file, AddressRange dram);
  static bool is_elf(std::span<const std::byte> bytes);
  // The bytes of a firmware file of any format.
  static std::vector<std::byte> read_file(const std::string& file);
  static ElfImage parse(std::vector<std::byte> bytes, const std::string& name, AddressRange dram);

  Address entry() const { return entry_; }
  const std::vector<Segment>& segments() const { return segments_; }
  std::span<const std::byte> bytes() const { return bytes_; }  // the whole file

 private:
  std::vector<std::byte> bytes_;  // the segments' contents point into it; moving it keeps the pointers valid
  Address entry_;
  std::vector<Segment> segments_;
};

}  // namespace asterism
