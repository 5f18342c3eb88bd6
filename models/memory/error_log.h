// What the decoder found, as an operating system reads it: counts and the first errors with their place (in the manner of
// EDAC). While an entry stands in the log, the same outcome at the same block is counted in it and makes no other one: a
// fault that stays, or a block that is written in pieces, does not fill the log. A full log keeps the oldest, and counts
// what it lost; but an uncorrectable error takes the place of the newest corrected one.
// reset: warm keeps everything, as sticky error registers do; power_loss and cold clear.
#pragma once

#include <cstdint>
#include <deque>

#include "base/reset.h"
#include "base/units.h"
#include "ecc/dual_mode_codec.h"
#include "memory/address_mapping.h"

namespace asterism {

enum class ErrorSource { demand, scrub, conversion };

struct MemoryError {
  Picoseconds at;
  bool corrected = false;
  ErrorSource source = ErrorSource::demand;
  Bytes offset;  // of the block in the memory
  BlockLocation block;
  EccMode mode = EccMode::normal;
  DecodeResult result;
  std::uint64_t count = 1;  // how often it was found while it stood in the log
};

class ErrorLog {
 public:
  static constexpr std::size_t capacity = 16;

  // Whether it has an entry of its own now.
  bool add(const MemoryError& error);
  const MemoryError* oldest() const { return entries_.empty() ? nullptr : &entries_.front(); }
  void drop_oldest();
  std::uint64_t corrected() const { return corrected_; }
  std::uint64_t uncorrectable() const { return uncorrectable_; }
  std::uint64_t lost() const { return lost_; }  // errors of which no entry tells
  void reset(Reset kind);

 private:
  bool displace_corrected();

  std::deque<MemoryError> entries_;
  std::uint64_t corrected_ = 0, uncorrectable_ = 0, lost_ = 0;
};

}  // namespace asterism
