// A fault with the time at which it occurs.
#pragma once

#include "base/units.h"

namespace asterism {

template <class Fault>
struct Timed {
  Picoseconds at;
  Fault fault;
};

}  // namespace asterism
