#include "swizzle_switch/switch_technology.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/fields.h"
#include "base/file_kind.h"

namespace asterism {
namespace {

struct Router {
  unsigned radix, channel_bits;
};

// The value at radix * counted_bits wires, interpolated between the points at radix * table_bits.
template <class Q>
Q interpolate(const SwitchTechnology& t, Q SwitchPoint::*value, Router router, unsigned counted_bits) {
  const std::uint64_t at = std::uint64_t{router.radix} * counted_bits;
  const auto wires = [&](const SwitchPoint& p) { return std::uint64_t{p.radix} * t.table_bits; };
  const auto after = std::lower_bound(t.points.begin(), t.points.end(), at,
                                      [&](const SwitchPoint& p, std::uint64_t x) { return wires(p) < x; });
  if (after == t.points.end() || (after == t.points.begin() && wires(*after) != at))
    throw std::invalid_argument(
        "a router of radix " + std::to_string(router.radix) + " with channels of " +
        std::to_string(router.channel_bits) + " bits is outside of its technology, which covers radix " +
        std::to_string(t.points.front().radix) + " to " + std::to_string(t.points.back().radix) + " at " +
        std::to_string(t.table_bits) + " bits");
  if (wires(*after) == at) return (*after).*value;
  const SwitchPoint& before = *(after - 1);
  const std::uint64_t step = wires(*after) - wires(before), part = at - wires(before);
  const std::uint64_t low = (before.*value).count(), high = ((*after).*value).count();
  return Q((low * (step - part) + high * part + step / 2) / step);
}

}  // namespace

const QuantityKind& quantity_kind(Femtojoules) {
  static constexpr std::array units = {QuantityUnit{"nJ", 1'000'000}, QuantityUnit{"pJ", 1'000},
                                       QuantityUnit{"fJ", 1}};
  static constexpr QuantityKind kind{"an energy", "13.3pJ", units};
  return kind;
}

const QuantityKind& quantity_kind(SquareMicrometres) {
  static constexpr std::array units = {QuantityUnit{"mm2", 1'000'000}, QuantityUnit{"um2", 1}};
  static constexpr QuantityKind kind{"an area", "1.34mm2", units};
  return kind;
}

Picoseconds SwitchTechnology::period(unsigned radix, unsigned channel_bits) const {
  const double width = static_cast<double>(channel_bits) / table_bits;
  const Picoseconds narrow = interpolate(*this, &SwitchPoint::period, {radix, channel_bits}, table_bits);
  return Picoseconds(static_cast<std::uint64_t>(
      std::llround(static_cast<double>(narrow.count()) * std::pow(width, width_exponent))));
}

SquareMicrometres SwitchTechnology::area(unsigned radix, unsigned channel_bits) const {
  return interpolate(*this, &SwitchPoint::area, {radix, channel_bits}, channel_bits);
}

SquareMicrometres SwitchTechnology::link_area(Micrometres length, unsigned channel_bits) const {
  const std::uint64_t part = std::uint64_t{1000} * table_bits;
  return SquareMicrometres((wire_area.count() * length.count() * channel_bits + part / 2) / part);
}

double SwitchTechnology::static_watts(unsigned radix, unsigned channel_bits) const {
  return static_watts(area(radix, channel_bits));
}

double SwitchTechnology::static_watts(SquareMicrometres powered) const {
  return static_power * static_cast<double>(powered.count()) / 1e6;
}

double SwitchTechnology::buffer_picojoules(unsigned channel_bits) const {
  return static_cast<double>(buffer_energy.count()) / 1e3 * channel_bits / table_bits;
}

double SwitchTechnology::switch_picojoules(unsigned radix, unsigned channel_bits) const {
  const double width = static_cast<double>(channel_bits) / table_bits;
  const double ports = static_cast<double>(radix) / switch_energy_radix;
  const double length = ports * width, loads = ports;  // of the wire of a bit
  return static_cast<double>(switch_energy.count()) / 1e3 * width * length * loads;
}

double SwitchTechnology::link_picojoules(Micrometres length, unsigned channel_bits) const {
  const double picojoules_per_mm = static_cast<double>(wire_energy.count()) / 1e3 * channel_bits;
  return wire_activity * picojoules_per_mm * static_cast<double>(length.count()) / 1e3;
}

std::vector<SwitchPoint> SwitchTechnology::points_15nm() {
  return {{1, 209_ps, SquareMicrometres(39631)},       {2, 212_ps, SquareMicrometres(45147)},
          {3, 216_ps, SquareMicrometres(51128)},       {4, 220_ps, SquareMicrometres(57576)},
          {5, 224_ps, SquareMicrometres(64491)},       {6, 228_ps, SquareMicrometres(71871)},
          {8, 238_ps, SquareMicrometres(88031)},       {11, 254_ps, SquareMicrometres(115768)},
          {14, 271_ps, SquareMicrometres(147701)},     {17, 289_ps, SquareMicrometres(183831)},
          {20, 308_ps, SquareMicrometres(224158)},     {24, 336_ps, SquareMicrometres(284455)},
          {28, 364_ps, SquareMicrometres(352212)},     {32, 394_ps, SquareMicrometres(427429)},
          {36, 425_ps, SquareMicrometres(510107)},     {40, 456_ps, SquareMicrometres(600246)},
          {42, 473_ps, SquareMicrometres(648113)},     {48, 523_ps, SquareMicrometres(802905)},
          {52, 558_ps, SquareMicrometres(915425)},     {56, 593_ps, SquareMicrometres(1035405)},
          {64, 666_ps, SquareMicrometres(1297747)},    {72, 742_ps, SquareMicrometres(1589932)},
          {80, 821_ps, SquareMicrometres(1911958)},    {96, 985_ps, SquareMicrometres(2645536)},
          {112, 1157_ps, SquareMicrometres(3498482)},  {128, 1337_ps, SquareMicrometres(4470796)},
          {144, 1524_ps, SquareMicrometres(5562477)},  {160, 1717_ps, SquareMicrometres(6773526)},
          {176, 1916_ps, SquareMicrometres(8103943)},  {192, 2120_ps, SquareMicrometres(9553727)},
          {208, 2330_ps, SquareMicrometres(11122879)}, {224, 2544_ps, SquareMicrometres(12811399)},
          {240, 2763_ps, SquareMicrometres(14619286)}, {256, 2987_ps, SquareMicrometres(16546541)}};
}

static_assert(member_count<SwitchPoint>() == 3);
void describe(Fields& f, SwitchPoint& p) {
  f("radix", p.radix, "The number of ports of the router, each an input and an output.", within(1, 4096),
    required());
  f("period", p.period, "The period of the clock that a router of this radix reaches.",
    within(1_ps, 1'000'000_ps), required());
  f("area", p.area, "The area of the router with its buffers, which costs static power.",
    at_most(SquareMicrometres(1'000'000'000'000)), required());
}

static_assert(member_count<SwitchTechnology>() == 11);
void describe(Fields& f, SwitchTechnology& t) {
  f.sourced();
  const auto energy = at_most(Femtojoules(1'000'000'000'000));
  f("table_bits", t.table_bits,
    "The channel width of the points and energies. For the area, another width counts as a proportional "
    "radix.",
    within(1, 4096), required());
  f("width_exponent", t.width_exponent,
    "A channel of n times table_bits makes the clock's period longer by n to this power. 0: the width does "
    "not matter.",
    within(0.0, 1.0), required());
  f("points", t.points,
    "Clock and area against radix, in ascending order of radix; values between points are interpolated.",
    required());
  f("wire_fs_per_um", t.wire_fs_per_um,
    "The delay of a repeated wire. A longer delay makes links of more cycles.", within(1, 100'000),
    required());
  f("wire_area", t.wire_area,
    "The area of the repeaters of a channel of table_bits per millimetre, which costs static power.",
    at_most(SquareMicrometres(1'000'000'000'000)), required());
  f("wire_energy", t.wire_energy, "The energy per millimetre and bit that switches.", energy, required());
  f("wire_activity", t.wire_activity, "The share of a link's wires that switch when a flit passes.",
    within(0.0, 1.0), required());
  f("buffer_energy", t.buffer_energy,
    "The energy of a flit that is written to and read from an input buffer.", energy, required());
  f("switch_energy", t.switch_energy,
    "The energy of a flit through a switch of radix switch_energy_radix. It grows with the square of the "
    "radix.",
    energy, required());
  f("switch_energy_radix", t.switch_energy_radix, "The radix for which switch_energy holds.", within(1, 4096),
    required());
  f("static_power", t.static_power, "The clocking and leakage power of a router that is not gated, in W/mm2.",
    within(0.0, 100.0), required());
  f.check([&] { return !t.points.empty(); }, "points", "has at least one point");
  f.check(
      [&] {
        const auto falls = [](const SwitchPoint& a, const SwitchPoint& b) { return a.radix >= b.radix; };
        return std::adjacent_find(t.points.begin(), t.points.end(), falls) == t.points.end();
      },
      "points", "rises in radix");
}
const RegisteredFileKind<SwitchTechnology> technology_files{
    "technology", "technologies", "Asterism technology", {"points", "wire_fs_per_um"}};

}  // namespace asterism
