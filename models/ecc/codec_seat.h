// Who encodes and decodes in place of the DualModeCodec beside it, or watches it do so: RTL, or RTL in lockstep with the
// model. A memory whose seat is empty uses its codec alone.
#pragma once

#include "base/reset.h"
#include "base/units.h"
#include "ecc/dual_mode_codec.h"

namespace asterism {

class CodecSeat {
 public:
  virtual ~CodecSeat() = default;

  // `encoded`: what the model makes of the data; what it holds afterwards is written.
  virtual void encode(Picoseconds now, EccMode mode, MemoryBlock& encoded) = 0;
  // `received`: what the chips gave. `decoded` and `result`: what the model makes of it; what they hold afterwards is
  // delivered.
  virtual void decode(Picoseconds now, EccMode mode, const MemoryBlock& received, MemoryBlock& decoded,
                      DecodeResult& result) = 0;
  virtual void reset(Reset kind) = 0;
};

}  // namespace asterism
