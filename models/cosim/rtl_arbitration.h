// The arbiters of one switch in RTL: an instance of an `arbiter` block for each output, which decides in
// place of the SwizzleSwitch (Impl::rtl) or in lockstep with it (Impl::lockstep).
//
// A block of the contract `arbiter` answers in the cycle of the request: `grant` has one bit set, that of an
// input that requests. Cycles without requests are skipped while the block's `idle` says that they change
// nothing, so that an output without requests costs nothing; a block without `idle` is stepped through them.
// With RtlOptions::skip off all cycles are stepped, with the same result; with RtlOptions::check_idle one of
// them is stepped, and must not change the state. An instance that breaks the contract (no grant, two grants,
// a grant without a request), or RTL that ends itself, is a mismatch with either Impl; with rtl the
// SwizzleSwitch decides from then on.
//
// The traces of mismatches name the bits of requests and grants, and show the model's grant in each cycle
// (trace_notes.h).
//
// Before a mismatch the window of SwapTrace is written to <traces>/<instance>.fst (<instance>.mismatch.fst if
// a trace on demand has that name); a trace on demand shows each decision at its time and an idle stretch as
// one or two samples.
//
// reset: every kind resets the RTL, as it does the SwizzleSwitch.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/swap_config.h"
#include "cosim/lockstep.h"
#include "cosim/rtl_library.h"
#include "cosim/rtl_options.h"
#include "swizzle_switch/arbitration_hook.h"

namespace asterism {

class RtlArbitration final : public ArbitrationHook {
 public:
  struct Settings {
    std::string instance;  // "node.fabric.arbiter.XB"; the name of an output is appended for its instance
    Impl impl = Impl::lockstep;  // rtl or lockstep
    unsigned inputs = 0, outputs = 0;
    Picoseconds period;  // of the switch's clock
    OnMismatch on_mismatch = OnMismatch::stop;
    SwapTrace trace = {};
    std::vector<std::string> input_names = {}, output_names = {};  // if empty, their numbers are used
  };
  // `inputs` may be lower than the block's radix. Throws RtlError for a block of another contract or a
  // smaller radix.
  RtlArbitration(std::shared_ptr<const RtlLibrary> library, Settings settings, const RtlOptions& options);
  ~RtlArbitration() override;

  unsigned decide(Picoseconds now, unsigned output, const RequestSet& requests, unsigned choice) override;
  void reset(Reset kind) override;

  // Called for the first mismatches of all outputs together: once, unless the comparison continues after a
  // mismatch.
  std::function<void(const Lockstep::Mismatch&)> on_mismatch;

  std::uint64_t decisions() const;
  const std::optional<Lockstep::Mismatch>& mismatch() const { return mismatch_; }
  std::uint64_t mismatches() const;
  // Over all outputs: "requesters" and "winners" (inputs), "outputs", "requests at once" (1, 2, ... inputs),
  // and "pairs": the ordered pairs (a, b) in which a won while b requested. Requesters and pairs are not
  // counted, only marked. The contract needs a decision between two requests.
  Coverage coverage() const;
  void report(Statistics& statistics) const;

 private:
  class Output;
  void count(const RequestSet& requests, unsigned winner);
  void report(const Lockstep::Mismatch& mismatch);

  std::shared_ptr<const RtlLibrary> library_;
  Settings settings_;
  std::vector<std::unique_ptr<Output>> outputs_;
  std::optional<Lockstep::Mismatch> mismatch_;  // the first
  std::size_t reported_ = 0;
  bool over_ = false;

  RequestSet requesters_{};
  std::vector<RequestSet>
      requested_while_won_;                   // for each input: the other inputs that requested when it won
  std::vector<std::uint64_t> won_, at_once_;  // decisions by winner, and by number of requests
};

}  // namespace asterism
