// The memory code in RTL: a block of the contract `codec` that encodes and decodes in place of the
// DualModeCodec (Impl::rtl) or in lockstep with it (Impl::lockstep).
//
//   RtlCodec codec(library, {.instance = "node.memory.codec", .profile = config.profile}, options);
//   codec.on_mismatch = ...;
//   memory.attach_hook(&codec);
//   ...
//   codec.finish();
//
// Operations and their mismatches are those of rtl_operations.h. Every output is compared: data, parity,
// third, outcome, chips, used_third, syndromes. The memory's latencies are those of the model, whatever the
// RTL takes. Operations with EccMode::none, which has no code, are not passed to the RTL.
//
// reset: every kind resets the RTL.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "cosim/codec_ports.h"
#include "cosim/rtl_operations.h"
#include "ecc/codec_hook.h"

namespace asterism {

class RtlCodec final : public CodecHook, public RtlOperationsOf<CodecOperation, CodecAnswer> {
 public:
  struct Settings {
    std::string instance;  // "node.memory.codec"
    Impl impl = Impl::lockstep;
    EccProfile profile = EccProfile::thesis;  // that of the model
    Frequency clock = 2_GHz;
    OnMismatch on_mismatch = OnMismatch::stop;
    SwapTrace trace = {};
    std::uint64_t max_cycles = 1000;  // in clock cycles
  };
  // Throws RtlError for a block of another contract, one that lacks a port, or one with another value of the
  // parameter Profile. The coverage has "operations" ("encode normal", ...), "outcomes" ("normal clean",
  // ...), and "normal chips" and "strong chips", which are those that were corrected.
  RtlCodec(std::shared_ptr<const RtlLibrary> library, const Settings& settings, const RtlOptions& options);

  void encode(Picoseconds now, EccMode mode, MemoryBlock& encoded) override;
  void decode(Picoseconds now, EccMode mode, const MemoryBlock& received, MemoryBlock& decoded,
              DecodeResult& result) override;
  void reset(Reset kind) override;

 private:
  void ask(const CodecOperation& operation) override;
  CodecAnswer read(const CodecOperation& operation, const CodecAnswer& model) const override;
  void count(const CodecOperation& operation, const CodecAnswer& answer) override;
  std::string difference(const CodecAnswer& model, const CodecAnswer& rtl) const override;
  std::string asked_text(const CodecOperation& operation) const override;
  std::string answer_text(const CodecOperation& operation, const CodecAnswer& answer,
                          const CodecAnswer* other) const override;
  std::string past_text(const CodecOperation& operation, const CodecAnswer& answer) const override;

  CodecPorts ports_;
  Coverage::Group &operations_, &outcomes_;
  std::array<Coverage::Group*, 2> chips_;  // by mode
};

}  // namespace asterism
