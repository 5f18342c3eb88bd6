// An operation of a core on its data caches other than a load or store.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace asterism {

struct CacheMaintenance {
  enum class Kind : std::uint8_t {
    clean_to_l2,           // DC CVAU: to the point of unification, which is behind the L1s
    clean,                 // DC CVAC, DC CSW
    clean_and_invalidate,  // DC CIVAC, DC CISW; also DC IVAC and DC ISW, so that no store is lost
    wait,                  // DSB: waits until earlier operations of this core have ended
  };
  Kind kind = Kind::wait;
  bool by_set = false;
  Address address{};                     // physical, of any byte of the line; if by_set:
  unsigned level = 0, set = 0, way = 0;  // level: 0 for the L1

  bool operator==(const CacheMaintenance&) const = default;
};

}  // namespace asterism
