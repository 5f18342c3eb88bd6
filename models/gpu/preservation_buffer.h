// The host's memory for the snapshots of a GPU: a region with an extent for each snapshot, and the number of
// the zone for each zone in an extent.
//
// The snapshots that are kept form a chain: a full one and the increments since. image() lists the newest
// copy of every zone. A full snapshot that is complete replaces the previous chain; one that is open or
// aborted changes nothing of what was complete.
//
// Extents are allocated cyclically in the region, and none crosses its end. The size of an increment is known
// only when it has begun: it is opened with the size of a full snapshot, and keeps the space that it used. It
// is refused unless as much is left after it, so that a full snapshot, which replaces the chain, always has
// space. A region of two full snapshots holds full ones; increments need a third.
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

  // Allocates space for at most `zones` zones. Returns nullopt, without any change, if there is none. Only
  // one can be open at a time, and an increment only after a full one: std::logic_error otherwise.
  std::optional<Address> open(bool full, std::uint32_t zones);
  bool is_open() const { return open_.has_value(); }
  void arrived(
      // Appended to the previous ones; std::logic_error if there is no space for them.
      std::span<const Zone> zones);
  void complete();
  void give_up();

  std::size_t snapshots() const { return chain_.size(); }  // the number of complete snapshots of the chain
  std::vector<Copy> image() const;                         // in the order of addresses
  Bytes free() const;  // the largest contiguous free space outside of the chain

 private:
  struct Extent {
    Address first;
    Bytes size;
    bool full;
    std::vector<Zone> zones;
  };

  struct Gap {
    Address first;
    Bytes size;
  };

  // After the end of the chain, or after `last`: the first that is large enough is taken.
  std::array<Gap, 2> gaps(const Extent* last) const;
  std::optional<Address> place(const Extent* last, Bytes size) const;

  Address first_;
  Bytes size_, zone_;
  std::deque<Extent> chain_;
  std::optional<Extent> open_;
};

}  // namespace asterism
