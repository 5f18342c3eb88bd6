// A hook into the memory's codec: attached beside a DualModeCodec, it encodes and decodes in place of it or
// observes it. RTL uses it, alone or in lockstep with the model. Without a hook the memory uses its codec
// alone.
#pragma once

#include "base/reset.h"
#include "base/units.h"
#include "ecc/dual_mode_codec.h"

namespace asterism {

class CodecHook {
 public:
  virtual ~CodecHook() = default;

  // `encoded` holds the block that the model encoded. Its content after the call is written to the memory.
  virtual void encode(Picoseconds now, EccMode mode, MemoryBlock& encoded) = 0;
  // `received` is the block as read from the chips. `decoded` and `result` hold the model's answer; their
  // content after the call is delivered.
  virtual void decode(Picoseconds now, EccMode mode, const MemoryBlock& received, MemoryBlock& decoded,
                      DecodeResult& result) = 0;
  virtual void reset(Reset kind) = 0;
};

// The role of a device whose codec takes a hook (tlm/device_roles.h).
class CodecHost {
 public:
  virtual ~CodecHost() = default;
  virtual EccProfile codec_profile() const = 0;
  // Before simulation begins.
  virtual void attach_hook(CodecHook* hook) = 0;
};

}  // namespace asterism
