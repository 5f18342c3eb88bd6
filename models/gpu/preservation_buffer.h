// Where the host keeps the snapshots of a GPU: a run of its memory, in it an extent for each snapshot, and
// for each zone in an extent whose it is.
//
// The snapshots kept are a chain: a full one and the increments since. image() names the newest copy of every
// zone. A full snapshot that is complete ends the chain before it; one that is open or given up changes
// nothing of what was complete.
//
// Extents go round the run, none goes over its end. How many zones an increment has is known only when it has
// begun: it is opened for as many as a full one has, and keeps the room that it used. It is refused unless as
// much is left behind it: so a full snapshot, which ends the chain, always has its room. A run of two full
// snapshots holds full ones; for increments it takes a third.
//
// Source: lee2019 section 4, (a1): the driver's preservation buffer and its metadata. Its layout is this
// project's.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "gpu/gpu_config.h"

namespace asterism {

class PreservationBuffer {
 public:
  struct Copy {
    Zone zone;
    Address at;
    bool operator==(const Copy&) const = default;
  };

  PreservationBuffer(Address first, Bytes size, Bytes zone);

  Bytes zone() const { return zone_; }

  // Room for at most so many zones; nothing when there is none, and nothing is changed. One is open at a
  // time, and an increment only behind a full one: std::logic_error else.
  std::optional<Address> open(bool full, std::uint32_t zones);
  bool is_open() const { return open_.has_value(); }
  void arrived(
      std::span<const Zone> zones);  // behind those before; std::logic_error where there is no room for them
  void complete();
  void give_up();

  std::size_t snapshots() const { return chain_.size(); }  // complete ones of the chain
  std::vector<Copy> image() const;                         // in the order of addresses
  Bytes free() const;                                      // that lie together, beside the chain

 private:
  struct Extent {
    Address first;
    Bytes size;
    bool full;
    std::vector<Zone> zones;
  };

  struct Room {
    Address first;
    Bytes size;
  };

  // Behind the last of the chain, or behind `last`: the first that is large enough is taken.
  std::array<Room, 2> rooms(const Extent* last) const;
  std::optional<Address> place(const Extent* last, Bytes size) const;

  Address first_;
  Bytes size_, zone_;
  std::deque<Extent> chain_;
  std::optional<Extent> open_;
};

}  // namespace asterism
