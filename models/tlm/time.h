// Conversions between SystemC time and the picoseconds of the engines. The resolution of sc_time stays at its
// default, 1 ps.
#pragma once

#include <systemc>

#include "base/units.h"

namespace asterism {

inline sc_core::sc_time to_sc_time(Picoseconds t) { return sc_core::sc_time::from_value(t.count()); }
inline Picoseconds to_picoseconds(const sc_core::sc_time& t) { return Picoseconds(t.value()); }
inline Picoseconds now() { return to_picoseconds(sc_core::sc_time_stamp()); }

}  // namespace asterism
