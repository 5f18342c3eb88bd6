// The code of a DDR5 rank in RTL: a block of the contract `rank_codec` that encodes and decodes in place of
// the Ddr5Codec (Impl::rtl) or in lockstep with it (Impl::lockstep).
//
//   RtlRankCodec codec(library, {.instance = "node.memory.codec", .code = Ddr5Code::rs_10_8}, options);
//   codec.on_mismatch = ...;
//   memory.attach_hook(&codec);
//   ...
//   codec.finish();
//
// Operations and their mismatches are those of rtl_operations.h. Every output is compared: the words of all
// chips, outcome, chips, syndromes. A report names the address of the block in the memory. The memory's
// latencies are those of the model, whatever the RTL takes.
//
// reset: every kind resets the RTL.
#pragma once

#include <memory>
#include <string>

#include "cosim/codec_ports.h"
#include "cosim/rtl_operations.h"
#include "ecc/codec_hook.h"

namespace asterism {

class RtlRankCodec final : public RankCodecHook, public RtlOperationsOf<RankCodecOperation, RankCodecAnswer> {
 public:
  struct Settings {
    std::string instance;  // "node.memory.codec"
    Impl impl = Impl::lockstep;
    Ddr5Code code = Ddr5Code::rs_10_8;  // that of the model
    Frequency clock = 2_GHz;
    OnMismatch on_mismatch = OnMismatch::stop;
    SwapTrace trace = {};
    std::uint64_t max_cycles = 1000;  // in clock cycles
  };
  // Throws RtlError for a block of another contract, one that lacks a port, or one with another value of the
  // parameter Code. The coverage has "operations" (encode, decode), "outcomes" (clean, corrected,
  // uncorrectable), and "chips", which are those that were corrected.
  RtlRankCodec(std::shared_ptr<const RtlLibrary> library, const Settings& settings,
               const RtlOptions& options);

  void encode(Picoseconds now, Bytes offset, Ddr5Block& encoded) override;
  void decode(Picoseconds now, Bytes offset, const Ddr5Block& received, Ddr5Block& decoded,
              Ddr5Result& result) override;
  void reset(Reset kind) override;

 private:
  void ask(const RankCodecOperation& operation) override;
  RankCodecAnswer read(const RankCodecOperation& operation, const RankCodecAnswer& model) const override;
  void count(const RankCodecOperation& operation, const RankCodecAnswer& answer) override;
  std::string difference(const RankCodecAnswer& model, const RankCodecAnswer& rtl) const override;
  std::string asked_text(const RankCodecOperation& operation) const override;
  std::string answer_text(const RankCodecOperation& operation, const RankCodecAnswer& answer,
                          const RankCodecAnswer* other) const override;
  std::string past_text(const RankCodecOperation& operation, const RankCodecAnswer& answer) const override;

  Ddr5Codec model_;  // for its syndromes
  RankCodecPorts ports_;
  Coverage::Group &operations_, &outcomes_, &chips_;
};

}  // namespace asterism
