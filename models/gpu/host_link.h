// The way from the GPUs of a host processor to its memory: a PCIe switch, behind which each GPU has its own link.
//
// A transfer may be told of in pieces, each when it has been moved; one that is held moves nothing, and leaves the bandwidth to
// others, until it goes on.
//
// A transfer of s bytes takes an overhead of its own (request, set-up), in which it uses no bandwidth, and then s over its share of
// the bandwidth: those that move bytes share the processor's link evenly, none gets more than its GPU's own link gives. A GPU
// has one transfer at a time. So a transfer alone reaches s / (overhead + s / b) of the link's b: 62 % for 64 KiB over eight
// lanes of PCIe 3.0.
//
// Sources: lee2019 section 4.3.1 and figure 9 (the 62 %; its other points are in a picture only), section 5.1 (32 lanes of PCIe 4.0
// for a processor), Table 1 (2 GB/s a lane, 8 GB/s for a GPU: 4 lanes), section 4.1.5 (25 us). The form of the curve is this
// project's, and the overhead of 5 us follows from it and the 62 %.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/reset.h"
#include "base/units.h"

namespace asterism {

class Fields;

struct HostLinkConfig {
  std::uint32_t lanes = 32;     // of the processor; at most so many GPUs share it; section 5.1
  std::uint32_t gpu_lanes = 4;  // of each GPU; Table 1
  Bandwidth lane = 2_GBps;      // Table 1
  Picoseconds overhead = 5_us;  // of a transfer; section 4.3.1
  // A signal from a GPU to the driver and the answer back; one way is half of it; section 4.1.5.
  Picoseconds round_trip = 25_us;
};
void describe(Fields& f, HostLinkConfig& config);

class HostLink {
 public:
  static constexpr Bytes whole{~std::uint64_t{0}};

  // Throws std::invalid_argument, with words for a user, for lanes that are none or move nothing.
  HostLink(const HostLinkConfig& config, std::uint32_t gpus);

  // Other GPUs that are not simulated and always move bytes: what a study of one GPU shares the link with.
  void set_others(std::uint32_t gpus);

  bool busy(std::uint32_t gpu) const;
  // Not while it is busy; pieces of more than 0 bytes, the last one may be smaller.
  void start(Picoseconds now, std::uint32_t gpu, Bytes size, Bytes piece = whole);
  // A busy one; again does nothing.
  void hold(Picoseconds now, std::uint32_t gpu);
  void go_on(Picoseconds now, std::uint32_t gpu);
  void cancel(Picoseconds now, std::uint32_t gpu);

  std::optional<Picoseconds> next_event() const;
  // Work up to now, and the GPUs of which pieces have been moved, for each piece once, in the order of time and then of number.
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
    bool busy = false, held = false, moves = false;
    Picoseconds from{};  // when it begins to move bytes
    Work left = 0;
    Work piece = 0, told_at = 0;  // a piece has been moved when so much is left
  };

  Bandwidth rate() const;  // of each that moves bytes now
  std::optional<Picoseconds> next_change() const;
  void change();
  void work_until(Picoseconds now);

  HostLinkConfig config_;
  std::vector<Transfer> transfers_;
  std::uint32_t others_ = 0, moving_ = 0;
  Picoseconds now_{};
  std::vector<std::uint32_t> moved_, told_;
};

}  // namespace asterism
