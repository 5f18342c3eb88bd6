// The link from the GPUs of a host processor to its memory: a PCIe switch to which each GPU is connected by
// its own link.
//
// A transfer may be reported in pieces, each when it has been moved. A transfer that is held moves nothing,
// and leaves the bandwidth to others, until it is resumed.
//
// A transfer of s bytes takes a fixed overhead (request, set-up), in which it uses no bandwidth, and then s
// divided by its share of the bandwidth: the transfers that move bytes share the processor's link evenly, and
// none gets more than its GPU's own link provides. A GPU has one transfer at a time. A transfer alone
// therefore reaches s / (overhead + s / b) of the link's b: 62 % for 64 KiB over eight lanes of PCIe 3.0.
//
// Sources: lee2019 section 4.3.1 and figure 9 (the 62 %; its other points are only plotted), section 5.1 (32
// lanes of PCIe 4.0 for a processor), Table 1 (2 GB/s per lane, 8 GB/s for a GPU: 4 lanes), section 4.1.5 (25
// us). The form of the curve is this project's, and the overhead of 5 us follows from it and the 62 %.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/activity_log.h"
#include "base/reset.h"
#include "base/units.h"

namespace asterism {

class Fields;

struct HostLinkConfig {
  std::uint32_t lanes = 32;     // of the processor, which also bounds the number of GPUs; section 5.1
  std::uint32_t gpu_lanes = 4;  // of each GPU; Table 1
  Bandwidth lane = 2_GBps;      // Table 1
  Picoseconds overhead = 5_us;  // per transfer; section 4.3.1
  // A signal from a GPU to the driver and the answer; one direction takes half of it; section 4.1.5.
  Picoseconds round_trip = 25_us;
};
void describe(Fields& f, HostLinkConfig& config);

class HostLink {
 public:
  static constexpr Bytes whole{~std::uint64_t{0}};

  // Throws std::invalid_argument, with a message for a user, for zero lanes or lanes without bandwidth.
  HostLink(const HostLinkConfig& config, std::uint32_t gpus);

  // The transfers of each GPU are intervals of a track, such as "node.gpu.0.link".
  void record_in(ActivityLog& activity, const std::string& device);

  // Other GPUs, which are not simulated and always move bytes: a study of one GPU shares the link with them.
  void set_others(std::uint32_t gpus);

  bool busy(std::uint32_t gpu) const;
  // Not while the GPU has a transfer. Pieces have more than 0 bytes; the last one may be smaller. `what` is
  // its name in the record of a run.
  void start(Picoseconds now, std::uint32_t gpu, Bytes size, Bytes piece = whole,
             std::string_view what = "transfer");
  // Holds the transfer in progress; repeating it has no effect.
  void hold(Picoseconds now, std::uint32_t gpu);
  void resume(Picoseconds now, std::uint32_t gpu);
  void cancel(Picoseconds now, std::uint32_t gpu);

  std::optional<Picoseconds> next_event() const;
  // Advances to `now`. Returns the GPUs of which pieces have been moved, once for each piece, in the order of
  // time and then of number.
  const std::vector<std::uint32_t>& advance_to(Picoseconds now);
  void reset(Reset kind);

  // The bandwidth of one GPU if that many GPUs move bytes.
  static Bandwidth share(const HostLinkConfig& config, std::uint32_t active);
  // The size divided by the time that a transfer alone takes.
  static Bandwidth effective(const HostLinkConfig& config, std::uint32_t active, Bytes size);

 private:
  // In bytes times picoseconds per second, so that nothing is rounded when shares change.
  __extension__ typedef unsigned __int128 Work;
  struct Transfer {
    bool busy = false, held = false, moves = false;
    Picoseconds from{};  // when it begins to move bytes
    Work left = 0;
    Work piece = 0, reported_at = 0;  // a piece has been moved when the remaining work has fallen to this
    std::string_view what;
    Picoseconds begun{};
    Bytes size{};
  };

  Bandwidth rate() const;  // of each transfer that moves bytes now
  std::optional<Picoseconds> next_change() const;
  void change();
  void work_until(Picoseconds now);
  void record(std::uint32_t gpu) const;

  HostLinkConfig config_;
  std::vector<Transfer> transfers_;
  std::uint32_t others_ = 0, moving_ = 0;
  Picoseconds now_{};
  std::vector<std::uint32_t> moved_, reported_;
  ActivityLog* activity_ = nullptr;
  std::vector<ActivityLog::Track> tracks_;
};

}  // namespace asterism
