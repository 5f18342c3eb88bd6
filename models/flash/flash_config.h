// The parameters of a NAND flash part and of an array built from it. Values of real parts stand in
// configs/flash.
#pragma once

#include "base/units.h"

namespace asterism {

class Fields;

struct FlashPart {
  Bytes page = 16_KiB;
  std::uint32_t pages_per_block = 512;
  std::uint32_t blocks = 4096;   // per package
  Picoseconds read = 45_us;      // array to page register
  Picoseconds program = 660_us;  // page register to array
  Picoseconds erase = 3500_us;   // one block
  Bandwidth bus = 400_MBps;      // between a channel and the registers of its packages
  bool cache_register = true;    // a second page register: a page arrives while the one before is programmed
  std::uint64_t endurance = 0;   // program/erase cycles a block is rated for; 0: not stated
};
void describe(Fields& f, FlashPart& part);

struct FlashGeometry {
  std::uint32_t packages = 8;  // on one channel
  std::uint32_t blocks = 64;   // per package
  std::uint32_t pages_per_block = 512;
  Bytes page = 16_KiB;

  std::uint64_t total_blocks() const { return std::uint64_t{packages} * blocks; }
  std::uint64_t total_pages() const { return total_blocks() * pages_per_block; }
  bool operator==(const FlashGeometry&) const = default;
};

// A page by its place: package, block in it, page in the block.
struct FlashAddress {
  std::uint32_t package = 0;
  std::uint32_t block = 0;
  std::uint32_t page = 0;
  bool operator==(const FlashAddress&) const = default;
};

}  // namespace asterism
