// The memory code in RTL: a block of the contract `codec` that encodes and decodes in place of the DualModeCodec
// (Impl::rtl) or in lockstep with it (Impl::lockstep).
//
//   RtlCodec codec(library, {.instance = "node.memory.codec", .profile = config.profile}, options);
//   codec.on_mismatch = ...;
//   memory.seat(&codec);
//   ...
//   codec.finish();
//
// An operation is given to the block in one cycle of its clock, and its answer is there in the first cycle in which
// out.valid is high: the block's latency is what it takes, up to `patience`. One operation is under way at a time. One of
// time T begins in the first cycle from T on, or when the one before it is over, if that is later: so the RTL may lag
// behind, and time in the traces is that of the RTL. The memory's latencies are the model's, whatever the RTL takes.
//
// Compared is every output: data, parity, third, outcome, chips, used_third, syndromes. A difference and RTL that fails are
// told once, by on_mismatch; from then on the model stands in and nothing is compared. With Impl::rtl only failing RTL is a
// mismatch. EccMode::none passes by: there is no code.
//
// reset: every kind resets the RTL.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "cosim/coverage.h"
#include "cosim/lockstep.h"
#include "cosim/rtl_library.h"
#include "cosim/rtl_options.h"
#include "cosim/swap_config.h"
#include "ecc/codec_seat.h"

namespace asterism {

class RtlCodec final : public CodecSeat {
 public:
  struct Settings {
    std::string instance;  // "node.memory.codec"
    Impl impl = Impl::lockstep;
    EccProfile profile = EccProfile::thesis;  // of the model
    Frequency clock = 2_GHz;
    SwapTrace trace = {};
    std::uint64_t patience = 1000;  // cycles
  };
  // Throws RtlError for a block of another contract, one that misses a port, or one whose parameter Profile is another.
  RtlCodec(std::shared_ptr<const RtlLibrary> library, const Settings& settings, const RtlOptions& options);
  ~RtlCodec() override;

  void encode(Picoseconds now, EccMode mode, MemoryBlock& encoded) override;
  void decode(Picoseconds now, EccMode mode, const MemoryBlock& received, MemoryBlock& decoded,
              DecodeResult& result) override;
  void reset(Reset kind) override;
  // The run is over: a trace on demand gets the cycles up to now.
  void finish(Picoseconds now);

  // Called once, at the first mismatch.
  std::function<void(const Lockstep::Mismatch&)> on_mismatch;

  const std::string& instance() const;
  std::uint64_t operations() const;
  const std::optional<Lockstep::Mismatch>& mismatch() const;
  // "operations" ("encode normal", ...), "outcomes" ("normal clean", ...), "normal chips" and "strong chips": those that
  // were corrected.
  const Coverage& coverage() const;
  void report(Statistics& statistics) const;
  // For the last screen: how many operations, what they reached.
  std::vector<std::string> summary() const;

 private:
  class Block;
  std::unique_ptr<Block> block_;
};

}  // namespace asterism
