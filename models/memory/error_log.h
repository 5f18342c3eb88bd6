// What the decoder found, as an operating system reads it: counts and the first errors with their place (in the manner of
// EDAC). A full log keeps the oldest and counts what it lost.
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
};

class ErrorLog {
 public:
  static constexpr std::size_t capacity = 16;

  void add(const MemoryError& error);
  const MemoryError* oldest() const { return entries_.empty() ? nullptr : &entries_.front(); }
  void drop_oldest();
  std::uint64_t corrected() const { return corrected_; }
  std::uint64_t uncorrectable() const { return uncorrectable_; }
  std::uint64_t lost() const { return lost_; }
  void reset(Reset kind);

 private:
  std::deque<MemoryError> entries_;
  std::uint64_t corrected_ = 0, uncorrectable_ = 0, lost_ = 0;
};

}  // namespace asterism
