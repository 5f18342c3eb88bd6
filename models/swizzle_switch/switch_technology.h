// The cost of a Swizzle-Switch router and its wires in one manufacturing technology: clock, area and energy
// against radix, from a file in configs/technologies.
//
// Clock and area are a table of integer points with linear interpolation. A Swizzle-Switch is a square with
// radix x width wires per side, so for the area a channel of another width than the table's counts as a
// proportional radix: 32 ports of 64 bits count as 16 ports of 128. The clock's period grows with a power of
// the width that is the same for every radix. Both are assumed; the papers have data for 128 bits only.
//
// Energies are those of one flit, which is as wide as the channel:
//
//   buffer   written and read once: proportional to the width
//   switch   through the crossbar, arbitration included: each bit drives a wire as long as the switch, radix
//            x width, which has a load for each port. So it is proportional to the squares of radix and width
//   link     alpha * wire_energy * bits * length, where alpha is the share of wires that switch
//
// Powered parts draw static_power * area all the time, for clocking and leakage: routers, and the repeaters
// of channels.
//
// Sources: abeyratne2017 sections 3.2.2, 3.4.1, 3.4.2, Table 3.2, and the fits that configs/technologies
// names.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity_text.h"
#include "base/units.h"

namespace asterism {

class Fields;

using Femtojoules = Quantity<struct FemtojouleUnit>;
using SquareMicrometres = Quantity<struct SquareMicrometreUnit>;
const QuantityKind& quantity_kind(Femtojoules);        // "13.3pJ"
const QuantityKind& quantity_kind(SquareMicrometres);  // "1.34mm2"

struct SwitchPoint {
  std::uint32_t radix = 0;
  Picoseconds period;      // of the router's clock
  SquareMicrometres area;  // of the router, including buffers
  bool operator==(const SwitchPoint&) const = default;
};
void describe(Fields& f, SwitchPoint& point);

// The defaults are those of configs/technologies/swizzle_switch_15nm.json.
struct SwitchTechnology {
  std::uint32_t table_bits = 128;  // channel width of the points and of the energies
  double width_exponent = 0.125;   // of the clock's period in the width of the channel
  std::vector<SwitchPoint> points = points_15nm();
  std::uint32_t wire_fs_per_um = 66;  // femtoseconds per micrometre, which is picoseconds per millimetre
  SquareMicrometres wire_area = SquareMicrometres(527);  // per millimetre of a channel of table_bits
  Femtojoules wire_energy = Femtojoules(70);             // per millimetre and bit
  double wire_activity = 0.276;
  Femtojoules buffer_energy = Femtojoules(13'300);
  Femtojoules switch_energy = Femtojoules(20'800);  // at switch_energy_radix
  std::uint32_t switch_energy_radix = 64;
  double static_power = 0.28;  // W/mm2

  // These throw std::invalid_argument, which gives the range, for a router outside of the table.
  Picoseconds period(unsigned radix, unsigned channel_bits) const;  // to the nearest picosecond
  SquareMicrometres area(unsigned radix, unsigned channel_bits) const;
  double static_watts(unsigned radix, unsigned channel_bits) const;

  SquareMicrometres link_area(Micrometres length, unsigned channel_bits) const;  // of one direction
  double static_watts(SquareMicrometres powered) const;

  // In picojoules per flit.
  double buffer_picojoules(unsigned channel_bits) const;
  double switch_picojoules(unsigned radix, unsigned channel_bits) const;
  double link_picojoules(Micrometres length, unsigned channel_bits) const;

  bool operator==(const SwitchTechnology&) const = default;

 private:
  static std::vector<SwitchPoint> points_15nm();
};
void describe(Fields& f, SwitchTechnology& technology);

}  // namespace asterism
