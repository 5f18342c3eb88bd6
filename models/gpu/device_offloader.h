// The device-side offloader of one channel. It copies the zones of a snapshot into its part of the transfer
// buffer: first those with waiting writes (duplicate-on-write), then the others in order, but the latter only
// while half of the part is free.
//
// The bytes of a zone begin to move when the latency of the memory has passed. A zone that was started is
// completed. Its bytes are read and written in pieces, so that accesses of kernels can come in between.
//
//   offloader.want(zone)                   a write waits for the zone
//   next = offloader.start(now)            when idle: starts a zone, if there is one and space for it
//   next = offloader.resume(now, copied)   at the returned time; `copied` is the zone that is now in the
//                                          buffer
//
// Source: lee2019 sections 4.3.1 and 4.3.2.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/units.h"
#include "gpu/device_channel.h"
#include "gpu/transfer_buffer.h"

namespace asterism {

// The bytes that a copy moves from or to a channel, piece by piece, as the channel has time for them.
class PacedMove {
 public:
  static constexpr Bytes piece = 4_KiB;

  bool busy() const { return left_ != 0_B; }
  // Each byte is moved `times` times. Returns when the first piece has been moved; call resume() then.
  Picoseconds start(DeviceChannel& channel, Picoseconds now, Bytes size, unsigned times) {
    left_ = size;
    times_ = times;
    return channel.move_copy(now, sectors());
  }
  // Adds to the copy in progress.
  void add(Bytes size) { left_ += size; }
  // Returns when the next piece has been moved; nullopt if all have been.
  std::optional<Picoseconds> resume(DeviceChannel& channel, Picoseconds now) {
    left_ -= left_ < piece ? left_ : piece;
    if (!busy()) return std::nullopt;
    return channel.move_copy(now, sectors());
  }
  void stop() { left_ = 0_B; }

 private:
  std::uint64_t sectors() const { return (left_ < piece ? left_ : piece) / L2Slice::sector * times_; }

  Bytes left_{};
  unsigned times_ = 1;
};

class DeviceOffloader {
 public:
  struct Counts {
    std::uint64_t zones = 0, duplicates = 0;  // of these, copies for a waiting write

    Counts& operator+=(const Counts& other) {
      zones += other.zones;
      duplicates += other.duplicates;
      return *this;
    }
  };

  DeviceOffloader(const GpuConfig& config, DeviceChannel& channel);

  void want(std::uint32_t zone) { wanted_.push_back(zone); }
  bool busy() const { return reads_first_ || move_.busy(); }
  std::optional<Picoseconds> start(Picoseconds now);
  std::optional<Picoseconds> resume(Picoseconds now, std::optional<std::uint32_t>& copied);

  // Whether the buffer's part is to be sent: it contains a whole transfer, or nothing can be added before it
  // is sent.
  bool ready() const;
  // Whether a write waits for a zone for which there is no space.
  bool lacks_space() const { return !busy() && !wanted_.empty(); }
  TransferBuffer& buffer() { return buffer_; }
  const Counts& counts() const { return counts_; }

  // Called when the snapshot has begun, or is over.
  void clear();

 private:
  std::optional<Picoseconds> take_up(Picoseconds now, std::uint32_t zone);

  Bytes zone_size_, transfer_;
  DeviceChannel& channel_;
  TransferBuffer buffer_;
  std::deque<std::uint32_t> wanted_;  // unpreserved zones are at the front when it is idle
  std::uint32_t in_order_ = 0;        // all zones below are preserved or wanted
  std::uint32_t zone_ = 0;            // the zone that is being copied
  Picoseconds latency_;
  bool reads_first_ = false;  // the first bytes of the zone are awaited
  PacedMove move_;
  Counts counts_;
};

}  // namespace asterism
