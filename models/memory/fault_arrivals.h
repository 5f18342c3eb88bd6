// Random faults of DRAM devices: each device fails at a constant rate, given in FIT (failures in 10^9 hours)
// and accelerated so that faults occur within simulated time. An engine (base/engine.h).
//
// The kind and persistence of a fault are drawn with the rates of a field study. Its place is uniform in the
// whole part, including rows that are not in use. The study is Sridharan and Liberty, "A Study of DRAM
// Failures in the Field", SC 2012 (which abeyratne2017 section 4.4 cites for its faults): the rates of
// configs/faults/jaguar_ddr2.json, with which a test compares those here. Faults of a bank or of several
// become those of a chip (assumed: the overlay has no bank), those of several ranks those of a pin of one
// rank (assumed: ranks share the data lanes).
//
// Only their shares are used; their sum, 66.1, is the fit_per_device that gives the study's rate.
//
// reset: faults come from outside the node: cold restarts the same sequence at time 0; warm and power_loss
// change nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/random.h"
#include "base/reset.h"
#include "base/units.h"
#include "memory/address_mapping.h"
#include "memory/ecc_config.h"
#include "memory/fault_overlay.h"

namespace asterism {

// A rate of the table.
struct FieldRate {
  MemoryFaultKind kind;
  Persistence persistence;
  unsigned tenths;  // of a FIT, per device
};
std::span<const FieldRate> field_rates();

class FaultArrivals {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void arrived(Picoseconds at, const MemoryFault& fault) = 0;
  };

  // Of config only fit_per_device, fit_acceleration and shape() are used. `rows` is the number of rows of a
  // bank of the part.
  FaultArrivals(const EccConfig& config, const DramGeometry& geometry, std::uint32_t rows,
                std::uint64_t seed);

  std::optional<Picoseconds> next_event() const { return next_; }
  void advance_to(Picoseconds now, Sink& sink);
  void reset(Reset kind);

 private:
  // Time passes in ticks, in each of which at most one fault arrives. A tick is a picosecond, or longer if
  // faults are too rare to be drawn by picoseconds.
  struct Gaps {
    Picoseconds tick;
    Geometric failures;
  };
  static std::optional<Gaps> gaps(const EccConfig& config, const DramGeometry& geometry);
  void draw_next(Picoseconds from);
  MemoryFault draw_fault();

  DramGeometry geometry_;
  BlockShape shape_;
  std::uint32_t rows_;
  std::uint64_t seed_;
  std::optional<Gaps> gaps_;  // nullopt: faults are too rare for the 213 days that can be simulated
  Random random_;
  std::optional<Picoseconds> next_;
};

}  // namespace asterism
