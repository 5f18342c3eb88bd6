// Hooks into the memory's codec: attached beside a DualModeCodec, or beside the Ddr5Codec of a rank, they
// encode and decode in place of it or observe it. RTL uses them, alone or in lockstep with the model. Without
// a hook the memory uses its codec alone.
#pragma once

#include <optional>

#include "base/reset.h"
#include "base/units.h"
#include "ecc/ddr5_codec.h"
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

// The same for a code of a DDR5 rank. `offset` is that of the block in the memory.
class RankCodecHook {
 public:
  virtual ~RankCodecHook() = default;

  virtual void encode(Picoseconds now, Bytes offset, Ddr5Block& encoded) = 0;
  virtual void decode(Picoseconds now, Bytes offset, const Ddr5Block& received, Ddr5Block& decoded,
                      Ddr5Result& result) = 0;
  virtual void reset(Reset kind) = 0;
};

// The role of a device whose codec takes a hook (tlm/device_roles.h): a RankCodecHook if it has a code of a
// rank, otherwise a CodecHook. Hooks are attached before simulation begins.
class CodecHost {
 public:
  virtual ~CodecHost() = default;
  virtual EccProfile codec_profile() const = 0;
  virtual std::optional<Ddr5Code> rank_code() const = 0;
  virtual void attach_hook(CodecHook* hook) = 0;
  virtual void attach_hook(RankCodecHook* hook) = 0;
};

}  // namespace asterism
