// The blocks of a node that RTL replaces or shadows, whatever their contract: how a run sees them, and how
// they are attached to the devices that have them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "base/units.h"
#include "cosim/coverage.h"
#include "cosim/lockstep.h"
#include "cosim/rtl_options.h"
#include "tlm/device.h"

namespace asterism {

class RtlBlock {
 public:
  virtual ~RtlBlock() = default;

  // Called for the first differences, or for a failure of the RTL.
  std::function<void(const Lockstep::Mismatch&)> on_mismatch = [](const Lockstep::Mismatch&) {};

  // The end of a run: completes comparisons, which may find a mismatch.
  virtual void finish(Picoseconds now) = 0;
  virtual std::vector<std::string> instances() const = 0;
  // For the summary of a run: what the RTL did and its coverage, one line each.
  virtual std::vector<std::string> summary() const = 0;
  virtual std::uint64_t mismatches() const = 0;
  virtual std::vector<BlockCoverage> coverage() const = 0;  // empty unless it is in lockstep
  // `statistics` are those of the device.
  virtual void report(Statistics& statistics) const = 0;
};

// Attaches RTL to a block of a device, by the role that the contract needs. `device` is the device's instance
// path, "node.dimm_ssd". Throws RtlError for a library that does not fit.
std::unique_ptr<RtlBlock> attach_rtl(const RtlUse& use, const DeviceLibrary& library, Device& device,
                                     const std::string& path, const RtlOptions& options);

}  // namespace asterism
