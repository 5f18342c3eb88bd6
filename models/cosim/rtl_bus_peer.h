// The RTL's side of a lockstep for the contract bus_device: it makes the model's accesses too.
//
// The model may answer at once what takes the RTL two or more cycles, and the next access may come before
// these have passed. The RTL then runs ahead of time, the more so the denser accesses come, and its latency
// from the time of the access exceeds the limit if that is too much: its clock is too slow for the model's
// accesses. Reads that leave no trace in the RTL take none of its time (RtlBus::access_or_peek), so that a
// register may be polled. The value that a read returns for a running count is exact (rtl_bus.h) unless
// writes, or reads with an effect, came less than two periods before it; then it is late by that much, which
// the limit on latency bounds too.
#pragma once

#include <string>
#include <vector>

#include "cosim/lockstep.h"
#include "cosim/rtl_bus.h"

namespace asterism {

class RtlBusPeer final : public LockstepPeer {
 public:
  // Throws RtlError as RtlBus does, and for a block that is a master too, since only the model's accesses are
  // made.
  RtlBusPeer(std::shared_ptr<const RtlLibrary> library, std::string instance,
             const RtlBus::Settings& settings, const RtlOptions& options);

  void reset(Reset kind, Picoseconds at) override;
  void catch_up(Picoseconds now) override;
  Answer answer(const Transaction& transaction) override;
  void write_window(Picoseconds window, TraceNotes notes) override;

  const RtlBus& bus() const { return bus_; }

 private:
  void notify(Picoseconds at, std::uint32_t levels);

  RtlBus bus_;
  std::uint32_t reported_ = 0;       // interrupt levels
  std::optional<BusAccess> peeked_;  // the last access, if it was not made
};

}  // namespace asterism
