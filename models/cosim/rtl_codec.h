// The memory code in RTL: a block of the contract `codec` or `rank_codec` that encodes and decodes in place
// of the DualModeCodec or the Ddr5Codec (Impl::rtl), or in lockstep with it (Impl::lockstep).
//
//   RtlCodec codec(library, {.instance = "node.memory.codec", .code = config.profile}, options);
//   codec.on_mismatch = ...;
//   memory.attach_hook(&codec);
//   ...
//   codec.finish();
//
// Operations and their mismatches are those of rtl_operations.h. Every output is compared: the block,
// outcome, chips and syndromes, and of the dual-mode code used_third. A report names the mode, or the address
// of the block in the memory. The memory's latencies are those of the model, whatever the RTL takes.
// Operations with EccMode::none, which has no code, are not passed to the RTL.
//
// reset: every kind resets the RTL.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "cosim/codec_contract.h"
#include "cosim/rtl_operations.h"

namespace asterism {

template <class Contract>
class RtlCodecOf final : public Contract::Hook,
                         public RtlOperationsOf<typename Contract::Operation, typename Contract::Answer> {
 public:
  using Operation = typename Contract::Operation;
  using Answer = typename Contract::Answer;

  struct Settings {
    std::string instance;  // "node.memory.codec"
    Impl impl = Impl::lockstep;
    typename Contract::Code code = {};  // that of the model
    Frequency clock = 2_GHz;
    OnMismatch on_mismatch = OnMismatch::stop;
    SwapTrace trace = {};
    std::uint64_t max_cycles = 1000;  // in clock cycles
  };
  // Throws RtlError for a block of another contract, one that lacks a port, or one with another value of the
  // parameter of the code. The coverage has "operations" (encode, decode), "outcomes" (clean, corrected,
  // uncorrectable), and "chips", which are those that were corrected; for the dual-mode code by modes
  // ("encode normal", "normal clean", "normal chips").
  RtlCodecOf(std::shared_ptr<const RtlLibrary> library, const Settings& settings, const RtlOptions& options);

  void encode(Picoseconds now, typename Contract::Where where, typename Contract::Block& encoded) override;
  void decode(Picoseconds now, typename Contract::Where where, const typename Contract::Block& received,
              typename Contract::Block& decoded, typename Contract::Result& result) override;
  void reset(Reset kind) override;

 private:
  static constexpr unsigned modes = Contract::modes.size();

  void ask(const Operation& operation) override;
  Answer read(const Operation& operation, const Answer& model) const override;
  void count(const Operation& operation, const Answer& answer) override;
  std::string difference(const Answer& model, const Answer& rtl) const override;
  std::string asked_text(const Operation& operation) const override;
  std::string answer_text(const Operation& operation, const Answer& answer,
                          const Answer* other) const override;
  std::string past_text(const Operation& operation, const Answer& answer) const override;

  typename Contract::Model model_;  // for its syndromes
  typename Contract::Ports ports_;
  Coverage::Group &operations_, &outcomes_;
  std::array<Coverage::Group*, modes> chips_{};
};

extern template class RtlCodecOf<DualModeContract>;
extern template class RtlCodecOf<RankContract>;
using RtlCodec = RtlCodecOf<DualModeContract>;
using RtlRankCodec = RtlCodecOf<RankContract>;

}  // namespace asterism
