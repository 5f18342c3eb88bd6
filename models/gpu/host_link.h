// The way from the GPUs of a host processor to its memory: a PCIe switch, behind which each GPU has its own link.
//
// A transfer of s bytes takes an overhead of its own (request, set-up), in which it uses no bandwidth, and then s over its share of
// the bandwidth: those that move bytes share the processor's link evenly, none gets more than its GPU's own link gives. A GPU
// has one transfer at a time. So a transfer alone reaches s / (overhead + s / b) of the link's b: 62 % for 64 KiB over eight
// lanes of PCIe 3.0.
//
// Sources: lee2019 section 4.3.1 and figure 9 (the 62 %; its other points are in a picture only), section 5.1 (32 lanes of PCIe 4.0
// for a processor), Table 1 (2 GB/s a lane, 8 GB/s for a GPU: 4 lanes). The form of the curve is this project's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/reset.h"
#include "base/units.h"

namespace asterism {

class Fields;

struct HostLinkConfig {
  std::uint32_t lanes = 32;     // of the processor; at most so many GPUs share it
  std::uint32_t gpu_lanes = 4;  // of each GPU
  Bandwidth lane = 2_GBps;
  Picoseconds overhead = 5_us;  // of a transfer
  Picoseconds round_trip =
      25_us;  // a signal from a GPU to the driver and the answer back; one way is half of it
};
void describe(Fields& f, HostLinkConfig& config);

class HostLink {
 public:
  HostLink(const HostLinkConfig& config, std::uint32_t gpus);

  // Other GPUs that are not simulated and always move bytes: what a study of one GPU shares the link with.
  void set_others(std::uint32_t gpus);

  bool busy(std::uint32_t gpu) const;
  void start(Picoseconds now, std::uint32_t gpu, Bytes size);  // not while it is busy
  void cancel(Picoseconds now, std::uint32_t gpu);

  std::optional<Picoseconds> next_event() const;
  // Work up to now, and the GPUs whose transfers have ended, in the order of time and then of number.
  const std::vector<std::uint32_t>& advance_to(Picoseconds now);
  void reset(Reset kind);

  // Of one GPU, when so many in all move bytes.
  static Bandwidth share(const HostLinkConfig& config, std::uint32_t active);
  // Size over the time that a transfer alone takes.
  static Bandwidth effective(const HostLinkConfig& config, std::uint32_t active, Bytes size);

 private:
  // In bytes times picoseconds per second, so that nothing is rounded when shares change.
  __extension__ typedef unsigned __int128 Work;
  struct Transfer {
    bool busy = false, moves = false;
    Picoseconds from{};  // when it begins to move bytes
    Work left = 0;
  };

  Bandwidth rate() const;  // of each that moves bytes now
  std::optional<Picoseconds> next_change() const;
  void change();
  void work_until(Picoseconds now);

  HostLinkConfig config_;
  std::vector<Transfer> transfers_;
  std::uint32_t others_ = 0, moving_ = 0;
  Picoseconds now_{};
  std::vector<std::uint32_t> ended_, told_;
};

}  // namespace asterism
