// The tracking table of a DIMM-SSD in RTL: a block of the contract `matt` that answers in place of the Matt
// (Impl::rtl) or in lockstep with it (Impl::lockstep).
//
//   RtlMatt rtl(library,
//               {.instance = "node.dimm_ssd.matt", .config = config, .pages = matt.pages(), .now = now},
//               options);
//   rtl.on_mismatch = ...;
//   matt.attach_hook(&rtl);                                      before anything is tracked
//   ...
//   rtl.finish(now());
//
// Operations and their mismatches are those of rtl_operations.h. The answer, every field of a choice, and the
// values of pending() and has_candidates() after each operation are compared. The DIMM-SSD's times are those
// of the model, whatever the RTL takes.
//
// reset: every kind resets the RTL.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cosim/matt_ports.h"
#include "cosim/rtl_operations.h"
#include "matt/matt_hook.h"

namespace asterism {

class RtlMatt final : public MattHook, public RtlOperationsOf<MattOperation, MattAnswer> {
 public:
  struct Settings {
    std::string instance;  // "node.dimm_ssd.matt"
    Impl impl = Impl::lockstep;
    MattConfig config = {};  // that of the model
    std::uint32_t pages = 1;
    Frequency clock = 1_GHz;
    OnMismatch on_mismatch = OnMismatch::stop;
    SwapTrace trace = {};
    std::function<Picoseconds()> now = {};  // the time of the present operation
  };
  // The parameters that the block must have.
  static std::map<std::string, std::uint64_t> parameters(const MattConfig& config, std::uint32_t pages);

  // Throws RtlError for a block of another contract, one that lacks a port, or one with other parameters. The
  // coverage has "operations" ("track", ...) and "outcomes" ("write ready", "next candidate", ...).
  RtlMatt(std::shared_ptr<const RtlLibrary> library, const Settings& settings, const RtlOptions& options);

  void track(std::uint32_t page, bool tracked, Matt::Work& work) override;
  void mark(std::uint32_t page, Matt::Work& work) override;
  void write(std::uint32_t page, std::uint64_t lines, Matt::Answer& answer, Matt::Work& work) override;
  void peek(std::uint32_t page, Matt::Answer& answer) override;
  void begin_phase(Matt::Work& work) override;
  void next(bool candidates_too, std::optional<Matt::Choice>& choice, Matt::Work& work) override;
  void take(std::uint32_t page, std::optional<Matt::Choice>& choice, Matt::Work& work) override;
  void copied(std::uint32_t page, bool& waited, Matt::Work& work) override;
  void reset(Reset kind) override;

 private:
  MattAnswer answer_to(const MattOperation& operation, const MattAnswer& model);
  void choose(const MattOperation& operation, std::optional<Matt::Choice>& choice, Matt::Work& work);

  void ask(const MattOperation& operation) override;
  MattAnswer read(const MattOperation& operation, const MattAnswer& model) const override;
  void count(const MattOperation& operation, const MattAnswer& answer) override;
  std::string difference(const MattAnswer& model, const MattAnswer& rtl) const override;
  std::string asked_text(const MattOperation& operation) const override;
  std::string answer_text(const MattOperation& operation, const MattAnswer& answer,
                          const MattAnswer* other) const override;

  std::function<Picoseconds()> now_;
  MattPorts ports_;
  Coverage::Group &operations_, &outcomes_;
};

}  // namespace asterism
