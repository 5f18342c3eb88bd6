// The device-side offloader of one channel: copies the zones of a snapshot into its part of the transfer
// buffer, first those with waiting writes (duplicate-on-write), then the others in order, these only while
// half of the part is free.
//
// A zone that is begun is finished. Its bytes are read and written a piece at a time, so that the kernels'
// accesses go between.
//
//   offloader.want(zone)                   a write waits for it
//   next = offloader.start(now)            when it is idle: takes up a zone, if there is one and room for it
//   next = offloader.go_on(now, copied)    at the time told; `copied`: the zone that is in the buffer now
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

// Bytes that a copy takes from or to a channel, a piece after the other, as the channel has time for them.
class PacedMove {
 public:
  static constexpr Bytes piece = 4_KiB;

  bool busy() const { return left_ != 0_B; }
  // Each byte is moved `times` times. When the first piece is moved; go_on() then.
  Picoseconds start(DeviceChannel& channel, Picoseconds now, Bytes size, unsigned times) {
    left_ = size;
    times_ = times;
    return channel.move(now, sectors());
  }
  // To what is under way.
  void add(Bytes size) { left_ += size; }
  // When the next piece is moved; nothing: all is.
  std::optional<Picoseconds> go_on(DeviceChannel& channel, Picoseconds now) {
    left_ -= left_ < piece ? left_ : piece;
    if (!busy()) return std::nullopt;
    return channel.move(now, sectors());
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
    std::uint64_t zones = 0, duplicates = 0;  // duplicates: of these, for a write that waited

    Counts& operator+=(const Counts& other) {
      zones += other.zones;
      duplicates += other.duplicates;
      return *this;
    }
  };

  DeviceOffloader(const GpuConfig& config, std::uint32_t number, DeviceChannel& channel,
                  DeviceMemory& memory);

  void want(std::uint32_t zone) { wanted_.push_back(zone); }
  bool busy() const { return move_.busy(); }
  std::optional<Picoseconds> start(Picoseconds now);
  std::optional<Picoseconds> go_on(Picoseconds now, std::optional<std::uint32_t>& copied);

  // Whether the buffer's part is to be sent: it has a whole transfer, or it will not have more before it is
  // sent.
  bool ready() const;
  // A write waits for a zone for which there is no room.
  bool lacks_room() const { return !busy() && !wanted_.empty(); }
  TransferBuffer& buffer() { return buffer_; }
  const Counts& counts() const { return counts_; }

  // The snapshot has begun, or is over.
  void clear();

 private:
  std::optional<Picoseconds> take_up(Picoseconds now, std::uint32_t zone);

  std::uint32_t number_;
  Bytes zone_size_, transfer_;
  DeviceChannel& channel_;
  DeviceMemory& memory_;
  TransferBuffer buffer_;
  std::deque<std::uint32_t> wanted_;  // still unpreserved ones in front when it is idle
  std::uint32_t in_order_ = 0;        // zones below are preserved, or wanted
  std::uint32_t zone_ = 0;            // being copied
  PacedMove move_;
  Counts counts_;
};

}  // namespace asterism
