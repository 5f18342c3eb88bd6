// The log of decoder errors as an operating system reads it: counts, and the first errors with their place
// (similar to EDAC). While an entry is in the log, the same outcome at the same block is counted in it and
// does not add another: neither a permanent fault nor a block that is written in pieces fills the log. A full
// log keeps its oldest entries and counts the errors that it loses; but an uncorrectable error replaces the
// newest corrected one. reset: warm keeps everything, like sticky error registers; power_loss and cold clear
// the log.
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
  Bytes offset;  // of the block within the memory
  BlockLocation block;
  EccMode mode = EccMode::normal;
  DecodeResult result;
  MemoryBlock errors = {};  // the wrong bits of what the chips delivered
  std::uint64_t count = 1;  // number of occurrences while it is in the log
};

class ErrorLog {
 public:
  static constexpr std::size_t capacity = 16;

  // Returns whether the error has an entry of its own now.
  bool add(const MemoryError& error);
  const MemoryError* oldest() const { return entries_.empty() ? nullptr : &entries_.front(); }
  void drop_oldest();
  std::uint64_t corrected() const { return corrected_; }
  std::uint64_t uncorrectable() const { return uncorrectable_; }
  std::uint64_t lost() const { return lost_; }  // errors without an entry
  void reset(Reset kind);

 private:
  bool displace_corrected();

  std::deque<MemoryError> entries_;
  std::uint64_t corrected_ = 0, uncorrectable_ = 0, lost_ = 0;
};

}  // namespace asterism
