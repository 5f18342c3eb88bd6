// The memory code in RTL: a block of the contract `codec` that encodes and decodes in place of the DualModeCodec
// (Impl::rtl) or in lockstep with it (Impl::lockstep).
//
//   RtlCodec codec(library, {.instance = "node.memory.codec", .profile = config.profile}, options);
//   codec.on_mismatch = ...;
//   memory.attach_hook(&codec);
//   ...
//   codec.finish();
//
// Operations and their mismatches are as in rtl_operations.h. Compared is every output: data, parity, third, outcome, chips,
// used_third, syndromes. The memory's latencies are the model's, whatever the RTL takes. EccMode::none passes by: there is no
// code.
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
    EccProfile profile = EccProfile::thesis;  // of the model
    Frequency clock = 2_GHz;
    SwapTrace trace = {};
    std::uint64_t patience = 1000;  // cycles
  };
  // Throws RtlError for a block of another contract, one that misses a port, or one whose parameter Profile is another. The
  // coverage has "operations" ("encode normal", ...), "outcomes" ("normal clean", ...), "normal chips" and "strong chips":
  // those that were corrected.
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
