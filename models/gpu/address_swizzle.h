// The address mapping of a GPU's memory: runs of `interleave` bytes go to the channels in an order that
// changes from round to round, so that strides of a power of two do not all map to one channel.
//
// The channel of run r is (r mod channels) xor the other groups of log2(channels) bits of r, xored together;
// its position in the channel is r div channels. This is a bijection of [0, size) for every size that is a
// whole number of rounds.
//
// That an address swizzle spreads write faults over the channels: lee2019 section 6.1.2. The function is this
// project's.
#pragma once

#include <bit>
#include <cstdint>

#include "base/units.h"

namespace asterism {

struct ChannelAddress {
  std::uint32_t channel;
  std::uint64_t offset;  // bytes, in the channel
  bool operator==(const ChannelAddress&) const = default;
};

class AddressSwizzle {
 public:
  // Both are powers of two.
  AddressSwizzle(std::uint32_t channels, Bytes interleave)
      : channel_bits_(static_cast<unsigned>(std::countr_zero(channels))),
        run_bits_(static_cast<unsigned>(std::countr_zero(interleave.count()))) {}

  ChannelAddress place(std::uint64_t address) const {
    const std::uint64_t run = address >> run_bits_;
    const std::uint64_t round = run >> channel_bits_;
    return {static_cast<std::uint32_t>((run ^ fold(round)) & mask()),
            round << run_bits_ | (address & run_mask())};
  }
  std::uint64_t address(ChannelAddress at) const {
    const std::uint64_t round = at.offset >> run_bits_;
    const std::uint64_t run = round << channel_bits_ | ((at.channel ^ fold(round)) & mask());
    return run << run_bits_ | (at.offset & run_mask());
  }
  // Whether these bytes lie in one run.
  bool is_one_run(std::uint64_t address, std::uint64_t size) const {
    return (address >> run_bits_) == ((address + size - 1) >> run_bits_);
  }

 private:
  std::uint64_t mask() const { return (std::uint64_t{1} << channel_bits_) - 1; }
  std::uint64_t run_mask() const { return (std::uint64_t{1} << run_bits_) - 1; }
  // Its groups of bits xored together, in the lowest group; the bits above are removed by the mask.
  std::uint64_t fold(std::uint64_t round) const {
    if (channel_bits_ == 0) return 0;
    for (unsigned shift = channel_bits_; shift < 64 && round >> shift != 0; shift *= 2)
      round ^= round >> shift;
    return round;
  }

  unsigned channel_bits_, run_bits_;
};

}  // namespace asterism
