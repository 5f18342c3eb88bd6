// The parameters of a NAND flash part and of an array built from it. The values of real parts are in
// configs/flash.
//
// Organisation (abeyratne2017 section 2.2.3.1, figure 2.2): channels carry packages, a package has dies that
// work independently, a die has planes that do the same operation at the same time, a plane has blocks (the
// unit of an erase) of pages (the unit of a program and a read).
#pragma once

#include "base/units.h"

namespace asterism {

class Fields;

struct FlashPart {
  Bytes page = 16_KiB;
  Bytes spare{1536};  // of a page: for the parity of the page code and the metadata of the controller
  std::uint32_t pages_per_block = 512;
  std::uint32_t blocks = 4096;   // per package
  std::uint32_t dies = 1;        // per package
  std::uint32_t planes = 1;      // per die
  Picoseconds read = 45_us;      // from the array to the page register
  Picoseconds program = 660_us;  // from the page register to the array
  Picoseconds erase = 3500_us;   // one block
  Bandwidth bus = 400_MBps;      // between a channel and the registers of its packages
  bool cache_register = true;    // a second page register: a page arrives while the one before is programmed
  std::uint64_t endurance = 0;   // rated program/erase cycles of a block; 0: not stated, it never wears out
  std::uint32_t correctable_bits = 40;  // per KiB; a page with more is uncorrectable
};
void describe(Fields& f, FlashPart& part);

// The modelled array. A plane is identified by its number in the whole array, with the channel most
// significant:
//
//   plane = ((channel * packages + package) * dies + die) * planes + plane of the die
struct FlashGeometry {
  std::uint32_t channels = 1;
  std::uint32_t packages = 8;  // on each channel
  std::uint32_t dies = 1;      // of each package
  std::uint32_t planes = 1;    // of each die
  std::uint32_t blocks = 64;   // of each plane
  std::uint32_t pages_per_block = 512;
  Bytes page = 16_KiB;

  constexpr std::uint32_t all_dies() const { return channels * packages * dies; }
  constexpr std::uint32_t all_planes() const { return all_dies() * planes; }
  constexpr std::uint64_t all_blocks() const { return std::uint64_t{all_planes()} * blocks; }
  constexpr std::uint64_t all_pages() const { return all_blocks() * pages_per_block; }
  bool operator==(const FlashGeometry&) const = default;
};

struct FlashBlock {
  std::uint32_t plane = 0;  // over the whole array
  std::uint32_t block = 0;  // of the plane
  bool operator==(const FlashBlock&) const = default;
};

struct FlashAddress {
  std::uint32_t plane = 0;  // over the whole array
  std::uint32_t block = 0;  // of the plane
  std::uint32_t page = 0;   // of the block
  FlashBlock whole_block() const { return {plane, block}; }
  bool operator==(const FlashAddress&) const = default;
};

// The metadata of the controller in the spare area of a page, programmed together with it.
struct PageSpare {
  std::uint64_t logical = 0;
  std::uint64_t sequence = 0;
  std::uint32_t kind = 0;
  bool operator==(const PageSpare&) const = default;
};

}  // namespace asterism
