// What a core asks of the data caches beside loads and stores.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace asterism {

struct CacheMaintenance {
  enum class Kind : std::uint8_t {
    clean_to_l2,           // DC CVAU: to where fetches see it
    clean,                 // DC CVAC, DC CSW
    clean_and_invalidate,  // DC CIVAC, DC CISW; DC IVAC and DC ISW, which may lose no store here
    wait,                  // DSB: until the operations of this core before it have ended
  };
  Kind kind = Kind::wait;
  bool by_set = false;
  Address address{};                     // physical, of any byte of the line; or by_set:
  unsigned level = 0, set = 0, way = 0;  // level: 0 for the L1

  bool operator==(const CacheMaintenance&) const = default;
};

}  // namespace asterism
