// The tracking table of a DIMM-SSD in RTL: a block of the contract `matt` that answers in place of the Matt (Impl::rtl) or in
// lockstep with it (Impl::lockstep).
//
//   RtlMatt rtl(library, {.instance = "node.dimm_ssd.matt", .config = config, .pages = matt.pages(), .now = now}, options);
//   rtl.on_mismatch = ...;
//   matt.seat(&rtl);                                      before anything is tracked
//   ...
//   rtl.finish(now());
//
// An operation is given to the block in one cycle of its clock, and its answer is there in the first cycle in which
// out.valid is high, up to `patience` cycles later; the next operation comes after that. One of time T begins in the first
// cycle from T on, or when the one before it is over, if that is later: so the RTL may lag behind, and time in the traces is
// that of the RTL. The DIMM-SSD's times are the model's, whatever the RTL takes.
//
// Compared are the answer, every field of a choice, and after each operation what pending() and has_candidates() say. A
// difference and RTL that fails are told once, by on_mismatch; from then on the model stands in and nothing is compared. With
// Impl::rtl only failing RTL is a mismatch.
//
// reset: every kind resets the RTL.
#pragma once

#include <functional>
#include <map>
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
#include "matt/matt_seat.h"

namespace asterism {

class RtlMatt final : public MattSeat {
 public:
  struct Settings {
    std::string instance;  // "node.dimm_ssd.matt"
    Impl impl = Impl::lockstep;
    MattConfig config = {};  // of the model
    std::uint32_t pages = 1;
    Frequency clock = 1_GHz;
    SwapTrace trace = {};
    std::function<Picoseconds()> now = {};  // of the operation that is made
  };
  // What the block's parameters have to be.
  static std::map<std::string, std::uint64_t> parameters(const MattConfig& config, std::uint32_t pages);

  // Throws RtlError for a block of another contract, one that misses a port, or one whose parameters are others.
  RtlMatt(std::shared_ptr<const RtlLibrary> library, const Settings& settings, const RtlOptions& options);
  ~RtlMatt() override;

  void track(std::uint32_t page, bool tracked, Matt::Work& work) override;
  void mark(std::uint32_t page, Matt::Work& work) override;
  void write(std::uint32_t page, std::uint64_t lines, Matt::Answer& answer, Matt::Work& work) override;
  void peek(std::uint32_t page, Matt::Answer& answer) override;
  void begin_phase(Matt::Work& work) override;
  void next(bool candidates_too, std::optional<Matt::Choice>& choice, Matt::Work& work) override;
  void take(std::uint32_t page, std::optional<Matt::Choice>& choice, Matt::Work& work) override;
  void copied(std::uint32_t page, bool& waited, Matt::Work& work) override;
  void reset(Reset kind) override;
  // The run is over: a trace on demand gets the cycles up to now.
  void finish(Picoseconds now);

  // Called once, at the first mismatch.
  std::function<void(const Lockstep::Mismatch&)> on_mismatch;

  const std::string& instance() const;
  std::uint64_t operations() const;
  const std::optional<Lockstep::Mismatch>& mismatch() const;
  // "operations" ("track", ...) and "outcomes" ("write ready", "next candidate", ...).
  const Coverage& coverage() const;
  void report(Statistics& statistics) const;
  // For the last screen: how many operations, what they reached.
  std::vector<std::string> summary() const;

 private:
  class Block;
  std::unique_ptr<Block> block_;
};

}  // namespace asterism
