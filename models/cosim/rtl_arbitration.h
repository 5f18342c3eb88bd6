// The arbiters of one switch in RTL: an instance of an `arbiter` block for each output, deciding in place of the
// SwizzleSwitch (Impl::rtl) or in lockstep with it (Impl::lockstep).
//
// A block of the contract `arbiter` answers in the cycle of the request: `grant` has one bit set, that of an input that
// requests. Cycles in which nobody requests are skipped while the block's `idle` says that they change nothing, so that an
// output that nobody wants costs nothing; a block without `idle` is stepped through them. RtlOptions::skip off steps all,
// to the same result; with RtlOptions::check_idle one is stepped, and must not change the state. What an instance does against the contract (no grant, two, one that nobody asked for), or RTL that
// ends itself, is a mismatch in either Impl; in rtl the SwizzleSwitch's choice stands in from then on.
//
// Before a mismatch the window of SwapTrace is written to <traces>/<instance>.fst (<instance>.mismatch.fst where a trace
// on demand has that name); a trace on demand shows each decision at its time and an idle stretch as one or two samples.
//
// reset: every kind resets the RTL, as it does the SwizzleSwitch.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cosim/lockstep.h"
#include "cosim/rtl_library.h"
#include "cosim/rtl_options.h"
#include "cosim/swap_config.h"
#include "swizzle_switch/arbitration_hook.h"

namespace asterism {

class RtlArbitration final : public ArbitrationHook {
 public:
  struct Settings {
    std::string instance;        // "node.fabric.arbiter.XB"; that of an output has its name behind it
    Impl impl = Impl::lockstep;  // rtl or lockstep
    unsigned inputs = 0, outputs = 0;
    Picoseconds period;  // of the switch's clock
    SwapTrace trace = {};
    std::vector<std::string> input_names = {}, output_names = {};  // else their numbers
  };
  // `inputs` may be fewer than the block's radix. Throws RtlError for a block of another contract or a smaller radix.
  RtlArbitration(std::shared_ptr<const RtlLibrary> library, Settings settings, const RtlOptions& options);
  ~RtlArbitration() override;

  unsigned decide(Picoseconds now, unsigned output, const RequestSet& requests, unsigned choice) override;
  void reset(Reset kind) override;

  // Called once, at the first mismatch of any output; nothing is compared any more afterwards.
  std::function<void(const Lockstep::Mismatch&)> on_mismatch;

  std::uint64_t decisions() const;
  const std::optional<Lockstep::Mismatch>& mismatch() const { return mismatch_; }
  // Over all outputs: "requesters" and "winners" (inputs), "outputs", "requests at once" (1, 2, ... inputs), and "pairs":
  // of all ordered pairs (a, b) those in which a won while b requested. Requesters and pairs know only whether.
  Coverage coverage() const;
  void report(Statistics& statistics) const;

 private:
  class Output;
  void count(const RequestSet& requests, unsigned winner);

  std::shared_ptr<const RtlLibrary> library_;
  Settings settings_;
  std::vector<std::unique_ptr<Output>> outputs_;
  std::optional<Lockstep::Mismatch> mismatch_;

  RequestSet requesters_{};
  std::vector<RequestSet> requested_while_won_;  // of each input: who else requested when it won
  std::vector<std::uint64_t> won_, at_once_;     // decisions of each winner, of each number of requests
};

}  // namespace asterism
