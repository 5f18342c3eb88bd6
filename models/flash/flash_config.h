// The parameters of a NAND flash part and of an array built from it. Values of real parts stand in
// configs/flash.
//
// Organisation (abeyratne2017 section 2.2.3.1, figure 2.2): channels carry packages, a package has dies that
// work independently, a die has planes that do the same operation at the same time, a plane has blocks (what
// is erased at once) of pages (what is programmed and read at once).
#pragma once

#include "base/units.h"

namespace asterism {

class Fields;

struct FlashPart {
  Bytes page = 16_KiB;
  Bytes spare{1536};  // of a page, beside its data: the page code's parity and what a controller notes
  std::uint32_t pages_per_block = 512;
  std::uint32_t blocks = 4096;   // per package
  std::uint32_t dies = 1;        // per package
  std::uint32_t planes = 1;      // per die
  Picoseconds read = 45_us;      // array to page register
  Picoseconds program = 660_us;  // page register to array
  Picoseconds erase = 3500_us;   // one block
  Bandwidth bus = 400_MBps;      // between a channel and the registers of its packages
  bool cache_register = true;    // a second page register: a page arrives while the one before is programmed
  std::uint64_t endurance = 0;   // program/erase cycles a block is rated for; 0: not stated, never wears out
  std::uint32_t correctable_bits = 40;  // of each KiB, by the page code; more make the page uncorrectable
};
void describe(Fields& f, FlashPart& part);

// What is modelled of it. A plane is named by its number over the whole array, channel first in significance:
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

// What a controller keeps in the spare area of a page, programmed with it as one.
struct PageSpare {
  std::uint64_t logical = 0;
  std::uint64_t sequence = 0;
  std::uint32_t kind = 0;
  bool operator==(const PageSpare&) const = default;
};

}  // namespace asterism
